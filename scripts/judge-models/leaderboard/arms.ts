/** Those who answer the leaderboard's questions, all with the same model file: Idiolect, and what others offer. */
import { createRequire } from 'node:module';
import {
  type ChatModelFunctions,
  type GbnfJsonSchema,
  LlamaChat,
  type LlamaModel,
  resolveChatWrapper,
} from 'node-llama-cpp';
import type { Message, Tool } from '../../../src/format/messages.ts';
import type { FreeText } from '../../../src/runtime/node-llama-cpp/plain-engine.ts';
import { JudgedModel, type JudgedModelOptions } from '../asking/judged-model.ts';
import { readFree } from '../asking/response.ts';
import { samplingOf } from '../asking/sampling.ts';
import type { LeaderboardQuestion } from './python.ts';

/** A call: the name of its tool, its arguments as JSON text, and what is known about them. */
export interface AnsweredCall {
  readonly name: string;
  readonly input: string;
  readonly assurance?: string;
}

/** Answers a question with calls, or none. */
export type Arm = (question: LeaderboardQuestion) => Promise<readonly AnsweredCall[]>;

/** The names of the arms. */
export const armNames = ['auto', 'names', 'retry', 'required', 'free', 'marker', 'session', 'layer'] as const;
/** One of them. */
export type ArmName = (typeof armNames)[number];

/** What each arm is. */
export const armTitles: Readonly<Record<ArmName, string>> = {
  auto: 'Idiolect, `auto`',
  names: 'Idiolect, `auto` with the names on offer enforced',
  retry: 'Idiolect, `runTools`, a second try after a refused call',
  required: 'Idiolect, `required`',
  free: 'the plain engine, read by our parser',
  marker: 'the plain engine, read by the template’s markers alone',
  session: 'node-llama-cpp’s chat with functions',
  layer: 'llama.cpp’s chat layer',
};

const sampling = samplingOf(0, 1, 300);

/** Arms of one model file, and how to close them. */
export interface OpenedArms {
  readonly arms: ReadonlyMap<ArmName, Arm>;
  dispose(): Promise<void>;
}

/** Opens these arms. */
export async function openArms(names: readonly ArmName[], options: JudgedModelOptions): Promise<OpenedArms> {
  const model = await JudgedModel.open(options);
  const arms = new Map<ArmName, Arm>();
  for (const name of names) arms.set(name, await openArm(name, model, options));
  return { arms, dispose: () => model.dispose() };
}

async function openArm(name: ArmName, model: JudgedModel, options: JudgedModelOptions): Promise<Arm> {
  if (name === 'auto' || name === 'required') return (question) => askIdiolect(model, question, name);
  if (name === 'names') return (question) => askIdiolect(model, question, 'auto', 'offered');
  if (name === 'retry') return (question) => runIdiolect(model, question);
  if (name === 'free' || name === 'marker') return plainArm(model, name === 'free' ? 'lenient' : 'strict');
  return name === 'session' ? openSession(model.plain.model, options) : openLayer(options);
}

async function askIdiolect(
  { chat }: JudgedModel,
  { messages, tools }: LeaderboardQuestion,
  toolChoice: 'auto' | 'required',
  toolNames: 'any' | 'offered' = 'any',
): Promise<readonly AnsweredCall[]> {
  const stream = chat.chat({ messages, tools, toolChoice, toolNames, ...sampling });
  const { tool_calls: calls = [] } = await stream.message;
  return calls.map(({ function: called, assurance }) => ({
    name: called.name,
    input: called.arguments,
    assurance: assurance ?? 'none',
  }));
}

