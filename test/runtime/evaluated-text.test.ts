/** Law: what comes next depends on the text alone, whatever was evaluated before it, and nothing is evaluated twice. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodingError } from '../../src/format/errors.ts';
import { EvaluatedText, tokensPerPass } from '../../src/transformers/evaluated-text.ts';
import type { ModelTensor, TensorsByName, Transformers } from '../../src/transformers/package.ts';

const numRuns = process.env.LAWS === 'long' ? 5_000 : 150;
const [size, extra, heads, width] = [5, 2, 3, 2];

/** The tensors of a model, as far as a text uses them. */
class Tensor {
  readonly location: string;
  isDisposed = false;
  constructor(
    readonly type: string,
    readonly data: Float32Array | BigInt64Array | Float64Array,
    readonly dims: readonly number[],
    location = 'cpu',
  ) {
    expect(data.length).toBe(dims.reduce((product, each) => product * each, 1));
    this.location = location;
  }
  to(type: 'float32'): Tensor {
    return new Tensor(type, Float32Array.from(this.data, Number), this.dims);
  }
  slice(all: null, rows: readonly [number, number], _: null): Tensor {
    expect(all).toBe(null);
    const [, , columns = 1] = this.dims;
    const part = Float64Array.from(this.data, Number).slice(rows[0] * columns, rows[1] * columns);
    return new Tensor(this.type, part, [1, rows[1] - rows[0], columns]);
  }
  dispose(): void {
    this.isDisposed = true;
  }
}
class DynamicCache {
  constructor(readonly entries: Readonly<Record<string, Tensor>>) {}
}
const transformers = { Tensor, DynamicCache } as unknown as Transformers;

/** Numbers that depend on all tokens and on their order; those beyond the vocabulary are large. */
function logitsOf(tokens: readonly number[]): readonly number[] {
  const sum = tokens.reduce((hash, token) => (31 * hash + token + 1) % 9973, 7);
  return Array.from({ length: size + extra }, (_, at) => (at < size ? (sum * (at + 1)) % 101 : 1e6));
}

interface Manner {
  /** Whether there is one row of logits, or one for each token. */
  readonly keepsOne: boolean;
  readonly type: 'float32' | 'float16';
  /** What stands in the cache: rows for each token, also a state of another kind, or rows on a GPU. */
  readonly cache: 'rows' | 'state' | 'gpu';
}

/** A model that reads the tokens before its input from its cache, from each head of it. */
function modelOf({ keepsOne, type, cache }: Manner) {
  const passes: number[][] = [];
  const made: Tensor[] = [];
  const forward = async (inputs: object): Promise<TensorsByName> => {
    const read = (name: string) => Reflect.get(inputs, name) as Tensor & DynamicCache;
    const fresh = Array.from(read('input_ids').data, Number);
    passes.push(fresh);
    const past = read('past_key_values')?.entries['past_key_values.0.key'];
    const rows = past?.dims[2] ?? 0;
    const headRows = Array.from({ length: heads }, (_, head) =>
      Array.from(
        { length: rows },
        (_row, row) => Number(past?.data[(head * rows + row) * width]) - 100 * head,
      ),
    );
    for (const each of headRows) expect(each).toEqual(headRows[0]);
    const tokens = [...(headRows[0] ?? []), ...fresh];
    expect([...read('attention_mask').data].map(Number)).toEqual(new Array(tokens.length).fill(1));
    expect(read('input_ids').dims).toEqual([1, fresh.length]);
    const keys = Array.from({ length: heads }, (_, head) =>
      tokens.flatMap((token) => new Array<number>(width).fill(token + 100 * head)),
    ).flat();
    const place = cache === 'gpu' ? 'gpu-buffer' : 'cpu';
    const key = new Tensor('float32', Float32Array.from(keys), [1, heads, tokens.length, width], place);
    made.push(key);
    const shown = keepsOne ? [tokens] : fresh.map((_, at) => tokens.slice(0, rows + at + 1));
    const data = shown.flatMap(logitsOf);
    const dims = [1, shown.length, size + extra];
    const numbers = type === 'float32' ? Float32Array.from(data) : Float64Array.from(data);
    return {
      logits: new Tensor(type, numbers, dims),
      'present.0.key': key,
      ...(cache === 'state' ? { 'present_conv.0': new Tensor('float32', new Float32Array(2), [1, 2]) } : {}),
    } as unknown as TensorsByName;
  };
  return { forward, passes, made };
}

