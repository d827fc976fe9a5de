/** Laws of JSON whose numbers keep their text: nothing but numbers is read unlike JSON, and each number has its digits. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  asWritten,
  type ExactValue,
  exactFormSteps,
  floatText,
  JsonNumber,
  keepWritten,
  parseExactJson,
  parseExactObject,
  pythonNumber,
  writeExactJson,
} from '../../src/format/exact-json.ts';

const numRuns = process.env.LAWS === 'long' ? 20_000 : 150;

/** Numbers of JSON, and what Python's `repr(json.loads(…))` prints: recorded facts. */
const facts: readonly (readonly [json: string, python: string])[] = [
  ...([
    ['0', '0'],
    ['-0', '0'],
    ['1', '1'],
    ['-1', '-1'],
  ] as const),
  ...([
    ['7', '7'],
    ['10', '10'],
    ['100', '100'],
    ['9007199254740991', '9007199254740991'],
  ] as const),
  ...([
    ['9007199254740992', '9007199254740992'],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['1234567890123456789', '1234567890123456789'],
  ] as const),
  ...([
    ['100000000000000000000000', '100000000000000000000000'],
    ['0.0', '0.0'],
    ['-0.0', '-0.0'],
    ['1.0', '1.0'],
  ] as const),
  ...([
    ['10.0', '10.0'],
    ['1.50', '1.5'],
    ['0.1', '0.1'],
    ['0.10', '0.1'],
  ] as const),
  ...([
    ['0.5e1', '5.0'],
    ['1e0', '1.0'],
    ['1E3', '1000.0'],
    ['1e+3', '1000.0'],
  ] as const),
  ...([
    ['1e-3', '0.001'],
    ['1e-4', '0.0001'],
    ['0.0001', '0.0001'],
    ['1e-5', '1e-05'],
  ] as const),
  ...([
    ['0.00001', '1e-05'],
    ['0.000123', '0.000123'],
    ['-1.5e-7', '-1.5e-07'],
    ['1e15', '1000000000000000.0'],
  ] as const),
  ...([
    ['1e16', '1e+16'],
    ['1e17', '1e+17'],
    ['1.5e16', '1.5e+16'],
    ['12345678901234567.0', '1.2345678901234568e+16'],
  ] as const),
  ...([
    ['123456789012345.6', '123456789012345.6'],
    ['0.1234567890123456789', '0.12345678901234568'],
    ['1.7976931348623157e308', '1.7976931348623157e+308'],
    ['5e-324', '5e-324'],
  ] as const),
  ...([
    ['1e-323', '1e-323'],
    ['1e22', '1e+22'],
    ['1e23', '1e+23'],
    ['12.5e2', '1250.0'],
  ] as const),
  ...([
    ['1250e-2', '12.5'],
    ['0e5', '0.0'],
    ['0.000e-9', '0.0'],
    ['-0e0', '-0.0'],
  ] as const),
  ...([
    ['1e400', 'inf'],
    ['-1e400', '-inf'],
    ['2.675', '2.675'],
    ['100.00', '100.0'],
  ] as const),
  ...([
    ['3.14159', '3.14159'],
    ['1.0e10', '10000000000.0'],
    ['123e-20', '1.23e-18'],
    ['120.50e1', '1205.0'],
  ] as const),
];

/** A decimal as an exact fraction: `digits` times ten to the power of `exponent`. */
function decimalOf(text: string): { readonly digits: bigint; readonly exponent: number } {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text) ?? [];
  return { digits: BigInt(`${sign}${whole}${fraction}`), exponent: Number(exponent) - fraction.length };
}

function areSame(one: string, other: string): boolean {
  const [a, b] = [decimalOf(one), decimalOf(other)];
  const least = Math.min(a.exponent, b.exponent);
  const scaled = ({ digits, exponent }: typeof a) => digits * 10n ** BigInt(exponent - least);
  return scaled(a) === scaled(b);
}

const isWhole = (text: string): boolean => !/[.eE]/.test(text);

describe('a number as Python prints it', () => {
  it.each(facts)('%s is %s, unless that is another number', (json, python) => {
    const isKept = !python.includes('inf') && areSame(json, python);
    expect(pythonNumber(new JsonNumber(json))).toBe(isKept ? python : json);
    if (!isWhole(json)) expect(floatText(Number(json))).toBe(python);
  });

  it('is "nan" for what is no number', () => {
    expect(floatText(Number.NaN)).toBe('nan');
  });
});

const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.constantFrom(
      '0',
      '1',
      '5',
      '10',
      '100',
      '250',
      '9007199254740992',
      '9007199254740993',
      '123456789012345678',
    ),
    fc.constantFrom('', '', '.0', '.5', '.50', '.10', '.00', '.1234567890123456789'),
    fc.constantFrom('', '', 'e0', 'E3', 'e-7', 'e+20', 'e-20'),
  )
  .map((parts) => parts.join(''));
