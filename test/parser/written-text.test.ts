/** Text that was written down in pieces is the text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { WrittenText } from '../../src/parser/markers/written-text.ts';
import { jsonInTags } from '../support/sample-formats.ts';

/** Short and long, ASCII and not, with halves of surrogate pairs and marks of byte order. */
const piece = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('\ufeff', '\ud83d', '\ude00', '\ud83d\ude00', 'é', '語', '\u0000', ''),
  fc.string({ minLength: 1, maxLength: 9 }).map((text) => text.repeat(600)),
);

function written(pieces: readonly string[], keeps: boolean): WrittenText {
  const text = new WrittenText(keeps);
  for (const each of pieces) text.append(each);
  return text;
}

describe('written text', () => {
  it('is what its pieces add up to, whenever it is asked for', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.array(piece, { maxLength: 9 }), (pieces, more) => {
        const text = written(pieces, true);
        expect(text.toString()).toBe(pieces.join(''));
        for (const each of more) text.append(each);
        expect(text.toString()).toBe([...pieces, ...more].join(''));
        text.clear();
        for (const each of more) text.append(each);
        expect(text.toString()).toBe(more.join(''));
      }),
    );
  });

  it('is the inside of a JSON string, where its pieces are escaped', () => {
    const code = fc.string({ unit: fc.constantFrom(...'ab"\\\n\t\u0001é'), maxLength: 40 });
    fc.assert(
      fc.property(fc.array(fc.oneof(code, piece), { maxLength: 60 }), (pieces) => {
        const text = new WrittenText(true);
        const said = pieces.map((each) => text.appendEscaped(each));
        expect(text.toString()).toBe(said.join(''));
        expect(said.map((json) => JSON.parse(`"${json}"`))).toEqual(pieces);
      }),
    );
  });

  it('is the same over many blocks', () => {
    const pieces = Array.from({ length: 5000 }, (_, index) => (index % 7 === 0 ? 'né' : `${index},`));
    expect(written(pieces, true).toString()).toBe(pieces.join(''));
  });

  it('is empty where nothing is kept', () => {
    const pieces = Array.from({ length: 5000 }, () => 'some');
    expect(written(pieces, false).toString()).toBe('');
  });
});

describe('the message of a parser', () => {
  it('is the text, whatever units it is made of', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const parser = createResponseParser(jsonInTags, { tools: [] });
        for (const each of ['So: ', ...pieces]) parser.feed(each);
        expect(parser.finish().message.content).toBe(`So: ${pieces.join('')}`);
      }),
    );
  });
});
