/** One expression, all that is made of it, side by side; and every judge asked about the same texts. */
import { describe, expect, test } from 'vitest';
import { oneOf } from '../../src/language/expression/alternatives.ts';
import { checkGrammar } from '../../src/language/expression/check-grammar.ts';
import {
  anyCharacter,
  characterClass,
  choice,
  type Expression,
  exceptCharacters,
  type Grammar,
  literal,
  optional,
  repeat,
  rule,
  sequence,
  until,
  untilOrEnd,
  without,
} from '../../src/language/expression/expression.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { printOhm } from '../../src/language/ohm/print-ohm.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';
import { ohmMatcher } from '../support/ohm.ts';

interface Row {
  readonly name: string;
  readonly expression: Expression;
  readonly rules?: Record<string, Expression>;
  /** The rules, without the alignment. */
  readonly gbnf: readonly string[];
  /** Body of the first rule, or all rules. */
  readonly ohm: string;
  readonly accepts: readonly string[];
  readonly rejects: readonly string[];
}

const digit = characterClass([0x30, 0x39]);
const lower = characterClass([0x61, 0x7a]);

const rows: readonly Row[] = [
  {
    name: 'a literal with everything that needs an escape',
    expression: literal('a"b\\c\n\r\t\u0007\u0301é😀'),
    gbnf: ['root ::= "a\\"b\\\\c\\n\\r\\t\\x07\\u0301é😀"'],
    ohm: 'root = "a\\"b\\\\c\\n\\r\\t\\u{7}\\u{301}é😀"',
    accepts: ['a"b\\c\n\r\t\u0007\u0301é😀'],
    rejects: ['', 'a'],
  },
  {
    name: 'the empty text',
    expression: literal(''),
    gbnf: ['root ::= ""'],
    ohm: 'root = ""',
    accepts: [''],
    rejects: ['a', '"'],
  },
  {
    name: 'a class with characters that mean something in a class',
    expression: characterClass([0x2d, 0x2d], [0x5b, 0x5e], [0x61, 0x63], [0x1f600, 0x1f64f]),
    gbnf: ['root ::= [\\-\\[-\\u005Ea-c😀-🙏]'],
    ohm: 'root = "-" | "["..."^" | "a".."c" | "😀".."🙏"'.replace('...', '..'),
    accepts: ['-', '[', '\\', ']', '^', 'b', '😃'],
    rejects: ['', '_', 'd', 'aa'],
  },
  {
    name: 'a class with fewer exceptions than members',
    expression: exceptCharacters([0x22, 0x22], [0x5c, 0x5c], [0, 0x1f]),
    gbnf: ['root ::= [^\\x00-\\x1F"\\\\]'],
    ohm: 'root = ~("\\u{1}".."\\u{1f}" | "\\"" | "\\\\") any',
    accepts: ['a', ' ', '€', '😀', '\u007f'],
    rejects: ['"', '\\', '\n', '', 'ab'],
  },
  {
    name: 'exceptions beyond ASCII are written out, for the sake of single bytes',
    expression: exceptCharacters([0x20ac, 0x20ac]),
    gbnf: [
      'root ::= [\\x01-\\u20AB\\u20AD-\\uD7FF\\uE000-\\U0010FFFF]'
        .replace('\\u20AB', '₫')
        .replace('\\u20AD', '₭'),
    ],
    ohm: 'root = ~"€" any',
    accepts: ['₭', 'a', '😀'],
    rejects: ['€', ''],
  },
  {
    name: 'any character',
    expression: anyCharacter,
    gbnf: ['root ::= [^\\x00]'],
    ohm: 'root = any',
    accepts: ['a', '\n', '😀'],
    rejects: ['', 'ab'],
  },
  {
    name: 'signs of repetition',
    expression: sequence(
      optional(literal('a')),
      repeat(literal('bc')),
      repeat(choice(literal('d'), literal('e')), 1),
    ),
    gbnf: ['root ::= "a"? "bc"* ("d" | "e")+'],
    ohm: 'root = "a"? "bc"* ("d" | "e")+',
    accepts: ['d', 'abcbcdede', 'bce'],
    rejects: ['', 'a', 'abd', 'aad'],
  },
  {
    name: 'counts',
    expression: sequence(repeat(digit, 2, 2), repeat(lower, 1, 3), repeat(literal('.'), 2)),
    gbnf: ['root ::= [0-9]{2} [a-z]{1,3} "."{2,}'],
    ohm: 'root = digit digit "a".."z" "a".."z"? "a".."z"? "." "." "."*',
    accepts: ['12a..', '12abc...'],
    rejects: ['1a..', '12..', '12abcd..', '12a.'],
  },
  ...[4, 5, 7, 8, 20, 24, 63, 64, 100].map(
    (bound): Row => ({
      name: `up to ${bound}`,
      expression: sequence(repeat(digit, 6, 6 + bound), literal('.')),
      gbnf: [`root ::= [0-9]{6,${6 + bound}} "."`],
      ohm: `root = times4<digit> times2<digit> upTo${bound}<digit> "."`,
      accepts: [6, 7, 5 + bound, 6 + bound].map((count) => `${'1'.repeat(count)}.`),
      rejects: [5, 7 + bound].map((count) => `${'1'.repeat(count)}.`),
    }),
  ),
  {
    name: 'alternatives of several values become cases',
    expression: choice(sequence(literal('a'), rule('b-c')), literal('d')),
    rules: { 'b-c': choice(sequence(literal('b'), digit), literal('c')) },
    gbnf: ['root ::= "a" b-c | "d"', 'b-c ::= "b" [0-9] | "c"'],
    ohm: 'root = "a" bC -- bC | "d" bC = "b" digit -- b | "c"',
    accepts: ['ab1', 'ac', 'd'],
    rejects: ['a', 'ad', 'c'],
  },
  {
    name: 'names as a trie',
    expression: sequence(oneOf(['get', 'getAll', 'set']), literal('!')),
    gbnf: ['root ::= ("get" "All"? | "set") "!"'],
    ohm: 'root = (rootGet | "set") "!" rootGet = "get" "All"?',
    accepts: ['get!', 'getAll!', 'set!'],
    rejects: ['getA!', 'ge!', '!'],
  },
  {
    name: 'text up to a delimiter that overlaps itself',
    expression: until({ delimiter: 'aab', next: literal('.') }),
    gbnf: [
      'root ::= root-text-1',
      '# text up to "aab"',
      'root-text-1 ::= [^a] root-text-1 | "a" root-text-1-1',
      'root-text-1-1 ::= [^a] root-text-1 | "a" root-text-1-2',
      'root-text-1-2 ::= [^ab] root-text-1 | "a" root-text-1-2 | "b."',
    ],
    ohm: 'root = (~"aab" any)* "aab" "."',
    accepts: ['aab.', 'aaaab.', 'xaxaab.'],
    rejects: ['ab.', 'aab', 'aab.aab.', 'aabx'],
  },
  {
    name: 'two delimiters, one of them forbidden, and the text may end',
    expression: untilOrEnd({ delimiter: '<a', next: literal('!') }, { delimiter: '<b', next: null }),
    gbnf: [
      'root ::= root-text-1',
      '# text up to "<a" or the end, without "<b"',
      'root-text-1 ::= [^<] root-text-1 | "<" root-text-1-1 | ""',
      'root-text-1-1 ::= [^<ab] root-text-1 | "<" root-text-1-1 | "a!" | ""',
    ],
    ohm: 'root = (~("<a" | "<b") any)* ("<a" "!")?',
    accepts: ['', 'x<', '<c', 'x<<a!'],
    rejects: ['x<a', '<b', '<a!x', '<<b'],
  },
  {
    name: 'text without a marker',
    expression: without('é'),
    gbnf: [
      'root ::= root-text-1',
      '# any text, without "é"',
      'root-text-1 ::= [\\x01-èê-\\uD7FF\\uE000-\\U0010FFFF] root-text-1 | ""',
    ],
    ohm: 'root = (~"é" any)*',
    accepts: ['', 'e', 'ê\n'],
    rejects: ['é', 'xé'],
  },
  {
    name: 'a rule called root that is not the start, and names that Ohm has already',
    expression: literal(''),
    rules: {
      start: sequence(rule('root'), rule('end'), rule('digit')),
      root: literal('r'),
      end: literal('e'),
      digit,
    },
    gbnf: ['root ::= root-1 end digit', 'root-1 ::= "r"', 'end ::= "e"', 'digit ::= [0-9]'],
    ohm: 'start = root endRule digitRule root = "r" endRule = "e" digitRule = digit',
    accepts: ['re1'],
    rejects: ['e1', 're'],
  },
];

