/**
 * Law: next to tools, an answer's schema allows what it allows alone, and the tools what they allow alone. The grammar
 * of both is walked with the two others: it allows a character where one of them does, and ends where one of them may.
 */
import { describe, expect, it } from 'vitest';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { JsonSchema } from '../../src/format/messages.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import type { GrammarOptions } from '../../src/grammar/grammar-options.ts';
import { buildStructuralTag } from '../../src/grammar/structural-tag/build-structural-tag.ts';
import type { Grammar } from '../../src/language/expression/expression.ts';
import { createMatcher, type Matcher } from '../../src/language/matcher/matcher.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { sampled } from '../support/sample.ts';

/** One of each family: JSON in tags, after a word, in channels; entries in tags of several kinds; Python's calls. */
const families = [
  'qwen-qwen3-0.6b',
  'mistralai-mistral-nemo-instruct-2407',
  'openai-gpt-oss-120b',
  'kimi-k2-instruct',
  'qwen3-coder',
  'glm-4.6',
  'google-gemma-4-31b-it',
  'minimax-m2',
  'lfm2-8b-a1b',
] as const;

const ofTools: readonly JsonSchema[] = [
  { type: 'integer', minimum: 100, maximum: 999 },
  { type: 'number', minimum: 0, maximum: 5 },
  { type: 'integer', multipleOf: 7 },
  { type: 'string', pattern: '^[a-z]+$' },
  { type: 'string', format: 'date' },
  { type: 'string', minLength: 2, maxLength: 4 },
  { enum: ['a', 'b', 3] },
  { type: 'array', items: { type: 'integer', minimum: 1, maximum: 3 }, maxItems: 2 },
];

const ofAnswers: readonly JsonSchema[] = [
  ...ofTools,
  { type: 'integer', minimum: 0, maximum: 5 },
  { type: 'string', pattern: '^[0-9]{4}$' },
  { type: 'boolean' },
];

function objectOf(schema: JsonSchema): JsonSchema {
  return { type: 'object', properties: { k: schema }, required: ['k'], additionalProperties: false };
}

/** Characters of all kinds that these values consist of, and the letters of the markers that end reasoning. */
const alphabet = Array.from('0123456789.-+eEabnxzAZ"\'\\{}[]()<>|=:,/ \nüû_think');

/** The grammars of answers alone, of calls alone and of both. */
interface Grammars {
  readonly answers: Grammar;
  readonly calls: Grammar;
  readonly both: Grammar;
}

/** Where a text stands in each; `null` where it is not allowed. */
interface Places {
  readonly text: string;
  readonly both: Matcher;
  readonly parts: readonly (Matcher | null)[];
}

const maxPlaces = 3000;

/** The first text about which `both` and its parts disagree; `null` if there is none. Says how many it tried. */
function disagreement({ answers, calls, both }: Grammars): {
  readonly text: string | null;
  readonly tried: number;
} {
  const start = {
    text: '',
    both: createMatcher(both),
    parts: [createMatcher(answers), createMatcher(calls)],
  };
  const places: Places[] = [start];
  const numbers = new Map<object, number>();
  const seen = new Set<string>();
  const numberOf = (matcher: Matcher | null): number => {
    if (matcher === null) return -1;
    const known = numbers.get(matcher.state) ?? numbers.size;
    numbers.set(matcher.state, known);
    return known;
  };
  for (const { text, both, parts } of places) {
    if (both.complete !== parts.some((part) => part?.complete === true)) return { text, tried: seen.size };
    for (const next of new Set([...alphabet, ...both.forced().slice(0, 1)])) {
      const after = parts.map((part) => (part?.allows(next) === true ? accepting(part, next) : null));
      const isAllowed = both.allows(next);
      if (isAllowed !== after.some((part) => part !== null)) return { text: text + next, tried: seen.size };
      if (!isAllowed) continue;
      const place = { text: text + next, both: accepting(both, next), parts: after };
      const key = [place.both, ...after].map(numberOf).join(' ');
      if (seen.has(key) || seen.size >= maxPlaces) continue;
      seen.add(key);
      places.push(place);
    }
  }
  return { text: null, tried: seen.size };
}

function accepting(matcher: Matcher, text: string): Matcher {
  const next = matcher.clone();
  next.accept(text);
  return next;
}

type Build = (format: ChatFormat, options: GrammarOptions) => Grammar | null;

const builders: Readonly<Record<string, Build>> = {
  grammar: (format, options) => buildGrammar(format, options).expression,
  'structural tag': (format, options) => buildStructuralTag(format, options).expression,
};

function grammarsOf(build: Build, format: ChatFormat, answer: JsonSchema, tool: JsonSchema): Grammars {
  const tools = [{ type: 'function', function: { name: 'get', parameters: objectOf(tool) } }] as const;
  const responseFormat = { type: 'json_schema', json_schema: { schema: objectOf(answer) } } as const;
  const generationPrompt = format.turn.start + format.turn.prompt.off;
  const of = (options: GrammarOptions): Grammar => {
    const made = build(format, { ...options, generationPrompt });
    if (made === null) throw new TypeError('the response is not free');
    return made;
  };
  return {
    answers: of({ responseFormat }),
    calls: of({ tools, toolChoice: 'required' }),
    both: of({ tools, responseFormat }),
  };
}

const rows = Object.keys(builders).flatMap((builder) =>
  families.flatMap((family) =>
    ofAnswers.flatMap((answer) => ofTools.map((tool) => ({ builder, family, answer, tool }))),
  ),
);

describe('an answer of a schema next to tools', () => {
  it.each(sampled(rows, 50))('is its own in the $builder of $family: $answer, $tool', (row) => {
    const { builder, family, answer, tool } = row;
    const format = generatedFormats().find(({ name }) => name === family)?.format;
    const build = builders[builder];
    if (format === undefined || build === undefined) throw new RangeError(family);
    const { text, tried } = disagreement(grammarsOf(build, format, answer, tool));
    expect(text).toBeNull();
    expect(tried).toBeGreaterThan(40);
  });
});
