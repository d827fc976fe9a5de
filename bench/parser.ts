/**
 * What the streaming parser costs, as a share of what the emptiest consumer of a stream costs: `npm run bench:parser`
 * runs it built, as users run it.
 *
 * The emptiest consumer is a loop over slices of the text that appends each to what it has and makes one event of it;
 * nobody can do less and still have the text and the events. Share 0.7 means that a response takes 1 / 0.7 of its time.
 * It runs in the same process as the parsers, in turns with them; all times are processor time of the fastest of many
 * passes after warm-up, which other load on the machine disturbs least. Each line is the median of three processes of
 * its own: what V8 makes of the loops depends on all parsers that it has seen, and where it puts the code on chance.
 * Young objects are collected before each pass: the slices that the emptiest consumer leaves would be charged to
 * whatever runs after it.
 * The receiver looks at every event and stores every delta, and chunks are fed by a function that is called again and
 * again, as applications do: in one long loop V8 may replace code while it runs, and leave it at the same place in
 * every pass. V8 builds such a receiver into the emptiest consumer, whose only kind of event it knows, and so never
 * makes that event; a parser's events have to be made, and looked at to tell them apart. The lines "to two listeners"
 * hand every event to two functions, as a stream with subscribers does, so that both have to make it. What was tried
 * is in `docs/experiments.md`.
 *
 * llama.cpp's parser, as `@fugood/llama.node` has it, is not among the peers. Neither the module nor its
 * native context has a function that parses; only `completion()` does, what it has sampled itself. So a model
 * would have to be run and scripted token by token, and decoding, not parsing, would be measured.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parse as parsePartial } from 'partial-json';
import { createResponseParser } from '../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../src/format/chat-format.ts';
import type { ResponseEvent } from '../src/parser/events.ts';
import type { ResponseModule } from '../src/parser/module-contract.ts';
import type { ResponseParserOptions } from '../src/parser/response-parser.ts';
import { generatedModule } from '../test/support/generated-module.ts';
import { lawTools } from '../test/support/law-tools.ts';
import { customQuotes, jsonInTags, pairs, tagged } from '../test/support/sample-formats.ts';
import { cpuTime, median } from './processor-time.ts';

/** Passes go on for this long, in milliseconds of processor time. */
const passesLast = 1500;
/** Processes per line. */
const processes = 3;
/** Keeps results alive, so that no work can be optimised away. */
const sink: unknown[] = [];

const words =
  'The user wants to know, if x < 3, what the "weather" in Paris is; so I should look it up first.\nThen we can answer with a short text.';

function prose(units: number): string {
  return `${words} `.repeat(Math.ceil(units / words.length)).slice(0, units);
}

/** Thinking, answer and calls in the proportions of a long response; one call for every 20 kB. */
function mixedText(units: number): string {
  const call = JSON.stringify({ city: prose(1000), days: 3 });
  const calls = `\n<use>\n{"name": "get_weather", "arguments": ${call}}\n</use>`.repeat(units / 20_000);
  return `<muse>\n${prose(units * 0.65)}\n</muse>\n\n${prose(units * 0.3)}${calls}`;
}

/** One call with an argument of source code, as raw text. */
function codeText(units: number): string {
  const line = '  if (rows[i] < limit && name > "d") { call(`x`, [y]); }\n';
  const code = line.repeat(Math.ceil(units / line.length));
  return `Sure.\n\n<use>\n<fn=get_weather>\n<arg=city>\n${code}</arg>\n</fn>\n</use>`;
}

/** Short calls and nothing else. */
function denseCalls(call: string, units: number): string {
  return call.repeat(Math.ceil(units / call.length));
}

function chunksOf(text: string, size: number): readonly string[] {
  if (size === 0) return [text];
  const count = Math.ceil(text.length / size);
  return Array.from({ length: count }, (_, index) => flat(text.slice(index * size, (index + 1) * size)));
}

/** A copy that is no slice of a longer string. */
function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

/** Empties the young generation, so that no run pays for what the one before left: what was moved twice is old. */
function collectYoung(): void {
  globalThis.gc?.({ type: 'minor' });
  globalThis.gc?.({ type: 'minor' });
}

/** Processor times of the fastest of many passes in nanoseconds, warm; the runs take turns. */
function timed(...runs: readonly (() => unknown)[]): readonly number[] {
  for (let warmUp = 0; warmUp < 20; warmUp++) sink[0] = runs.map((run) => run());
  const best = runs.map(() => Number.POSITIVE_INFINITY);
  for (const end = cpuTime() + passesLast * runs.length; cpuTime() < end; ) {
    for (const [index, run] of runs.entries()) {
      collectYoung();
      const start = cpuTime();
      sink[0] = run();
      best[index] = Math.min(best[index] ?? 0, (cpuTime() - start) * 1e6);
    }
  }
  return best;
}

