/** Compares response templates with the reference's recorded behaviour. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../../src/format/messages.ts';
import { argumentTypes } from '../../src/response-template/casting.ts';
import {
  castText,
  castToolCalls,
  createResponseTemplateParser,
  type RegionEvent,
  schemaTypes,
} from '../../src/response-template/index.ts';

/** What one run found. */
export interface ConformanceResult {
  readonly name: string;
  readonly passed: number;
  readonly total: number;
  readonly failures: readonly string[];
}

interface Outcome {
  readonly message?: unknown;
  readonly error?: unknown;
  readonly events?: readonly RegionEvent[];
  readonly initial_events?: readonly RegionEvent[];
}

interface Case {
  readonly name: string;
  readonly kind: 'parse' | 'stream' | 'coerce' | 'coerce_tool_calls' | 'schema_types';
  readonly template: JsonValue;
  readonly prefix: string | null;
  readonly text: string;
  readonly chunks: readonly string[];
  readonly tools: readonly unknown[] | null;
  readonly expected: Outcome;
  readonly whole?: Outcome;
  readonly chunk_invariant?: boolean;
  readonly raw: string;
  readonly types: readonly string[];
  readonly schema: unknown;
  readonly value: JsonValue;
}

/** Runs all cases of `response-template-cases.jsonl`. */
export async function run(dataFolder: string): Promise<ConformanceResult> {
  const lines = readFileSync(path.join(dataFolder, 'response-template-cases.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const failures = lines.flatMap((line) => {
    const each: Case = JSON.parse(line);
    const problem = check(each);
    return problem === null ? [] : [`${each.name}: ${problem}`];
  });
  const name = 'response templates (Hugging Face transformers)';
  return { name, passed: lines.length - failures.length, total: lines.length, failures };
}

function check(each: Case): string | null {
  switch (each.kind) {
    case 'coerce':
      return difference('value', each.expected, castText(each.raw, each.types));
    case 'schema_types':
      return difference('types', each.expected, schemaTypes(each.schema));
    case 'coerce_tool_calls':
      return difference('value', each.expected, castToolCalls(each.value, argumentTypes(each.tools ?? [])));
    default:
      return checkResponse(each);
  }
}

function checkResponse(each: Case): string | null {
  const actual = parse(each, each.chunks);
  // Where the reference's answer depends on the cut, its answer to the whole text counts.
  const consistent = each.chunk_invariant !== false;
  const expected = consistent ? each.expected : (each.whole ?? each.expected);
  if (expected.error !== undefined) return actual.error === undefined ? 'no error' : null;
  if (actual.error !== undefined) return String(actual.error);
  const message = difference('message', expected.message, actual.message);
  if (message !== null || !consistent) return message;
  return (
    difference('initial events', expected.initial_events, actual.initial_events) ??
    difference('events', expected.events, actual.events)
  );
}

/** Parses by the given chunks, or says how that failed. */
function parse(each: Case, chunks: readonly string[]): Outcome {
  const events: RegionEvent[] = [];
  try {
    // A case without a prefix is one about its absence.
    const prefix = each.prefix as string;
    const parser = createResponseTemplateParser(each.template, { prefix, tools: each.tools });
    for (const chunk of chunks) events.push(...parser.feed(chunk));
    const { message, events: last } = parser.finish();
    return { message, events: [...events, ...last], initial_events: parser.initialEvents };
  } catch (error) {
    return { error, events };
  }
}

function difference(what: string, expected: unknown, actual: unknown): string | null {
  const written = plain(actual);
  if (isDeepStrictEqual(plain(expected), written)) return null;
  return `${what} ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`;
}

/** Without negative zero, prototypes and numbers that JSON lacks, as the data writes them. */
function plain(value: unknown): unknown {
  if (typeof value === 'number')
    return Number.isFinite(value) ? value + 0 : new Map([['$float', numberName(value)]]);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(
    Object.entries(value)
      .map(([key, item]) => [key, plain(item)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function numberName(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  return value > 0 ? 'inf' : '-inf';
}