const manner = fc.record<Manner>({
  keepsOne: fc.boolean(),
  type: fc.constantFrom('float32', 'float16'),
  cache: fc.constantFrom('rows', 'rows', 'state', 'gpu'),
});
const text = fc.array(fc.nat(2), { minLength: 1, maxLength: 6 });

describe('a text that is evaluated', () => {
  it('has the logits of its tokens, and evaluates only what is new', async () => {
    await fc.assert(
      fc.asyncProperty(manner, fc.array(text, { minLength: 1, maxLength: 6 }), async (how, texts) => {
        const { forward, passes, made } = modelOf(how);
        const evaluated = new EvaluatedText({ transformers, forward, size });
        let before: readonly number[] = [];
        for (const tokens of texts) {
          const different = before.findIndex((token, at) => token !== tokens[at]);
          const shared = different < 0 ? before.length : different;
          const reusable = shared === before.length || how.cache === 'rows' ? shared : 0;
          expect(evaluated.reusable(tokens)).toBe(reusable);
          passes.length = 0;
          const told: string[] = [];
          const logits = await evaluated.logitsAfter(tokens, () => told.push('passed'));
          expect([...logits]).toEqual(logitsOf(tokens).slice(0, size));
          // The array is the caller's.
          logits.fill(0);
          const isSame = before.length === tokens.length && shared === tokens.length;
          // The last token is evaluated in any case, for its logits.
          const isCut = Math.min(shared, tokens.length - 1) < before.length;
          const kept = isCut && how.cache !== 'rows' ? 0 : Math.min(shared, tokens.length - 1);
          expect(passes.flat()).toEqual(isSame ? [] : tokens.slice(kept));
          expect(told).toHaveLength(passes.length);
          before = tokens;
        }
        const left = made.filter(({ isDisposed }) => !isDisposed);
        if (how.cache === 'gpu') expect(left).toHaveLength(1);
        evaluated.dispose();
        expect(made.some(({ isDisposed }) => isDisposed !== (how.cache === 'gpu'))).toBe(false);
        expect(evaluated.reusable(before)).toBe(0);
      }),
      { numRuns },
    );
  });

  it('is read in passes, after each of which its reader may stop', async () => {
    const { forward, passes } = modelOf({ keepsOne: true, type: 'float32', cache: 'rows' });
    const evaluated = new EvaluatedText({ transformers, forward, size });
    const long = Array.from({ length: 2 * tokensPerPass + 1 }, (_, at) => at % 3);
    const told: number[] = [];
    await evaluated.read(long, (count) => told.push(count));
    expect(told).toEqual([tokensPerPass, 2 * tokensPerPass, long.length]);
    expect(passes.map(({ length }) => length)).toEqual([tokensPerPass, tokensPerPass, 1]);
  });

  const tensor = (type: string, data: Float32Array | Float64Array): ModelTensor =>
    new Tensor(type, data, [1, 1, data.length]) as unknown as ModelTensor;
  it.each<readonly [string, TensorsByName, RegExp]>([
    ['no logits', { 'present.0.key': tensor('float32', new Float32Array(1)) }, /logits/],
    ['no cache', { logits: tensor('float32', new Float32Array(5)) }, /cache/],
    [
      'logits of another type',
      {
        logits: tensor('float32', new Float64Array(5)),
        'present.0.key': tensor('float32', new Float32Array(1)),
      },
      /32-bit/,
    ],
  ])('of a model with %s says so', async (_, outputs, message) => {
    const evaluated = new EvaluatedText({ transformers, forward: async () => outputs, size });
    const failing = evaluated.logitsAfter([1], () => undefined);
    await expect(failing).rejects.toThrow(DecodingError);
    await expect(failing).rejects.toThrow(message);
  });
});
