/** The parts of the analysis, each by its own law. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { composeId, withIndexHoles } from '../../src/analysis/calls/skeleton.ts';
import { matchStyle, scanJson } from '../../src/analysis/literals/find-json.ts';
import { solveRepetition } from '../../src/analysis/literals/repetition.ts';
import { BoundaryStatistics } from '../../src/analysis/literals/token-boundaries.ts';
import {
  commonPrefixLength,
  commonSuffixLength,
  tokenEdges,
  tokens,
} from '../../src/analysis/literals/tokens.ts';
import type { JsonValue } from '../../src/format/messages.ts';
import { sha256 } from '../../src/format/sha256.ts';
import { writeJson, writeNumber, writePython } from '../../src/format/write-values.ts';

const marker = fc.constantFrom('', '<a>', '</a>', '<b>\n', '\n</b>', '[X]', ', ', '(', ')', '{', '}', 'to=');

describe('repetition', () => {
  test('composes to the texts it was read from', () => {
    fc.assert(
      fc.property(marker, marker, marker, marker, marker, (open, itemOpen, itemClose, separator, close) => {
        const text = {
          before: open + itemOpen,
          between: itemClose + separator + itemOpen,
          after: itemClose + close,
          none: null,
        };
        const found = solveRepetition(text, new BoundaryStatistics());
        expect(found.open + found.itemOpen).toBe(text.before);
        expect(found.itemClose + found.separator + found.itemOpen).toBe(text.between);
        expect(found.itemClose + found.close).toBe(text.after);
        expect(found.separator.length).toBeLessThanOrEqual(separator.length);
      }),
    );
  });

  test('takes the reading that explains what stands for no items', () => {
    const text = { before: '>\n<p>', between: '</p>\n<p>', after: '</p>\n</call>' };
    const closed = solveRepetition({ ...text, none: '>\n</call>' }, new BoundaryStatistics());
    expect(closed).toMatchObject({ itemClose: '</p>\n', separator: '', empty: '' });
    const separated = solveRepetition({ ...text, none: '>\n\n</call>' }, new BoundaryStatistics());
    expect(separated).toMatchObject({ itemClose: '</p>', separator: '\n', empty: '' });
  });
});

describe('cuts', () => {
  test('tokens make up their text, and edges lie between them', () => {
    fc.assert(
      fc.property(fc.array(marker, { maxLength: 6 }), (parts) => {
        const text = parts.join('');
        expect(tokens(text).join('')).toBe(text);
        expect(tokenEdges(text).has(text.length)).toBe(true);
      }),
    );
  });

  test('common beginnings and endings are the longest ones', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (shared, left, right) => {
        const length = commonPrefixLength([shared + left, shared + right]);
        expect(length).toBeGreaterThanOrEqual(shared.length);
        expect((shared + left).slice(0, length)).toBe((shared + right).slice(0, length));
        expect(commonSuffixLength([left + shared, right + shared])).toBeGreaterThanOrEqual(shared.length);
      }),
    );
  });

  test('keep composite markers whole, having seen them stand before free text', () => {
    const cuts = new BoundaryStatistics();
    cuts.learn('XX<|open|>think<|sep|>XX<|close|>think<|sep|>', /XX/g);
    const texts = ['a<|sep|><|open|>think<|sep|>', 'a<|sep|><|open|>reply<|sep|>'];
    expect(texts[0]?.slice(0, cuts.prefixLength(texts))).toBe('a<|sep|>');
  });
});

describe('JSON in text', () => {
  const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
  const styles = fc.constantFrom(
    { itemSeparator: ', ', keySeparator: ': ', indent: null, ascii: false, sortKeys: false },
    { itemSeparator: ',', keySeparator: ':', indent: null, ascii: false, sortKeys: false },
    { itemSeparator: ',', keySeparator: ': ', indent: 4, ascii: true, sortKeys: false },
    { itemSeparator: ', ', keySeparator: ': ', indent: null, ascii: true, sortKeys: true },
  );

  test('is written as JSON', () => {
    fc.assert(
      fc.property(json, styles, (value, style) => {
        expect(JSON.parse(writeJson(value, style))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('is found with its end, and its style writes it again', () => {
    fc.assert(
      fc.property(fc.array(json), styles, fc.constantFrom('', ' tail]}', '"'), (value, style, tail) => {
        const text = `head ${writeJson(value, style)}`;
        expect(scanJson(text + tail, 5)?.end).toBe(text.length);
        const found = matchStyle(text + tail, 5, value);
        expect(found?.end).toBe(text.length);
        if (found !== null) expect(writeJson(value, found.style)).toBe(text.slice(5));
      }),
    );
  });
});

describe('values as Python writes them', () => {
  test.each([
    [1e-7, '1e-07'],
    [0.00001, '1e-05'],
    [0.0001, '0.0001'],
    [-0.25, '-0.25'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [5e-324, '5e-324'],
    [123456789012, '123456789012'],
  ])('%d is %s', (value, text) => {
    expect(writeNumber(value)).toBe(text);
  });

  test.each<[JsonValue, string]>([
    [[true, null, 1], '[True, None, 1]'],
    [{ a: "it's" }, `{'a': "it's"}`],
    [`it's "it"`, `'it\\'s "it"'`],
    ['line\nnext\\', "'line\\nnext\\\\'"],
    ['\u0007é\u2028', "'\\x07é\\u2028'"],
  ])('%j is %s', (value, text) => {
    expect(writePython(value)).toBe(text);
  });
});

describe('skeletons', () => {
  test('numbers that count the calls are holes', () => {
    const name = { hole: 'name' } as const;
    expect(withIndexHoles([name, ':0|v2'], [name, ':1|v2'])).toEqual([
      name,
      ':',
      { hole: 'index', base: 0 },
      '|v2',
    ]);
    expect(withIndexHoles([name, ':7'], [name, ':9'])).toEqual([name, ':7']);
  });

  test('a run of word characters around name and number is one id', () => {
    const index = { hole: 'index', base: 0 } as const;
    const name = { hole: 'name' } as const;
    expect(composeId('<c>f.', [name, ':', index, '<d>'])).toEqual({
      open: '<c>',
      head: [{ hole: 'composed-id', parts: ['f.', name, ':', index] }, '<d>'],
    });
    const spaced = [name, '" index="', index];
    expect(composeId('<c tool="', spaced)).toEqual({ open: '<c tool="', head: spaced });
  });
});

test('SHA-256 agrees with the platform', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      expect(sha256(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
    }),
  );
});
