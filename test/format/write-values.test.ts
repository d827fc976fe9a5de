/** Laws of written values: they are what templates write, by code of its own, and what Python orders and frames. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EntryArguments, JsonStyle, ValueFrame } from '../../src/format/argument-notation.ts';
import { JsonNumber } from '../../src/format/exact-json.ts';
import {
  jsonType,
  writeArguments,
  writeJson,
  writeNumber,
  writePython,
  writePythonString,
} from '../../src/format/write-values.ts';
import { parseTemplate } from '../../src/template/template.ts';

const numRuns = process.env.LAWS === 'long' ? 20_000 : 70;

const text = fc.string({
  unit: fc.constantFrom(
    'a',
    'B',
    "'",
    '"',
    '\\',
    '\n',
    '\t',
    '\u0000',
    '\u007f',
    'é',
    '\u2028',
    '\uffff',
    '😀',
  ),
  maxLength: 5,
});
/** Without a negative zero: JSON writes one as `0`, which JavaScript does not keep apart. */
const number = fc.oneof(
  fc.integer(),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((each) => Math.abs(each) < 1e21 && !Object.is(each, -0)),
  fc.constantFrom(0, 2 ** 53 + 2, 1.5, 1e-5, 0.0001, 123456.789, 1e-7),
);
/** Values of JSON; what does not fit a double is of a class of its own. */
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    number,
    fc.constantFrom(null, true, false, new JsonNumber('1.0'), new JsonNumber('12345678901234567890')),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  ),
})).value as fc.Arbitrary<never>;

const plain: JsonStyle = {
  itemSeparator: ', ',
  keySeparator: ': ',
  indent: null,
  ascii: false,
  sortKeys: false,
};

const jsonTemplate = parseTemplate(
  '{{ v|tojson(indent=i, ensure_ascii=a, sort_keys=s, separators=(c, k)) }}',
);

describe('a value is written as a template writes it', () => {
  it('in every style of JSON', () => {
    const style = fc.record<JsonStyle>({
      itemSeparator: fc.constantFrom(',', ', '),
      keySeparator: fc.constantFrom(':', ': ', '='),
      indent: fc.constantFrom(null, 0, 2, 4),
      ascii: fc.boolean(),
      sortKeys: fc.boolean(),
    });
    fc.assert(
      fc.property(value, style, (v, given) => {
        const { indent: i, ascii: a, sortKeys: s, itemSeparator: c, keySeparator: k } = given;
        expect(writeJson(v, given)).toBe(jsonTemplate.render({ v, i, a, s, c, k }));
      }),
      { numRuns: 3 * numRuns },
    );
  });

  it('with a margin before all lines but the first', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(0, 4), fc.nat(9), (v, indent, margin) => {
        const lines = writeJson(v, { ...plain, indent }).split('\n');
        expect(writeJson(v, { ...plain, indent, margin })).toBe(lines.join(`\n${' '.repeat(margin)}`));
      }),
      { numRuns },
    );
  });

  it('in Python', () => {
    const printed = parseTemplate('{{ [v] }}');
    fc.assert(
      fc.property(value, (v) => {
        expect(`[${writePython(v)}]`).toBe(printed.render({ v }));
        expect(writeJson(v, { ...plain, python: true })).toBe(writePython(v));
      }),
      { numRuns: 2 * numRuns },
    );
  });

  it('in Python, for any character', () => {
    const printed = parseTemplate('{{ [v] }}');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (v) => {
        expect(`[${writePythonString(v)}]`).toBe(printed.render({ v }));
      }),
      { numRuns },
    );
  });

  it('as null, if it is no number', () => {
    for (const each of [Number.NaN, Number.POSITIVE_INFINITY]) expect(writeNumber(each)).toBe('null');
  });
});

const frame = (name: string, codec: ValueFrame['codec'] = 'json'): ValueFrame => ({
  open: `<${name}>`,
  close: `</${name}>`,
  codec,
});
const entries: EntryArguments = {
  kind: 'entries',
  open: '',
  close: '',
  separator: ';',
  empty: 'none',
  entry: { open: '', key: '=', close: [] },
  frames: {
    string: frame('string', 'raw'),
    number: frame('number'),
    boolean: frame('boolean'),
    null: frame('null'),
    array: frame('array'),
    object: frame('object'),
  },
  alternativeString: null,
  nested: null,
  style: plain,
  sorted: false,
};

describe('an argument', () => {
  it('has the frame of its type', () => {
    fc.assert(
      fc.property(value, (v) => {
        const type = jsonType(v);
        expect(writeArguments(entries, { v })).toMatch(new RegExp(`^v=<${type}>[^]*</${type}>$`));
      }),
      { numRuns },
    );
  });

  it('has the frame of whole numbers, if there is one, just where Python has an int', () => {
    const isInt = parseTemplate('{{ v is integer }}');
    fc.assert(
      fc.property(fc.oneof(number, value), (v) => {
        const isWhole = isInt.render({ v }) === 'True';
        const written = writeArguments({ ...entries, integer: frame('integer') }, { v });
        expect(written.startsWith('v=<integer>'), written).toBe(isWhole);
        expect(written.replaceAll('integer>', 'number>')).toBe(writeArguments(entries, { v }));
      }),
      { numRuns },
    );
  });

  it('has the other frame of texts just where it holds what that is for', () => {
    const other = { ...frame('other', 'raw'), when: ['a', "'"] };
    const { when: _, ...never } = other;
    fc.assert(
      fc.property(fc.oneof(text, value), (v) => {
        const isOther = typeof v === 'string' && /[a']/.test(v);
        const written = writeArguments({ ...entries, alternativeString: other }, { v });
        expect(written.startsWith('v=<other>')).toBe(isOther);
        expect(writeArguments({ ...entries, alternativeString: never }, { v })).toBe(
          writeArguments(entries, { v }),
        );
      }),
      { numRuns },
    );
  });

  it('has its place among the others, also within an object, as Jinja sorts a dict', () => {
    const sorted = parseTemplate('{{ v|dictsort|map(attribute=0)|join(";") }}');
    const key = fc.string({
      unit: fc.constantFrom('a', 'A', 'b', 'é', '\uffff', '😀'),
      minLength: 1,
      maxLength: 3,
    });
    const nested: EntryArguments = {
      ...entries,
      sorted: true,
      frames: {
        ...entries.frames,
        null: frame('null', 'absent'),
        object: { open: '', close: '', codec: 'nested' },
      },
      nested: {
        array: { open: '[', close: ']', separator: ',', itemOpen: '', itemClose: '' },
        object: { open: '{', close: '}', separator: ';', keyOpen: '', keyClose: '', entryClose: [] },
      },
    };
    fc.assert(
      fc.property(fc.dictionary(key, fc.constantFrom(true, null), { maxKeys: 6 }), (v) => {
        const shown = Object.fromEntries(Object.entries(v).filter(([, item]) => item !== null));
        const order = sorted.render({ v: shown });
        const keysOf = (written: string) => written.replaceAll(/=?<boolean>true<\/boolean>/g, '');
        expect(keysOf(writeArguments(nested, v))).toBe(order === '' ? 'none' : order);
        expect(keysOf(writeArguments(nested, { v }))).toBe(`v={${order}}`);
        expect(keysOf(writeArguments({ ...nested, sorted: false }, { v }))).toBe(
          `v={${Object.keys(shown).join(';')}}`,
        );
      }),
      { numRuns },
    );
  });
});
