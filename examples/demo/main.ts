/**
 * `npm run demo`: from a chat template to an enforced tool call, on a real engine.
 *
 * Takes the toy model of `idiolect/testing` (two megabytes, trained for a few tools), generates the parser module from
 * its template, and lets it think, call and answer. `--chat` is a conversation with it, `--model file.gguf` takes a
 * model of yours.
 */
import { parseArgs } from 'node:util';
import { type ChatModel, loadModel } from 'idiolect/node-llama-cpp';
import { demoTools } from '../support/demo-tools.ts';
import { converse } from './converse.ts';
import { generateDemoModule } from './generate-module.ts';
import { makeToyModel } from './make-model.ts';
import { printIntroduction, printModel, printPrompt, printResponse, printVerdict } from './print.ts';
import { showScript } from './scripted-model.ts';
import { showToy } from './toy.ts';

const { values } = parseArgs({
  options: {
    model: { type: 'string', short: 'm' },
    question: { type: 'string', short: 'q', default: 'How is the weather in Bern?' },
    seed: { type: 'string', default: '7' },
    chat: { type: 'boolean', default: false },
  },
});

const toy = values.model === undefined;
printIntroduction(toy);
const file = values.model ?? (await makeToyModel());
const generated = await generateDemoModule(file);
const model = await loadModel(file, {
  modules: [generated.module],
  ...(toy ? { gpu: false, threads: 1 } : {}),
});
// The toy was trained on conversations of two questions, and loses its way in longer ones.
if (values.chat) await converse(model, { remembered: toy ? 1 : Number.POSITIVE_INFINITY });
else {
  printModel(file, generated, model.templates.toolUse);
  await (toy ? showToy(model, values.question) : showTools(model));
}
await model.dispose();
if (toy && !values.chat) await showScript(values.question);

/** A model of the user's, with the demo's tools: free to call, and made to. */
async function showTools(model: ChatModel): Promise<void> {
  const request = {
    messages: [{ role: 'user', content: values.question }],
    tools: demoTools,
    seed: Number(values.seed),
    maxTokens: 1024,
    thinkingBudget: 512,
  } as const;
  printPrompt(model.preview(request));
  for (const toolChoice of ['auto', 'required'] as const) {
    const started = performance.now();
    const stream = model.chat({ ...request, toolChoice });
    await printResponse(`toolChoice: '${toolChoice}'`, stream);
    printVerdict(await stream.message, { tools: demoTools, milliseconds: performance.now() - started });
  }
}
