/** Vocabularies of a few tokens, and tokenizers that are made for them: what each token is, and how texts become tokens. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TokenIndex } from '../../src/language/matcher/token-index.ts';
import type { EngineTokenizer, TokenType } from '../../src/runtime/engine/index.ts';
import { Vocabulary, vocabularyOf } from '../../src/runtime/engine/tokens/vocabulary.ts';

/** What is told of a token besides its text. */
type Told = readonly [text: string, type?: TokenType];

const byteTokens: readonly Told[] = Array.from({ length: 256 }, (_, byte) => [
  `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
  'byte',
]);
const letters: readonly Told[] = Array.from(' \nabcxyzé<>|', (letter) => [letter]);
const words: readonly Told[] = ['ab', 'abc', 'xyz', ' a'].map((word) => [word]);
const specials: readonly Told[] = [
  ['<|end|>', 'control'],
  ['<|c|>', 'control'],
  ['<tool>', 'user-defined'],
];
const tokens: readonly Told[] = [...byteTokens, ...letters, ...words, ...specials];

interface Habits extends Partial<Omit<EngineTokenizer, 'texts' | 'typeOf' | 'tokenize'>> {
  readonly tokens?: readonly Told[];
  /** It writes a space before every text that does not begin with a control token. */
  readonly addsSpace?: boolean;
  /** It makes this control token of its text in any case. */
  readonly always?: string;
  /** It takes white space before this token away. */
  readonly absorbs?: string;
}

/** It takes the longest token at every place; what it does not know is written in bytes. */
function tokenizerOf({ tokens: told = tokens, addsSpace = false, absorbs, always, ...given }: Habits = {}) {
  const texts = told.map(([text]) => text);
  const typeOf = (token: number): TokenType => told[token]?.[1] ?? 'normal';
  const longest = [...texts.keys()]
    .filter((token) => typeOf(token) !== 'byte')
    .sort((a, b) => (texts[b] ?? '').length - (texts[a] ?? '').length);
  const tokenize = (text: string, special: boolean): readonly number[] => {
    const found: number[] = [];
    const counts = (token: number) => special || typeOf(token) !== 'control' || texts[token] === always;
    const isMarked = longest.some(
      (each) => typeOf(each) === 'control' && counts(each) && text.startsWith(texts[each] ?? ''),
    );
    const whole = addsSpace && text !== '' && !isMarked ? ` ${text}` : text;
    for (let at = 0; at < whole.length; ) {
      const token = longest.find((each) => whole.startsWith(texts[each] ?? '', at) && counts(each));
      if (token !== undefined && texts[token] === absorbs && texts[found.at(-1) ?? -1] === ' ') found.pop();
      if (token !== undefined) found.push(token);
      else for (const byte of new TextEncoder().encode(whole.charAt(at))) found.push(byte);
      at += token === undefined ? 1 : (texts[token] ?? '').length;
    }
    return found;
  };
  const tokenizer: EngineTokenizer = {
    texts,
    typeOf,
    tokenize,
    spelling: 'verbatim',
    endsGeneration: (token) => texts[token] === '<|end|>',
    ...(absorbs === undefined ? {} : { absorbsSpace: (token) => texts[token] === absorbs }),
    ...given,
  };
  return tokenizer;
}

function vocabularyWith(habits: Habits = {}): Vocabulary {
  return new Vocabulary(tokenizerOf(habits));
}

const idOf = (text: string, among = tokens): number => among.findIndex(([each]) => each === text);
const textOf = (vocabulary: Vocabulary, found: readonly number[]): string =>
  new TextDecoder().decode(Uint8Array.from(found.flatMap((token) => [...vocabulary.bytesOf(token)])));

describe('a token', () => {
  const told: readonly Told[] = [
    ['<|b|>', 'control'],
    ['a'],
    ['a▁b'],
    ['<0x41>', 'byte'],
    ['<|c|>', 'control'],
    ['<|▁end|>', 'control'],
    ['<a▁b>', 'user-defined'],
    ['▁', 'user-defined'],
    ['\n\n', 'user-defined'],
  ];
  const ids = [...told.keys()];
  const made = () =>
    vocabularyWith({
      tokens: told,
      spelling: 'sentencepiece',
      endsGeneration: (token) => token === 1 || token === 5,
    });

  it('is special if it is a control token, or a marker of more than one character that is no white space', () => {
    const vocabulary = made();
    expect(ids.filter((token) => vocabulary.isSpecial(token))).toEqual([0, 4, 5, 6]);
    expect(ids.filter((token) => vocabulary.isControl(token))).toEqual([0, 4, 5]);
    expect([...vocabulary.specials]).toEqual(
      [0, 4, 5, 6].map((token) => [told[token]?.[0], { token, text: told[token]?.[0] }]),
    );
  });

  it('is silent if it is a control token or an end', () => {
    const vocabulary = made();
    expect(vocabulary.silent).toEqual([0, 1, 4, 5]);
    expect(vocabulary.ends).toEqual([1, 5]);
  });

  it('has the bytes of its text, in which signs for spaces count if it is ordinary, or is one byte', () => {
    const vocabulary = made();
    expect(ids.map((token) => textOf(vocabulary, [token]))).toEqual([
      '<|b|>',
      'a',
      'a b',
      'A',
      '<|c|>',
      '<|▁end|>',
      '<a▁b>',
      '▁',
      '\n\n',
    ]);
    expect(vocabulary.size).toBe(told.length);
    expect(vocabulary.fewestTokens(0)).toBe(0);
    // The longest has as many bytes as this text.
    const longest = new TextEncoder().encode('<|▁end|>').length;
    expect([1, longest, longest + 1].map((bytes) => vocabulary.fewestTokens(bytes))).toEqual([1, 1, 2]);
  });

  it('may be sampled unless it is an end', () => {
    const vocabulary = made();
    expect([...vocabulary.index.ids].sort((a, b) => a - b)).toEqual([0, 2, 3, 4, 6, 7, 8]);
    expect(vocabulary.index).toBe(vocabulary.index);
  });
});

describe('the sorted vocabulary', () => {
  it('is written to the store once, and read from there without being sorted', () => {
    const written: TokenIndex[] = [];
    const indexStore = { read: () => written[0] ?? null, write: (index: TokenIndex) => written.push(index) };
    const first = vocabularyWith({ indexStore });
    expect([first.index, first.index]).toEqual([written[0], written[0]]);
    const second = vocabularyWith({ indexStore });
    expect(second.index).toEqual(first.index);
    expect(written).toHaveLength(1);
    expect(tokens.map((_, token) => second.bytesOf(token))).toEqual(
      tokens.map((_, token) => first.bytesOf(token)),
    );
  });

  it('belongs to one vocabulary of each tokenizer', () => {
    const tokenizer = tokenizerOf();
    expect(vocabularyOf(tokenizer)).toBe(vocabularyOf(tokenizer));
    expect(vocabularyOf(tokenizer)).not.toBe(vocabularyOf(tokenizerOf()));
  });
});

/** Texts that meet all tokens, some of them special. */
const text = fc
  .array(fc.constantFrom('a', 'b', 'c', ' ', '\n', 'x', 'yz', 'é', '▁', '☕', '<|c|>', '<tool>', '<|', '>'), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));
const habits = fc.record({
  addsSpace: fc.boolean(),
  spelling: fc.constantFrom<'sentencepiece' | 'verbatim'>('sentencepiece', 'verbatim'),
});

describe('a text', () => {
  it('is spelled by its tokens, none of which is special', () => {
    fc.assert(
      fc.property(text, habits, (given, each) => {
        const vocabulary = vocabularyWith(each);
        const found = vocabulary.encodePlain(given);
        expect(textOf(vocabulary, found)).toBe(given);
        expect(found.filter((token) => vocabulary.isSpecial(token))).toEqual([]);
      }),
    );
  });

  it('is spelled by its tokens where special tokens count, of which each has its own', () => {
    fc.assert(
      fc.property(text, habits, (given, each) => {
        const vocabulary = vocabularyWith(each);
        const found = vocabulary.encode(given);
        const written = textOf(vocabulary, found);
        expect(each.addsSpace ? [given, ` ${given}`] : [given]).toContain(written);
        const controls = found.filter((token) => vocabulary.isControl(token));
        expect(controls).toHaveLength(given.split('<|c|>').length - 1);
      }),
    );
  });

  it.each([
    ['a space before every text', { addsSpace: true }],
    ['a space taken away before a special token', { absorbs: '<|c|>' }],
    ['no habits', {}],
  ])('has the tokens that its tokenizer makes of the whole: %s', (_, each) => {
    const tokenizer = tokenizerOf(each);
    const vocabulary = new Vocabulary(tokenizer);
    for (const given of ['ab c<|c|>x', 'x <|c|>x', ' <|c|> <|c|>', '<tool>a <|c|>'])
      expect([given, vocabulary.encode(given)]).toEqual([given, tokenizer.tokenize(given, true)]);
  });

  it('has no space added in the middle of others', () => {
    const vocabulary = vocabularyWith({ addsSpace: true });
    expect(vocabulary.encodePlain('xyz')).toEqual([idOf('xyz')]);
    expect(vocabulary.encode('xyz<|c|>xyz')).toEqual([' ', 'xyz', '<|c|>', 'xyz'].map((each) => idOf(each)));
  });

  it('is what the tokenizer makes of it where the character before it would become part of its first token', () => {
    const tokenizer = tokenizerOf({ tokens: [...tokens, ['\nab']], addsSpace: true });
    const vocabulary = new Vocabulary(tokenizer);
    for (const given of ['ab', 'abc'])
      expect(vocabulary.encodePlain(given)).toEqual(tokenizer.tokenize(given, false));
    expect(vocabulary.encodePlain('xyz')).toEqual([idOf('xyz')]);
  });

  it('has the signs for spaces in bytes only if the tokenizer would read them as spaces', () => {
    const sign = [...new TextEncoder().encode('▁')];
    const withSign: readonly Told[] = [...tokens, ['▁']];
    const plain = vocabularyWith({ tokens: withSign });
    const pieces = vocabularyWith({ tokens: withSign, spelling: 'sentencepiece' });
    expect(plain.encodePlain('x▁x')).toEqual([idOf('x'), idOf('▁', withSign), idOf('x')]);
    expect(pieces.encodePlain('x▁x')).toEqual([idOf('x'), ...sign, idOf('x')]);
    const someBytes = vocabularyWith({
      tokens: withSign.filter(([each]) => each !== '<0x96>'),
      spelling: 'sentencepiece',
    });
    expect(textOf(someBytes, someBytes.encodePlain('x▁x'))).toBe('x x');
    const withoutBytes = withSign.slice(byteTokens.length);
    const none = vocabularyWith({ tokens: withoutBytes, spelling: 'sentencepiece' });
    expect(none.encodePlain('x▁x')).toEqual(['x', '▁', 'x'].map((each) => idOf(each, withoutBytes)));
  });

  it('keeps the signs for spaces that belong to special tokens', () => {
    const told: readonly Told[] = [...tokens, ['<|▁s▁|>', 'user-defined'], ['▁']];
    const vocabulary = vocabularyWith({ tokens: told, spelling: 'sentencepiece' });
    const special = idOf('<|▁s▁|>', told);
    const sign = [...new TextEncoder().encode('▁')];
    expect(vocabulary.encode('x▁<|▁s▁|>x▁▁x<|▁s▁|>▁')).toEqual([
      idOf('x'),
      ...sign,
      special,
      idOf('x'),
      ...sign,
      ...sign,
      idOf('x'),
      special,
      ...sign,
    ]);
  });
});

describe('a prompt', () => {
  const pieces = [
    { text: '<|c|>ab', special: true },
    { text: '<|c|><tool>', special: false },
    { text: 'c<|c|>', special: true },
  ];

  it('has special tokens only from pieces in which they count', () => {
    const vocabulary = vocabularyWith();
    const found = vocabulary.encodePrompt(pieces);
    expect(textOf(vocabulary, found)).toBe(pieces.map((piece) => piece.text).join(''));
    expect(found.filter((token) => token === idOf('<|c|>'))).toHaveLength(2);
    expect(found).not.toContain(idOf('<tool>'));
    expect(found).not.toContain(idOf('abc'));
  });

  it('begins with the first token, once', () => {
    const firstToken = idOf('<|c|>');
    const vocabulary = vocabularyWith({ firstToken });
    const plain = vocabularyWith();
    expect(vocabulary.encodePrompt(pieces)).toEqual(plain.encodePrompt(pieces));
    const rest = pieces.slice(1);
    expect(vocabulary.encodePrompt(rest)).toEqual([firstToken, ...plain.encodePrompt(rest)]);
    expect(vocabulary.encodePrompt([{ text: '', special: true }, ...pieces])).toEqual(
      plain.encodePrompt(pieces),
    );
    expect(vocabulary.encodePrompt([])).toEqual([firstToken]);
    expect(vocabulary.encodePrompt([{ text: '<|c|>', special: true }])).toEqual([firstToken]);
  });

  it('has a space added at its beginning, and before no other piece', () => {
    const vocabulary = vocabularyWith({ addsSpace: true });
    const trusted = { text: 'xyz', special: true };
    const found = ['xyz', 'x', 'xyz'].map((each) => idOf(each));
    expect(vocabulary.encodePrompt([trusted, { text: 'x', special: false }, trusted])).toEqual([
      idOf(' '),
      ...found,
    ]);
  });

  it('has a character that is itself a special token in bytes', () => {
    const told: readonly Told[] = [...byteTokens, ['x'], ['☕', 'control']];
    const pieces = [{ text: '☕', special: false }];
    const bytes = [...new TextEncoder().encode('☕')];
    expect(vocabularyWith({ tokens: told, always: '☕' }).encodePrompt(pieces)).toEqual(bytes);
    const withoutBytes = told.slice(byteTokens.length);
    expect(vocabularyWith({ tokens: withoutBytes, always: '☕' }).encodePrompt(pieces)).toEqual([]);
    const trusted = [{ text: '☕', special: true }];
    expect(vocabularyWith({ tokens: told }).encodePrompt(trusted)).toEqual([idOf('☕', told)]);
  });
});
