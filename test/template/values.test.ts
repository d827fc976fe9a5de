/** Laws of the values of templates: what they cost, which keys are one, how they are ordered, and which reads are told. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTemplate } from '../../src/template/template.ts';
import {
  binary,
  compare,
  concatenate,
  contains,
  equals,
  invoke,
  iterate,
  lengthOf,
} from '../../src/template/values/operators.ts';
import { defaultLimits, Runtime } from '../../src/template/values/runtime.ts';
import { escapeHtml, repr, str } from '../../src/template/values/text.ts';
import { dataText } from '../../src/template/values/traced-text.ts';
import {
  Callable,
  Dict,
  Float,
  List,
  LongInteger,
  Markup,
  Stream,
  Tuple,
  type Value,
} from '../../src/template/values/values.ts';

const numRuns = process.env.LAWS === 'long' ? 20_000 : 120;

const newRuntime = (): Runtime =>
  new Runtime({ now: () => new Date(0), traced: false }, 'template', { ...defaultLimits, steps: 1e9 }, null);

/** Units of work of an operation. */
function workOf(operation: (runtime: Runtime) => unknown): number {
  const runtime = newRuntime();
  operation(runtime);
  return runtime.work;
}

describe('work is charged', () => {
  const text = (size: number) => 'a'.repeat(256 * size);
  const values = (size: number) => Array.from({ length: size }, (_, at) => at);
  const list = (size: number) => new List(values(size));
  const tuple = (size: number) => new Tuple(values(size));
  const dict = (size: number) => new Dict(values(size).map((at) => [at, at]));
  const nothing = new Callable('nothing', () => null);
  const operations: Readonly<Record<string, (runtime: Runtime, size: number) => unknown>> = {
    'looping over a list': (runtime, size) => iterate(runtime, list(size)),
    'looping over a tuple': (runtime, size) => iterate(runtime, tuple(size)),
    'looping over a dict': (runtime, size) => iterate(runtime, dict(size)),
    'looping over a text': (runtime, size) => iterate(runtime, text(size)),
    'looping over a stream': (runtime, size) => iterate(runtime, new Stream(() => values(size))),
    'measuring a text': (runtime, size) => lengthOf(runtime, text(size)),
    'comparing equal texts': (runtime, size) => equals(runtime, text(size), new Markup(text(size))),
    'comparing equal lists': (runtime, size) => equals(runtime, list(size), list(size)),
    'comparing equal tuples': (runtime, size) => equals(runtime, tuple(size), tuple(size)),
    'comparing equal dicts': (runtime, size) => equals(runtime, dict(size), dict(size)),
    'ordering texts': (runtime, size) => compare(runtime, text(size), text(size)),
    'ordering lists': (runtime, size) => compare(runtime, list(size), list(size)),
    'looking into a list': (runtime, size) => contains(runtime, list(size), -1),
    'looking into a text': (runtime, size) => contains(runtime, text(size), 'b'),
    'looking for a text': (runtime, size) => contains(runtime, 'b', text(size)),
    'looking for a key': (runtime, size) => dict(1).has(runtime, text(size)),
    'looking for a pair': (runtime, size) => dict(1).has(runtime, new Tuple([text(size), 1])),
    'reading a key': (runtime, size) => dict(1).get(runtime, text(size)),
    'setting a key': (runtime, size) => dict(1).set(runtime, text(size), 1),
    'deleting a key': (runtime, size) => dict(1).delete(runtime, text(size)),
    'adding lists': (runtime, size) => binary(runtime, '+', list(size), list(1)),
    'adding tuples': (runtime, size) => binary(runtime, '+', tuple(1), tuple(size)),
    'adding texts': (runtime, size) => binary(runtime, '+', text(16 * size), 'b'),
    'joining texts': (runtime, size) => concatenate(runtime, ['b', text(16 * size)]),
    'repeating a text': (runtime, size) => binary(runtime, '*', text(1), size),
    'repeating a list': (runtime, size) => binary(runtime, '*', list(1), size),
    'printing a list': (runtime, size) => str(runtime, list(size)),
    'printing a text in a list': (runtime, size) => repr(runtime, text(size)),
    'printing lists in a dict': (runtime, size) => str(runtime, new Dict([['a', list(size)]])),
    'escaping a text': (runtime, size) => escapeHtml(runtime, text(size)),
    'calling with values': (runtime, size) => invoke(runtime, nothing, values(size), new Map()),
    'calling with names': (runtime, size) =>
      invoke(runtime, nothing, [], new Map(values(size).map((at) => [String(at), at]))),
  };
  it.each(Object.entries(operations))('in proportion to the size for %s', (_what, operation) => {
    const works = [2000, 4000].map((size) => workOf((runtime) => operation(runtime, size)));
    const [one = 0, two = 0] = works;
    expect(two, `${works}`).toBeGreaterThan(1.9 * one);
  });

  it('for digits that a number is written with', () => {
    expect(workOf((runtime) => str(runtime, 1e300))).toBeGreaterThan(300 / 8);
  });

  it.each([
    ['operator', (runtime: Runtime) => binary(runtime, '+', 1, 1)],
    ['comparison', (runtime: Runtime) => compare(runtime, 1, 2)],
    ['test for equality', (runtime: Runtime) => equals(runtime, 1, 2)],
    ['look into a container', (runtime: Runtime) => contains(runtime, new List([]), 1)],
    ['loop', (runtime: Runtime) => iterate(runtime, new List([]))],
    ['call', (runtime: Runtime) => invoke(runtime, nothing, [], new Map())],
  ])('for every %s, however small', (_what, operation) => {
    expect(workOf(operation)).toBeGreaterThan(0);
  });
});

