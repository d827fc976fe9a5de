/** Limits of what is tried again, waited for, copied and guessed. */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { listMcpTools } from '../../../src/cli/mcp/mcp-session.ts';
import { createResponseParser } from '../../../src/codegen/create-response-parser.ts';
import { rememberTools } from '../../../src/format/compiled-tools.ts';
import { buildGrammar } from '../../../src/grammar/build-grammar.ts';
import { StateFileError } from '../../../src/index.ts';
import { choice, literal } from '../../../src/language/expression/expression.ts';
import { RuleSet } from '../../../src/language/expression/rule-set.ts';
import { finish } from '../../../src/language/expression/steps.ts';
import { createMatcher } from '../../../src/language/matcher/matcher.ts';
import { callGuard } from '../../../src/runtime/chat/checks/call-guard.ts';
import { Backtracking } from '../../../src/runtime/engine/decoding/backtracking.ts';
import { guessTokens } from '../../../src/runtime/engine/decoding/guessed-tokens.ts';
import { warmEngine } from '../../../src/runtime/engine/prepare.ts';
import { compileIn } from '../../../src/runtime/node-llama-cpp/ahead/compile-ahead.ts';
import { SequencePool } from '../../../src/runtime/node-llama-cpp/sequences/sequence-pool.ts';
import { SequenceQueue } from '../../../src/runtime/node-llama-cpp/sequences/sequence-queue.ts';
import { readStateFile, writeStateFile } from '../../../src/runtime/node-llama-cpp/states/state-file.ts';
import { ServerRun } from '../../../src/servers/server-run.ts';
import { tokenizerWith } from '../../../src/testing/toy/tokenizer.ts';
import { readTokenizer } from '../../../src/transformers/read-tokenizer.ts';
import { jsonInTags } from '../../support/sample-formats.ts';
import { ends, type Rows } from '../source-limits.ts';
import { indexOf } from './kept.ts';

const numbersTo = (size: number) => Array.from({ length: size }, (_, at) => at);
const codesOf = (text: string) => Array.from(text, (character) => character.charCodeAt(0));

/** Runs where no time passes of itself: `pass` calls each timer set so far whose delay is at most that. */
async function withTimers<Result>(
  run: (pass: (milliseconds: number) => void) => Promise<Result>,
): Promise<Result> {
  const { setTimeout: timeout, setInterval: interval } = globalThis;
  const timers: { readonly call: () => void; readonly delay: number }[] = [];
  const timer = { ref: () => timer, unref: () => timer };
  const set = (call: () => void, delay: number) => {
    timers.push({ call, delay });
    return timer;
  };
  Object.assign(globalThis, { setTimeout: set, setInterval: set });
  try {
    return await run((milliseconds) => {
      for (const { call, delay } of timers) if (delay <= milliseconds) call();
    });
  } finally {
    Object.assign(globalThis, { setTimeout: timeout, setInterval: interval });
  }
}

/** The program of a thread that does this with each message. */
const threadThat = (does: string) =>
  new URL(
    `data:text/javascript,import { parentPort, resourceLimits } from 'node:worker_threads';parentPort.on('message', () => { ${does} })`,
  );

/** How a response is judged whose every value is invalid, so many times in a row. */
function judge(times: number, fromLibrary: boolean): { readonly isGivenUp: boolean } {
  let isGivenUp = false;
  const response = {
    ...{ checked: true, failure: null as object | null, isLibrarys: fromLibrary, failedAt: 0 },
    ...{ length: 1, valueLength: 0, released: 0, now: { matcher: null } },
    release: () => [],
    *goBack() {},
    failed: () => new Error('given up'),
    *leaveToGuard() {
      isGivenUp = true;
      yield;
    },
  };
  const backtracking = new Backtracking(response as never, { bytesOf: () => Uint8Array.of(1) } as never);
  const taken = { tokens: [1], sampled: 1, over: false };
  finish(backtracking.judge(taken));
  response.failure = { fromLibrary };
  const isJudged = ends(() => {
    for (const _ of numbersTo(times)) finish(backtracking.judge(taken));
  });
  return { isGivenUp: isGivenUp || !isJudged };
}

