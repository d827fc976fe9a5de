/**
 * `idiolect/transformers` on the package itself, with the toy as ONNX. `IDIOLECT_TRANSFORMERS` is the folder of an
 * installed `@huggingface/transformers`, which with its engine is too large for a dependency of tests.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectEngine, type EngineModel } from '../../src/runtime/engine/index.ts';
import { FileEngine, loadFile } from '../../src/testing/evaluator/file-engine.ts';
import { type ToyFormat, toyModel } from '../../src/testing/index.ts';
import { toyTemplates } from '../../src/testing/toy/templates.ts';
import { loadModel, type TransformersModule } from '../../src/transformers/index.ts';
import type { PretrainedTokenizer } from '../../src/transformers/package.ts';
import { readTokenizer } from '../../src/transformers/read-tokenizer.ts';
import { asked, tools } from '../support/chat-modes.ts';
import { expectSame, requests } from '../support/transformers/agree.ts';
import { filesOf } from '../support/transformers/model-files.ts';
import { onnxModel } from '../support/transformers/onnx-model.ts';
import { expectPlainText } from '../support/transformers/plain-text.ts';
import { pieceFiles } from '../support/transformers/sentencepiece-files.ts';

const installed = process.env.IDIOLECT_TRANSFORMERS;
if (installed === undefined) console.log('skipped: IDIOLECT_TRANSFORMERS names no @huggingface/transformers');
const long = process.env.LAWS === 'long';
const contextSize = 1024;
const folder = path.join(os.tmpdir(), 'idiolect-transformers');
const formats = Object.keys(toyTemplates) as ToyFormat[];

interface Package extends TransformersModule {
  readonly AutoTokenizer: { from_pretrained(name: string): Promise<PretrainedTokenizer> };
}

/** The module that `package.json` names for Node. */
async function importPackage(): Promise<Package> {
  const root = installed ?? '';
  const { exports } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  return import(pathToFileURL(path.join(root, exports.node.import.default)).href);
}

function write(name: string, files: object): string {
  const place = path.join(folder, name);
  fs.mkdirSync(path.join(place, 'onnx'), { recursive: true });
  for (const [file, content] of Object.entries(files)) {
    const isBytes = content instanceof Uint8Array;
    fs.writeFileSync(path.join(place, file), isBytes ? content : JSON.stringify(content));
  }
  return place;
}

describe.skipIf(installed === undefined).each(formats)('the toy that writes %s, as ONNX', (format) => {
  let own: EngineModel;
  let model: EngineModel;

  beforeAll(async () => {
    const file = loadFile(await toyModel(format));
    own = await connectEngine(new FileEngine(file, { contextSize }));
    const place = write(format, { ...filesOf(file), 'onnx/model.onnx': onnxModel(file.weights) });
    model = await loadModel(place, { transformers: await importPackage(), dtype: 'fp32', contextSize });
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

describe.skipIf(installed === undefined)("the package's tokenizers", () => {
  it.each(['bytes', 'pieces'])('keep data apart from control tokens: %s', async (kind) => {
    const files = kind === 'bytes' ? filesOf(loadFile(await toyModel('channels'))) : pieceFiles;
    const { AutoTokenizer } = await importPackage();
    const tokenizer = await AutoTokenizer.from_pretrained(write(kind, files));
    expectPlainText(readTokenizer(kind, tokenizer, { config: {} }));
  });
});
