/**
 * llama.cpp's own grammar engine as a judge of texts, through node-llama-cpp's addon.
 *
 * A vocabulary without weights is enough: llama-spm has one token for every byte, so a text is fed as its
 * UTF-8 bytes. Before each byte the engine is asked whether it may come next, because accepting a
 * forbidden one breaks the state and can abort the process. Measured on two cores: 1.2 µs per byte and
 * 10 µs per text for a small grammar, next to 1.2 s once for the addon and 0.05 s for the vocabulary.
 *
 * A grammar that does not build is printed to stderr by llama.cpp, whole. Two things crash or hang the
 * engine and must not reach it: `{m,n}` with m > n, and left recursion through a rule that is empty only
 * by way of another rule.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import { getLlama, type Llama, LlamaLogLevel } from 'node-llama-cpp';
import { writeModelFile } from '../../examples/support/small-models.ts';
import { cacheFolder, readBundledFile } from './llama-bundle.ts';

/** What the engine says about texts under one grammar. */
export interface EngineMatcher {
  /** The whole text is in the language. */
  accepts(text: string): boolean;
  /** The text is the beginning of something that the engine would still let grow. */
  alive(prefix: string): boolean;
  /** Both at once, and how many bytes were let through. */
  run(text: string | Uint8Array): EngineRun;
}
export interface EngineRun {
  readonly accepted: boolean;
  readonly alive: boolean;
  readonly bytes: number;
}

/** The part of the addon that is used here; internal to node-llama-cpp, and checked when it is loaded. */
interface Bindings {
  readonly AddonModel: new (file: string, options: { vocabOnly: boolean; addonExports: Bindings }) => Model;
  readonly AddonGrammar: new (
    gbnf: string,
    options: { addonExports: Bindings; rootRuleName: string },
  ) => object;
  readonly AddonGrammarEvaluationState: new (model: Model, grammar: object) => object;
  readonly AddonSampler: {
    acceptGrammarEvaluationStateToken(state: object, token: number): void;
    canBeNextTokenForGrammarEvaluationState(state: object, token: number): boolean;
  };
}
interface Model {
  init(): Promise<boolean>;
  tokenEos(): number;
}
interface Engine {
  readonly bindings: Bindings;
  readonly model: Model;
  readonly endToken: number;
}

/** Token of byte 0 in the llama-spm vocabulary: `<0x00>` follows `<unk>`, `<s>` and `</s>`. */
const firstByteToken = 3;

let engine: Promise<Engine> | undefined;

/** A matcher for one grammar. @throws Error when the engine cannot build it. */
export async function engineMatcher(gbnf: string): Promise<EngineMatcher> {
  engine ??= loadEngine();
  return matcherFor(await engine, gbnf);
}

/** The same for many grammars: loads the engine once, then makes matchers synchronously. */
export async function loadEngineMatchers(): Promise<(gbnf: string) => EngineMatcher> {
  engine ??= loadEngine();
  const loaded = await engine;
  return (gbnf) => matcherFor(loaded, gbnf);
}

/** Frees the grammars of matchers that nothing refers to any more. */
export async function freeMatchers(): Promise<void> {
  v8.setFlagsFromString('--expose-gc');
  vm.runInNewContext('gc')();
  // The addon frees them in a later turn.
  await setImmediate();
}

function matcherFor({ bindings, model, endToken }: Engine, gbnf: string): EngineMatcher {
  const { AddonGrammar, AddonGrammarEvaluationState, AddonSampler } = bindings;
  const grammar = new AddonGrammar(gbnf, { addonExports: bindings, rootRuleName: 'root' });

  const run = (text: string | Uint8Array): EngineRun => {
    const input = typeof text === 'string' ? Buffer.from(text) : text;
    const state = new AddonGrammarEvaluationState(model, grammar);
    let bytes = 0;
    for (const byte of input) {
      const token = firstByteToken + byte;
      if (!AddonSampler.canBeNextTokenForGrammarEvaluationState(state, token)) break;
      AddonSampler.acceptGrammarEvaluationStateToken(state, token);
      bytes += 1;
    }
    const alive = bytes === input.length;
    // An end inside a character does not show in the engine's stacks: it is no text, so not accepted.
    const whole = alive && endsBetweenCharacters(input);
    const accepted = whole && AddonSampler.canBeNextTokenForGrammarEvaluationState(state, endToken);
    return { accepted, alive, bytes };
  };
  return { accepts: (text) => run(text).accepted, alive: (prefix) => run(prefix).alive, run };
}

function endsBetweenCharacters(bytes: Uint8Array): boolean {
  for (let back = 1; back <= 4 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return back >= length;
  }
  return true;
}

async function loadEngine(): Promise<Engine> {
  const llama = await getLlama({
    gpu: false,
    build: 'never',
    progressLogs: false,
    logLevel: LlamaLogLevel.disabled,
  });
  const bindings = bindingsOf(llama);
  const model = new bindings.AddonModel(await vocabularyFile(), {
    vocabOnly: true,
    addonExports: bindings,
  });
  if (!(await model.init())) throw new Error('the llama-spm vocabulary could not be loaded');
  return { bindings, model, endToken: model.tokenEos() };
}

function bindingsOf(llama: Llama): Bindings {
  const { _bindings: bindings } = llama as unknown as { readonly _bindings?: Partial<Bindings> };
  if (bindings?.AddonGrammarEvaluationState === undefined || bindings.AddonSampler === undefined) {
    throw new Error('node-llama-cpp has changed inside: look for its new way to feed a grammar state');
  }
  return bindings as Bindings;
}

async function vocabularyFile(): Promise<string> {
  const bytes = await readBundledFile('models/ggml-vocab-llama-spm.gguf');
  const file = path.join(cacheFolder, 'models', `vocabulary-llama-spm-${bytes.length}.gguf`);
  if (!fs.existsSync(file)) writeModelFile(file, bytes);
  return file;
}