/** An answer that is checked, by a server that writes what is no such answer. */
function checkedRun(): ServerRun {
  const grammar = buildGrammar(jsonInTags, { toolChoice: 'none' });
  const guard = callGuard({ toolChoice: 'none' }, [], grammar.report);
  const answer = { validate: () => ['it is invalid'], uniqueItems: false };
  return new ServerRun({
    ...{ grammar, matcher: null, guard, restOf: () => null, stops: [], maxTokens: 1000 },
    ...{ thinkingBudget: Number.POSITIVE_INFINITY, reasoningEnd: '', plainText: true },
    parser: createResponseParser(jsonInTags),
    checks: { tools: new Map(), answer: answer as never },
  });
}

/** Answers requests of an MCP client in place of the network. */
async function withFetch(
  answer: (message: { id?: number; method: string }) => object,
  run: () => Promise<unknown>,
) {
  const { fetch } = globalThis;
  globalThis.fetch = async (_, init) => {
    const message = JSON.parse(String(init?.body ?? 'null'));
    if (message?.id === undefined) return new Response(null, { status: message === null ? 405 : 202 });
    return Response.json({ jsonrpc: '2.0', id: message.id, result: answer(message) });
  };
  try {
    return await run().then(
      () => true,
      () => false,
    );
  } finally {
    globalThis.fetch = fetch;
  }
}