const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '1', '{', ']', ',', ' ', 'é') });
const space = fc.constantFrom('', '', ' ', '\n\t');
/** JavaScript puts keys that are whole numbers before all others. */
const name = fc.oneof(text, fc.constantFrom('__proto__', 'toString')).filter((each) => !/^\d+$/.test(each));
/** JSON as people write it. */
const json = fc.letrec<{ value: string }>((tie) => ({
  value: fc
    .tuple(
      space,
      fc.oneof(
        { maxDepth: 3 },
        number,
        fc.constantFrom('true', 'false', 'null', '{}', '[]', '{ }'),
        text.map((each) => JSON.stringify(each)),
        fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
        fc
          .array(fc.tuple(name, tie('value')), {
            maxLength: 4,
          })
          .map((entries) => `{${entries.map(([key, item]) => `${JSON.stringify(key)} :${item}`).join(',')}}`),
      ),
      space,
    )
    .map((parts) => parts.join('')),
})).value;

/** The same without the text of numbers. */
function plain(value: ExactValue): unknown {
  if (value instanceof JsonNumber) return value.value;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

const numbersIn = (source: string): readonly string[] =>
  source.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];

describe('exact JSON', () => {
  it('is the value that JSON has, and its numbers keep their digits', () => {
    fc.assert(
      fc.property(json, (source) => {
        const value = parseExactJson(source);
        if (value === undefined) throw new TypeError('not read');
        expect(plain(value)).toStrictEqual(JSON.parse(source));
        // One of equal keys is left.
        const { keys, names } = keysOf(source);
        if (keys.length !== names.size) return;
        const written = numbersIn(writeExactJson(value));
        const given = numbersIn(source);
        expect(written.length).toBe(given.length);
        for (const [at, each] of given.entries()) {
          const other = written[at] ?? '';
          expect([areSame(each, other), isWhole(other)], `${each} as ${other}`).toEqual([
            true,
            isWhole(each),
          ]);
        }
      }),
      { numRuns: 2 * numRuns },
    );
  });

  it('is no value where JSON is none', () => {
    for (const source of ['', '{', '[1,]', '01', 'nul', '"', '1 2', '{"a"}'])
      expect(parseExactJson(source), source).toBe(undefined);
  });

  it('is plain where JavaScript writes its numbers alike', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer(), (value, whole) => {
        const plainText = JSON.stringify([value, whole]);
        // Whole numbers beyond 2^53 and those with an exponent are unusual.
        fc.pre(!/(?<![.\d])\d{16}|\de[+]/.test(plainText));
        expect(parseExactJson(plainText)).toEqual(JSON.parse(plainText));
        expect(parseExactObject(plainText)).toBe(null);
        expect(parseExactObject(`{"a":${plainText}}`)).toEqual({ a: JSON.parse(plainText) });
      }),
      { numRuns },
    );
  });

  it('is found for each value of a text that is kept as it was written', () => {
    fc.assert(
      fc.property(json, (source) => {
        const [value, exact] = [JSON.parse(source), parseExactJson(source)];
        for (const steps = keepWritten(value, exact); !steps.next().done; );
        const compare = (one: unknown, other: unknown): void => {
          if (typeof one !== 'object' || one === null || other instanceof JsonNumber) return;
          expect(writeExactJson(asWritten(one))).toBe(writeExactJson(other));
          for (const [key, item] of Object.entries(one)) compare(item, Reflect.get(Object(other), key));
        };
        compare(value, exact);
      }),
      { numRuns },
    );
  });

  it('keeps many values in turns', () => {
    const [value, exact] = [
      Array.from({ length: 20_000 }, () => 1),
      parseExactJson(`[${'1,'.repeat(19_999)}1.0]`),
    ];
    let turns = 0;
    for (const _ of keepWritten(value, exact)) turns += 1;
    expect([turns >= 3, turns <= 6]).toEqual([true, true]);
    expect(asWritten(value)).toBe(exact);
  });

  it('is written without what is undefined, whose place in a list is null', () => {
    expect(writeExactJson({ a: undefined, b: [undefined, new JsonNumber('1.0'), null] })).toBe(
      '{"b":[null,1.0,null]}',
    );
  });

  it.each(['1.0', '2'])('gives way every few thousand numbers, with one that is %s', (first) => {
    const source = `[${[first, ...Array.from({ length: 20_000 }, () => '1')].join(',')}]`;
    let turns = 0;
    for (const _ of exactFormSteps(JSON.parse(source), source)) turns += 1;
    expect(turns).toBeGreaterThanOrEqual(3);
    expect(turns).toBeLessThanOrEqual(5);
  });
});

/** The keys of all objects of a JSON text, and those without repetitions. */
function keysOf(source: string): { readonly keys: readonly string[]; readonly names: ReadonlySet<string> } {
  const keys = [...source.matchAll(/("(?:[^"\\]|\\.)*") :/g)].map(([, key = '']) => key);
  return { keys, names: new Set(keys) };
}
