/** Limits of chats: of what is sampled, remembered and asked again. */
import { formatGrammar } from '../../../src/grammar/format-grammar.ts';
import { printStructuralTag } from '../../../src/grammar/structural-tag/print-structural-tag.ts';
import { downloadFile } from '../../../src/hub/download-file.ts';
import { RateLimitedError } from '../../../src/hub/errors.ts';
import { createHub } from '../../../src/hub/hub-client.ts';
import { GrammarError, ServerError } from '../../../src/index.ts';
import { choice, literal, sequence } from '../../../src/language/expression/expression.ts';
import { RuleSet } from '../../../src/language/expression/rule-set.ts';
import { finish } from '../../../src/language/expression/steps.ts';
import { createMatcher } from '../../../src/language/matcher/matcher.ts';
import { AheadStore } from '../../../src/runtime/chat/ahead-store.ts';
import { ValueWatch } from '../../../src/runtime/chat/checks/value-watch.ts';
import { guessTokens } from '../../../src/runtime/engine/decoding/guessed-tokens.ts';
import { SampledPlaces } from '../../../src/runtime/engine/decoding/sampled-places.ts';
import { AllowedTokens } from '../../../src/runtime/engine/masks/allowed-tokens.ts';
import { isLarge } from '../../../src/runtime/engine/masks/large-grammars.ts';
import { encodeWindows } from '../../../src/runtime/engine/tokens/long-runs.ts';
import { BatchCosts } from '../../../src/runtime/node-llama-cpp/batch-costs.ts';
import { fittingSequences } from '../../../src/runtime/node-llama-cpp/open-context.ts';
import { PooledServer } from '../../../src/servers/pooled-server.ts';
import { PromptEncoder } from '../../../src/servers/prompt-encoder.ts';
import { pauseAfter } from '../../../src/servers/retry.ts';
import { ServerConnection } from '../../../src/servers/server-connection.ts';
import { tokenizerWith } from '../../../src/testing/toy/tokenizer.ts';
import { wrappedContent } from '../../support/sample-formats.ts';
import { ends, type Rows } from '../source-limits.ts';
import { indexOf } from './kept.ts';

const url = 'http://127.0.0.1:1';
const numbersTo = (size: number) => Array.from({ length: size }, (_, at) => at);
const codesOf = (text: string) => Array.from(text, (character) => character.charCodeAt(0));

/** How often a text of plain tokens, one for each character, is tokenised. */
function timesEncoded(text: string, splits: boolean): number {
  let times = 0;
  const encode = (piece: string) => {
    times += 1;
    return codesOf(piece);
  };
  finish(encodeWindows(text, { encode, widthOf: () => 1, splits }));
  return times;
}

/** Whether so many tokens of a vocabulary can be favoured or the others forbidden, each set as large as the other. */
function isBiased(size: number): boolean {
  const vocabulary = {
    index: {},
    size: 2 * size,
    ends: [],
    bytesOf: () => new Uint8Array(),
    isSpecial: () => false,
  };
  const wanted = new Uint32Array(Math.ceil((2 * size) / 32));
  for (let token = 0; token < size; token += 1)
    wanted[token >> 5] = (wanted[token >> 5] ?? 0) | (1 << (token & 31));
  return (
    new AllowedTokens(vocabulary as never).leaving(wanted, {
      size: 0,
      illFormedTokens: () => [],
    } as never) !== null
  );
}

/** A matcher that allows this set, with more than a few tokens. */
const matcherOf = (mask: Uint32Array) =>
  ({
    state: {},
    size: 0,
    complete: false,
    mask: () => mask,
    allowedTokens: () => null,
    illFormedTokens: () => [],
  }) as never;

/** The error of `run`, which it must throw. */
function refused(run: () => unknown): GrammarError {
  try {
    run();
  } catch (error) {
    if (error instanceof GrammarError) return error;
  }
  throw new Error('nothing was refused');
}

