/** Where strings of JSON are, told from the left, in pieces of any size. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonStrings } from '../../src/parser/quoting/json-strings.ts';

const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', ':', '\n', 'u', '😀'), maxLength: 8 });
const document = fc
  .dictionary(text, fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.integer()), { maxKeys: 4 })
  .chain((value) => fc.constantFrom(JSON.stringify(value), JSON.stringify(value, null, 2)));

/** Whether the first `length` units of a document end within a string, by its strings as a whole. */
function endsInString(json: string, length: number): boolean {
  const strings = Array.from(json.matchAll(/"(?:[^"\\]|\\.)*"/g), ({ index, 0: whole }) => [
    index,
    index + whole.length,
  ]);
  return strings.some(([start = 0, end = 0]) => start < length && length < end);
}

it('a text ends within a string where one has begun and not ended', () => {
  fc.assert(
    fc.property(document, fc.array(fc.nat(60)), (json, cuts) => {
      const strings = new JsonStrings();
      const places = [...cuts, json.length].filter((at) => at <= json.length).sort((a, b) => a - b);
      let read = 0;
      for (const at of places) {
        strings.read(json.slice(read, at));
        read = at;
        expect(strings.isOpen).toBe(endsInString(json, at));
        // A copy reads on by itself.
        const copy = strings.copy();
        copy.read(json.slice(at));
        expect(copy.isOpen).toBe(false);
        expect(strings.isOpen).toBe(endsInString(json, at));
      }
    }),
    { numRuns: 500 },
  );
});
