/** `idiolect/transformers` on the package itself, with the toy as ONNX. */
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectEngine, type EngineModel } from '../../src/runtime/engine/index.ts';
import { FileEngine, loadFile } from '../../src/testing/evaluator/file-engine.ts';
import { type ToyFormat, toyModel } from '../../src/testing/index.ts';
import { toyTemplates } from '../../src/testing/toy/templates.ts';
import { loadModel } from '../../src/transformers/index.ts';
import { readTokenizer } from '../../src/transformers/read-tokenizer.ts';
import { asked, tools } from '../support/chat-modes.ts';
import { expectSame, requests } from '../support/transformers/agree.ts';
import { importInstalled, installedFolder, writeModel } from '../support/transformers/installed.ts';
import { filesOf } from '../support/transformers/model-files.ts';
import { onnxModel } from '../support/transformers/onnx-model.ts';
import { expectPlainText } from '../support/transformers/plain-text.ts';
import { pieceFiles } from '../support/transformers/sentencepiece-files.ts';

if (installedFolder === undefined)
  console.log('skipped: IDIOLECT_TRANSFORMERS names no @huggingface/transformers');
const long = process.env.LAWS === 'long';
const contextSize = 1024;
const formats = Object.keys(toyTemplates) as ToyFormat[];

describe.skipIf(installedFolder === undefined).each(formats)('the toy that writes %s, as ONNX', (format) => {
  let own: EngineModel;
  let model: EngineModel;

  beforeAll(async () => {
    const file = loadFile(await toyModel(format));
    own = await connectEngine(new FileEngine(file, { contextSize }));
    const place = writeModel(format, { ...filesOf(file), 'onnx/model.onnx': onnxModel(file.weights) });
    model = await loadModel(place, { transformers: await importInstalled(), dtype: 'fp32', contextSize });
  });

  afterAll(async () => {
    await model.dispose();
    await own.dispose();
  });

  // Sums of floats in another order differ in their last digits, which probabilities show.
  it.each(requests.filter(([, { logprobs }]) => logprobs === undefined))(
    'is the same on both engines: %s',
    async (_, options) => expectSame(model, own, options),
  );

  it('writes no invalid call, however it is heated', async () => {
    const ajv = new Ajv({ strict: false });
    let calls = 0;
    for (let seed = 0; seed < (long ? 100 : 8); seed += 1) {
      const content = asked[seed % 2] ?? '';
      const hot = { temperature: 2.5, topK: 0, topP: 1, minP: 0, maxTokens: 160, seed } as const;
      const toolChoice = seed % 3 === 0 ? 'required' : 'auto';
      const chat = { messages: [{ role: 'user', content }], tools, toolChoice, ...hot } as const;
      const { tool_calls = [] } = await model.chat(chat).message;
      for (const { function: called } of tool_calls) {
        const tool = tools.find((each) => each.function.name === called.name);
        const isValid = ajv.validate(tool?.function.parameters ?? false, JSON.parse(called.arguments));
        expect(isValid, called.arguments).toBe(true);
        calls += 1;
      }
    }
    console.log(`${format}: ${calls} calls at temperature 2.5, 0 invalid`);
    expect(calls).toBeGreaterThan(0);
  });
});

describe.skipIf(installedFolder === undefined)("the package's tokenizers", () => {
  it.each(['bytes', 'pieces'])('keep data apart from control tokens: %s', async (kind) => {
    const files = kind === 'bytes' ? filesOf(loadFile(await toyModel('channels'))) : pieceFiles;
    const { AutoTokenizer } = await importInstalled();
    const tokenizer = await AutoTokenizer.from_pretrained(writeModel(kind, files));
    expectPlainText(readTokenizer(kind, tokenizer, { config: {} }));
  });
});
