/** `idiolect/transformers`: loading, tokenizers, aborts and ends, with a stand-in for the package. */
import { describe, expect, it } from 'vitest';
import {
  ModelDisposedError,
  ModelFileError,
  ToolsUnsupportedError,
  UnsupportedOptionError,
} from '../../src/index.ts';
import { loadFile } from '../../src/testing/evaluator/file-engine.ts';
import { toyModel } from '../../src/testing/index.ts';
import { loadModel } from '../../src/transformers/index.ts';
import type { PretrainedTokenizer } from '../../src/transformers/package.ts';
import { readTokenizer } from '../../src/transformers/read-tokenizer.ts';
import { asked, tools } from '../support/chat-modes.ts';
import { filesOf } from '../support/transformers/model-files.ts';
import { expectPlainText } from '../support/transformers/plain-text.ts';
import { encodePieces, pieceFiles, pieceTexts } from '../support/transformers/sentencepiece-files.ts';
import { standIn } from '../support/transformers/stand-in.ts';

const file = loadFile(await toyModel('json'));
const [question = ''] = asked;
const messages = [{ role: 'user', content: question }] as const;

interface Loader {
  from_pretrained(name: string): Promise<object>;
}

/** A model and its tokenizer as a user would have loaded them. */
async function loadedPair({ transformers } = standIn(file)) {
  const tokenizer = await (transformers.AutoTokenizer as Loader).from_pretrained('toy');
  return {
    transformers,
    tokenizer,
    model: await (transformers.AutoModelForCausalLM as Loader).from_pretrained('toy'),
  };
}

describe('loading', () => {
  it('passes the device, the type and other options on', async () => {
    const { transformers, loaded } = standIn(file);
    const pretrained = { revision: 'main' };
    const model = await loadModel('owner/toy', { transformers, device: 'webgpu', dtype: 'q4', pretrained });
    expect(loaded).toEqual([pretrained, { ...pretrained, device: 'webgpu', dtype: 'q4' }]);
    expect(model.name).toBe('owner/toy');
    expect(model.contextSize).toBe(4096);
  });

  it('takes a model that is loaded, and owns it', async () => {
    const stand = standIn(file);
    const { transformers, ...pair } = await loadedPair(stand);
    const model = await loadModel(pair, { transformers });
    const [call] = await model.chat({ messages, tools }).calls;
    expect(call?.name).toBe('get_weather');
    await model.dispose();
    expect(stand.disposed).toBe(true);
  });

  it('refuses what it cannot use, and frees what it has loaded', async () => {
    const { transformers, ...pair } = await loadedPair();
    await expect(loadModel(pair, { transformers, device: 'wasm' })).rejects.toThrow(UnsupportedOptionError);
    await expect(loadModel('toy', { transformers: { ...transformers, Tensor: {} } })).rejects.toThrow(
      '4.3 or newer',
    );
    const plain = { ...pair, tokenizer: { ...pair.tokenizer, chat_template: null } };
    await expect(loadModel(plain, { transformers })).rejects.toThrow(ModelFileError);
    const stand = standIn(file);
    const chatTemplate = '{% for message in messages %}{{ message.content }}{% endfor %}';
    await expect(loadModel('toy', { transformers: stand.transformers, chatTemplate })).rejects.toThrow(
      ToolsUnsupportedError,
    );
    expect(stand.disposed).toBe(true);
  });

  it('says what to do where the package is not installed', async () => {
    await expect(loadModel('toy')).rejects.toThrow(/transformers.*install it/s);
  });
});

describe('a response', () => {
  const long = 'How is the weather? '.repeat(60);

  it('is aborted between two passes of a long prompt, and the next one is whole', async () => {
    const { transformers, passes } = standIn(file);
    const model = await loadModel('toy', { transformers });
    const abort = new AbortController();
    const evaluated: number[] = [];
    const chat = { messages: [{ role: 'user', content: long }], maxTokens: 3 } as const;
    const stream = model.chat({
      ...chat,
      signal: abort.signal,
      onPromptProgress: (progress) => {
        evaluated.push(progress.evaluated);
        if (progress.evaluated > 0) abort.abort(new Error('enough'));
      },
    });
    await expect(stream.message).rejects.toThrow('enough');
    expect(evaluated).toEqual([0, 512]);
    expect(passes).toEqual([512]);
    const usage = await model.chat(chat).usage;
    expect(usage.cachedTokens).toBe(512);
    expect(usage.completionTokens).toBe(3);
  });

  it('ends where the model is disposed of', async () => {
    const stand = standIn(file);
    const model = await loadModel('toy', { transformers: stand.transformers });
    const stream = model.chat({ messages, tools });
    const first = (async () => {
      for await (const event of stream) if (event.type === 'reasoning-delta') await model.dispose();
    })();
    await expect(first).rejects.toThrow(ModelDisposedError);
    expect(stand.disposed).toBe(true);
  });
});

describe('a tokenizer', () => {
  it('of bytes keeps data apart from control tokens', async () => {
    const { tokenizer, model } = await loadedPair();
    const read = readTokenizer('toy', tokenizer as PretrainedTokenizer, model as never);
    expectPlainText(read);
    const ids = [...read.texts.keys()];
    expect(read.texts).toEqual(file.tokenizer.texts);
    for (const id of ids) {
      expect(read.typeOf(id)).toBe(file.tokenizer.typeOf(id));
      expect(read.endsGeneration(id)).toBe(file.tokenizer.endsGeneration(id));
    }
  });

  it('of SentencePiece does, too', () => {
    const { 'tokenizer.json': json, 'tokenizer_config.json': config } = pieceFiles;
    const read = readTokenizer(
      'pieces',
      {
        _tokenizerJSON: json,
        bos_token: '<s>',
        eos_token: '</s>',
        chat_template: config.chat_template,
        encode: encodePieces,
      },
      { config: {} },
    );
    expectPlainText(read);
    const typeOf = (text: string): string => read.typeOf(pieceTexts.indexOf(text));
    expect(['<s>', '<0x41>', '▁the', '<tool_call>'].map(typeOf)).toEqual([
      'control',
      'byte',
      'normal',
      'user-defined',
    ]);
    expect(read.firstToken).toBe(pieceTexts.indexOf('<s>'));
    expect(read.endsGeneration(pieceTexts.indexOf('</s>'))).toBe(true);
  });

  it('of another kind is refused', () => {
    const json = {
      ...filesOf(file)['tokenizer.json'],
      pre_tokenizer: { type: 'Whitespace' },
      decoder: { type: 'WordPiece' },
    };
    const tokenizer = { _tokenizerJSON: json, bos_token: null, eos_token: null, encode: () => [] };
    expect(() => readTokenizer('words', tokenizer, { config: {} })).toThrow(ModelFileError);
  });
});
