/** A model that follows a script, to show what happens when a model that means to call gets it wrong. */
import path from 'node:path';
import { loadModel } from 'idiolect/node-llama-cpp';
import { scriptedModel } from 'idiolect/testing';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { vocabularyOf } from '../../src/runtime/engine/tokens/vocabulary.ts';
import { llamaTokenizer } from '../../src/runtime/node-llama-cpp/tokenizer.ts';
import { demoTools } from '../support/demo-tools.ts';
import { cacheFolder } from '../support/llama-bundle.ts';
import { loadVocabulary, writeModelFile } from '../support/small-models.ts';
import { generateDemoModule } from './generate-module.ts';
import { demoTemplate, demoVocabulary, makeTinyModel } from './make-model.ts';
import { printResponse, printScript, printVerdict } from './print.ts';

/** What the model would write by itself: thoughts about the marker, then a call with a wrong unit. */
const script = [
  '<think>',
  '\nThe user wants the weather. I could write "',
  '<tool_call>',
  '" here, but these are only thoughts.\n',
  '</think>',
  '\n\nLet me look that up.\n',
  '<tool_call>',
  '\n{"name": "get_weather", "arguments": {"city": "Bern", "unit": "kelvin"}}\n',
  '</tool_call>',
  '<|im_end|>',
] as const;

/** A model that means to call, and gets it wrong in two ways. */
export async function showScript(question: string): Promise<void> {
  const file = await makeTinyModel();
  const { module } = await generateDemoModule(file);
  const options = { modules: [module], gpu: false, threads: 1 } as const;
  const request = {
    messages: [{ role: 'user', content: question }],
    tools: demoTools,
    maxTokens: 400,
    thinkingBudget: 400,
    parallelToolCalls: false,
  } as const;
  const tiny = await loadModel(file, options);
  const { promptTokens } = tiny.preview(request);
  await tiny.dispose();
  printScript(script.join(''));
  const scripted = await loadModel(await makeScriptedModel(file, promptTokens), options);
  const started = performance.now();
  const stream = scripted.chat(request);
  await printResponse("toolChoice: 'auto'", stream);
  printVerdict(await stream.message, { tools: demoTools, milliseconds: performance.now() - started });
  await scripted.dispose();
}

/** Writes the model's file. `promptTokens` tells where its script begins. */
async function makeScriptedModel(tinyModel: string, promptTokens: number): Promise<string> {
  const llama = await getLlama({
    gpu: false,
    build: 'never',
    logLevel: LlamaLogLevel.error,
    progressLogs: false,
  });
  const model = await llama.loadModel({ modelPath: tinyModel, vocabOnly: true });
  const vocabulary = vocabularyOf(llamaTokenizer(model, tinyModel));
  const tokens = script.flatMap((piece) => {
    const special = vocabulary.specials.get(piece);
    return special === undefined ? vocabulary.encodePlain(piece) : [special.token];
  });
  await llama.dispose();
  const file = path.join(cacheFolder, 'models', 'scripted-demo.gguf');
  const chatTemplate = await demoTemplate();
  const options = { script: tokens, promptLength: promptTokens, chatTemplate, name: 'scripted-demo' };
  writeModelFile(file, scriptedModel({ ...options, vocabulary: await loadVocabulary(demoVocabulary) }));
  return file;
}
