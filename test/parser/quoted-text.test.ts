/** What is quoted, read from the left, and what CommonMark's reference implementation makes of the whole text. */
import fc from 'fast-check';
import { parse, postprocess, preprocess } from 'micromark';
import { describe, expect, it } from 'vitest';
import { type Quotation, QuotedText } from '../../src/parser/quoting/quoted-text.ts';

const numRuns = process.env.LAWS === 'long' ? 100_000 : 250;

/** A word that begins nothing in Markdown, in place of a marker. */
const marker = 'MARKER';

const inline = fc.constantFrom('a', 'b c', ' ', '`', '``', '```', '\\', '\\`', 'word', '~~~');
const indent = fc.constantFrom('', '', '', ' ', '   ', '    ', '\t', '  ');
const lineOf = (parts: fc.Arbitrary<string>) =>
  fc.tuple(indent, fc.array(parts, { maxLength: 5 })).map(([space, words]) => space + words.join(''));
const line = fc.oneof(
  { weight: 4, arbitrary: lineOf(inline) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.oneof(indent, fc.constantFrom('\n- ', '\n1. ', '\n  * ', '\n-   ', '- a\n', '\n  - ')),
        // Items follow a blank line: which of them may interrupt what is disputed among implementations.
        fc.constantFrom('', '', '# '),
        fc.constantFrom('```', '~~~', '````', '```js', '``` `', '~~~~', '---', '===', '1. a', 'text', ''),
      )
      .map((parts) => parts.join(''))
      .map((text) => (/[-.*]\s*$/.test(text) ? `${text}a` : text)),
  },
  // After a block quote, text would continue its paragraph.
  { weight: 1, arbitrary: lineOf(inline).map((text) => `> ${text}\n\n`) },
);
const markdown = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));

/** The kinds of code and quotes around the marker in a whole text. */
function kindsAround(text: string): ReadonlySet<string> {
  const at = text.indexOf(marker);
  const events = postprocess(
    parse()
      .document()
      .write(preprocess()(text, 'utf8', true)),
  );
  const around = events.filter(
    ([kind, { start, end }]) => kind === 'enter' && start.offset <= at && at < end.offset,
  );
  return new Set(around.map(([, { type }]) => String(type)));
}

const names: Readonly<Partial<Record<Quotation, string>>> = {
  fence: 'codeFenced',
  'first-fence': 'codeFenced',
  indented: 'codeIndented',
  'block-quote': 'blockQuote',
};
const blocks = ['codeFenced', 'codeIndented', 'blockQuote'];

function read(text: string): QuotedText {
  const quoted = new QuotedText();
  quoted.read(text);
  return quoted;
}

describe('quoted text', () => {
  it('is in the blocks in which CommonMark sees it, whatever follows', () => {
    fc.assert(
      fc.property(markdown, markdown, (left, right) => {
        // Without text before it, indented code may be the whole answer.
        const before = `Text.\n\n${left}`;
        const { quotation } = read(before);
        const around = kindsAround(`${before}${marker}\n${right}`);
        const expected = blocks.filter((kind) => around.has(kind));
        // Right after its closer, a marker is out of a block, although CommonMark asks for the end of the line.
        if (quotation === null && expected[0] === 'codeFenced' && /\n\s*(?:```+|~~~+)[ \t]*$/.test(before))
          return;
        const kind = quotation === null ? undefined : names[quotation];
        expect(expected, JSON.stringify(left)).toEqual(kind === undefined ? [] : [kind]);
      }),
      { numRuns },
    );
  });

  it('is in a code span if the run that it names closes one, and in none otherwise', () => {
    fc.assert(
      fc.property(markdown, markdown, (left, right) => {
        const quoted = read(left);
        const { quotation, openSpan } = quoted;
        if (quotation === 'code-span') {
          expect(kindsAround(`${left}${marker} ${'`'.repeat(openSpan)}`), JSON.stringify(left)).toContain(
            'codeText',
          );
        } else if (quotation !== 'fence' && quotation !== 'first-fence') {
          expect(kindsAround(`${left}${marker} ${right}`), JSON.stringify(left)).not.toContain('codeText');
        }
      }),
      { numRuns },
    );
  });

  it('is the same in any pieces', () => {
    fc.assert(
      fc.property(markdown, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (text, lengths) => {
        const quoted = new QuotedText();
        for (let at = 0, index = 0; at < text.length; index++) {
          const length = lengths[index % lengths.length] ?? 1;
          quoted.read(text.slice(at, at + length));
          at += length;
        }
        expect(quoted.quotation).toBe(read(text).quotation);
        expect(quoted.openSpan).toBe(read(text).openSpan);
      }),
      { numRuns },
    );
  });
});
