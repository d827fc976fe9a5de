/** The law of a tokenizer: what a text becomes has the bytes of that text, and none of its control tokens. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { EngineTokenizer } from '../../../src/runtime/engine/index.ts';
import { vocabularyOf } from '../../../src/runtime/engine/tokens/vocabulary.ts';

const written = [
  '<|im_end|>',
  '<|im_start|>',
  '<tool_call>',
  '</s>',
  '<s>',
  '▁',
  '▁▁▁',
  ' ',
  '  ',
  '\n',
  'the in',
  '<',
  '|',
];
const texts = fc
  .array(fc.oneof(fc.constantFrom(...written), fc.string({ unit: 'grapheme', maxLength: 6 })), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''));

/** Tries drawn texts, as data and as a template's own. */
export function expectPlainText(tokenizer: EngineTokenizer): void {
  const vocabulary = vocabularyOf(tokenizer);
  const textOf = (tokens: readonly number[]): string =>
    new TextDecoder().decode(Uint8Array.from(tokens.flatMap((token) => [...vocabulary.bytesOf(token)])));
  fc.assert(
    fc.property(texts, (text) => {
      const plain = vocabulary.encodePlain(text);
      expect(plain.filter((token) => vocabulary.isSpecial(token))).toEqual([]);
      expect(textOf(plain)).toBe(text);
      const trusted = vocabulary.encodePrompt([
        { text: 'a', special: true },
        { text, special: true },
      ]);
      // SentencePiece may write a space before each stretch of a text.
      expect(withoutSpaces(textOf(trusted)).replace(/^<s>/, '')).toBe(withoutSpaces(`a${text}`));
    }),
    { numRuns: 300 },
  );
}

function withoutSpaces(text: string): string {
  return text.replaceAll(' ', '');
}
