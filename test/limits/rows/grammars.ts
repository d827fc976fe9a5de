/** Limits of grammars of schemas, and of who waits for a model. */

import type { JsonSchema } from '../../../src/format/messages.ts';
import { buildGrammar } from '../../../src/grammar/build-grammar.ts';
import { namedCall } from '../../../src/grammar/other-names.ts';
import { SchemaDocument } from '../../../src/json-schema/document/schema-document.ts';
import { isTooDeep } from '../../../src/json-schema/objects/key-exits.ts';
import { ArraySearch } from '../../../src/json-schema/plan/array-search.ts';
import { Tags } from '../../../src/json-schema/plan/tags.ts';
import { objectShape } from '../../../src/json-schema/shapes/any-shape.ts';
import { keptApart } from '../../../src/json-schema/shapes/clauses.ts';
import { Constraints } from '../../../src/json-schema/shapes/constraints.ts';
import { type Expression, literal } from '../../../src/language/expression/expression.ts';
import { children } from '../../../src/language/expression/references.ts';
import { RuleSet } from '../../../src/language/expression/rule-set.ts';
import { createMatcher } from '../../../src/language/matcher/matcher.ts';
import { SequenceQueue } from '../../../src/runtime/node-llama-cpp/sequences/sequence-queue.ts';
import { channels, jsonInTags } from '../../support/sample-formats.ts';
import { ends, type Rows } from '../source-limits.ts';

const numbersTo = (size: number) => Array.from({ length: size }, (_, at) => at);

/** Whether a grammar enforces all of a schema. */
export function isEnforced(schema: JsonSchema): boolean {
  const responseFormat = { type: 'json_schema', json_schema: { schema } } as const;
  return buildGrammar(jsonInTags, { responseFormat, policy: 'degrade' } as never).report.length === 0;
}

/** How often `wanted` stands in an expression, rules not followed. */
function countOf(expression: Expression, wanted: string): number {
  if (expression.type === 'literal') return expression.text === wanted ? 1 : 0;
  return children(expression).reduce((sum, child) => sum + countOf(child, wanted), 0);
}

export const grammarRows: Rows = {
  'grammar/other-names.ts maxNesting': (size) => {
    const call = namedCall(new Map([['x'.repeat(100), literal('!')]]), literal('?'), new RuleSet());
    return countOf(call, 'x') >= size;
  },
  'grammar/reasoning-grammar.ts maxRegions': (size) => {
    const tools = [{ type: 'function', function: { name: 'f' } }] as const;
    const { expression } = buildGrammar(channels, {
      tools,
      toolChoice: 'required',
      generationPrompt: channels.turn.start,
    } as never);
    const thoughts = '|chan|think|text|so|stop||begin|bot'.repeat(size + 1);
    return expression !== null && createMatcher(expression).accept(`${thoughts} to=tool.f|chan|side|text|`);
  },
  // Around it are all but one.
  'json-schema/objects/key-exits.ts maxDepth': (size) => !isTooDeep(size - 1),
  'json-schema/plan/array-search.ts maxProgress': (size) => {
    const shape = {
      type: 'array',
      prefix: [],
      rest: new Constraints().anything,
      min: 0,
      max: null,
      contains: [{ min: 1, max: null, constraint: new Constraints().anything }],
    };
    const search = new ArraySearch(shape as never, 0, new Constraints(), () => false);
    return ends(() => numbersTo(size).map((index) => search.mayGoOn({ index, found: [0] })));
  },
  // Each property refers to its value so many times.
  'json-schema/plan/tags.ts maxSteps': (size) => {
    const chain = (value: string) =>
      numbersTo(size).map(
        (at) =>
          [`${value}${at}`, at === 0 ? { const: value } : { $ref: `#/$defs/${value}${at - 1}` }] as const,
      );
    const branch = (value: string) => ({
      required: ['k'],
      properties: { k: { $ref: `#/$defs/${value}${size - 1}` } },
    });
    const document = new SchemaDocument({
      $defs: Object.fromEntries([...chain('a'), ...chain('b')]),
      anyOf: [branch('a'), branch('b')],
    });
    return new Tags(document).of([document.root], [document.root]) !== null;
  },
  // Two keys, with as few combined values as that, or one more.
  'json-schema/shapes/clauses.ts maxMultiplied': (size) => {
    const about = (key: string, count: number) =>
      numbersTo(count).map(() => objectShape({ required: new Set([key]) }));
    const [p = 2, q = 2] =
      [
        [2, 4],
        [3, 3],
      ].find(([a = 0, b = 0]) => a * b >= size) ?? [];
    return keptApart([() => about('a', p), () => about('b', q)], ([only]) => only?.() ?? []).length === 2;
  },
  'json-schema/write/distinct-items.ts maxValues': (size) =>
    isEnforced({
      type: 'array',
      uniqueItems: true,
      prefixItems: [{ enum: numbersTo(size) }, { const: 0 }],
      items: false,
    }),
  // Objects that are never equal, because each has another tag.
  'json-schema/write/distinct-items.ts maxCompared': (size) => {
    const tagged = (tag: number) => ({
      type: 'object',
      required: ['k'],
      properties: { k: { const: tag } },
      additionalProperties: false,
    });
    return isEnforced({
      type: 'array',
      uniqueItems: true,
      prefixItems: numbersTo(size).map(tagged),
      items: false,
    } as never);
  },
  // So many with a prompt that fits better come after the first one, and all begin before it.
  'runtime/node-llama-cpp/sequences/sequence-queue.ts maxPassed': async (size) => {
    const queue = new SequenceQueue<{ contextTokens: readonly number[] }>(() => false);
    const long = numbersTo(10_000);
    let isFirstWaiting = true;
    const first = queue.wait([], undefined).then(
      () => {
        isFirstWaiting = false;
      },
      () => undefined,
    );
    const others = numbersTo(size).map(() => queue.wait(long, undefined).catch(() => undefined));
    for (const _ of others) queue.pass({ contextTokens: long });
    await Promise.resolve();
    const isWithin = isFirstWaiting;
    queue.dismiss(new Error('over'));
    await Promise.all([first, ...others]);
    return isWithin;
  },
};
