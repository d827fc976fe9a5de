/**
 * `npm run demo`: from a chat template to an enforced tool call, on a real engine.
 *
 * Makes a tiny model on the spot (a real tokenizer and chat template, random weights), generates the
 * parser module from its template, and lets it call tools. `--model file.gguf` takes a model of yours.
 */
import { parseArgs } from 'node:util';
import { type ChatModel, type ChatOptions, loadModel } from 'idiolect/node-llama-cpp';
import { demoTools } from '../support/demo-tools.ts';
import { generateDemoModule } from './generate-module.ts';
import { makeTinyModel } from './make-model.ts';
import {
  printIntroduction,
  printModel,
  printPrompt,
  printResponse,
  printScript,
  printVerdict,
} from './print.ts';
import { makeScriptedModel, script } from './scripted-model.ts';

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
const preview = model.preview(request('auto'));
printPrompt(preview);
for (const toolChoice of ['auto', 'required'] as const) await chat(model, toolChoice);
await model.dispose();
if (random) await showScript(preview.promptTokens);

/** The same under `auto`, on a model that means to call and gets it wrong. */
async function showScript(promptTokens: number): Promise<void> {
  printScript(script.join(''));
  const scripted = await loadModel(await makeScriptedModel(file, promptTokens), {
    modules: [generated.module],
    gpu: false,
    threads: 1,
  });
  await chat(scripted, 'auto', {
    maxTokens: 400,
    temperature: 0,
    thinkingBudget: 400,
    parallelToolCalls: false,
  });
  await scripted.dispose();
}

async function chat(
  chatModel: ChatModel,
  toolChoice: Choice,
  changes: Partial<ChatOptions> = {},
): Promise<void> {
  const started = performance.now();
  const stream = chatModel.chat({ ...request(toolChoice), ...changes });
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