export const chatRows: Rows = {
  'grammar/call-grammar.ts maxIndexDigits': (size) => {
    const call = (index: string) => `\n    {"n": "${index}", "name": "f", "arguments": {}}`;
    const matcher = createMatcher(formatGrammar(wrappedContent).expression);
    return matcher.accept(`<act>[${call('0')},${call('1'.repeat(size))}\n]</act>`);
  },
  'grammar/structural-tag/print-structural-tag.ts maxBytes': (size) => {
    const tag = (length: number) =>
      printStructuralTag(new RuleSet().grammar('root', literal('a'.repeat(length))));
    // A refusal says how many bytes there are.
    const bytes = refused(() => tag(2 * size)).reason.match(/\d+/)?.[0];
    return ends(() => tag(size - (Number(bytes) - 2 * size)));
  },
  // A hub that asks for so long a wait is waited for, here until nobody wants the file any more.
  'hub/download-file.ts maxWaitSeconds': async (size) => {
    const stop = new AbortController();
    const answer: typeof fetch = async () => {
      setTimeout(() => stop.abort());
      return new Response(null, { status: 429, headers: { 'retry-after': `${size}` } });
    };
    const { fileFetch } = createHub({ endpoint: url, token: null, fetch: answer });
    const target = {
      ...{ file: 'a', chunkCount: 1, isDone: () => false, bounds: () => [0, 10] },
      ...{ write: async () => {}, finish: async () => {} },
    };
    const request = {
      ...{ name: 'a', url, size: 10, fetch: fileFetch({ model: 'a/b', revision: null }), connections: 1 },
      ...{ stallMs: 60_000, retryMs: 0, signal: stop.signal, onBytes: () => {} },
    };
    return downloadFile(target as never, request).then(
      () => false,
      (error: unknown) => !(error instanceof RateLimitedError),
    );
  },
  // With what its name takes.
  'runtime/chat/ahead-store.ts maxKept': (size) => {
    const store = new AheadStore((text) => text, null);
    store.add([['a', 'a'.repeat(size - 100)]]);
    return store.read('a') !== null;
  },
  // The library is asked about the list after each item.
  'runtime/chat/checks/value-watch.ts maxAsked': (size) => {
    let asked = 0;
    const problemsOf = () => {
      asked += 1;
      return [];
    };
    const item = { validate: null, uniqueItems: false };
    const list = { ...item, item: () => item };
    new ValueWatch(list as never, { needsTime: false, problemsOf } as never).feed(`[${'1,'.repeat(size)}`);
    return asked === size;
  },
  // A grammar of so many characters, each of which is one of two.
  'runtime/engine/decoding/guessed-tokens.ts maxGuesses': (size) => {
    const either = choice(literal('a'), literal('b'));
    const matcher = createMatcher(new RuleSet().grammar('root', sequence(...Array(size).fill(either))));
    const allowed = { at: () => codesOf('ab'), bias: () => new Map() };
    const vocabulary = { allowed, index: indexOf('a'), bytesOf: (token: number) => Uint8Array.of(token) };
    return finish(guessTokens(matcher, [], { ends: [] } as never, vocabulary as never)).length === size;
  },
  'runtime/engine/decoding/sampled-places.ts maxAllowed': (size) => {
    const places = new SampledPlaces({ index: {}, bytesOf: () => new Uint8Array(1) } as never);
    places.restart({} as never);
    places.exclude(new Uint8Array(1));
    const allowedTokens = (_: unknown, most: number) => (size <= most ? numbersTo(size) : null);
    return places.isDeadEnd({ complete: false, allowedTokens } as never);
  },
  'runtime/engine/masks/allowed-tokens.ts maxBiases': isBiased,
  'runtime/engine/masks/allowed-tokens.ts maxSets': (size) => {
    const vocabulary = { index: {}, size: 1024, ends: [] };
    const allowed = new AllowedTokens(vocabulary as never);
    const masks = numbersTo(size).map((at) => new Uint32Array(32).fill(0xffff_ffff, 0, 16).fill(at, 16, 17));
    const [first] = masks.map((mask) => allowed.bias(matcherOf(mask)));
    return allowed.bias(matcherOf(masks[0] ?? new Uint32Array())) === first;
  },
  'runtime/engine/masks/large-grammars.ts maxSize': (size) => !isLarge({ size } as never),
  'runtime/engine/tokens/long-runs.ts maxInRun': (size) => timesEncoded('a'.repeat(size), true) === 1,
  'runtime/engine/tokens/long-runs.ts maxAtOnce': (size) =>
    timesEncoded('a'.repeat(size), false) === 1 && timesEncoded('a '.repeat(size).slice(0, size), true) === 1,
  // The rest of a window has other tokens by itself, before the last of so many places.
  'runtime/engine/tokens/long-runs.ts maxTried': (size) => {
    let [begun, tried] = [0, 0];
    const encode = (text: string, begins: boolean) => {
      if (begins) begun += 1;
      else tried += 1;
      return begins || tried >= size ? codesOf(text) : [];
    };
    finish(encodeWindows('a'.repeat(4001), { encode, widthOf: () => 1, splits: true }));
    return begun === 1;
  },
  'runtime/node-llama-cpp/batch-costs.ts maxBatch': (size) => {
    const costs = new BatchCosts();
    for (let trial = 0; trial < 3; trial += 1) {
      costs.note(1, 1);
      costs.note(size, size + 1);
    }
    return costs.isSlow(size);
  },
  // A quarter of the memory holds so many.
  'runtime/node-llama-cpp/open-context.ts maxFitting': async (size) => {
    const state = async () => ({ free: 4 * size });
    const estimate = async ({ sequences }: { sequences: number }) => ({
      cpuRam: sequences,
      gpuVram: sequences,
    });
    const model = {
      ...{ gpuLayers: 0, llama: { getRamState: state, getVramState: state } },
      ...{ fileInsights: { estimateContextResourceRequirementsV2: estimate } },
    };
    return (await fittingSequences(model as never, { contextSize: 1 })) === size;
  },
  // At the last of so many milliseconds after a failure.
  'servers/pooled-server.ts maxRestMs': (size) => {
    const server = new PooledServer({} as never);
    server.failures = 20;
    const { now } = performance;
    performance.now = () => 0;
    try {
      server.rest(new Error('busy'));
    } finally {
      performance.now = now;
    }
    return server.rests(size - 1);
  },
  // Each attempt but the last one finds one more special token in what a user writes.
  'servers/prompt-encoder.ts maxAttempts': async (size) => {
    const text = numbersTo(size - 1)
      .map((at) => `<|t${at}|>`)
      .join('');
    const token = (piece: string) => ({
      id: piece.length === 1 ? piece.charCodeAt(0) : 1000 + Number(/\d+/.exec(piece)),
      text: piece,
    });
    const server = {
      ask: async ({ asked }: { asked: string }) => {
        const [special = '', at = 0] = [/<\|t\d+\|>/.exec(asked)?.[0], asked.search(/<\|t\d+\|>/)];
        const pieces =
          special === '' ? [...asked] : [...asked.slice(0, at), special, ...asked.slice(at + special.length)];
        return pieces.map(token);
      },
      error: (path: string, reason: string) => new Error(path + reason),
    };
    const dialect = { tokenize: (asked: string) => ({ asked, path: '/' }) };
    const encoder = new PromptEncoder(server as never, dialect as never, {
      name: null,
      bosToken: '',
      eosToken: '',
      addedTokens: null,
    });
    const prompt = { text, spans: [{ text, origin: 'data' }], generationPrompt: '' };
    return encoder.encode(prompt as never, undefined).then(
      () => true,
      () => false,
    );
  },
  'servers/retry.ts maxPauseMs': (size) => {
    const error = new ServerError({ url, reason: 'busy', transient: true, retryAfterMs: 0 });
    return (pauseAfter(error, 20, 1) ?? 0) >= size;
  },
  // A piece that says it has so many bytes.
  'servers/server-connection.ts maxStream': async (size) => {
    const value = Object.defineProperty(new Uint8Array(0), 'length', { value: size });
    const pieces = [{ done: false, value }, { done: true }];
    const body = {
      getReader: () => ({ read: async () => pieces.shift(), cancel: async () => {} }),
      cancel: async () => {},
    };
    const fetch = async () => ({ ok: true, status: 200, type: 'basic', headers: new Headers(), body });
    const connection = new ServerConnection({ url, fetch: fetch as never });
    try {
      for await (const _ of connection.stream(
        { path: '/', body: null, read: (answer: unknown) => answer },
        undefined,
      ));
      return true;
    } catch (error) {
      if (!(error instanceof ServerError) || !error.message.includes('bytes')) throw error;
      return false;
    }
  },
  'testing/toy/tokenizer.ts maxKept': (size) => {
    const tokenizers = numbersTo(size).map(
      (at) => () => tokenizerWith({ controls: [`<${size}-${at}>`], markers: [], end: '<end>' } as never),
    );
    const [first] = tokenizers.map((make) => make());
    return tokenizers[0]?.() === first;
  },
};