/** Values that can be keys; whole numbers beyond 2^53 are the input's own, and equal nothing but themselves. */
const key: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom<Value>(null, true, false, 0, 1, 2, new Float(0), new Float(1), new Float(1.5)),
  fc.constantFrom<Value>(
    '',
    '0',
    '1',
    '1.5',
    'a',
    dataText('a'),
    dataText('1'),
    new Markup('a'),
    new Markup('1'),
  ),
  fc.constantFrom<Value>(new LongInteger('12345678901234567890'), new LongInteger('12345678901234567891')),
  fc
    .array(fc.constantFrom<Value>(0, 1, true, '1', 'a', null, new Float(1), 'a,b', '"', 'b'), {
      maxLength: 3,
    })
    .map((elements) => new Tuple(elements)),
);

/** Values of one order: numbers, texts, or lists or tuples of such. */
const ordered: fc.Arbitrary<readonly Value[]> = fc.oneof(
  fc.array(fc.constantFrom<Value>(-1, 0, 1, true, false, new Float(0.5), new Float(1), 7), threeOf()),
  fc.array(
    fc.string({ unit: fc.constantFrom('a', 'b', '\uffff', '😀', '\u{10ffff}'), maxLength: 3 }),
    threeOf(),
  ),
  fc.array(
    fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }).map((each) => new List(each)),
    threeOf(),
  ),
  fc.array(
    fc.array(fc.constantFrom(0, 1), { maxLength: 3 }).map((each) => new Tuple(each)),
    threeOf(),
  ),
);

function threeOf(): fc.ArrayConstraints {
  return { minLength: 3, maxLength: 3 };
}

