/**
 * A process that sends texts without a break through every way into a tokenizer, and writes what came of each as one
 * line of JSON: a tokenizer that dies takes only this process with it. Arguments: a list of `LongTextTask` as JSON.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Token } from 'node-llama-cpp';
import { IdiolectError } from '../../src/format/errors.ts';
import type { ChatOptions } from '../../src/runtime/chat/chat-options.ts';
import { type ChatModel, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { createHandler } from '../../src/serve/index.ts';
import { toyModel } from '../../src/testing/index.ts';
import { doors, routes, unbrokenText } from './long-texts.ts';
import { bundledVocabulary } from './test-models.ts';

/** One text, and where it goes: into a tokenizer by itself, or into a request of the toy model. */
export interface LongTextTask {
  readonly kind: string;
  readonly length: number;
  readonly vocabulary?: string;
  readonly door?: string;
}

/** What came of it. */
export interface LongTextOutcome {
  readonly task: LongTextTask;
  /** `tokens`, `answer`, the code of a typed error, or a status. */
  readonly outcome: string;
  /** Whether the tokens have the bytes of the text; absent in requests. */
  readonly complete?: boolean;
  /** How many tokens are not those of the engine for the whole text; absent if it would not survive that. */
  readonly different?: number;
}

/** So long a text the engine survives by itself. */
const survived = 9_000;

const vocabularies = new Map<string, ReturnType<typeof bundledVocabulary>>();

async function tokenize(task: LongTextTask): Promise<LongTextOutcome> {
  const { vocabulary: name = '' } = task;
  const loaded = vocabularies.get(name) ?? bundledVocabulary(name);
  vocabularies.set(name, loaded);
  const { model, vocabulary } = await loaded;
  const text = unbrokenText(task.kind, task.length);
  const tokens = vocabulary.encodePlain(text);
  const bytes = Buffer.concat(tokens.map((token) => vocabulary.bytesOf(token)));
  const known = text.length <= survived ? model.tokenize(text, false) : null;
  return {
    task,
    outcome: 'tokens',
    complete: bytes.equals(Buffer.from(text)),
    ...(known === null ? {} : { different: differences(tokens, known) }),
  };
}

/** Tokens between what both begin with and what both end with. */
function differences(ours: readonly number[], theirs: readonly Token[]): number {
  let [start, end] = [0, 0];
  const most = Math.min(ours.length, theirs.length);
  while (start < most && ours[start] === theirs[start]) start += 1;
  while (end < most - start && ours.at(-1 - end) === theirs.at(-1 - end)) end += 1;
  return Math.max(ours.length, theirs.length) - start - end;
}

async function chat(model: ChatModel, task: LongTextTask, options: ChatOptions): Promise<LongTextOutcome> {
  try {
    await model.chat({ ...options, maxTokens: 6 }).message;
    return { task, outcome: 'answer' };
  } catch (error) {
    if (error instanceof IdiolectError) return { task, outcome: error.code };
    return { task, outcome: `untyped: ${error instanceof Error ? String(error.stack) : String(error)}` };
  }
}

async function ask(model: ChatModel, task: LongTextTask, route: string): Promise<LongTextOutcome> {
  const handler = createHandler(model);
  const text = unbrokenText(task.kind, task.length);
  const messages = [{ role: 'user', content: text }];
  const response = await handler(
    new Request(`http://localhost${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages, input: text, prompt: text, max_tokens: 4 }),
    }),
  );
  await response.arrayBuffer();
  await handler.close();
  return { task, outcome: response.status < 500 ? 'answer' : `status ${response.status}` };
}

async function openToy(): Promise<ChatModel> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'long-'));
  const file = path.join(folder, 'toy.gguf');
  fs.writeFileSync(file, await toyModel());
  return loadModel(file, { threads: 1, gpu: false, contextSize: 4_096 });
}

async function run(tasks: readonly LongTextTask[]): Promise<void> {
  const toy = tasks.some(({ door }) => door !== undefined) ? await openToy() : null;
  for (const task of tasks) {
    const { door = '', kind, length } = task;
    const options = doors[door]?.(unbrokenText(kind, length));
    if (toy === null || door === '') write(await tokenize(task));
    else if (routes.includes(door)) write(await ask(toy, task, door));
    else if (options !== undefined) write(await chat(toy, task, options));
  }
  await toy?.dispose();
}

function write(outcome: LongTextOutcome): void {
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}

await run(JSON.parse(process.argv[2] ?? '[]'));
