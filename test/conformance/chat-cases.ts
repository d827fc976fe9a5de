/** llama.cpp's recorded parser cases: input, options and the message that comes out. */
import fs from 'node:fs';
import path from 'node:path';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { JsonValue, Tool } from '../../src/format/messages.ts';
import type { ResponseEvent, ResponseMessage } from '../../src/parser/events.ts';
import { llamaTemplate } from '../support/corpora.ts';

interface ExpectedCall {
  readonly name: string;
  readonly arguments: string;
  /** Empty: any id. */
  readonly id: string;
}

interface ChatCase {
  readonly id: number;
  readonly template: string;
  readonly generationPrompt: string;
  readonly options: { readonly reasoning_format: string; readonly json_schema: unknown };
  readonly tools: readonly Tool[];
  readonly input: string;
  readonly partial: boolean;
  readonly expect: {
    readonly content: string | null;
    readonly reasoning_content?: string;
    readonly tool_calls: readonly ExpectedCall[];
  };
}

interface Outcome {
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly ExpectedCall[];
}

/** Runs all cases of `chat-cases.jsonl` in `dataFolder`. */
export async function run(
  dataFolder: string,
): Promise<{ name: string; passed: number; total: number; failures: string[] }> {
  const lines = fs.readFileSync(path.join(dataFolder, 'chat-cases.jsonl'), 'utf8').trim().split('\n');
  const cases: ChatCase[] = lines.map((line) => JSON.parse(line));
  const formats = new Map<string, ChatFormat>();
  const failures: string[] = [];
  for (const each of cases) {
    const format = formats.get(each.template) ?? (await formatOf(each.template));
    formats.set(each.template, format);
    const failure = check(format, each);
    if (failure !== null) failures.push(`case ${each.id} (${each.template}): ${failure}`);
  }
  return { name: 'chat cases', passed: cases.length - failures.length, total: cases.length, failures };
}

async function formatOf(template: string): Promise<ChatFormat> {
  const { source } = await llamaTemplate(template.replace(/\.jinja$/, ''));
  return analyzeTemplate(source).format;
}

/** What is wrong with a case; `null` if nothing is. */
function check(format: ChatFormat, each: ChatCase): string | null {
  const expected: Outcome = {
    content: (each.expect.content ?? '').trim(),
    reasoning: (each.expect.reasoning_content ?? '').trim(),
    calls: each.expect.tool_calls,
  };
  const actual = parse(format, each);
  const same =
    actual.content === expected.content &&
    actual.reasoning === expected.reasoning &&
    sameCalls(actual.calls, expected.calls);
  return same ? null : `expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`;
}

function parse(format: ChatFormat, each: ChatCase): Outcome {
  const parser = createResponseParser(format, {
    tools: each.tools,
    generationPrompt: each.generationPrompt,
    reasoningFormat: each.options.reasoning_format === 'none' ? 'none' : 'separate',
  });
  const events = [...parser.feed(each.input)];
  const { events: last, message } = parser.finish();
  const content = (message.content ?? '').trim();
  return {
    content: each.options.json_schema === null ? content : withoutFence(content),
    reasoning: (message.reasoning_content ?? '').trim(),
    // What can be known of calls that are cut short is in the events alone.
    calls: each.partial ? announcedCalls([...events, ...last]) : completedCalls(message),
  };
}

/** Where JSON was asked for, a markdown fence around it is not part of the answer. */
function withoutFence(content: string): string {
  return /^```(?:json)?\s*([\s\S]*?)\s*```$/.exec(content)?.[1] ?? content;
}

function completedCalls(message: ResponseMessage): readonly ExpectedCall[] {
  return (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
    id,
    name,
    arguments: input,
  }));
}

function announcedCalls(events: readonly ResponseEvent[]): readonly ExpectedCall[] {
  const calls = new Map<string, ExpectedCall>();
  for (const event of events) {
    if (event.type === 'tool-input-start') {
      calls.set(event.id, { id: event.id, name: event.toolName, arguments: '' });
    }
    const open = event.type === 'tool-input-delta' ? calls.get(event.id) : undefined;
    if (event.type === 'tool-input-delta' && open !== undefined) {
      calls.set(event.id, { ...open, arguments: open.arguments + event.delta });
    }
  }
  return [...calls.values()];
}

function sameCalls(actual: readonly ExpectedCall[], expected: readonly ExpectedCall[]): boolean {
  if (actual.length !== expected.length) return false;
  return expected.every((call, index) => {
    const other = actual[index];
    if (other === undefined || other.name !== call.name) return false;
    return (
      (call.id === '' || call.id === other.id) && canonical(call.arguments) === canonical(other.arguments)
    );
  });
}

/** Arguments as JSON with sorted keys; text that is no JSON (cut short) as it stands. */
function canonical(text: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(text)));
  } catch {
    return text.trim();
  }
}

function sorted(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}
