/** A table of texts by their bytes finds what a set of them finds. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextTable } from '../../src/hub/gguf/text-table.ts';

const text = fc.uint8Array({ maxLength: 3, max: 3 });

test('a table of texts finds repeated texts and members as a set does', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 60 }), text, (texts, asked) => {
      const ends = Uint32Array.from(texts, (_, index) =>
        texts.slice(0, index + 1).reduce((sum, each) => sum + each.length, 0),
      );
      const starts = ends.map((end, index) => end - (texts[index]?.length ?? 0));
      const table = new TextTable({
        bytes: Uint8Array.from(texts.flatMap((each) => [...each])),
        starts,
        ends,
      });
      const filled = texts.filter((each) => each.length > 0).map((each) => each.join());
      expect(table.repeated).toBe(filled.length - new Set(filled).size);
      expect(table.has(asked)).toBe(texts.some((each) => each.join() === asked.join()));
    }),
  );
});
