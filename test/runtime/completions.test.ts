/** Texts continued without a conversation: pieces, stops and limits, over random weights. */
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ContextOverflowError, UnsupportedOptionError } from '../../src/format/errors.ts';
import { connectEngine } from '../../src/runtime/engine/index.ts';
import { toyEngine } from '../../src/testing/index.ts';
import { openTiny } from '../support/small-chats.ts';

const model = await openTiny({ contextSize: 256 });
afterAll(() => model.dispose());

const options = { prompt: 'Once upon a time', temperature: 1, seed: 7, maxTokens: 40 };

async function textOf(given: typeof options & { stop?: readonly string[] }): Promise<string> {
  return (await model.complete(given).message).content ?? '';
}

describe('a completion', () => {
  it('is the same every time, and its pieces are the whole', async () => {
    let joined = '';
    for await (const event of model.complete(options)) {
      if (event.type !== 'text-delta') continue;
      expect([event.start, event.end]).toEqual([joined.length, joined.length + event.delta.length]);
      joined += event.delta;
    }
    expect(joined).not.toBe('');
    expect(await textOf(options)).toBe(joined);
  });

  it('ends before any stop that occurs in it', async () => {
    const free = await textOf(options);
    await fc.assert(
      fc.asyncProperty(fc.nat(free.length - 1), fc.integer({ min: 1, max: 6 }), async (at, length) => {
        const stop = free.slice(at, at + length);
        expect(await textOf({ ...options, stop: [stop] })).toBe(free.slice(0, free.indexOf(stop)));
      }),
      { numRuns: 10 },
    );
  });

  it('counts its tokens, and says why it ended', async () => {
    const stream = model.complete({ ...options, maxTokens: 5 });
    const events = [];
    for await (const event of stream) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'length' });
    expect(await stream.usage).toMatchObject({
      completionTokens: 5,
      promptTokens: await stream.promptTokens,
    });
    const stop = (await textOf(options)).slice(3, 6);
    const stopped = [];
    for await (const event of model.complete({ ...options, stop: [stop] })) stopped.push(event);
    expect(stopped.at(-1)).toMatchObject({ reason: 'stop', stopSequence: stop });
  });

  it('ends where the context does', async () => {
    const stream = model.complete({ prompt: 'a', temperature: 1, seed: 1 });
    const { content } = await stream.message;
    const { promptTokens, completionTokens } = await stream.usage;
    expect(promptTokens + completionTokens).toBeLessThanOrEqual(256);
    expect(content).not.toBe('');
    await expect(model.complete({ prompt: 'a '.repeat(600) }).message).rejects.toThrow(ContextOverflowError);
  });

  it('stops when its signal does, and refuses what is no option', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(model.complete({ ...options, signal }).message).rejects.toThrow('enough');
    const wrong = { ...options, messages: [] };
    await expect(model.complete(wrong).message).rejects.toThrow(UnsupportedOptionError);
    await expect(model.complete({} as typeof options).message).rejects.toThrow(UnsupportedOptionError);
  });
});

describe('tokens', () => {
  it('are those of the text, and back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        expect(model.detokenize(model.tokenize(`a${text}`)).trimStart()).toBe(`a${text}`);
      }),
    );
    expect(model.tokenize('<|im_end|>')).toHaveLength(1);
  });

  it('may begin with a byte order mark, which is text', async () => {
    const engine = await connectEngine(await toyEngine());
    expect(engine.detokenize(engine.tokenize('\ufeffa'))).toBe('\ufeffa');
  });

  it('are needed: a model that begins no text by itself refuses a prompt of none', async () => {
    const engine = await connectEngine(await toyEngine());
    await expect(engine.complete({ prompt: '' }).message).rejects.toThrow(UnsupportedOptionError);
  });

  it('that do not exist are refused', () => {
    for (const tokens of [[-1], [1e9], [0.5], ['a']])
      expect(() => model.detokenize(tokens as number[])).toThrow(UnsupportedOptionError);
  });
});
