/**
 * Finds the schemas whose library refuses what the JSON Schema that it exports allows. No interface says so, hence it is
 * tried: the library is asked about some values that the schema's grammar writes. Their values are checked while they
 * are written; for the others, that would cost guesses and hold back events for nothing.
 */

import { IdiolectError, type SchemaIssue } from '../../../format/errors.ts';
import { memoize } from '../../../format/memoize.ts';
import { compileSchema, jsonSyntax, TooCostly } from '../../../json-schema/compile-schema.ts';
import { textSampler } from '../../../language/expression/draw-text.ts';
import type { Grammar } from '../../../language/expression/expression.ts';
import { RuleSet } from '../../../language/expression/rule-set.ts';
import { libraryCheck } from '../../../tools/library-check.ts';
import { type SchemaInput, toJsonSchema } from '../../../tools/standard-schema.ts';
import { normalizeTools, schemaOf, type ToolInput } from '../../../tools/tools.ts';
import type { LibraryProblem } from '../../../tools/validating-schema.ts';
import type { ChatOptions } from '../chat-options.ts';
import { type AnswerOptions, watchesAnswer } from './json-or-calls.ts';
import type { ResponseChecks } from './response-checks.ts';

/** How many values a library is asked about. */
const drawn = 32;
/**
 * Steps of work for their grammar, which several formats and dozens of properties stay within; most of it is kept for the
 * grammar of the chat. The library of a larger schema is asked about complete calls only.
 */
const steps = 50_000;

type Asked = Pick<ChatOptions, 'tools'> & AnswerOptions;

/**
 * `checks`, and the libraries to be asked while a call or an answer is written; `null` if there is nothing to check.
 * `hasThoughts`: whether the format has any.
 */
export function withLibraries(
  checks: ResponseChecks | null,
  options: Asked,
  hasThoughts = true,
): ResponseChecks | null {
  const libraries = new Map(
    triedSchemas(options, hasThoughts).flatMap(({ tool, schema, refusal }) => {
      const check = refusal === 'untried' ? null : libraryCheck(schema);
      return check === null ? [] : [[tool, check] as const];
    }),
  );
  return libraries.size === 0 ? checks : { tools: new Map(), answer: null, ...checks, libraries };
}

/** A line for each schema whose library refuses more than its JSON Schema, or may do so. */
export function libraryReport(options: Asked, hasThoughts = true): readonly SchemaIssue[] {
  return triedSchemas(options, hasThoughts).map(({ tool, refusal }) => ({
    tool,
    pointer: '',
    keyword: '~standard',
    ...(refusal === 'untried'
      ? {
          effect: 'noted',
          reason:
            'too large to try whether its library refuses some of what its JSON Schema allows; it is asked when a value is complete',
        }
      : {
          effect: 'checked',
          reason: `its library refuses some of what its JSON Schema allows (${refusal.text}), and is asked while a value is written`,
        }),
  }));
}

/** Whether an answer's library is asked while it is written. */
export function hasStrictLibrary(format: ChatOptions['responseFormat']): boolean {
  const schema: unknown = format?.type === 'json_schema' ? format.json_schema.schema : null;
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return false;
  const refusal = firstRefusal(schema);
  return refusal !== null && refusal !== 'untried';
}

interface TriedSchema {
  /** Name of the tool; empty for an answer. */
  readonly tool: string;
  readonly schema: object;
  readonly refusal: LibraryProblem | 'untried';
}

/** The schemas whose library refuses something, or could not be tried. */
function triedSchemas(options: Asked, hasThoughts: boolean): readonly TriedSchema[] {
  const { tools = [], responseFormat } = options;
  const given = 'tools' in tools ? tools.tools : tools;
  const isWatched = responseFormat?.type === 'json_schema' && watchesAnswer(options, hasThoughts);
  const answer = isWatched ? responseFormat.json_schema.schema : undefined;
  const schemas = given.map((tool) => ({ schema: schemaOf(tool), tool: () => nameOf(tool) }));
  return [...schemas, { schema: answer, tool: () => '' }].flatMap(({ schema, tool }) => {
    if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return [];
    const refusal = firstRefusal(schema);
    return refusal === null ? [] : [{ tool: tool(), schema, refusal }];
  });
}

function nameOf(tool: ToolInput): string {
  return normalizeTools([tool])[0]?.function.name ?? '';
}

/** What a library has against the first drawn value that it refuses; `null` if it takes all of them. */
const firstRefusal = memoize((schema: object): LibraryProblem | 'untried' | null => {
  const check = libraryCheck(schema);
  const grammar = check === null ? null : grammarOf(schema as SchemaInput);
  if (check === null || grammar === null) return null;
  if (grammar === 'too costly') return 'untried';
  const draw = textSampler(grammar, pseudoRandom());
  for (let count = 0; count < drawn && !check.needsTime; count += 1) {
    const [problem] = check.problemsOf(JSON.parse(draw()));
    if (problem !== undefined) return problem;
  }
  return null;
});

/** Of compact JSON; `null` if there is none. */
function grammarOf(schema: SchemaInput): Grammar | 'too costly' | null {
  const rules = new RuleSet();
  const options = { rules, syntax: jsonSyntax, tool: '', policy: 'degrade', trial: steps } as const;
  try {
    return rules.grammar('root', compileSchema(toJsonSchema(schema), options).expression);
  } catch (error) {
    if (error instanceof TooCostly) return 'too costly';
    if (error instanceof IdiolectError) return null;
    throw error;
  }
}

/** The same numbers each time (mulberry32), so that a schema is judged alike in each process. */
function pseudoRandom(): () => number {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
