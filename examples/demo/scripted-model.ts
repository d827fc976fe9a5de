/** An engine that follows a script, to show what happens when a model that means to call gets it wrong. */
import { connectEngine } from 'idiolect/engine';
import { scriptedEngine } from 'idiolect/testing';
import { demoTools } from '../support/demo-tools.ts';
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
] as const;

/** A model that means to call, and gets it wrong in two ways. */
export async function showScript(question: string): Promise<void> {
  const { module } = await generateDemoModule(await makeTinyModel());
  const { markers = [], controls = [] } = demoVocabulary;
  const engine = scriptedEngine({
    turns: [{ script }],
    chatTemplate: await demoTemplate(),
    markers,
    controls,
    end: '<|im_end|>',
    name: 'scripted-demo',
  });
  const scripted = await connectEngine(engine, { modules: [module] });
  printScript(script.join(''));
  const started = performance.now();
  const stream = scripted.chat({
    messages: [{ role: 'user', content: question }],
    tools: demoTools,
    maxTokens: 400,
    thinkingBudget: 400,
    parallelToolCalls: false,
  });
  await printResponse("toolChoice: 'auto'", stream);
  printVerdict(await stream.message, { tools: demoTools, milliseconds: performance.now() - started });
  await scripted.dispose();
}
