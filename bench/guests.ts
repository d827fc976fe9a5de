/**
 * What one hostile request costs everybody else: for each of `test/support/hostile-guests.ts` the longest time that the
 * main thread computes without a turn of its event loop, in processor time, so other processes do not count; and how long
 * a turn took at most on the clock, where they do.
 *
 * Bundled, so that the thread that compiles schemas is there (with tsx, they are compiled in turns):
 *
 *     npx esbuild bench/guests.ts src/runtime/node-llama-cpp/ahead/schema-worker.ts --bundle --splitting --platform=node \
 *       --format=esm --packages=external --conditions=idiolect:source --outdir=.cache/guests --entry-names=[name]
 *     CONTEXT=65536 node .cache/guests/guests.js [pattern of names]
 *
 * With `MODEL=file.gguf`, another model than the toy is served: one of many tokens has longer masks.
 *
 * With `PROFILE=folder`, each request's profile of the processor is written there, and another of its longest turn.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import os from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { loadModel } from '../src/runtime/node-llama-cpp/index.ts';
import { createHandler } from '../src/serve/index.ts';
import { tokenTexts, toyModel, vocabularyOf } from '../src/testing/index.ts';
import { answer, hostileRequests } from '../test/support/hostile-guests.ts';
import { mainThread, type Turn, watchTurns } from './main-thread.ts';

const { MODEL: file = path.join(os.tmpdir(), `guests-${process.pid}.gguf`) } = process.env;
if (process.env.MODEL === undefined) writeFileSync(file, await toyModel());
const contextSize = Number(process.env.CONTEXT ?? 2048);
const model = await loadModel(file, { threads: 1, gpu: false, sequences: 2, contextSize });
const handler = createHandler(model, {});

/** Milliseconds after which a client leaves. */
const patience = 15_000;

/** As a socket brings them: at most two megabytes in one turn of the event loop. */
function inPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      if (at % 2_097_152 === 0) await setImmediate();
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at + 65_536));
      else controller.close();
      at += 65_536;
    },
  });
}

async function send(url: string, body: string): Promise<{ readonly status: number; readonly longest: Turn }> {
  const bytes = new TextEncoder().encode(body);
  const headers = { 'content-type': 'application/json', 'content-length': String(bytes.length) };
  const stop = watchTurns();
  // What is left to do then is the engine's: a prompt of 60,000 tokens takes minutes.
  const signal = AbortSignal.timeout(patience);
  const sent = { method: 'POST', headers, body: inPieces(bytes), duplex: 'half', signal } as const;
  const response = await handler(new Request(`http://localhost${url}`, sent));
  const answer = await response.text();
  if (process.env.ANSWERS !== undefined) console.log(answer.slice(0, 300));
  return { status: response.status, longest: stop() };
}

async function profiled<Result extends { readonly longest: Turn }>(
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const folder = process.env.PROFILE;
  if (folder === undefined) return work();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 200 });
  await session.post('Profiler.start');
  const result = await work();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  writeFileSync(path.join(folder, `${name}.cpuprofile`), JSON.stringify(profile));
  const turn = within(profile, result.longest);
  writeFileSync(path.join(folder, `${name}, longest turn.cpuprofile`), JSON.stringify(turn));
  return result;
}

/** What a profile has of a turn. */
function within(profile: Profiler.Profile, { start, end }: Pick<Turn, 'start' | 'end'>): Profiler.Profile {
  const { samples = [], timeDeltas = [] } = profile;
  let at = profile.startTime;
  const times = timeDeltas.map((delta) => {
    at += delta;
    return at;
  });
  const isIn = (_: number, index: number): boolean => {
    const time = times[index] ?? 0;
    return time >= start && time <= end;
  };
  return {
    ...profile,
    startTime: start,
    endTime: end,
    samples: samples.filter(isIn),
    timeDeltas: timeDeltas.filter(isIn),
  };
}

/** As many words of the vocabulary as a schema may have: a mask of them is the longest walk. */
const words = tokenTexts(vocabularyOf(readFileSync(file)))
  .filter((text) => /^[A-Za-z]{3,}$/.test(text))
  .slice(0, 26_000);
const schema = { type: 'object', properties: { word: { enum: words } }, required: ['word'] };
const requests = [...hostileRequests, ['an enum of words of the vocabulary', answer(schema)] as const];

const wanted = new RegExp(process.argv[2] ?? '');
for (let at = 0; at < 3; at += 1)
  await send('/v1/chat/completions', '{"messages":[{"role":"user","content":"hello"}],"max_tokens":3}');
const rows: [string, number][] = [];
for (const [name, { path: url, body }] of requests) {
  if (!wanted.test(name)) continue;
  const text = body();
  const before = mainThread();
  const { status, longest } = await profiled(name, () => send(url, text));
  rows.push([name, longest.cost]);
  console.log(
    `${name.padEnd(40)} ${(text.length / 1000).toFixed(0).padStart(6)} kB  ${status}  longest ${longest.cost.toFixed(0).padStart(5)} ms (${longest.waited.toFixed(0)} on the clock) of ${(mainThread() - before).toFixed(0).padStart(6)} ms`,
  );
}
rows.sort((one, other) => other[1] - one[1]);
console.log(`longest of ${rows.length}: ${rows[0]?.[1].toFixed(0)} ms (${rows[0]?.[0]})`);
await handler.close();
await model.dispose();
