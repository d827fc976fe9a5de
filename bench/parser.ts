/**
 * What the streaming parser costs, next to things that do less: `npm run bench:parser` runs it built, as users run it.
 *
 * Times are processor time of the fastest of many passes, which other load on the machine disturbs least. Chunks are
 * flat strings, as an engine delivers them. The receiver looks at every event and stores every delta, so that
 * nothing can be optimised away, and it is the same one for all parsers. Chunks are fed by a function that is
 * called again and again, as applications do: in one long loop V8 may replace code while it runs, and then
 * leave it at the same place in every pass, which can double the time. Each line is the median of three processes
 * of its own, because what V8 makes of the loops depends on all parsers that it has seen, and where it puts the
 * code on chance: the same build differs by a quarter from process to process. What counts are the
 * ratios; throughput depends on the machine, and falls to two thirds or less while the other core works, for all
 * that makes events alike. What was tried is in `docs/experiments.md`.
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
import { jsonInTags, tagged } from '../test/support/sample-formats.ts';
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

function chunksOf(text: string, size: number): readonly string[] {
  if (size === 0) return [text];
  const count = Math.ceil(text.length / size);
  return Array.from({ length: count }, (_, index) => flat(text.slice(index * size, (index + 1) * size)));
}

/** A copy that is no slice of a longer string. */
function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

/** Processor times of the fastest of many passes in nanoseconds, warm; the runs take turns. */
function timed(...runs: readonly (() => unknown)[]): readonly number[] {
  for (let warmUp = 0; warmUp < 20; warmUp++) sink[0] = runs.map((run) => run());
  const best = runs.map(() => Number.POSITIVE_INFINITY);
  for (const end = cpuTime() + passesLast * runs.length; cpuTime() < end; ) {
    for (const [index, run] of runs.entries()) {
      const start = cpuTime();
      sink[0] = run();
      best[index] = Math.min(best[index] ?? 0, (cpuTime() - start) * 1e6);
    }
  }
  return best;
}

/** Where deltas are stored; one place for all receivers, so that it need not grow. */
const stored: string[] = Array.from({ length: 500_000 }, () => '');

/**
 * Looks at every event, and stores what it says. It asks for the type once: events have more shapes than the four
 * that V8 tells apart quickly, so that asking again costs as much again.
 */
class Receiver {
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

/** What is timed: something that makes events of pieces of text. */
interface Feedable {
  feed(piece: string): readonly ResponseEvent[];
}

/** The least that a parser can do: every piece comes back as text. */
class TrivialParser implements Feedable {
  private end = 0;

  feed(delta: string): readonly ResponseEvent[] {
    const start = this.end;
    this.end = start + delta.length;
    return [{ type: 'text-delta', id: 'text-0', delta, start, end: this.end }];
  }
}

/**
 * The same with a second way out, so that V8 has to make the list and the event of each piece. For the trivial
 * parser it makes neither, as no parser can hope for that sometimes says several things at once.
 */
class MakingParser implements Feedable {
  private end = 0;

  feed(delta: string): readonly ResponseEvent[] {
    if (delta.endsWith('<')) return [this.event(delta.slice(0, -1)), this.event('<')];
    return [this.event(delta)];
  }

