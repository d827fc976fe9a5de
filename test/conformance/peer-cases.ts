/** Outputs of real models, recorded in the tests of vLLM and Ollama, and the message that they should become. */
import fs from 'node:fs';
import path from 'node:path';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { IdiolectError } from '../../src/format/errors.ts';
import type { JsonValue, Tool } from '../../src/format/messages.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { allTemplates } from '../support/corpora.ts';

/** What is asserted: only the keys that are there. */
interface Expectation {
  readonly content?: string | null;
  readonly content_contains?: string;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly ExpectedCall[];
  readonly tool_calls_min?: number;
}

interface ExpectedCall {
  readonly name?: string;
  readonly arguments?: JsonValue;
  readonly arguments_has?: Readonly<Record<string, JsonValue>>;
}

interface PeerCase {
  readonly name: string;
  readonly template: string;
  readonly tools: readonly Tool[] | null;
  readonly generationPrompt: string | null;
  readonly input: string;
  readonly expect: Expectation;
  readonly judgement: string;
}

/** The judgements of the cases that a part of the run takes. */
export type Judgement = 'conforming' | 'damaged';

const judgements: Readonly<Record<Judgement, readonly string[]>> = {
  conforming: ['must match', 'ours is wrong'],
  damaged: ['malformed or off-format; users would want it read'],
};

/** Runs the cases of `peer-cases.jsonl` in `dataFolder` that were judged so. */
export async function run(
  dataFolder: string,
  judgement: Judgement,
): Promise<{ passed: number; total: number; failures: string[] }> {
  const file = path.join(dataFolder, 'peer-cases.jsonl');
  if (!fs.existsSync(file)) return { passed: 0, total: 0, failures: ['peer-cases.jsonl is not there'] };
  const lines = fs.readFileSync(file, 'utf8').trim().split('\n');
  const all: readonly PeerCase[] = lines.map((line) => JSON.parse(line));
  const cases = all.filter((each) => judgements[judgement].includes(each.judgement));
  const formats = new FormatsByTemplate(dataFolder, await sourcesByName());
  const failures = cases.flatMap((each) => {
    const failure = check(formats, each);
    return failure === null ? [] : [`${each.template}: ${each.name}: ${failure}`];
  });
  return { passed: cases.length - failures.length, total: cases.length, failures };
}

async function sourcesByName(): Promise<ReadonlyMap<string, string>> {
  return new Map((await allTemplates()).map(({ name, source }) => [name, source]));
}

/** Formats of templates, each worked out once. */
class FormatsByTemplate {
  readonly #folder: string;
  readonly #sources: ReadonlyMap<string, string>;
  readonly #formats = new Map<string, ChatFormat>();

  constructor(folder: string, sources: ReadonlyMap<string, string>) {
    this.#folder = folder;
    this.#sources = sources;
  }

  get(template: string): ChatFormat {
    const known = this.#formats.get(template);
    if (known !== undefined) return known;
    const { format } = analyzeTemplate(this.#source(template));
    this.#formats.set(template, format);
    return format;
  }

  #source(template: string): string {
    if (template.startsWith('more-templates/'))
      return fs.readFileSync(path.join(this.#folder, template), 'utf8');
    const source = this.#sources.get(template.replace(/\.jinja$/, ''));
    if (source === undefined) throw new RangeError(`no template ${template} in the corpora`);
    return source;
  }
}

/** What is wrong with a case; `null` if nothing is. */
function check(formats: FormatsByTemplate, each: PeerCase): string | null {
  try {
    const parser = createResponseParser(formats.get(each.template), {
      ...(each.tools === null ? {} : { tools: each.tools }),
      generationPrompt: each.generationPrompt ?? '',
    });
    parser.feed(each.input);
    const { message } = parser.finish();
    const differences = difference(message, each.expect);
    if (differences.length === 0) return null;
    return `${differences.join('; ')} of ${JSON.stringify(each.input)}: expected ${JSON.stringify(each.expect)}, got ${JSON.stringify(message)}`;
  } catch (error) {
    if (error instanceof IdiolectError) return error.message;
    throw error;
  }
}

/** Which of the expected keys are otherwise. */
function difference(message: ResponseMessage, expect: Expectation): readonly string[] {
  const calls = message.tool_calls ?? [];
  const { content, content_contains: part, reasoning_content: reasoning, tool_calls: expected } = expect;
  const checks: readonly (readonly [string, boolean])[] = [
    ['content', content === undefined || sameText(message.content, content)],
    ['content_contains', part === undefined || (message.content ?? '').includes(part)],
    ['reasoning_content', reasoning === undefined || sameText(message.reasoning_content, reasoning)],
    ['tool_calls', expected === undefined || sameCalls(calls, expected)],
    ['tool_calls_min', calls.length >= (expect.tool_calls_min ?? 0)],
  ];
  return checks.flatMap(([key, holds]) => (holds ? [] : [key]));
}

function sameText(actual: string | null | undefined, expected: string | null): boolean {
  return (actual ?? '').trim() === (expected ?? '').trim();
}

type Calls = NonNullable<ResponseMessage['tool_calls']>;

function sameCalls(actual: Calls, expected: readonly ExpectedCall[]): boolean {
  return (
    actual.length === expected.length &&
    expected.every((call, index) => {
      const written = actual[index]?.function;
      if (written === undefined || (call.name !== undefined && call.name !== written.name)) return false;
      const input: JsonValue = JSON.parse(written.arguments);
      if (call.arguments !== undefined && canonical(input) !== canonical(call.arguments)) return false;
      return Object.entries(call.arguments_has ?? {}).every(
        ([key, value]) => canonical(memberOf(input, key)) === canonical(value),
      );
    })
  );
}

function memberOf(value: JsonValue, key: string): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return new Map(Object.entries(value)).get(key) ?? null;
}

function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_, each: JsonValue) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