export const attemptRows: Rows = {
  'cli/mcp/mcp-session.ts maxPages': (size) => {
    let left = size;
    const answer = ({ method }: { readonly method: string }) => {
      if (method !== 'tools/list') return { protocolVersion: '2025-11-25' };
      left -= 1;
      return { tools: [], ...(left > 0 ? { nextCursor: `${left}` } : {}) };
    };
    return withFetch(answer, () => listMcpTools('http://127.0.0.1:1'));
  },
  'runtime/engine/decoding/backtracking.ts maxTries': (size) => !judge(size, false).isGivenUp,
  'runtime/engine/decoding/backtracking.ts maxLibraryTries': (size) => !judge(size, true).isGivenUp,
  // `a` came after as many tokens as the last ones, and later `b` after one fewer of them.
  'runtime/engine/decoding/guessed-tokens.ts maxEnd': (size) => {
    const last = codesOf('cdefghij').slice(0, size);
    const written = [0, ...last, ...codesOf('a'), 1, ...last.slice(1), ...codesOf('b'), 2, ...last];
    const matcher = createMatcher(new RuleSet().grammar('root', choice(literal('a'), literal('b'))));
    const allowed = { at: () => codesOf('ab'), bias: () => new Map() };
    const vocabulary = { allowed, index: indexOf('a'), bytesOf: (token: number) => Uint8Array.of(token) };
    const [guess] = finish(guessTokens(matcher, written, { ends: [] } as never, vocabulary as never));
    return guess?.tokens[0] === codesOf('a')[0];
  },
  // Sets that nothing can be prepared for, so that only their policies are read.
  'runtime/engine/prepare.ts maxSets': async (size) => {
    let prepared = 0;
    const template = `of ${size} sets`;
    for (const at of numbersTo(size)) {
      const compiled = { compiler: `${at}`, template, arguments: [], rules: {} };
      const get = () => {
        prepared += 1;
        return 'none';
      };
      rememberTools([], Object.defineProperty(compiled, 'policy', { get }) as never);
    }
    const tokenizer = tokenizerWith({ controls: [], markers: [], end: '<end>' } as never);
    const templates = { knowsTools: true, learn: () => ({ format: { templateSha256: template } }) };
    await warmEngine({ engine: { tokenizer }, templates } as never, {});
    return prepared === size;
  },
  // A thread that never answers, at the last of so many milliseconds.
  'runtime/node-llama-cpp/ahead/compile-ahead.ts maxMs': (size) =>
    withTimers(async (pass) => {
      let isRunning = true;
      const compiled = compileIn(threadThat(''))({} as never, undefined).catch(() => {
        isRunning = false;
      });
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      pass(size - 1);
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      const isWithin = isRunning;
      pass(Number.POSITIVE_INFINITY);
      await compiled;
      return isWithin;
    }),
  // A thread that tells how much it may take.
  'runtime/node-llama-cpp/ahead/compile-ahead.ts maxOldGenerationSizeMb': async (size) => {
    const thread = threadThat('parentPort.postMessage(resourceLimits.maxOldGenerationSizeMb)');
    return Number(await compileIn(thread)({} as never, undefined)) >= size;
  },
  // All copies but the last one come too late.
  'runtime/node-llama-cpp/sequences/sequence-pool.ts maxCopies': async (size) => {
    const held = numbersTo(300);
    let left = size;
    const sequenceWith = (tokens: readonly number[]) => {
      const sequence = {
        contextTokens: tokens,
        needsCheckpoints: false,
        _copyStateFromOtherSequence: async (_: unknown, length: number) => {
          left -= 1;
          if (left === 0) sequence.contextTokens = held.slice(0, length);
          return true;
        },
      };
      return sequence;
    };
    const sequences = [sequenceWith([]), sequenceWith(held)];
    const next = sequences.values();
    const pool = new SequencePool({ totalSequences: 2, getSequence: () => next.next().value as never });
    const leased = await pool.lease([...held.slice(0, 200), 1000], undefined);
    await leased.share(undefined);
    return leased.sequence.contextTokens.length > 0;
  },
  // At the last of so many milliseconds, whoever waits still takes a sequence.
  'runtime/node-llama-cpp/sequences/sequence-queue.ts maxPause': (size) =>
    withTimers(async (pass) => {
      const queue = new SequenceQueue<{ contextTokens: readonly number[] }>(() => true);
      const waiting = queue.wait([], undefined).catch(() => undefined);
      pass(size - 1);
      const isWaiting = queue.pass({ contextTokens: [] });
      await waiting;
      return isWaiting;
    }),
  // A state of one token, which is refused only because the context has room for none.
  'runtime/node-llama-cpp/states/state-file.ts maxTokenBytes': async (size) => {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'idiolect-limits-'));
    const file = path.join(folder, 'state');
    const origin = { model: 'a', engine: 'b', sequences: 1, secret: null };
    try {
      await writeStateFile(file, { ...origin, tokens: 1 }, async (payload) => {
        await fs.writeFile(payload, '');
        await fs.truncate(payload, size);
      });
      const limits = { ...origin, maxTokens: 0, vocabularySize: 1, modelBytes: 0 };
      return await readStateFile(file, limits, async () => false).catch(
        (error: unknown) => error instanceof StateFileError && error.reason.includes('has room for'),
      );
    } finally {
      await fs.rm(folder, { recursive: true });
    }
  },
  'servers/server-run.ts maxTries': (size) => {
    const run = checkedRun();
    run.start();
    return ends(() => {
      for (const _ of numbersTo(size)) {
        run.ask(false);
        const { next } = run.take({ text: '"a"', tokens: 1, finish: 'stop' });
        if (next !== 'ask-again') throw new TypeError('the answer was taken');
        finish(run.rewind());
      }
    });
  },
  // The last token's number is one less than there are tokens.
  'transformers/read-tokenizer.ts maxTokens': (size) => {
    const file = { decoder: { type: 'ByteLevel' }, model: { vocab: { a: size - 1 } } };
    const tokenizer = { _tokenizerJSON: file, encode: () => [] };
    return ends(() => readTokenizer('a', tokenizer, {} as never));
  },
};
