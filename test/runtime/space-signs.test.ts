/** SentencePiece's sign for a space in texts, which its tokenizers would read as a space: work in steps, and no token lost. */
import { expect, it } from 'vitest';
import type { EngineTokenizer } from '../../src/runtime/engine/index.ts';
import { Vocabulary } from '../../src/runtime/engine/tokens/vocabulary.ts';

const bytes = Array.from(
  { length: 256 },
  (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
);
const marker = '<|a▁b|>';
const texts = [...bytes, 'x', marker];
let calls = 0;

/** A token for each character. */
const tokenizer: EngineTokenizer = {
  texts,
  spelling: 'sentencepiece',
  typeOf: (token) => (token < bytes.length ? 'byte' : texts[token] === marker ? 'control' : 'normal'),
  endsGeneration: () => false,
  tokenize: (text, special) => {
    calls += 1;
    const pieces = special ? text.split(/(<\|a▁b\|>)/) : [text];
    return pieces.flatMap((piece) => (piece === marker ? [257] : Array.from(piece, () => 256)));
  },
};

it.each([true, false])('are encoded in steps, where special tokens count: %s', (special) => {
  const vocabulary = new Vocabulary(tokenizer);
  const text = `x▁${special ? marker : ''}`.repeat(3_000);
  const steps = vocabulary.encodePromptSteps([{ text, special }]);
  let most = 0;
  for (;;) {
    calls = 0;
    const { done, value } = steps.next();
    most = Math.max(most, calls);
    if (done !== true) continue;
    const sign = [...new TextEncoder().encode('▁')];
    const unit = special ? [256, ...sign, 257] : [256, ...sign];
    expect(value).toEqual(Array.from({ length: 3_000 }, () => unit).flat());
    break;
  }
  expect(most).toBeLessThan(10);
});
