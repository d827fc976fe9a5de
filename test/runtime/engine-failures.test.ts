/** Law: whichever call of an engine fails, and however often it was called before, the error is typed. */
import { describe, expect, it } from 'vitest';
import { IdiolectError } from '../../src/index.ts';
import { connectEngine, type Engine, type EngineModel } from '../../src/runtime/engine/index.ts';
import { FakeEngine } from '../support/fake-engine.ts';

/** Fails at one call of any of its functions, those of its tokenizer and sequences included. */
class Failing {
  calls = 0;
  failsAt = Number.POSITIVE_INFINITY;

  of<Target extends object>(target: Target): Target {
    return new Proxy(target, {
      get: (held, name) => {
        const value: unknown = Reflect.get(held, name);
        if (typeof value === 'function')
          return (...given: readonly unknown[]) => this.#call(() => Reflect.apply(value, held, given));
        return name === 'tokenizer' && typeof value === 'object' && value !== null ? this.of(value) : value;
      },
    });
  }

  #call(work: () => unknown): unknown {
    this.calls += 1;
    if (this.calls === this.failsAt) throw new RangeError('the engine is broken');
    const result = work();
    if (!(result instanceof Promise)) return result;
    return result.then((value: unknown) =>
      typeof value === 'object' && value !== null && 'next' in value ? this.of(value) : value,
    );
  }
}

const tools = [
  {
    type: 'function',
    function: {
      name: 'f',
      description: '',
      parameters: { type: 'object', properties: { a: { enum: ['x'] } } },
    },
  },
] as const;
const messages = [{ role: 'user', content: 'How is it in Paris?' }] as const;

const uses: Readonly<Record<string, (model: EngineModel) => unknown>> = {
  chat: (model) => model.chat({ messages, tools, maxTokens: 8 }).message,
  'a required call': (model) =>
    model.chat({ messages, tools, toolChoice: 'required', maxTokens: 60 }).message,
  complete: (model) => model.complete({ prompt: 'Once', maxTokens: 4 }).message,
  prepare: (model) => model.prepare({ tools }),
  preview: (model) => model.preview({ messages, tools }),
  tokenize: (model) => model.tokenize('a <|im_end|> b'),
  detokenize: (model) => model.detokenize([0x61, 0x62]),
  dispose: (model) => model.dispose(),
};

/** Calls that are tried, of the hundreds that ask the tokenizer about each of its tokens; others for each seed. */
const tried = process.env.LAWS === 'long' ? 48 : 8;

describe('an engine that fails', () => {
  it.each(Object.entries(uses))('ends %s with an error that says so', async (_, use) => {
    const calls = await callsOf(use, Number.POSITIVE_INFINITY);
    expect(calls.outcome).toBe('done');
    let failed = 0;
    const step = Math.ceil(calls.count / tried);
    for (let count = 0; count < tried; count += 1) {
      const last = count === 0 ? calls.count : calls.count - count * step - (Number(process.env.SEED) % step);
      const { outcome } = await callsOf(use, Math.max(1, last));
      if (outcome === 'done') continue;
      failed += 1;
      expect(outcome).toBeInstanceOf(IdiolectError);
      expect(String(outcome)).toContain('the engine is broken');
    }
    expect(failed).toBeGreaterThan(0);
  });
});

/** What comes of a use that fails at one of its calls, and how many there were, those that open the model included. */
async function callsOf(
  use: (model: EngineModel) => unknown,
  failsAt: number,
): Promise<{ readonly outcome: unknown; readonly count: number }> {
  const failing = new Failing();
  failing.failsAt = failsAt;
  const engine: Engine = failing.of(new FakeEngine('json'));
  try {
    await use(await connectEngine(engine));
    return { outcome: 'done', count: failing.calls };
  } catch (error) {
    return { outcome: error, count: failing.calls };
  }
}