/** Where deltas are stored; one place for all receivers, so that it need not grow. */
const stored: string[] = Array.from({ length: 500_000 }, () => '');

/** What events are given to. */
interface Receiver {
  readonly count: number;
  take(events: readonly ResponseEvent[]): void;
}

/**
 * Looks at every event, and stores what it says. It asks for the type once: events have more shapes than the four
 * that V8 tells apart quickly, so that asking again costs as much again.
 */
class Loop implements Receiver {
  count = 0;

  take(events: readonly ResponseEvent[]): void {
    for (const event of events) {
      switch (event.type) {
        case 'text-delta':
        case 'reasoning-delta':
        case 'tool-input-delta':
          stored[this.count++] = event.delta;
      }
    }
  }
}

/** Hands every event to two functions: one does the same, the other counts calls. */
class Listeners implements Receiver {
  private readonly loop = new Loop();
  private calls = 0;
  private readonly listeners: readonly ((event: ResponseEvent) => void)[] = [
    (event) => this.loop.take([event]),
    ({ type }) => {
      if (type === 'tool-call') this.calls++;
    },
  ];

  get count(): number {
    return this.loop.count + this.calls;
  }

  take(events: readonly ResponseEvent[]): void {
    for (const event of events) for (const listener of this.listeners) listener(event);
  }
}

const newLoop = () => new Loop();

/** What is timed: something that makes events of pieces of text. */
interface Feedable {
  feed(piece: string): readonly ResponseEvent[];
}

/** Slices that stand for a text in one piece, where the emptiest consumer would have nothing to do. */
const tokenLength = 4;

/** The emptiest consumer of a text in slices of `size`. */
function consumeAll(text: string, size: number, newReceiver: () => Receiver): () => unknown {
  const step = size === 0 ? tokenLength : size;
  return () => {
    const receiver = newReceiver();
    let whole = '';
    for (let start = 0; start < text.length; start += step) {
      const delta = text.slice(start, start + step);
      whole += delta;
      receiver.take([{ type: 'text-delta', id: 'text-0', delta, start, end: start + step }]);
    }
    // The text itself, a tree of its slices, is not kept: the next run would pay for its collection.
    return [receiver.count, whole.length];
  };
}

/** Chunks that are fed by one call. */
const oneCall = 100;

function feedSome(parser: Feedable, receiver: Receiver, chunks: readonly string[], from: number): void {
  const end = Math.min(chunks.length, from + oneCall);
  for (let at = from; at < end; at++) receiver.take(parser.feed(chunks[at] ?? ''));
}

function feedAll(parser: Feedable, receiver: Receiver, chunks: readonly string[]): void {
  for (let at = 0; at < chunks.length; at += oneCall) feedSome(parser, receiver, chunks, at);
}

function parseAll(
  parserOf: ChatFormat | ResponseModule,
  chunks: readonly string[],
  newReceiver: () => Receiver = newLoop,
  options: ResponseParserOptions = {},
): () => unknown {
  return () => {
    const parser = createResponseParser(parserOf, { tools: lawTools, ...options });
    const receiver = newReceiver();
    feedAll(parser, receiver, chunks);
    const { events, message } = parser.finish();
    receiver.take(events);
    return [receiver.count, message];
  };
}

/** Parses what has come so far again with every chunk, as is usual. */
function reparseAll(json: string, size: number): () => unknown {
  return () => {
    let last: unknown;
    for (let end = size; end < json.length + size; end += size) last = parsePartial(json.slice(0, end));
    return last;
  };
}

/** Eight responses of 50 kB, each in pieces of its own, against one of 400 kB: as many pieces in as much memory. */
function growth(options: ResponseParserOptions): readonly number[] {
  const mixedModule = generatedModule(jsonInTags);
  const parse = (text: string) => parseAll(mixedModule, chunksOf(text, 4), newLoop, options);
  const eight = Array.from({ length: 8 }, () => parse(mixedText(50_000)));
  return timed(() => eight.map((run) => run()), parse(mixedText(400_000)));
}

/** A response, the format that it is written in, and what its events are given to; default: a loop. */
interface Workload {
  readonly format: ChatFormat;
  readonly text: string;
  readonly newReceiver?: () => Receiver;
}

