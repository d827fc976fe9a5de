/**
 * `npm run demo`: from a chat template to an enforced tool call, on a real engine.
 *
 * Makes a tiny model on the spot (a real tokenizer and chat template, random weights), generates the
 * parser module from its template, and lets it call tools. `--model file.gguf` takes a model of yours.
 */
import { parseArgs } from 'node:util';
import { type ChatModel, loadModel } from 'idiolect/node-llama-cpp';
import { demoTools } from '../support/demo-tools.ts';
import { generateDemoModule } from './generate-module.ts';
import { makeTinyModel } from './make-model.ts';
import { printIntroduction, printModel, printPrompt, printResponse, printVerdict } from './print.ts';

type Choice = 'auto' | 'required';

const { values } = parseArgs({
  options: {
    model: { type: 'string', short: 'm' },
    question: { type: 'string', short: 'q', default: 'How warm will it be in Bern tomorrow?' },
    seed: { type: 'string', default: '7' },
  },
});

const random = values.model === undefined;

printIntroduction(random);
const file = values.model ?? (await makeTinyModel());
const generated = await generateDemoModule(file);
const model = await loadModel(file, {
  modules: [generated.module],
  ...(random ? { gpu: false, threads: 1 } : {}),
});
printModel(file, generated, model.templates.toolUse);
printPrompt(model.preview(request('auto')));
for (const toolChoice of ['auto', 'required'] as const) await chat(model, toolChoice);
await model.dispose();

async function chat(chatModel: ChatModel, toolChoice: Choice): Promise<void> {
  const started = performance.now();
  const stream = chatModel.chat(request(toolChoice));
  await printResponse(toolChoice, stream);
  printVerdict(await stream.message, { toolChoice, random, milliseconds: performance.now() - started });
}

function request(toolChoice: Choice) {
  return {
    messages: [{ role: 'user', content: values.question }],
    tools: demoTools,
    toolChoice,
    seed: Number(values.seed),
    temperature: random ? 1 : 0,
    maxTokens: toolChoice === 'auto' && random ? 32 : 1024,
    thinkingBudget: random ? 16 : 512,
  } as const;
}