/** The calls that are executed first: those of the first response, or of the second if the first had none. */
async function runIdiolect(
  { chat }: JudgedModel,
  { messages, tools }: LeaderboardQuestion,
): Promise<readonly AnsweredCall[]> {
  const executed: AnsweredCall[] = [];
  const assurances = new Map<string, string>();
  const execute = (call: { readonly id: string; readonly name: string; readonly arguments: unknown }) => {
    const assurance = assurances.get(call.id) ?? 'none';
    executed.push({ name: call.name, input: JSON.stringify(call.arguments), assurance });
    return 'done';
  };
  for await (const event of chat.runTools({ messages, tools, execute, maxSteps: 2, ...sampling })) {
    if (event.type === 'step-start' && executed.length > 0) break;
    if (event.type === 'tool-call' && event.assurance !== undefined)
      assurances.set(event.toolCallId, event.assurance);
  }
  return executed;
}

const freeTexts = new Map<string, FreeText>();

/** The text is the same for both ways to read it, so it is written once. */
function plainArm({ chat, plain, format }: JudgedModel, leniency: 'lenient' | 'strict'): Arm {
  return async ({ messages, tools }) => {
    const { prompt, generationPrompt } = chat.preview({ messages, tools });
    const written = freeTexts.get(prompt) ?? (await plain.write(prompt, sampling));
    freeTexts.set(prompt, written);
    return readFree(written, { format, tools, generationPrompt, leniency }).calls;
  };
}

/** `LlamaChat` is what `LlamaChatSession` generates with; its result names the calls that a session would run. */
async function openSession(model: LlamaModel, { contextSize, threads }: JudgedModelOptions): Promise<Arm> {
  const context = await model.createContext({ contextSize, threads });
  const chatWrapper = resolveChatWrapper(model);
  const chat = new LlamaChat({ contextSequence: context.getSequence(), chatWrapper });
  return async ({ messages, tools }) => {
    const system = messages.find(({ role }) => role === 'system');
    const history = chatWrapper.generateInitialChatHistory(
      system === undefined ? {} : { systemPrompt: textOf(system) },
    );
    for (const message of messages)
      if (message.role === 'user') history.push({ type: 'user', text: textOf(message) });
    history.push({ type: 'model', response: [] });
    const { temperature, maxTokens } = sampling;
    const functions = functionsOf(tools);
    const { functionCalls = [] } = await chat.generateResponse(history, {
      functions,
      temperature,
      maxTokens,
    });
    return functionCalls.map(({ functionName, params }) => ({
      name: functionName,
      input: JSON.stringify(params ?? {}),
    }));
  };
}

function functionsOf(tools: readonly Tool[]): ChatModelFunctions {
  return Object.fromEntries(
    tools.map(({ function: { name, description = '', parameters } }) => [
      name,
      // Its own schemas are a part of JSON Schema; it ignores what it does not know.
      { description, params: parameters as GbnfJsonSchema },
    ]),
  );
}

/** The chat layer of llama.cpp with its own template engine, grammar and parser. */
async function openLayer({ file, contextSize, threads, chatTemplate }: JudgedModelOptions): Promise<Arm> {
  // Its types are sources that do not pass this project's compiler options.
  const peer = createRequire(import.meta.url)('@fugood/llama.node');
  await peer.toggleNativeLog(false);
  const context = await peer.loadModel({
    model: file,
    n_ctx: contextSize,
    n_threads: threads,
    n_gpu_layers: 0,
  });
  return async ({ messages, tools }) => {
    const template = chatTemplate === undefined ? {} : { chat_template: chatTemplate };
    const request = {
      messages,
      tools,
      tool_choice: 'auto',
      parallel_tool_calls: true,
      jinja: true,
      ...template,
    };
    const greedy = { temperature: 0, n_predict: sampling.maxTokens, penalty_repeat: 1 };
    const { tool_calls: calls = [] } = await context.completion({ ...request, ...greedy }, () => {});
    return calls.map(({ function: called }: { function: { name: string; arguments: string } }) => ({
      name: called.name,
      input: called.arguments,
    }));
  };
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (typeof part.text === 'string' ? part.text : '')).join('');
}
