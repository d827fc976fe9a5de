/** Laws of `idiolect/masks`: a mask has the tokens that are accepted, whatever the grammar, and ends where it may. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GrammarError, SchemaError, UnsupportedOptionError } from '../../src/format/errors.ts';
import { checkGrammar } from '../../src/language/expression/check-grammar.ts';
import type { Grammar } from '../../src/language/expression/expression.ts';
import { hasToken } from '../../src/language/matcher/masks/token-bitmap.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { createMaskVocabulary, createTokenMatcher, schemaGrammar } from '../../src/masks/index.ts';
import { anySchema } from '../json-schema/schema-tools.ts';
import { anyGrammar, textsNear } from '../support/random-grammar.ts';

const letters = Array.from('abcdexyz019 "{}[]:,.-\\\n/é€');
const texts = [
  ...letters,
  ...letters.flatMap((first) => letters.slice(0, 12).map((second) => first + second)),
  ...['true', 'null', '": "', '{"', '"}', 'city', 'Bern', 'Oslo', '<|end|>', '<|call|>'],
];
const end = texts.indexOf('<|end|>');
const vocabulary = createMaskVocabulary({
  // Beginnings of characters are tokens, too; the last one stands for no text.
  tokens: [...texts, Uint8Array.of(0xe2), Uint8Array.of(0x82, 0xac), null],
  ends: [end],
});
const ids = Array.from({ length: vocabulary.size }, (_, id) => id);

function expectMaskOf(matcher: ReturnType<typeof createTokenMatcher>): void {
  const mask = matcher.mask();
  expect(mask.length).toBe(vocabulary.words);
  const allowed = ids.filter((id) => matcher.allows(id));
  expect(ids.filter((id) => matcher.clone().accept(id))).toEqual(allowed);
  expect(allowed.includes(end)).toBe(matcher.complete);
}

test('the tokens of a mask are those that are accepted', () => {
  fc.assert(
    fc.property(anyGrammar, fc.nat(1_000_000), (expression, seed) => {
      fc.pre(
        !checkGrammar(expression, { ambiguity: false }).some(({ severity }) => severity === 'unbuildable'),
      );
      const matcher = createTokenMatcher(vocabulary, { expression });
      const [text = ''] = textsNear(expression, seed, 1);
      try {
        expectMaskOf(matcher);
        for (const character of text) {
          if (!matcher.acceptText(character)) break;
          expectMaskOf(matcher);
        }
      } catch (error) {
        // Some drawn grammars have more ways than any matcher follows, and say so.
        if (!(error instanceof GrammarError) || !/too ambiguous/.test(error.message)) throw error;
      }
    }),
    { numRuns: process.env.LAWS === 'long' ? 2000 : 40 },
  );
});

test('every grammar of a schema is buildable, for which its matcher does not look', () => {
  const layouts = fc.constantFrom<'any' | 'compact'>('any', 'compact');
  const law = fc.property(anySchema, layouts, (schema, layout) => {
    let expression: Grammar;
    try {
      ({ expression } = schemaGrammar(schema, { layout, policy: 'degrade' }));
    } catch (error) {
      if (error instanceof SchemaError) return;
      throw error;
    }
    // A copy, of which nothing is known yet.
    const findings = checkGrammar({ ...expression }, { ambiguity: false });
    expect(findings.filter(({ severity }) => severity === 'unbuildable')).toEqual([]);
  });
  fc.assert(law, { numRuns: process.env.LAWS === 'long' ? 3000 : 60 });
});

describe('a schema', () => {
  const { expression, report } = schemaGrammar({
    type: 'object',
    properties: { city: { enum: ['Bern', 'Oslo'] } },
    required: ['city'],
    additionalProperties: false,
  });

  test('leads from token to token to a value, and then to the end', () => {
    expect(report).toEqual([]);
    const start = createTokenMatcher(vocabulary, { expression });
    const written: string[] = [];
    const matcher = start.clone();
    for (const text of ['{"', 'city', '": "', 'Bern', '"}', '<|end|>']) {
      const id = texts.indexOf(text);
      expect([text, matcher.allows(id), matcher.accept(id)]).toEqual([text, true, true]);
      written.push(text);
    }
    expect(matcher.complete).toBe(true);
    expect(start.allows(texts.indexOf('{"'))).toBe(true);
    expect(start.accept(texts.indexOf('city'))).toBe(false);
  });

  test('says what must come', () => {
    const matcher = createTokenMatcher(vocabulary, schemaGrammar({ const: 'Bern' }, { layout: 'compact' }));
    expect(matcher.forced()).toBe('"Bern"');
    expect(matcher.acceptText('"Be')).toBe(true);
    expect(matcher.forced()).toBe('rn"');
  });
});

test('whatever is sampled, no token that begins in forced text reaches beyond what is certain', () => {
  let forcedTexts = 0;
  const law = fc.property(anyGrammar, fc.array(fc.nat(10_000), { maxLength: 12 }), (expression, choices) => {
    const isBuildable = checkGrammar(expression, { ambiguity: false }).every(
      ({ severity }) => severity !== 'unbuildable',
    );
    fc.pre(isBuildable);
    const matcher = createTokenMatcher(vocabulary, { expression });
    try {
      const encoder = new TextEncoder();
      const forced = encoder.encode(matcher.forced());
      const certain = [...encoder.encode(createMatcher(expression).forced())];
      expect([...forced]).toEqual(certain.slice(0, forced.length));
      if (forced.length > 0) forcedTexts += 1;
      const written: number[] = [];
      for (const choice of choices) {
        if (written.length >= forced.length) break;
        const mask = matcher.mask();
        const allowed = ids.filter((id) => id !== end && hasToken(mask, id));
        const token = allowed[choice % allowed.length];
        if (token === undefined) break;
        matcher.accept(token);
        written.push(...vocabulary.bytesOf(token));
      }
      expect(written).toEqual(certain.slice(0, written.length));
    } catch (error) {
      if (!(error instanceof GrammarError) || !/too ambiguous/.test(error.message)) throw error;
    }
  });
  fc.assert(law, { numRuns: process.env.LAWS === 'long' ? 5000 : 200 });
  expect(forcedTexts).toBeGreaterThan(10);
});

test('what two tokens begin with is not forced', () => {
  const grammar = 'root ::= "<think>" [a-z]* "</think>" | "<tool_call>" "{"';
  const starts = (tokens: readonly string[]) =>
    createTokenMatcher(createMaskVocabulary({ tokens }), grammar).forced();
  const letters = [...'<>/{abcdefghijklmnopqrstuvwxyz_'];
  expect(starts(letters)).toBe('<t');
  expect(starts([...letters, '<think>', '<tool_call>'])).toBe('');
  expect(starts([...letters, 'thi'])).toBe('<');
});

test('what is no id is neither allowed nor accepted', () => {
  const matcher = createTokenMatcher(createMaskVocabulary({ tokens: ['a', 'a'] }), 'root ::= "a"+');
  for (const id of [Number.NaN, 0.5, -1, 2, 32, 2 ** 32, -(2 ** 32), Number.POSITIVE_INFINITY])
    expect([id, matcher.allows(id), matcher.accept(id)]).toEqual([id, false, false]);
});

test('a token terminal of GBNF stands for the text of its token', () => {
  const id = texts.indexOf('<|call|>');
  for (const terminal of [`<[${id}]>`, '<|call|>']) {
    const matcher = createTokenMatcher(vocabulary, `root ::= ${terminal} "x"`);
    expect([matcher.accept(id), matcher.forced()]).toEqual([true, 'x']);
  }
});

test.each([
  ['byte-level', ['Ġa', 'Ċ', 'Ã', '<|x|>'], [' a', '\n', null, '<|x|>']],
  ['sentencepiece', ['▁a', '<0x0A>', '<0xC3>', '<|x|>'], [' a', '\n', null, '<|x|>']],
  ['verbatim', [' a', '\n', 'Ġ', '▁'], [' a', '\n', 'Ġ', '▁']],
] as const)('texts spelled %s are read as meant', (spelling, tokens, meant) => {
  const { bytesOf } = createMaskVocabulary({ tokens, spelling });
  const decoder = new TextDecoder();
  const read = tokens.map((_, id) => (meant[id] === null ? null : decoder.decode(bytesOf(id))));
  expect(read).toEqual(meant);
  expect(bytesOf(2).length).toBe(new TextEncoder().encode(meant[2] ?? 'x').length);
});

describe('a vocabulary in another spelling than it is said to be', () => {
  const words = Array.from({ length: 300 }, (_, index) => `${index % 3 === 0 ? ' ' : ''}w${index}`);
  const written = {
    'byte-level': words.map((word) => word.replace(' ', 'Ġ')),
    sentencepiece: words.map((word) => word.replace(' ', '▁')),
    verbatim: words,
  };
  const spellings = ['byte-level', 'sentencepiece', 'verbatim'] as const;
  const pairs = spellings.flatMap((own) => spellings.map((said) => [own, said] as const));

  test.each(pairs)('%s, said to be %s', (own, said) => {
    const create = () => createMaskVocabulary({ tokens: written[own], spelling: said });
    if (own === said) expect(create().size).toBe(300);
    else expect(create).toThrow(`spelling: is "${said}", and 100 of 300 texts are not, such as`);
  });

  test.each(['sentencepiece', 'verbatim'] as const)('is told by its space alone: %s', (spelling) => {
    const letters = Array.from({ length: 300 }, (_, index) => String.fromCodePoint(0x4e00 + index));
    const tokens = [...letters, 'Ġ'];
    expect(() => createMaskVocabulary({ tokens, spelling })).toThrow('and a token is "Ġ" where');
    expect(createMaskVocabulary({ tokens, spelling: 'byte-level' }).size).toBe(301);
    const both = [...tokens, spelling === 'verbatim' ? ' ' : '▁'];
    expect(createMaskVocabulary({ tokens: both, spelling }).size).toBe(302);
  });

  test('may hold a few added tokens that are spelled as they are, and bytes as they are', () => {
    const added = ['  ', '   ', '<|a b|>'];
    for (const spelling of spellings) {
      const tokens = [...written[spelling], ...added, new TextEncoder().encode(' é')];
      const { bytesOf } = createMaskVocabulary({ tokens, spelling });
      const read = tokens.map((_, id) => new TextDecoder().decode(bytesOf(id)));
      expect(read).toEqual([...words, ...added, ' é']);
    }
  });

  test('decoded token by token, it has lost what is no whole character', () => {
    const tokens = Array.from({ length: 256 }, (_, byte) => new TextDecoder().decode(Uint8Array.of(byte)));
    expect(() => createMaskVocabulary({ tokens })).toThrow('tokens: holds 128 texts with U+FFFD');
    const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
    expect(createMaskVocabulary({ tokens: bytes }).bytesOf(200)).toEqual(Uint8Array.of(200));
  });
});

test.each([
  {},
  { spelling: 'verbatim' },
  { tokens: 'abc' },
  { tokens: [1] },
  { tokens: ['a'], spelling: 'bytes' },
  { tokens: ['a'], ends: [-1] },
  { tokens: ['a'], ends: [1] },
])('options that are none are refused: %j', (options) => {
  expect(() => createMaskVocabulary(options as never)).toThrow(UnsupportedOptionError);
});

test('what is no vocabulary or no grammar is refused by name, and so is a text that is none', () => {
  const vocabulary = createMaskVocabulary({ tokens: ['a', 'b'] });
  const matcher = createTokenMatcher(vocabulary, 'root ::= "ab"');
  expect(() => matcher.acceptText(5 as never)).toThrow('text must be a string or a Uint8Array, got 5');
  for (const none of [undefined, null, {}, [], 5]) {
    expect(() => createTokenMatcher(none as never, 'root ::= "ab"')).toThrow('vocabulary must be');
    expect(() => createTokenMatcher(vocabulary, none as never)).toThrow('grammar must be');
  }
  // As of a request that enforces nothing.
  expect(() => createTokenMatcher(vocabulary, { expression: null } as never)).toThrow(UnsupportedOptionError);
});