  private event(delta: string): ResponseEvent {
    const start = this.end;
    this.end = start + delta.length;
    return { type: 'text-delta', id: 'text-0', delta, start, end: this.end };
  }
}

/** Chunks that are fed by one call. */
const oneCall = 100;

function feedSome(parser: Feedable, receiver: Receiver, chunks: readonly string[], from: number): void {
  const end = Math.min(chunks.length, from + oneCall);
  for (let at = from; at < end; at++) receiver.take(parser.feed(chunks[at] ?? ''));
}

function feedAll(parser: Feedable, chunks: readonly string[]): Receiver {
  const receiver = new Receiver();
  for (let at = 0; at < chunks.length; at += oneCall) feedSome(parser, receiver, chunks, at);
  return receiver;
}

function parseAll(
  parserOf: ChatFormat | ResponseModule,
  chunks: readonly string[],
  options: ResponseParserOptions = {},
): () => unknown {
  return () => {
    const parser = createResponseParser(parserOf, { tools: lawTools, ...options });
    const receiver = feedAll(parser, chunks);
    const { events, message } = parser.finish();
    receiver.take(events);
    return [receiver.count, message];
  };
}

function echoAll(chunks: readonly string[], Parser: new () => Feedable): () => unknown {
  return () => feedAll(new Parser(), chunks).count;
}

function countMarkers(text: string): number {
  let count = 0;
  for (let at = text.indexOf('<use>'); at !== -1; at = text.indexOf('<use>', at + 1)) count++;
  return count;
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
  const parse = (text: string) => parseAll(mixedModule, chunksOf(text, 4), options);
  const eight = Array.from({ length: 8 }, () => parse(mixedText(50_000)));
  return timed(() => eight.map((run) => run()), parse(mixedText(400_000)));
}

const mixed = mixedText(400_000);
const code = codeText(200_000);
const json = JSON.stringify({ city: prose(8000), days: 3 });
const call = `<use>{"name": "get_weather", "arguments": ${json}}</use>`;
const chunkSizes = [1, 4, 16, 64, 0];

/** What is timed, by its title; `size` is that of the chunks, 0 for one piece. */
const subjects: { readonly [title: string]: (size: number) => readonly number[] } = {
  'trivial parser': (size) => timed(echoAll(chunksOf(mixed, size), TrivialParser)),
  'the same, events made': (size) => timed(echoAll(chunksOf(mixed, size), MakingParser)),
  'generated, mixed text': (size) => timed(parseAll(generatedModule(jsonInTags), chunksOf(mixed, size))),
  'the same, events alone': (size) =>
    timed(parseAll(generatedModule(jsonInTags), chunksOf(mixed, size), { keepMessage: false })),
  'interpreted, mixed text': (size) => timed(parseAll(jsonInTags, chunksOf(mixed, size))),
  'generated, code as an argument': (size) => timed(parseAll(generatedModule(tagged), chunksOf(code, size))),
  growth: () => growth({}),
  'growth, events alone': () => growth({ keepMessage: false }),
  'indexOf of a marker': () => timed(() => countMarkers(mixed)),
  'JSON.parse of 8 kB of arguments': () => timed(() => JSON.parse(json)),
  'generated, the same arguments': (size) =>
    timed(parseAll(generatedModule(jsonInTags), chunksOf(call, size))),
  'partial-json, parsing again with every chunk': (size) => timed(reparseAll(json, size)),
};

/** Times one subject in processes of its own, one after the other; the median of each of its times. */
async function inOwnProcesses(title: string, size: number): Promise<readonly number[]> {
  const runs: (readonly number[])[] = [];
  while (runs.length < processes) runs.push(await inNewProcess(title, size));
  return (runs[0] ?? []).map((_, index) => median(runs.map((times) => times[index] ?? Number.NaN)));
}

function inNewProcess(title: string, size: number): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [title, String(size)]);
    child.once('message', (times) => resolve(times as readonly number[]));
    child.once('error', reject);
  });
}

/** Reports one subject; the time that it took. `base`: the time of the trivial parser, per unit. */
async function report(title: string, units: number, size: number, base = 0): Promise<number> {
  const [time = 0] = await inOwnProcesses(title, size);
  const label = size === 0 ? 'one piece' : `${size}-character chunks`;
  const speed = ((units / time) * 1000).toFixed(units / time < 0.01 ? 2 : 0);
  // In one piece the trivial parser does nothing at all.
  const ratio = base === 0 || size === 0 ? '' : `  ${(time / units / base).toFixed(2)} x the trivial parser`;
  process.stdout.write(`${`${title}, ${label}`.padEnd(58)} ${speed.padStart(7)} MB/s${ratio}\n`);
  return time / units;
}

async function reportAll(): Promise<void> {
  for (const size of chunkSizes) {
    const base = await report('trivial parser', mixed.length, size);
    await report('the same, events made', mixed.length, size, base);
    await report('generated, mixed text', mixed.length, size, base);
    await report('the same, events alone', mixed.length, size, base);
    await report('interpreted, mixed text', mixed.length, size, base);
    await report('generated, code as an argument', code.length, size, base);
  }
  for (const title of ['growth', 'growth, events alone']) {
    const [eight = 0, one = 0] = await inOwnProcesses(title, 4);
    const ratio = (one / mixed.length / (eight / (8 * mixedText(50_000).length))).toFixed(2);
    process.stdout.write(`${title}, 50 kB to 400 kB, 4-character chunks: ${ratio} x per character\n`);
  }
  await report('indexOf of a marker', mixed.length, 0);
  await report('JSON.parse of 8 kB of arguments', json.length, 0);
  await report('generated, the same arguments', json.length, 0);
  await report('generated, the same arguments', json.length, 4);
  await report('partial-json, parsing again with every chunk', json.length, 4);
}

const [title, size] = process.argv.slice(2);
if (title === undefined) await reportAll();
else process.send?.(subjects[title]?.(Number(size)));