function grammarOf({ expression, rules = {} }: Row): Grammar {
  return 'start' in rules
    ? { root: 'start', rules: new Map(Object.entries(rules)) }
    : { root: 'root', rules: new Map([['root', expression], ...Object.entries(rules)]) };
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

const engine = await loadEngineMatchers();

describe.each(rows)('$name', (row) => {
  const grammar = grammarOf(row);

  test('is printed as GBNF and as Ohm', () => {
    expect(printGbnf(grammar).trimEnd().split('\n').map(squeezed)).toEqual(row.gbnf);
    const [, rules = ''] = /^Tested \{(.*)\}\s*$/s.exec(printOhm(grammar, 'Tested')) ?? [];
    // Rules that every count needs come last.
    expect(squeezed(rules).startsWith(squeezed(row.ohm))).toBe(true);
  });

  test('all judges agree', () => {
    const judges = {
      engine: engine(printGbnf(grammar)),
      ohm: ohmMatcher(grammar),
      matcher: matcherOf(grammar),
    };
    for (const [judge, { accepts }] of Object.entries(judges)) {
      expect({ judge, texts: [...row.accepts, ...row.rejects].filter(accepts) }).toEqual({
        judge,
        texts: row.accepts,
      });
    }
  });

  test('nothing is found wrong', () => {
    expect(checkGrammar(grammar)).toEqual([]);
  });
});

function matcherOf(grammar: Grammar): { accepts: (text: string) => boolean } {
  return {
    accepts: (text) => {
      const matcher = createMatcher(grammar);
      return matcher.accept(text) && matcher.complete;
    },
  };
}

describe('counts beyond what the engine expands', () => {
  const item = choice(literal('ab'), literal('c'));
  test.each([
    [0, 2000],
    [0, 2001],
    [1999, 2000],
    [2500, 2500],
    [2001, null],
    [10, 5999],
    [0, 1_500_000],
  ])('%s to %s', (min, max) => {
    const grammar: Grammar = {
      root: 'root',
      rules: new Map([['root', sequence(repeat(item, min, max), literal('.'))]]),
    };
    const { accepts } = engine(printGbnf(grammar));
    const around = [0, 1, 1000, 2000, ...[min, max ?? min].flatMap((n) => [n - 1, n, n + 1])];
    for (const count of new Set(around.filter((n) => n >= 0 && n < 7000))) {
      const text = `${'abc'.repeat(count >> 1)}${count % 2 === 0 ? '' : 'c'}.`;
      expect({ count, accepted: accepts(text) }).toEqual({
        count,
        accepted: count >= min && (max === null || count <= max),
      });
    }
  });
});
