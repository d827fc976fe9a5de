/**
 * Law: a mask has the tokens that the matcher allows one by one, whichever way it was found. The vocabulary is large
 * enough that masks are found by runs and by differences, too.
 */
import fc from 'fast-check';
import { describe, expect, it, test, vi } from 'vitest';
import { GrammarError } from '../../src/format/errors.ts';
import type { JsonSchema } from '../../src/format/messages.ts';
import { compileSchema, jsonSyntax, lenientJsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { checkGrammar } from '../../src/language/expression/check-grammar.ts';
import {
  characterClass,
  choice,
  type Grammar,
  literal,
  repeat,
  rule,
  sequence,
} from '../../src/language/expression/expression.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { finish } from '../../src/language/expression/steps.ts';
import { gbnfExpression } from '../../src/language/gbnf/gbnf-expression.ts';
import { readGbnf } from '../../src/language/gbnf/read-gbnf.ts';
import { wholePosition } from '../../src/language/matcher/byte-position.ts';
import { ByteAutomaton } from '../../src/language/matcher/masks/byte-automaton.ts';
import {
  addTokens,
  complementOf,
  countTokens,
  hashTokens,
  hasToken,
  isSameSet,
  listTokens,
} from '../../src/language/matcher/masks/token-bitmap.ts';
import { grammarMasks } from '../../src/language/matcher/masks/token-masks.ts';
import { tokenTrie } from '../../src/language/matcher/masks/token-trie.ts';
import { createMatcher, type Matcher } from '../../src/language/matcher/matcher.ts';
import { Program } from '../../src/language/matcher/program.ts';
import { Stacks } from '../../src/language/matcher/stacks.ts';
import { indexTokens } from '../../src/language/matcher/token-index.ts';
import { anyGrammar, textsNear } from '../support/random-grammar.ts';

const long = process.env.LAWS === 'long';
const encoder = new TextEncoder();

/**
 * Every byte, and words of few letters, so that many beginnings are shared; some are there twice. Others are of so few
 * characters that each comes after each, and some are long.
 */
const texts: readonly Uint8Array[] = makeTexts(4000);
const ids = texts.map((_, id) => id).filter((id) => id % 97 !== 5);
const index = indexTokens(joined(texts), ids);

function makeTexts(count: number): readonly Uint8Array[] {
  const piece = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789 ", ":{}[]\\/-.é€😀\n'.split(''));
  const word = fc.string({ unit: piece, minLength: 1, maxLength: 7 });
  const few = fc.string({ unit: fc.constantFrom(...'anzéé€12"\0'), minLength: 2, maxLength: 4 });
  const run = fc.string({ unit: fc.constantFrom('a', 'n'), minLength: 8, maxLength: 16, size: 'max' });
  const runs = fc.tuple(run, fc.constantFrom('', '1', '"', 'é')).map((parts) => parts.join(''));
  const whole = fc.oneof({ weight: 8, arbitrary: word }, { weight: 3, arbitrary: few }, runs);
  const halves = fc.uint8Array({ minLength: 1, maxLength: 3, min: 0x80 });
  const drawn = fc.sample(
    fc.oneof({ weight: 12, arbitrary: whole.map((text) => encoder.encode(text)) }, halves),
    { numRuns: count, seed: 42 },
  );
  const bytes = Array.from({ length: 0x100 }, (_, byte) => Uint8Array.of(byte));
  // The first token is one that many grammars allow.
  return [encoder.encode('an'), ...bytes, ...drawn];
}

function joined(tokens: readonly Uint8Array[]) {
  const starts = new Uint32Array(tokens.length + 1);
  for (const [id, { length }] of tokens.entries()) starts[id + 1] = (starts[id] ?? 0) + length;
  return { bytes: Buffer.concat(tokens), starts };
}

function schemaGrammar(schema: JsonSchema, syntax = lenientJsonSyntax): Grammar {
  const rules = new RuleSet();
  return rules.grammar(
    'root',
    compileSchema(schema, { rules, syntax, tool: '', policy: 'degrade' }).expression,
  );
}

function expectAsOneByOne(matcher: Matcher, text: string): void {
  const allowed = ids.filter((id) => matcher.allows(texts[id] ?? Uint8Array.of()));
  expect({ text, tokens: listTokens(matcher.mask(index), texts.length) }).toEqual({ text, tokens: allowed });
}

/** Compares at every position of `text`, also within its characters. */
function expectAlong(matcher: Matcher, text: string): void {
  expectAsOneByOne(matcher, '');
  const bytes = encoder.encode(text);
  for (const [at, byte] of bytes.entries()) {
    expect(matcher.accept(Uint8Array.of(byte))).toBe(true);
    expectAsOneByOne(matcher, Buffer.from(bytes.subarray(0, at + 1)).toString());
  }
}

const key = { type: 'string' } as const;
const places: readonly (readonly [name: string, schema: JsonSchema, text: string])[] = [
  ['a string', { type: 'string' }, '"ab\\u00e9 é€"'],
  ['a string of at most 3', { type: 'string', maxLength: 3 }, '"a😀b"'],
  ['a string of at most 40', { type: 'string', minLength: 2, maxLength: 40 }, '"a\\"bcdefg"'],
  ['a pattern', { type: 'string', pattern: '^[a-z]{2,10}-[0-9]{4}$' }, '"abc-1234"'],
  ['a pattern in a string', { type: 'string', pattern: 'ab[0-9]' }, '"xab1y"'],
  ['letters beyond ASCII', { type: 'string', pattern: '^[à-ÿ€]+$' }, '"éé€"'],
  ['the first token', { enum: ['an', 'nn'] }, '"an"'],
  ['an enum', { enum: ['abc', 'abd', 'b', 'bcd', 12, null] }, '"abd"'],
  ['all but some texts', { type: 'string', not: { enum: ['abc', 'ad'] } }, '"abd"'],
  [
    'one of two strings',
    {
      anyOf: [
        { type: 'string', pattern: '^a' },
        { type: 'string', maxLength: 4 },
      ],
    },
    '"abcde"',
  ],
  ['a number', { type: 'number', minimum: -1, maximum: 250 }, '12.5'],
  [
    'known and other keys',
    { properties: { ab: key, abc: key, b: { type: 'integer' } } },
    '{"ab":"c","z":[1]}',
  ],
  [
    'a list of objects',
    { type: 'array', items: { type: 'object', properties: { a: key }, additionalProperties: false } },
    '[ {"a": "b"}, {} ]',
  ],
  ['a date', { type: 'string', format: 'date' }, '"2024-02-29"'],
  ['a mail address', { type: 'string', format: 'email' }, '"ab@cd.ef"'],
  ['anything', {}, '{"a":[true,{"b":-1e5}]}'],
];

describe.each(places)('%s', (_, schema, text) => {
  it('along a text', () => {
    expectAlong(createMatcher(schemaGrammar(schema)), text);
  });

  it('when asked in another order', () => {
    // Other states are known by then, and other masks to differ from.
    const grammar = createMatcher(schemaGrammar(schema, jsonSyntax));
    const bytes = encoder.encode(text);
    const length = grammar.allowedLength(bytes);
    for (let end = length; end >= 0; end -= 1) {
      const matcher = grammar.clone();
      matcher.accept(bytes.subarray(0, end));
      expectAsOneByOne(matcher, Buffer.from(bytes.subarray(0, end)).toString());
    }
  });
});

describe('characters that lead to one state', () => {
  it('may lead to several later', () => {
    expectAlong(createMatcher(schemaGrammar({ type: 'string', pattern: '^[a-z]{2}[a-m]{3}$' })), '"zyabc"');
  });

  it('may lead to several where the same characters come next', () => {
    const early = characterClass([0x61, 0x6d]);
    const any = characterClass([0x61, 0x7a]);
    const [a, b] = [rule('early'), rule('any')];
    const end = choice(sequence(a, literal('1')), sequence(b, literal('2')));
    const rules = new Map([
      ['early', early],
      ['any', any],
      ['root', sequence(choice(a, b), end)],
    ]);
    expectAlong(createMatcher({ root: 'root', rules }), 'zb1');
  });

  it('may lead to several where only those above ASCII are in another class', () => {
    const source =
      'root ::= (plain | accented) (plain "1" | accented "2")\nplain ::= [a-z]\naccented ::= [à-ÿ]';
    expectAlong(createMatcher(gbnfExpression(readGbnf(source))), 'éé2');
  });
});

test('classes that differ only above ASCII have masks of their own', () => {
  for (const class_ of ['a-zé', 'a-z€', 'a-z', 'a-zà-ÿ']) {
    expectAlong(createMatcher(gbnfExpression(readGbnf(`root ::= [${class_}]+ "."`))), 'ab');
  }
});

/** Grammars of classes that overlap, each in one place, so that the same characters lead on to different ends. */
const overlappingClasses = (() => {
  const part = fc.constantFrom('a-z', 'a-m', '\\x00-m', 'b-z0-9', 'à-ÿ', '€', ' -!#-~', 'à-ÿ€');
  const classes = fc.array(
    fc.uniqueArray(part, { minLength: 1, maxLength: 2 }).map((parts) => `[${parts.join('')}]`),
    { minLength: 3, maxLength: 3 },
  );
  const item = fc
    .tuple(
      fc.constantFrom('r0', 'r1', 'r2', '(r0 | r1)', '(r1 | r2)'),
      fc.constantFrom('', '', '{2}', '{0,9}', '{1,3}', '*'),
    )
    .map((each) => each.join(''));
  const branch = fc
    .tuple(item, item, fc.constantFrom('"1"', '"2"', '"a"', '"é"'))
    .map((each) => each.join(' '));
  const branches = fc.array(branch, { minLength: 1, maxLength: 3 }).map((each) => each.join(' | '));
  return fc.tuple(classes, item, branches).map(([rules, first, ends]) => {
    return [`root ::= ${first} (${ends})`, ...rules.map((each, index) => `r${index} ::= ${each}`)].join('\n');
  });
})();

test('masks of classes that overlap have the tokens that the matcher allows', () => {
  fc.assert(
    fc.property(overlappingClasses, fc.constantFrom('', 'a', 'bé', 'é'), (source, text) => {
      const matcher = createMatcher(gbnfExpression(readGbnf(source)));
      matcher.accept(text.slice(0, matcher.allowedLength(text)));
      expectAsOneByOne(matcher, text);
    }),
    { numRuns: long ? 5000 : 60 },
  );
});

test('masks of random grammars have the tokens that the matcher allows', () => {
  fc.assert(
    fc.property(anyGrammar, fc.nat(1_000_000), (grammar, seed) => {
      fc.pre(!checkGrammar(grammar, { ambiguity: false }).some(({ severity }) => severity === 'unbuildable'));
      const matcher = createMatcher(grammar, { maxStacks: 50 });
      const [text = ''] = textsNear(grammar, seed, 1);
      try {
        matcher.accept(text.slice(0, Math.floor(matcher.allowedLength(text) / 2)));
        expectAsOneByOne(matcher, text);
      } catch (error) {
        if (!(error instanceof GrammarError)) throw error;
      }
    }),
    { numRuns: long ? 2000 : 60 },
  );
});

describe('states that loop on many characters, and lead on with most tokens', () => {
  it.each([
    [
      'to each other',
      'root ::= even\neven ::= [^a-z] even | [a-z] odd | "."\nodd ::= [^a-z] odd | [a-z] even',
    ],
    ['to the next, many times', 'root ::= ([^a-z]* [a-z]){3000} "."'],
  ])('%s, have the masks that the matcher has', (_, source) => {
    const matcher = createMatcher(gbnfExpression(readGbnf(source)));
    for (const text of ['1', 'a', 'b2', 'cde']) {
      expect(matcher.accept(text)).toBe(true);
      expectAsOneByOne(matcher, text);
    }
  });
});

describe('what is remembered of a grammar', () => {
  const masksOf = (texts: readonly string[]) => {
    const rules = new Map([['root', repeat(characterClass([0x30, 0x39]), 0, 25_000)]]);
    const stacks = new Stacks(new Program(rules), 10);
    const tokens = texts.map((text) => encoder.encode(text));
    const index = indexTokens(joined(tokens), tokens.keys());
    return { stacks, masks: grammarMasks(stacks)(index) };
  };

  it('are 1,000 masks, of which the oldest makes room', () => {
    const { stacks, masks } = masksOf(['1', 'a']);
    let position = stacks.start('root');
    const asked = Array.from({ length: 1001 }, () => {
      const at = wholePosition(position);
      position = stacks.advance(position, 0x31) ?? position;
      return { at, ask: () => masks.at(at) };
    });
    const first = asked.slice(0, 1000).map(({ ask }) => ask());
    expect(asked.slice(0, 1000).every(({ ask }, index) => ask() === first[index])).toBe(true);
    expect(listTokens(asked[1000]?.ask() ?? new Uint32Array(), 2)).toEqual([0]);
    expect(asked[999]?.ask()).toBe(first[999]);
    expect(asked[0]?.ask()).not.toBe(first[0]);
  });

  it.each([
    ['are 20,000 states', 19_999, true],
    ['are no more states', 20_000, false],
  ])('%s', (_, length, isKept) => {
    // Each digit of the token leads to a state, and the mask before it has one.
    const { stacks, masks } = masksOf(['1'.repeat(length), 'a']);
    const start = wholePosition(stacks.start('root'));
    const mask = masks.at(start);
    expect(listTokens(mask, 2)).toEqual([0]);
    expect(masks.at(start) === mask).toBe(isKept);
    expect(masks.at(start)).toEqual(mask);
  });
});

describe('a mask in steps', () => {
  const words = [...new Set(texts.map((text) => Buffer.from(text).toString()))].filter((text) =>
    /^[a-z0-9 ]{2,}$/.test(text),
  );
  const grammars: readonly (readonly [string, () => Grammar, readonly string[]])[] = [
    ['of many words', () => schemaGrammar({ enum: words }), ['', '"', '"a', '"b']],
    ['of all but many words', () => schemaGrammar({ type: 'string', not: { enum: words } }), ['', '"', '"a']],
    [
      'of a string that is counted',
      () => schemaGrammar({ type: 'string', pattern: '^([a-m]+[0-9 ]?[n-z]){2,30}$' }),
      ['"', '"a', '"an'],
    ],
  ];

  it.each(grammars)('%s, is the mask at once, whatever is found in between', (_, make, beginnings) => {
    const grammar = make();
    const drawn = fc.array(fc.nat(beginnings.length - 1), { minLength: 5, maxLength: 40, size: 'max' });
    fc.assert(
      fc.property(drawn, (turns) => {
        const matchers = matchersAt(grammar, beginnings);
        const works = matchers.map((matcher) => matcher.maskSteps(index));
        for (const turn of turns) works[turn]?.next();
        const masks = works.map(finish);
        const plain = matchersAt(grammar, beginnings).map((matcher) => matcher.mask(index));
        // What was finished by a turn has no result any more; it is known by now.
        expect(masks.map((mask, at) => mask ?? matchers[at]?.mask(index))).toEqual(plain);
      }),
      { numRuns: long ? 100 : 5 },
    );
  });

  it('of many words, advances the grammar over some thousand characters a step at most', () => {
    const [matcher] = matchersAt(schemaGrammar({ enum: words }), ['"']);
    const advance = vi.spyOn(Stacks.prototype, 'advance');
    const counts: number[] = [];
    const steps = matcher?.maskSteps(index);
    for (let isDone = false; !isDone; ) {
      const before = advance.mock.calls.length;
      isDone = steps?.next().done ?? true;
      counts.push(advance.mock.calls.length - before);
    }
    advance.mockRestore();
    expect(counts.length).toBeGreaterThan(2);
    expect(Math.max(...counts)).toBeLessThan(2500);
  });
});

/** Matchers of one grammar, after each of these texts. */
function matchersAt(grammar: Grammar, beginnings: readonly string[]): readonly Matcher[] {
  const start = createMatcher(grammar);
  return beginnings.map((text) => {
    const matcher = start.clone();
    expect(matcher.accept(text)).toBe(true);
    return matcher;
  });
}

describe('less than a third of the beginnings of tokens is looked at', () => {
  it.each<readonly [string, string, string]>([
    ['within a string', 'root ::= "\\"" [^\\x00-\\x1f\\"]* "\\""', '"a'],
    ['within a string of bounded length', 'root ::= "\\"" [^\\x00-\\x1f\\"]{0,99} "\\""', '"a'],
    ['at the beginning of a string that is not empty', 'root ::= [ -~é€]+ "\\n"', ''],
    ['within a text of letters or digits', 'root ::= ([a-z] | [0-9é€] | [ -/:-@]){2,40} "\\n"', 'a'],
  ])('%s', (_, source, text) => {
    const matcher = createMatcher(gbnfExpression(readGbnf(source)));
    matcher.accept(text);
    const next = vi.spyOn(ByteAutomaton.prototype, 'next');
    const mask = matcher.mask(index);
    const calls = next.mock.calls.length;
    next.mockRestore();
    expect(countTokens(mask)).toBeGreaterThan(1000);
    expect(calls).toBeLessThan(tokenTrie(index).size / 3);
  });
});

test('a trie has each token at the end of its bytes', () => {
  const trie = tokenTrie(index);
  const found = new Set<number>();
  const bytesTo = (node: number): number[] =>
    node < 0 ? [] : [...bytesTo(trie.parents[node] ?? -1), (trie.labels[node] ?? 0) & 0xff];
  for (let node = 0; node < trie.size; node += 1) {
    const entry = trie.tokens[node] ?? -1;
    const tokens = entry >= 0 ? [entry] : (trie.equals[-2 - entry] ?? []);
    for (const token of tokens) {
      expect(bytesTo(node)).toEqual([...(texts[token] ?? [])]);
      found.add(token);
    }
  }
  expect([...found].sort((a, b) => a - b)).toEqual(ids);
});

test('a bitmap is a set of tokens', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(199), { maxLength: 200 }),
      fc.integer({ min: 200, max: 260 }),
      (tokens, size) => {
        const bitmap = new Uint32Array(7);
        addTokens(bitmap, tokens);
        const sorted = tokens.toSorted((a, b) => a - b);
        expect(countTokens(bitmap)).toBe(tokens.length);
        expect(listTokens(bitmap, tokens.length)).toEqual(sorted);
        if (tokens.length > 0) expect(listTokens(bitmap, tokens.length - 1)).toBeNull();
        expect(
          Array.from({ length: 224 }, (_, token) => token).filter((token) => hasToken(bitmap, token)),
        ).toEqual(sorted);
        const others = listTokens(complementOf(bitmap, size), size);
        const has = new Set(tokens);
        expect(others).toEqual(
          Array.from({ length: size }, (_, token) => token).filter((token) => !has.has(token)),
        );
        const copy = bitmap.slice();
        expect([isSameSet(bitmap, copy), hashTokens(copy)]).toEqual([true, hashTokens(bitmap)]);
        addTokens(copy, [223]);
        expect([isSameSet(bitmap, copy), hashTokens(copy) === hashTokens(bitmap)]).toEqual([false, false]);
      },
    ),
  );
});
