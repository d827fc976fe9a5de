/** Reading GBNF as llama.cpp reads it, printing it back, and saying what is wrong with it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GrammarError } from '../../src/format/errors.ts';
import { checkGrammar } from '../../src/language/expression/check-grammar.ts';
import { writeGbnf } from '../../src/language/gbnf/gbnf.ts';
import { createGbnfMatcher } from '../../src/language/gbnf/gbnf-expression.ts';
import { lintGbnf } from '../../src/language/gbnf/lint-gbnf.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { readGbnf } from '../../src/language/gbnf/read-gbnf.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';
import { anyGrammar, textsNear } from '../support/random-grammar.ts';

const long = process.env.LAWS === 'long';
const engine = await loadEngineMatchers();

function accepts(gbnf: string, text: string): boolean {
  const matcher = createGbnfMatcher(gbnf);
  return matcher.accept(text) && matcher.complete;
}

describe('laws', () => {
  test('what is read from printed text prints the same again, and means the same', () => {
    fc.assert(
      fc.property(anyGrammar, fc.nat(1_000_000), (grammar, seed) => {
        fc.pre(
          !checkGrammar(grammar).some(
            ({ severity }) => severity === 'unbuildable' || severity === 'ambiguous',
          ),
        );
        const text = printGbnf(grammar);
        expect(writeGbnf(readGbnf(text))).toBe(text.replace(/^#.*\n/gm, ''));
        const judge = engine(text);
        for (const each of textsNear(grammar, seed, 6)) {
          expect({ each, accepted: accepts(text, each) }).toEqual({ each, accepted: judge.accepts(each) });
        }
      }),
      { numRuns: long ? 2000 : 25 },
    );
  });

  test('the engine builds what the lint finds buildable', () => {
    fc.assert(
      fc.property(anyGrammar, fc.nat(120), fc.nat(120), (grammar, outer, inner) => {
        fc.pre(!checkGrammar(grammar).some(({ severity }) => severity === 'unbuildable'));
        const counted = `root ::= ((left "x"){0,${inner}} "y" | right){0,${outer}} "z"\n`;
        const text = `${counted}${printGbnf(grammar)
          .replace(/^root +::=/m, 'other ::=')
          .replaceAll('root', 'other')}`;
        fc.pre(!lintGbnf(readGbnf(text)).some(({ severity }) => severity === 'unbuildable'));
        expect(() => engine(text)).not.toThrow();
      }),
      { numRuns: long ? 1000 : 15 },
    );
  });
});

describe('notation', () => {
  const rows: readonly (readonly [gbnf: string, accepted: readonly string[], rejected: readonly string[]])[] =
    [
      ['root ::= "a" # to the end of the line\n  # and a line of its own\n', ['a'], ['', 'a#']],
      ['root ::= "a" |\n  "b" | (\n"c"\n)\nnext ::= "d"', ['a', 'b', 'c'], ['d', 'ab']],
      ['root ::= a-1"x"a-1\r\na-1 ::= "y"\r\n', ['yxy'], ['xy']],
      ['root::="ab"*', ['', 'abab'], ['aba']],
      ['root ::= "\\x41\\u00e9\\U0001F600\\t\\\\\\"\\[\\]\\-"', ['Aé😀\t\\"[]-'], ['A']],
      ['root ::= [a\\-z]', ['a', '-', 'z'], ['b']],
      ['root ::= [-a] [b-] [\\]] [^^]', ['-b]x', 'a-]a'], ['b', 'ab]^']],
      ['root ::= [^]"x"', ['x'], ['a', 'ax']],
      ['root ::= [z-a]? "x" [^z-a]', ['xa', 'x😀'], ['zx', 'ax']],
      ['root ::= "a"{2}{1,2} "b"{ 1 , } "c"{0}', ['aab', 'aaaabb'], ['aaab', 'aabc']],
      ['root ::= "a" | ', ['a', ''], ['b']],
      ['root ::= ( | "b") .', ['a', 'ba'], ['', 'bab']],
      ['root ::= "a"\nroot ::= "b"', ['b'], ['a']],
      ['root ::= "x"{3,3000} "y"', [`${'x'.repeat(3500)}y`], ['xxy']],
    ];
  test.each(rows)('is read as llama.cpp reads it: %s', (gbnf, accepted, rejected) => {
    const { accepts: judge } = engine(gbnf);
    const texts = [...accepted, ...rejected];
    expect(texts.filter(judge)).toEqual(accepted);
    expect(texts.filter((text) => accepts(gbnf, text))).toEqual(accepted);
    const again = writeGbnf(readGbnf(gbnf));
    expect(readGbnf(again)).toEqual(readGbnf(gbnf));
  });

  test.each([
    ['root ::= *', 1, 10],
    ['root ::= "a', 1, 12],
    ['root ::= "a"\nb := "c"', 2, 3],
    ['root ::= "a"\n  "b"', 2, 3],
    ['root ::= ("a"', 1, 14],
    ['root ::= "\\q"', 1, 12],
    ['root ::= "a" b ::= "c"', 1, 16],
  ])('an error has its place: %s', (gbnf, line, column) => {
    expect(() => engine(gbnf)).toThrow();
    expect(() => readGbnf(gbnf)).toThrow(`Line ${line}, col ${column}`);
  });

  test.each(['root ::= ""*', 'root ::= []+', 'root ::= "a"{0}?', `root ::= ${'('.repeat(30_000)}`])(
    'refused: %s',
    (gbnf) => {
      expect(() => readGbnf(gbnf)).toThrow(GrammarError);
    },
  );

  test.each([
    ['root ::= "a"\n\nnext ::= ("b" | }\n', 'Line 3, col 17'],
    ['root ::= "a"\nnext = "b"\nlast ::= "c"\n', 'Line 2, col 6'],
    ['root ::= "a" # fine\n  next ::= "\\q"\n', 'Line 2, col 14'],
    ['root ::= "a"\n# and then\n  )', 'Line 3, col 3'],
    ['root ::= ("a"\nnext ::= "b"\n', 'Line 2, col 6'],
  ])('%j is refused at %s', (gbnf, place) => {
    expect(() => readGbnf(gbnf)).toThrow(GrammarError);
    expect(() => readGbnf(gbnf)).toThrow(place);
  });

  test('white space and comments anywhere between the parts of a rule mean nothing', () => {
    const parts = ['root', '::=', '(', '"a"', '|', '[b-d]', ')', '{2,3}', 'next', '?', '|', '.', '"\\""'];
    const inside = fc.constantFrom('', ' ', '\t', '  ');
    const lines = fc.constantFrom('', ' ', '\n', '\r\n # "(\n', '\n\n');
    // Lines may end after `::=` and `|`, and between parentheses.
    const gaps = parts.map((part, index) =>
      '::=|'.includes(part) || (index > 1 && index < 6) ? lines : inside,
    );
    fc.assert(
      fc.property(fc.tuple(...gaps), fc.constantFrom('', '\n', ' # end', '\n#\n'), (spaces, end) => {
        const text = parts.map((part, index) => part + spaces[index]).join('') + end;
        expect(writeGbnf(readGbnf(text))).toBe('root ::= ("a" | [b-d]){2,3} next? | . "\\""\n');
      }),
    );
  });

  test('a grammar of megabytes is read', () => {
    const rules = Array.from(
      { length: 40_000 },
      (_, at) => `rule-${at} ::= "text ${at}" ([a-z] rule-${at})?`,
    );
    const values = Array.from({ length: 10_000 }, (_, at) => `"value ${at}"`);
    const text = `${rules.join('\n')}\nroot ::= ${values.join(' | ')}\n`;
    const read = readGbnf(text);
    expect(read.rules.length).toBe(40_001);
    expect(read.rules.at(-1)?.body).toMatchObject({ type: 'choice', alternatives: { length: 10_000 } });
  });

  test('token terminals are matched by id, and printed back', () => {
    const gbnf = 'root ::= <[10]> !<[11]>* <[11]>\n';
    expect(writeGbnf(readGbnf(gbnf))).toBe(gbnf);
    const matcher = createGbnfMatcher(gbnf);
    expect(matcher.accept('a')).toBe(false);
    expect(matcher.acceptToken(11)).toBe(false);
    expect(matcher.acceptToken(10)).toBe(true);
    expect(matcher.gbnf()).toBe('root ::= !<[11]>* <[11]>\n');
    expect(matcher.accept('aé') && matcher.acceptToken(12) && matcher.acceptToken(11)).toBe(true);
    expect(matcher.complete).toBe(true);
  });

  test('a named token needs a vocabulary, or a text', () => {
    const gbnf = 'root ::= <think> "a"';
    expect(() => createGbnfMatcher(gbnf)).toThrow(GrammarError);
    const byText = createGbnfMatcher(gbnf, { resolveToken: String });
    expect(byText.accept('<think>a') && byText.complete).toBe(true);
    const byId = createGbnfMatcher(gbnf, { resolveToken: () => 7 });
    expect(byId.acceptToken(7) && byId.accept('a') && byId.complete).toBe(true);
  });
});

describe('lint', () => {
  test.each([
    ['root ::= "a"', []],
    ['rot ::= "a"', ['missing-root', 'unused-rule']],
    ['root ::= other', ['undefined-rule', 'unproductive-rule']],
    ['root ::= "a" | root "b"', ['left-recursion']],
    ['root ::= "a" | empty root "b"\nempty ::= none\nnone ::= "x"?', ['left-recursion']],
    ['root ::= ("a" | "")*', ['nullable-repetition']],
    ['root ::= "a"{3,2}', ['invalid-repetition']],
    ['root ::= ("a" "b"?){1001}', ['repetition-limit']],
    ['root ::= "a"{2001}', ['repetition-limit']],
    ['root ::= "a"{0,2001}', ['forgotten-bound']],
    ['root ::= "a"\nroot ::= "b"', ['duplicate-rule']],
    ['root ::= "a" []', ['empty-brackets']],
    ['root ::= "a" | [z-a]', ['reversed-range', 'empty-class', 'unproductive-rule']],
    ['root ::= "a" root', ['unproductive-rule']],
    ['root ::= "a\\x00"', ['empty-class', 'unproductive-rule']],
    ['root ::= "ab" | "ac"', ['ambiguous-choice']],
    ['root ::= "a"* "a"', ['ambiguous-repetition']],
    ['root ::= "a"\nb ::= "b"', ['unused-rule']],
  ])('says what is wrong with %s', (gbnf, kinds) => {
    const found = lintGbnf(readGbnf(gbnf));
    expect([...new Set(found.map(({ kind }) => kind))]).toEqual(kinds);
    const builds = found.every(({ severity }) => severity !== 'unbuildable');
    // Two that the engine does not refuse, but hangs on, are not shown to it.
    if (kinds.includes('invalid-repetition') || gbnf.includes('none')) return;
    if (builds) expect(() => engine(gbnf)).not.toThrow();
    else expect(() => engine(gbnf)).toThrow();
  });
});

test('lint names a token that begins two alternatives', () => {
  const found = lintGbnf(readGbnf('root ::= <[17]> "a" | <[17]> "b"'));
  expect(found.map(({ reason }) => reason)).toEqual(['token 17 begins two alternatives']);
});

test.each([
  ['\n???', 'Line 2, col 1'],
  ['\nroot ::= (', 'Line 2, col 11'],
  ['root ::= "a"\n\nx ::= (', 'Line 3, col 8'],
])('an error in %j has its line and column', (gbnf, place) => {
  expect(() => readGbnf(gbnf)).toThrow(`is not GBNF: ${place}: expected`);
});
