/** What an engine is asked and what it draws, and one model on two engines. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Engine } from '../../src/runtime/engine/engine.ts';
import { type ChatOptions, connectEngine, type EngineModel } from '../../src/runtime/engine/index.ts';
import { LlamaEngine } from '../../src/runtime/node-llama-cpp/llama-engine.ts';
import { llamaTokenizer } from '../../src/runtime/node-llama-cpp/tokenizer.ts';
import { FileEngine, type LoadedFile, loadFile } from '../../src/testing/evaluator/file-engine.ts';
import { Transformer } from '../../src/testing/evaluator/transformer.ts';
import { testLlama } from './test-models.ts';

/** One draw: the tokens evaluated before it, and the one drawn. */
interface Draw {
  readonly evaluated: readonly number[];
  readonly drawn: number;
  /** How much likelier it was than the token after it, in nats. */
  readonly lead: number;
}

/** A model whose draws are recorded. */
export interface TracedModel {
  readonly chats: EngineModel;
  /** The draws since it was last asked. */
  take(): readonly Draw[];
}

/** What came of a chat. */
export interface ChatTrace {
  readonly events: readonly unknown[];
  readonly message: unknown;
  readonly usage: unknown;
  readonly draws: readonly Draw[];
}

/** The model of `engine`, with its draws. */
export async function traced(engine: Engine): Promise<TracedModel> {
  let draws: Draw[] = [];
  const chats = await connectEngine(recording(engine, (draw) => draws.push(draw)));
  draws = [];
  return {
    chats,
    take: () => draws.splice(0),
  };
}

function recording(engine: Engine, record: (draw: Draw) => void): Engine {
  const open: Engine['open'] = async (prompt, sampling, signal) => {
    const sequence = await engine.open(prompt, { logprobs: 2, ...sampling }, signal);
    // The rest of the prompt comes with the first draw; a recorded one begins with all of it.
    let before = prompt.tokens.slice(0, -1);
    return new Proxy(sequence, {
      get: (target, name) => {
        if (name !== 'next') return bound(target, name);
        return async (...[tokens, mask]: Parameters<typeof sequence.next>) => {
          const drawn = await sequence.next(tokens, mask);
          const [first = 1, second = 0] = drawn.probabilities?.values() ?? [];
          const lead = Math.log(first / second);
          record({ evaluated: [...before, ...tokens], drawn: drawn.token, lead });
          before = [];
          return drawn;
        };
      },
    });
  };
  return new Proxy(engine, { get: (target, name) => (name === 'open' ? open : bound(target, name)) });
}

/** Classes with private fields insist on their own `this`. */
function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name, target);
  return typeof value === 'function' ? value.bind(target) : value;
}

/** The chat's events, message, usage and draws. What was cached depends on the chats before, and is left out. */
export async function traceChat(model: TracedModel, options: ChatOptions): Promise<ChatTrace> {
  model.take();
  const stream = model.chats.chat(options);
  const events: unknown[] = [];
  for await (const event of stream) events.push(event);
  const { cachedTokens: _, ...usage } = await stream.usage;
  return { events: events.map(withoutCached), message: await stream.message, usage, draws: model.take() };
}

function withoutCached(event: unknown): unknown {
  return JSON.parse(JSON.stringify(event, (name, value) => (name === 'cachedTokens' ? undefined : value)));
}

/** One model file on both engines. */
export interface BothEngines {
  readonly javaScript: TracedModel;
  readonly llama: TracedModel;
  readonly file: LoadedFile;
  dispose(): Promise<void>;
}

/** Opens the model file in `bytes` on both engines, with one sequence. */
export async function openBoth(bytes: Uint8Array, contextSize: number): Promise<BothEngines> {
  const file = loadFile(bytes);
  const modelPath = path.join(os.tmpdir(), `idiolect-both-${process.pid}-${bytes.length}.gguf`);
  fs.writeFileSync(modelPath, bytes);
  const llamaModel = await (await testLlama()).loadModel({ modelPath });
  fs.rmSync(modelPath);
  const context = await llamaModel.createContext({ contextSize, threads: 1 });
  const { model, chatTemplate } = file;
  const tokenizer = llamaTokenizer(llamaModel, 'toy');
  const identity = async (): Promise<string> => model;
  const llama = new LlamaEngine(
    { model, chatTemplate, toolUseTemplate: chatTemplate, tokenizer, llamaModel, identity },
    context,
  );
  const models = {
    javaScript: await traced(new FileEngine(file, { contextSize })),
    llama: await traced(llama),
  };
  const dispose = async (): Promise<void> => {
    await models.javaScript.chats.dispose();
    await models.llama.chats.dispose();
  };
  return { ...models, file, dispose };
}

/** Where two traces part. */
export interface Parting {
  /** By how much the likeliest token led the next one, in nats, in the first of them. */
  readonly lead: number;
  /**
   * Whether the other one drew a byte that no UTF-8 text has (0xF8 and above): llama.cpp's grammars take it for the
   * beginning of a character, and the matcher does not.
   */
  readonly noText: boolean;
  readonly told: string;
}

/**
 * The first draw at which two traces part, with the logits of the two tokens there; `null` if there is none. Two sums of
 * floats in another order may take another of two nearly equal tokens: then the logits say so.
 */
export function parting(one: ChatTrace, other: ChatTrace, file: LoadedFile): Parting | null {
  const at = one.draws.findIndex(({ drawn }, index) => drawn !== other.draws[index]?.drawn);
  const [first, second] = [one.draws[at], other.draws[at]];
  if (first === undefined || second === undefined) return null;
  const tokens = one.draws.slice(0, at + 1).flatMap(({ evaluated }) => evaluated);
  const model = new Transformer(file.weights);
  for (const _ of model.evaluate(tokens, model.newMemory(), 0));
  const logits = model.logits();
  const told = (token: number): string =>
    `${token} ${JSON.stringify(file.tokenizer.texts[token])} (${logits[token]?.toFixed(3)})`;
  const both = `${told(first.drawn)} in JavaScript, ${told(second.drawn)} in llama.cpp`;
  const noText = /^[\u00f8-\u00ff]$/.test(file.tokenizer.texts[second.drawn] ?? '');
  return { lead: first.lead, noText, told: `draw ${at}: ${both}, by ${first.lead.toFixed(4)} nats` };
}
