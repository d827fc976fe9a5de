/** What one process finds out about a vocabulary, the next one reads; and nothing but that. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { tinyModelFile } from '../../examples/support/small-models.ts';
import { checkModelFile } from '../../src/hub/gguf/check-model-file.ts';
import { Vocabulary } from '../../src/runtime/engine/tokens/vocabulary.ts';
import { openModelFile } from '../../src/runtime/node-llama-cpp/open-model-file.ts';
import { VocabularyFile } from '../../src/runtime/node-llama-cpp/states/vocabulary-file.ts';
import { llamaTokenizer } from '../../src/runtime/node-llama-cpp/tokenizer.ts';
import { sampled } from '../support/sample.ts';

function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-tokens-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

/** What a new process finds. */
async function found(folder: string, file: string): Promise<VocabularyFile> {
  const vocabulary = new VocabularyFile(folder);
  await checkModelFile(file, (metadata) => vocabulary.find(metadata));
  return vocabulary;
}

const template = '{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}';

describe.each(sampled(['llama-spm', 'qwen2', 'gpt-2', 'command-r', 'phi-3'], 5))('%s', (name) => {
  let file: string;
  beforeAll(async () => {
    file = await tinyModelFile({ vocabulary: name, chatTemplate: template });
  });

  it('is the same from the engine and from the file that is kept', async () => {
    const vocabularyCache = path.join(temporaryFolder(), 'made', 'here');
    const first = await openModelFile(file, { gpu: false, vocabularyCache });
    expect(first.vocabulary?.of('an engine').known).toBeNull();
    const asked = new Vocabulary(llamaTokenizer(first.llamaModel, file, first.vocabulary?.of('an engine')));
    const { index } = asked;
    await first.llamaModel.dispose();

    const next = (await found(vocabularyCache, file)).of('an engine');
    expect(next.known?.index).toEqual({ ...index });
    const second = await openModelFile(file, { gpu: false, vocabularyCache });
    const read = new Vocabulary(llamaTokenizer(second.llamaModel, file, next));
    await second.llamaModel.dispose();
    expect(read.index).toBe(index);
    expect(read.silent).toEqual(asked.silent);
    expect(read.ends).toEqual(asked.ends);
    expect(read.specials).toEqual(asked.specials);
    for (let token = 0; token < read.size; token += 997)
      expect(read.bytesOf(token)).toEqual(asked.bytesOf(token));
    expect((await found(vocabularyCache, file)).of('another engine').known).toBeNull();
  });

  it('is not read from a file that was changed in any way, which is then replaced', async () => {
    const folder = temporaryFolder();
    const { known } = await kept(folder, file);
    const [written = ''] = fs.readdirSync(folder);
    const place = path.join(folder, written);
    const whole = fs.readFileSync(place);
    const damage = fc.oneof(
      fc.record({ at: fc.nat(whole.length - 1), bits: fc.integer({ min: 1, max: 255 }) }),
      fc.record({ length: fc.nat(whole.length - 1) }),
      fc.record({ more: fc.uint8Array({ minLength: 1, maxLength: 9 }) }),
      fc.record({ at: fc.nat(60), bits: fc.integer({ min: 1, max: 255 }) }),
    );
    await fc.assert(
      fc.asyncProperty(damage, async (change) => {
        const damaged = Buffer.from(whole);
        if ('at' in change) damaged[change.at] = (damaged[change.at] ?? 0) ^ change.bits;
        const cut = 'length' in change ? damaged.subarray(0, change.length) : damaged;
        fs.writeFileSync(place, 'more' in change ? Buffer.concat([cut, change.more]) : cut);
        const vocabulary = await found(folder, file);
        expect(vocabulary.of('an engine').known).toBeNull();
        if (known !== null) vocabulary.of('an engine').keep(known);
        expect(fs.readFileSync(place).equals(whole)).toBe(true);
      }),
      { numRuns: process.env.LAWS === 'long' ? 20 : 6 },
    );
  });

  it('is not read under the name of another vocabulary', async () => {
    const folder = temporaryFolder();
    await kept(folder, file);
    const [written = ''] = fs.readdirSync(folder);
    const other = await tinyModelFile({ vocabulary: 'falcon', chatTemplate: template });
    await kept(folder, other);
    const name = fs.readdirSync(folder).find((each) => each !== written) ?? '';
    fs.copyFileSync(path.join(folder, written), path.join(folder, name));
    expect((await found(folder, other)).of('an engine').known).toBeNull();
  });

  it('is one of at most sixteen, and the place may be one where nothing can be written', async () => {
    const folder = temporaryFolder();
    for (let number = 0; number < 30; number += 1) {
      fs.writeFileSync(path.join(folder, `${number}.tokens`), '');
      fs.utimesSync(path.join(folder, `${number}.tokens`), number, number);
    }
    fs.writeFileSync(path.join(folder, `0.tokens.${2 ** 30}-00.part`), '');
    await kept(folder, file);
    const left = fs.readdirSync(folder);
    expect(left).toHaveLength(16);
    expect(left).toContain('29.tokens');
    expect(left).not.toContain('14.tokens');
    expect((await found(folder, file)).of('an engine').known).not.toBeNull();
    await expect(kept(path.join(folder, '29.tokens'), file)).resolves.toMatchObject({ known: { types: {} } });
  });
});

/** Has the vocabulary of a file kept in a folder, as by an engine. */
async function kept(folder: string, file: string) {
  const { llamaModel, vocabulary } = await openModelFile(file, { gpu: false, vocabularyCache: folder });
  const store = vocabulary?.of('an engine');
  if (store === undefined) throw new Error('nothing is kept');
  const tokenizer = llamaTokenizer(llamaModel, file);
  const types = new Uint8Array(tokenizer.texts.length);
  const { index } = new Vocabulary(tokenizer);
  await llamaModel.dispose();
  store.keep({ types, index });
  return { known: { types, index } };
}

it('a vocabulary is not looked for if nothing is to be kept', async () => {
  const file = await tinyModelFile({ vocabulary: 'llama-spm', chatTemplate: template });
  const { llamaModel, vocabulary } = await openModelFile(file, { gpu: false, vocabularyCache: false });
  await llamaModel.dispose();
  expect(vocabulary).toBeNull();
});
