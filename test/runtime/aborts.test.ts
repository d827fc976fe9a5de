/**
 * A signal may abort at any moment: while a chat waits, while its prompt is read, in thoughts, in a call
 * with injected text, between the steps of a run. What it ends rejects with its reason, and the model goes on.
 */
import fc from 'fast-check';
import { LlamaContextSequence } from 'node-llama-cpp';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { demoTools } from '../../examples/support/demo-tools.ts';
import { ContextOverflowError, ModelDisposedError } from '../../src/format/errors.ts';
import type { ChatOptions, EngineModel } from '../../src/runtime/engine/index.ts';
import { openLlamaTiny } from '../support/small-chats.ts';

const runs = process.env.LAWS === 'long' ? 300 : 10;

const request = {
  messages: [{ role: 'user', content: `${'Some words to read. '.repeat(150)}How warm is it in Bern?` }],
  tools: demoTools,
  toolChoice: 'required',
  temperature: 1,
  seed: 11,
  maxTokens: 200,
  thinkingBudget: 8,
  parallelToolCalls: false,
} as const satisfies ChatOptions;

let model: EngineModel;
beforeAll(async () => {
  model = await openLlamaTiny({ sequences: 2 });
});
afterAll(() => model.dispose());
afterEach(() => {
  vi.restoreAllMocks();
});

/** Aborts when the engine is asked for the `count`th time to evaluate something. */
function abortAtEvaluation(count: number, controller: AbortController, reason: Error): void {
  let asked = 0;
  const ask = (): void => {
    asked += 1;
    if (asked === count) controller.abort(reason);
  };
  const { evaluateWithMetadata, evaluateWithoutGeneratingNewTokens: read } = LlamaContextSequence.prototype;
  vi.spyOn(LlamaContextSequence.prototype, 'evaluateWithMetadata').mockImplementation(function (
    this: LlamaContextSequence,
    tokens,
    metadata,
    options,
  ) {
    const iterator = evaluateWithMetadata.call(this, tokens, metadata, options);
    const { next } = iterator;
    iterator.next = (...given) => {
      ask();
      return next.apply(iterator, given);
    };
    return iterator;
  });
  vi.spyOn(LlamaContextSequence.prototype, 'evaluateWithoutGeneratingNewTokens').mockImplementation(function (
    this: LlamaContextSequence,
    tokens,
    options,
  ) {
    ask();
    return read.call(this, tokens, options);
  });
}

describe('an abort', () => {
  it('at any evaluation ends the chat with its reason, and the next one is what it would have been', async () => {
    const plain = { ...request, signal: new AbortController().signal };
    const whole = await model.chat(plain).message;
    expect(whole.tool_calls).toHaveLength(1);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 60 }), fc.boolean(), async (count, injectForcedText) => {
        const controller = new AbortController();
        const reason = new Error(`at ${count}`);
        abortAtEvaluation(count, controller, reason);
        const stream = model.chat({ ...request, injectForcedText, signal: controller.signal });
        const end = await stream.message.catch((error: unknown) => error);
        vi.restoreAllMocks();
        if (controller.signal.aborted) {
          expect(end).toBe(reason);
          await expect(stream.calls).rejects.toBe(reason);
        }
        expect(await model.chat(plain).message).toEqual(whole);
      }),
      { numRuns: runs },
    );
  });

  it('at any turn of the event loop frees the sequence for those who wait', async () => {
    const whole = await model.chat(request).message;
    const cancel = async (turns: number): Promise<unknown> => {
      const controller = new AbortController();
      const stream = model.chat({ ...request, signal: controller.signal });
      const end = stream.message.catch((error: unknown) => error);
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      controller.abort(new Error('cancelled'));
      return end;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(40), { minLength: 3, maxLength: 6 }), async (moments) => {
        const ends = await Promise.all(moments.map(cancel));
        for (const end of ends) {
          if (end instanceof Error) expect(end.message).toBe('cancelled');
          else expect(end).toEqual(whole);
        }
        const again = await Promise.all([1, 2, 3].map(() => model.chat(request).message));
        expect(again).toEqual([whole, whole, whole]);
      }),
      { numRuns: Math.ceil(runs / 5) },
    );
  });

  it('at any event ends a run of tools, between its steps too', async () => {
    const execute = () => 'warm';
    const run = { ...request, maxSteps: 2, execute };
    const start = { ...request, toolChoice: 'none', maxTokens: 20 } as const;
    const whole = await model.chat(start).message;
    let events = 0;
    for await (const _ of model.runTools(run)) events += 1;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: events - 1 }), async (count) => {
        const controller = new AbortController();
        const reason = new Error(`at ${count}`);
        const aborted = model.runTools({ ...run, signal: controller.signal });
        let seen = 0;
        const read = async (): Promise<void> => {
          for await (const _ of aborted) {
            seen += 1;
            if (seen === count) controller.abort(reason);
          }
        };
        await expect(read()).rejects.toBe(reason);
        await expect(aborted.messages).rejects.toBe(reason);
        expect(await model.chat(start).message).toEqual(whole);
      }),
      { numRuns: Math.ceil(runs / 2) },
    );
  });
});

describe('a model that is disposed of', () => {
  it('ends chats that run, wait or come, whatever they do', async () => {
    const long = { ...request, toolChoice: 'none', maxTokens: 3000 } as const;
    for (const turns of [0, 1, 5, 30, 100]) {
      const other = await openLlamaTiny();
      const ends = [1, 2, 3].map(() => other.chat(long).message.catch((error: unknown) => error));
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      const disposed = other.dispose();
      ends.push(other.chat(long).message.catch((error: unknown) => error));
      await disposed;
      for (const end of await Promise.all(ends)) expect(end).toBeInstanceOf(ModelDisposedError);
    }
  });

  it('ends those that wait for one whose reader stays away', async () => {
    const other = await openLlamaTiny();
    const left = other.chat(request)[Symbol.asyncIterator]();
    await left.next();
    const waiting = other.chat(request).message;
    const end = expect(waiting).rejects.toBeInstanceOf(ModelDisposedError);
    await new Promise((resolve) => setTimeout(resolve, 10));
    await other.dispose();
    await end;
  });

  it('leaves an abort that came before it its reason', async () => {
    const other = await openLlamaTiny();
    const controller = new AbortController();
    const stream = other.chat({ ...request, signal: controller.signal });
    const read = async (): Promise<void> => {
      for await (const _ of stream) {
        controller.abort(new Error('mine'));
        await other.dispose();
      }
    };
    await expect(read()).rejects.toThrow('mine');
  });
});

describe('a context', () => {
  it('that is full ends the response, and drops nothing of the prompt', async () => {
    const small = await openLlamaTiny({ contextSize: 256 });
    const erase = vi.spyOn(LlamaContextSequence.prototype, 'eraseContextTokenRanges');
    const messages = [{ role: 'user', content: 'Tell me a story.' }] as const;
    const { promptTokens } = small.preview({ messages });
    let reason = '';
    for await (const event of small.chat({ messages, temperature: 1, seed: 3 })) {
      if (event.type === 'finish') reason = event.reason;
    }
    expect(reason).toBe('length');
    expect(erase).not.toHaveBeenCalled();
    const calls = small.chat({ ...request, messages, thinkingBudget: 1000, thinking: true }).message;
    await expect(calls).rejects.toBeInstanceOf(ContextOverflowError);
    expect(promptTokens).toBeLessThan(256);
    await small.dispose();
  });
});