/** What is parsed, by its title. */
const workloads: { readonly [title: string]: Workload } = {
  'prose and 20 calls': { format: jsonInTags, text: mixedText(400_000) },
  'the same to two listeners': {
    format: jsonInTags,
    text: mixedText(400_000),
    newReceiver: () => new Listeners(),
  },
  'code as an argument': { format: tagged, text: codeText(200_000) },
  'short calls, JSON': {
    format: jsonInTags,
    text: denseCalls(
      '<use>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}\n</use>\n',
      100_000,
    ),
  },
  'short calls, keys and values in tags': {
    format: pairs,
    text: denseCalls('<use>get_weather\n<k>city</k>\n<v>Paris</v>\n<k>days</k>\n<v>3</v>\n</use>\n', 100_000),
  },
  'short calls, quotes of their own': {
    format: customQuotes,
    text: denseCalls('<call>get_weather{city:<q>Paris<q>,days:3}</call>', 100_000),
  },
};

const json = JSON.stringify({ city: prose(8000), days: 3 });
const call = `<use>{"name": "get_weather", "arguments": ${json}}</use>`;
const chunkSizes = [1, 4, 16, 64, 0];

/** The emptiest consumer, the generated parser and the interpreted one. */
function compare({ format, text, newReceiver = newLoop }: Workload, size: number): readonly number[] {
  const chunks = chunksOf(text, size);
  return timed(
    consumeAll(text, size, newReceiver),
    parseAll(generatedModule(format), chunks, newReceiver),
    parseAll(format, chunks, newReceiver),
  );
}

/** What is timed besides, by its title; `size` is that of the chunks, 0 for one piece. */
const subjects: { readonly [title: string]: (size: number) => readonly number[] } = {
  growth: () => growth({}),
  'growth, events alone': () => growth({ keepMessage: false }),
  'JSON.parse of 8 kB of arguments': () => timed(() => JSON.parse(json)),
  'generated, the same arguments': (size) =>
    timed(parseAll(generatedModule(jsonInTags), chunksOf(call, size))),
  'partial-json, parsing again with every chunk': (size) => timed(reparseAll(json, size)),
};

function timesOf(title: string, size: number): readonly number[] {
  const workload = workloads[title];
  return workload === undefined ? (subjects[title]?.(size) ?? []) : compare(workload, size);
}

/** Times one subject in processes of its own, one after the other; the median of each of its times. */
async function inOwnProcesses(title: string, size: number): Promise<readonly number[]> {
  const runs: (readonly number[])[] = [];
  while (runs.length < processes) runs.push(await inNewProcess(title, size));
  return (runs[0] ?? []).map((_, index) => median(runs.map((times) => times[index] ?? Number.NaN)));
}

function inNewProcess(title: string, size: number): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [title, String(size)], { execArgv: ['--expose-gc'] });
    child.once('message', (times) => resolve(times as readonly number[]));
    child.once('error', reject);
  });
}

function megabytesPerSecond(units: number, time: number): string {
  const speed = (units / time) * 1000;
  return speed.toFixed(speed < 10 ? 1 : 0).padStart(5);
}

/** One line for a response in chunks of one size: speeds, and shares of the emptiest consumer's. */
async function reportShares(title: string, units: number, size: number): Promise<void> {
  const [consumer = 0, generated = 0, interpreted = 0] = await inOwnProcesses(title, size);
  const label = `${title}, ${size === 0 ? 'one piece' : `${size}-character chunks`}`;
  const part = (time: number) => `${megabytesPerSecond(units, time)} MB/s (${(consumer / time).toFixed(2)})`;
  const line = `generated ${part(generated)}  interpreted ${part(interpreted)}  emptiest ${megabytesPerSecond(units, consumer)}`;
  process.stdout.write(`${label.padEnd(58)} ${line}\n`);
}

async function reportTime(title: string, size: number): Promise<void> {
  const [time = 0] = await inOwnProcesses(title, size);
  const label = `${title}, ${size === 0 ? 'one piece' : `${size}-character chunks`}`;
  process.stdout.write(`${label.padEnd(58)} ${megabytesPerSecond(json.length, time)} MB/s\n`);
}

async function reportAll(): Promise<void> {
  for (const [title, { text }] of Object.entries(workloads)) {
    for (const size of chunkSizes) await reportShares(title, text.length, size);
  }
  for (const title of ['growth', 'growth, events alone']) {
    const [eight = 0, one = 0] = await inOwnProcesses(title, 4);
    const ratio = (one / mixedText(400_000).length / (eight / (8 * mixedText(50_000).length))).toFixed(2);
    process.stdout.write(`${title}, 50 kB to 400 kB, 4-character chunks: ${ratio} x per character\n`);
  }
  await reportTime('JSON.parse of 8 kB of arguments', 0);
  await reportTime('generated, the same arguments', 0);
  await reportTime('generated, the same arguments', 4);
  await reportTime('partial-json, parsing again with every chunk', 4);
}

const [title, size] = process.argv.slice(2);
if (title === undefined) await reportAll();
else process.send?.(timesOf(title, Number(size)));
