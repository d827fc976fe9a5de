/** Law: what is printed is the value, as the project's formatter would leave it, or densely in lines that fit. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Printable, printEntries, printImport, printValue } from '../../src/codegen/source-writer.ts';

const count = process.env.LAWS === 'long' ? 2000 : 120;

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', "'", '"', '\\', '\n', '語', 'é', '\u200b', ' '), maxLength: 12 }),
  fc.integer({ min: 0, max: 120 }).map((length) => 'x'.repeat(length)),
);
/** Keys that nearly fill a line have a layout of their own, and so have long lists of numbers: no format has any. */
const key = fc.oneof(
  fc.constantFrom('a', 'ab', 'abc', 'abcd', 'abcde', 'a_longer_name', 'with space', '$', '1.5', "it's"),
  fc.nat(23).map((length) => 'k'.repeat(length + 1)),
);
const value = fc.letrec<{ value: Printable }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(text, text, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.constantFrom<Printable>([], [1], [1, 2], { a: 1 }, { a: 1, b: 2 }, {}, 'a'), {
      maxLength: 3,
    }),
    fc.dictionary(key, fc.oneof(fc.integer(), tie('value'), tie('value')), { maxKeys: 4 }),
  ),
})).value;
/** A list or an object: nothing else is printed alone. */
const container = fc.oneof(
  fc.array(value, { maxLength: 5 }),
  fc.dictionary(key, value, { maxKeys: 5, size: 'max' }),
);
const names = fc.uniqueArray(fc.stringMatching(/^[A-Za-z]{2,12}$/), {
  maxLength: 14,
  minLength: 1,
  size: 'max',
});

const root = path.join(import.meta.dirname, '../..');

/** The source as the formatter leaves it. */
function formatted(source: string): string {
  const biome = path.join(root, 'node_modules/.bin/biome');
  const options = ['check', '--linter-enabled=false', '--write', '--stdin-file-path=src/printed.ts'];
  return execFileSync(biome, options, { cwd: root, input: source, encoding: 'utf8' });
}

const read = (source: string): unknown => new Function(`return (${source});`)();

describe('printed source', () => {
  it('of values is the value, and needs no formatting', () => {
    const printed = fc.sample(container, count).map((each, at) => {
      const start = `export const v${at} = `;
      const source = printValue(each, 0, start.length, 1);
      expect(read(source)).toEqual(each);
      return `${start}${source};\n`;
    });
    const source = printed.join('');
    expect(formatted(source)).toBe(source);
  });

  it('of imports needs no sorting and no formatting', () => {
    for (const [all, types] of fc.sample(fc.tuple(names, fc.nat(13)), 8)) {
      const source = `${printImport(all.slice(types), all.slice(0, types), './module.ts')}\n`;
      expect(formatted(source)).toBe(source);
    }
  });

  it('has as many entries in a line as fit, if it may be dense', () => {
    const atoms = fc.dictionary(key, fc.oneof(text, fc.integer(), fc.boolean()), {
      maxKeys: 12,
      size: 'max',
    });
    fc.assert(
      fc.property(atoms, fc.integer({ min: 20, max: 120 }), (object, width) => {
        const layout = { width, dense: true };
        const pieces = Object.entries(object).map(([name, each]) =>
          printEntries({ [name]: each }, 0, layout),
        );
        const wide = (line: string) => line.length + (line.match(/語/g)?.length ?? 0);
        let lines: string[] = [];
        for (const piece of pieces) {
          const last = lines.at(-1);
          const longer = `${last} ${piece}`;
          if (last !== undefined && wide(longer) <= width) lines = [...lines.slice(0, -1), longer];
          else lines.push(`  ${piece}`);
        }
        expect(printEntries(object, 2, layout)).toBe(lines.join('\n'));
      }),
      { numRuns: count },
    );
  });

  it('is the value however dense it is, and short enough where it can be', () => {
    fc.assert(
      fc.property(container, fc.integer({ min: 40, max: 120 }), (each, width) => {
        const source = printValue(each, 0, 0, 0, { width, dense: true });
        expect(read(source)).toEqual(each);
        const isLong = (line: string) => line.length > width;
        // One entry or item alone cannot be broken.
        for (const line of source.split('\n').filter(isLong))
          expect(line).not.toMatch(/, \S+: .*, \S+: [^{[]*,$/);
      }),
      { numRuns: count },
    );
  });
});
