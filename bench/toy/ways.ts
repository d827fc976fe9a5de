/** The same question to the same file: through Idiolect, with its parser alone, and through llama.cpp's chat layer. */
import { createRequire } from 'node:module';
import { getLlama, LlamaLogLevel, type Token } from 'node-llama-cpp';
import type { Question } from '../../scripts/toy/questions.ts';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { type ChatModel, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { type ToyFormat, toyTemplates } from '../../src/testing/toy/templates.ts';
import { cpuTime } from '../processor-time.ts';
import { type Answer, beforeAnswer, type Way } from './answers.ts';

// Its types are sources that do not pass this project's compiler options.
const peerPackage = createRequire(import.meta.url)('@fugood/llama.node');
await peerPackage.toggleNativeLog(false);
const llama = await getLlama({
  gpu: false,
  build: 'never',
  logLevel: LlamaLogLevel.disabled,
  progressLogs: false,
});

const contextSize = 2048;
const maxTokens = 300;

/** Grammar and parser; forced text injected, or sampled under the grammar. */
export async function openIdiolect(file: string, injectForcedText = true): Promise<Way> {
  const model = await loadModel(file, { llama, threads: 1, contextSize });
  return {
    name: injectForcedText ? 'idiolect' : 'idiolect, all sampled',
    ask: (question, toolChoice = 'auto') => askIdiolect(model, question, toolChoice, injectForcedText),
    close: () => model.dispose(),
  };
}

async function askIdiolect(
  model: ChatModel,
  { messages, tools, thinking }: Question,
  toolChoice: 'auto' | 'required',
  injectForcedText: boolean,
): Promise<Answer> {
  const started = cpuTime();
  const stream = model.chat({
    messages: beforeAnswer(messages),
    tools,
    thinking,
    toolChoice,
    injectForcedText,
    maxTokens,
  });
  const { tool_calls = [] } = await stream.message;
  const milliseconds = cpuTime() - started;
  const { completionTokens, injectedTokens } = await stream.usage;
  return {
    calls: (tool_calls ?? []).map(({ function: call }) => call),
    milliseconds,
    sampled: completionTokens - injectedTokens,
    injected: injectedTokens,
  };
}

/** What the model samples greedily by itself, read by Idiolect's parser. */
export async function openFree(file: string, format: ToyFormat): Promise<Way> {
  const chat = await loadModel(file, { llama, threads: 1, contextSize });
  const model = await llama.loadModel({ modelPath: file });
  const context = await model.createContext({ contextSize, threads: 1 });
  const sequence = context.getSequence();
  const learned = analyzeTemplate(toyTemplates[format]).format;
  const ends = ['<|im_end|>', '<|call|>', '<|return|>'].flatMap((text) => model.tokenize(text, true));
  const write = async (prompt: readonly Token[]): Promise<Token[]> => {
    const shared = sequence.contextTokens.findIndex((token, index) => token !== prompt[index]);
    const kept = Math.min(shared < 0 ? sequence.contextTokens.length : shared, prompt.length - 1);
    await sequence.eraseContextTokenRanges([{ start: kept, end: sequence.nextTokenIndex }]);
    const written: Token[] = [];
    for await (const token of sequence.evaluate(prompt.slice(kept), {
      temperature: 0,
      yieldEogToken: true,
    })) {
      if (ends.includes(token)) break;
      written.push(token);
      if (written.length === maxTokens) break;
    }
    return written;
  };
  const ask = async ({ messages, tools, thinking }: Question): Promise<Answer> => {
    const started = cpuTime();
    const { prompt, generationPrompt } = chat.preview({ messages: beforeAnswer(messages), tools, thinking });
    const parser = createResponseParser(learned, { tools, generationPrompt });
    const written = await write(model.tokenize(prompt, true));
    parser.feed(model.detokenize(written, true));
    const { tool_calls = [] } = parser.finish().message;
    const calls = (tool_calls ?? []).map(({ function: call }) => call);
    return { calls, milliseconds: cpuTime() - started, sampled: written.length, injected: 0 };
  };
  return {
    name: 'free',
    ask,
    close: async () => {
      await model.dispose();
      await chat.dispose();
    },
  };
}

/** llama.cpp renders, constrains, samples and reads, all by itself. */
export async function openLlamaCpp(file: string): Promise<Way> {
  const context = await peerPackage.loadModel({
    model: file,
    n_ctx: contextSize,
    n_threads: 1,
    n_gpu_layers: 0,
  });
  const ask = async (question: Question, toolChoice = 'auto'): Promise<Answer> => {
    const started = cpuTime();
    const result = await context
      .completion(
        {
          messages: beforeAnswer(question.messages),
          jinja: true,
          tools: question.tools,
          tool_choice: toolChoice,
          parallel_tool_calls: true,
          enable_thinking: question.thinking,
          reasoning_format: 'auto',
          temperature: 0,
          penalty_repeat: 1,
          n_predict: maxTokens,
        },
        () => {},
      )
      .catch((error: unknown) => ({ failed: error }));
    if (process.env.SHOW) console.log(result);
    return {
      calls: (result.tool_calls ?? []).map(
        ({ function: call }: { function: Answer['calls'][number] }) => call,
      ),
      milliseconds: cpuTime() - started,
      sampled: result.tokens_predicted ?? 0,
      injected: 0,
    };
  };
  return { name: 'llama.cpp', ask, close: () => context.release() };
}