describe('values', () => {
  it('are one key where they are equal, and only there', () => {
    fc.assert(
      fc.property(key, key, (one, other) => {
        const runtime = newRuntime();
        const dict = new Dict([[one, 'found']]);
        const isSame = equals(runtime, one, other);
        expect(dict.has(runtime, other)).toBe(isSame);
        expect(dict.get(runtime, other)).toBe(isSame ? 'found' : undefined);
        dict.set(runtime, other, 'set');
        expect(dict.size).toBe(isSame ? 1 : 2);
        // The first of equal keys stays.
        expect(dict.keys()[0]).toBe(one);
        expect(dict.delete(runtime, one)).toBe(true);
        expect(dict.size).toBe(isSame ? 0 : 1);
      }),
      { numRuns: 3 * numRuns },
    );
  });

  it('have one order, which agrees with equality', () => {
    fc.assert(
      fc.property(ordered, ([a = 0, b = 0, c = 0]) => {
        const runtime = newRuntime();
        const sign = (one: Value, other: Value) => Math.sign(compare(runtime, one, other));
        expect(sign(a, a)).toBe(0);
        expect(sign(a, b) === 0).toBe(equals(runtime, a, b));
        expect(sign(a, b) + sign(b, a)).toBe(0);
        if (sign(a, b) <= 0 && sign(b, c) <= 0) expect(sign(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2 * numRuns },
    );
  });

  it('of a stream are read once, alone or together', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.nat(12), (elements, count) => {
        let made = 0;
        const stream = new Stream(() => {
          made += 1;
          return elements;
        });
        const alone = Array.from({ length: count }, () => stream.next());
        expect(alone).toEqual(Array.from({ length: count }, (_, at) => elements[at]));
        expect(stream.drain()).toEqual(elements.slice(count));
        expect([stream.drain(), stream.next(), made]).toEqual([[], undefined, 1]);
      }),
      { numRuns },
    );
  });
});

describe('reads of the input are told', () => {
  const input = { list: [1, ['a'], {}], dict: { leaf: 'x', inner: { deep: 1 }, 'a b': [], empty: null } };
  it.each<[template: string, path: string, kinds: readonly string[]]>([
    ['{{ list[0] }}', 'list[0]', ['value']],
    ['{{ list[-3] }}', 'list[0]', ['value']],
    ['{% set x = list[1] %}', 'list[1]', ['tested']],
    ['{% set x = list[2] %}', 'list[2]', ['tested']],
    ['{{ list|length }}', 'list', ['tested']],
    ['{% for x in list %}{% endfor %}', 'list', ['iterated']],
    ['{% for x in list %}{% endfor %}', 'list[0]', ['value']],
    ['{{ dict.leaf }}', 'dict.leaf', ['value']],
    ['{{ dict.empty }}', 'dict.empty', ['value']],
    ['{% set x = dict.inner %}', 'dict.inner', ['tested']],
    ['{% set x = dict["a b"] %}', 'dict["a b"]', ['tested']],
    ['{{ dict.missing }}', 'dict.missing', ['absent']],
    ['{{ dict.inner.missing }}', 'dict.inner.missing', ['absent']],
    ['{{ "leaf" in dict }}', 'dict.leaf', ['tested']],
    ['{{ "missing" in dict }}', 'dict.missing', ['absent']],
    ['{{ dict.inner.deep }}', 'dict.inner.deep', ['value']],
    ['{{ dict.keys() }}', 'dict', ['iterated']],
    ['{% for k, v in dict.items() %}{% endfor %}', 'dict.leaf', ['value']],
  ])('%s tells %s', (template, path, kinds) => {
    const { reads } = parseTemplate(template).renderObserved(input);
    const told = [...(reads.get(path) ?? [])];
    // The container of what is read may be told in other ways, too.
    expect(told).toEqual(expect.arrayContaining([...kinds]));
    if (path.includes('.') || path.includes('[')) expect(told).toEqual(kinds);
  });

  it.each([
    ['{{ list[9] }}', 'list[9]'],
    ['{% for x in list %}{% endfor %}', 'list[1]'],
    ['{% for x in list %}{% endfor %}', 'list[2]'],
    ['{% for k, v in dict.items() %}{% endfor %}', 'dict.inner'],
    ['{{ dict.keys() }}', 'dict.leaf'],
    ['{{ dict|length }}', 'dict.leaf'],
  ])('%s does not tell %s', (template, path) => {
    expect(parseTemplate(template).renderObserved(input).reads.has(path)).toBe(false);
  });
});
