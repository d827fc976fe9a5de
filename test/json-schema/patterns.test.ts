/** Regular expressions as automata: no difference from V8 on words of the automaton and words near them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StepBudget } from '../../src/language/expression/budget.ts';
import { buildAutomaton } from '../../src/language/regular/build-automaton.ts';
import { restrictLength } from '../../src/language/regular/lengths.ts';
import { patternTerm } from '../../src/language/regular/parse-pattern.ts';
import { UnsupportedPattern } from '../../src/language/regular/pattern-dialects.ts';
import { Terms } from '../../src/language/regular/terms.ts';
import { automatonAccepts, sampleWord } from '../support/automata.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';
import { sampleGrammar, seededRandom } from '../support/sample-grammar.ts';
import { compileStrict } from './schema-tools.ts';

const written = [
  'a',
  '^a$',
  'a|^b|c$',
  '^(a|bc)*d?$',
  '^[^a-c]{2,3}$',
  '\\bab\\b',
  '\\B-\\B',
  '^(?=.*\\d)(?=.*[a-z]).{3,5}$',
  '^(?!admin$)[a-z]+$',
  '^((?!ab).)*$',
  '^(?:a(?!b)|b)+$',
  '^\\S+@\\S+\\.\\S+$',
  '^[\\w.-]+$',
  '^\\p{Lu}\\p{L}*$',
  '(^|,)x(,|$)',
  '^$|^0x[0-9a-fA-F]+$',
  '^.\\s.$',
  '😀{2}',
  '^(?:\\d{1,3}\\.){3}\\d{1,3}$',
  '^(/?((\\.{2})|([a-z0-9\\-]*))($|/))*$',
  '^a[\\s\\S]\\b',
  '^((a|$)|\\b){2,}$',
  '^(?!\\.)(?!.*\\.\\.)([a-z_+-.]*)[a-z_+-]@([a-z][a-z-]*\\.)+[a-z]{2,}$',
  '^\\d{1,2}([-/.])\\d\\1\\d$',
  '^(["\'])[a-z]*\\1$',
  '^(?<q>a|bc)?d\\k<q>$',
  '^(?:(a)|(b))c(?:\\1|x)\\2$',
  '^(?:([ab])x\\1,?)+$',
  '^(?!.*([a-d])\\1)[a-d]+$',
  '^\\1(a)\\1$',
  '(?<!-)\\.',
  '^[a-z0-9-]+(?<!-)(?:\\.[a-z]+(?<!xy))*$',
  '(?<=^|,)a(?=,|$)',
  '(?<=ab)c|(?<![a-d])d$',
  '^(?:a(?<=[xa]a)|x|b(?<!xb))+$',
  '(?<!\\w)@(?<=\\.@)\\b',
];
const letters = 'abcdxyz019AZ.,-_@ \n"\\é😀';

function automatonOf(pattern: string) {
  const budget = new StepBudget(2_000_000);
  const terms = new Terms(budget);
  return { automaton: buildAutomaton(terms, patternTerm(terms, pattern), budget), budget };
}

/** Words of the automaton, and the same with one character changed, added or removed. */
function wordsNear(pattern: string, count: number, seed: number): readonly string[] {
  const { automaton } = automatonOf(pattern);
  const random = seededRandom(seed);
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
  const alphabet = Array.from(letters);
  return Array.from({ length: count }, () => {
    const word = Array.from(sampleWord(automaton, random) ?? '');
    const at = Math.floor(random() * (word.length + 1));
    const inserted = random() < 0.5 ? [pick(alphabet) ?? ''] : [];
    return [
      word.join(''),
      [...word.slice(0, at), ...inserted, ...word.slice(at + (random() < 0.5 ? 1 : 0))].join(''),
    ];
  }).flat();
}

function differences(pattern: string, words: readonly string[]): readonly string[] {
  const { automaton } = automatonOf(pattern);
  const expression = new RegExp(pattern, 'u');
  return words.filter((word) => automatonAccepts(automaton, word) !== expression.test(word));
}

describe('patterns', () => {
  test.each(written)('%s matches what it matches in V8', (pattern) => {
    expect(differences(pattern, wordsNear(pattern, 150, 3))).toEqual([]);
  });

  test('built at random agree with V8 on random words', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '[ab]',
      '[^a]',
      '.',
      '\\d',
      '\\b',
      '^',
      '$',
      '(?=a)',
      '(?!b)',
      '\\w',
      '(?<=a)',
      '(?<![ab]b?)',
      '(?<=^|b.)',
    );
    const pattern = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 4 },
        atom,
        fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => left + right),
        fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})`),
        fc
          .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{1,2}'))
          .map(([inner, count]) => `(?:${inner})${count}`),
      ),
    })).pattern;
    const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', 'é'), maxLength: 5 }), {
      minLength: 8,
      maxLength: 8,
    });
    const group = fc.constantFrom('(a|b)', '(a|b1)?', '(?:(a)|b)', '(?:(a?)1?)+');
    const referring = fc
      .tuple(group, pattern, pattern)
      .map(([first, then, last]) => `^${first}${then}\\1${last}$`);
    fc.assert(
      fc.property(fc.oneof({ weight: 3, arbitrary: pattern }, referring), words, (source, texts) => {
        try {
          expect(differences(source, texts)).toEqual([]);
        } catch (error) {
          if (!(error instanceof UnsupportedPattern)) throw error;
        }
      }),
      { numRuns: process.env.LAWS === 'long' ? 20_000 : 150, seed: 5 },
    );
  });

  test('built at random of letters and word boundaries agree with V8 with the flag `i`, too', () => {
    const letters = ['a', 'k', 'S', 'ſ', '\u212a', '-', 'é'];
    const piece = fc.constantFrom(...letters, '\\b', '\\B', '\\w', '\\W', '[^\\w]', '(?:\\b|k)?', '(?<=s)');
    const pieces = fc.array(piece, { minLength: 1, maxLength: 4 });
    const words = fc.array(fc.string({ unit: fc.constantFrom(...letters), maxLength: 4 }), { minLength: 9 });
    const law = fc.property(pieces, words, fc.boolean(), (inner, texts, whole) => {
      const source = whole ? `^${inner.join('')}$` : inner.join('');
      const { automaton } = automatonOf(`(?i)${source}`);
      const expression = new RegExp(source, 'iu');
      for (const text of texts)
        expect([text, automatonAccepts(automaton, text)]).toEqual([text, expression.test(text)]);
    });
    fc.assert(law, { numRuns: process.env.LAWS === 'long' ? 20_000 : 200 });
  });

  test('say what they cannot read', () => {
    expect(() => automatonOf('(\\w+)\\1')).toThrow(UnsupportedPattern);
    expect(() => automatonOf('(?:(a)|b)+\\1')).toThrow(UnsupportedPattern);
    expect(() => automatonOf('(?<=a\\b)b')).toThrow(UnsupportedPattern);
    expect(() => automatonOf('(')).toThrow(UnsupportedPattern);
  });

  test('are multiplied by lengths in code points', () => {
    const { automaton, budget } = automatonOf('^(?:ab|😀)*$');
    const limited = restrictLength(automaton, 1, 3, budget);
    const accepted = ['', '😀', 'ab', 'ab😀', '😀😀😀', 'abab', 'ab😀😀'].filter((word) =>
      automatonAccepts(limited, word),
    );
    expect(accepted).toEqual(['😀', 'ab', 'ab😀', '😀😀😀']);
  });
});

test('labels within a length: the engine takes what RegExp takes, up to the limit', async () => {
  const pattern = '^(?:[a-z](?:[a-z-]{0,3}[a-z])?[.])+[a-z]{2,3}$';
  const [minLength, maxLength] = [5, 11];
  const compiled = compileStrict({ type: 'string', pattern, minLength, maxLength });
  if ('refused' in compiled) throw compiled.refused;
  const matcher = (await loadEngineMatchers())(compiled.gbnf);
  const good = fc.stringMatching(/^[a-z](?:[a-z-]{0,3}[a-z])?$/);
  const label = fc.oneof({ weight: 6, arbitrary: good }, fc.stringMatching(/^[a-z-]{0,6}$/));
  const isWanted = (text: string) =>
    new RegExp(pattern, 'u').test(text) && text.length >= minLength && text.length <= maxLength;
  let taken = 0;
  fc.assert(
    fc.property(fc.array(label, { minLength: 2, maxLength: 4 }), (labels) => {
      const text = labels.join('.');
      expect(matcher.accepts(JSON.stringify(text)), text).toBe(isWanted(text));
      taken += isWanted(text) ? 1 : 0;
    }),
    { numRuns: 2000 },
  );
  expect(taken).toBeGreaterThan(50);
});

describe('the format regex', () => {
  const compiled = compileStrict({ type: 'string', format: 'regex' });
  if ('refused' in compiled) throw compiled.refused;
  const { grammar, gbnf } = compiled;
  const isExpression = (text: string) => {
    try {
      return RegExp(text).source !== '';
    } catch {
      return false;
    }
  };

  test('writes only what RegExp reads', () => {
    const random = seededRandom(3);
    const texts = Array.from(
      { length: 1000 },
      () => JSON.parse(sampleGrammar(grammar, random, 12)) as string,
    );
    expect(texts.filter((text) => !isExpression(text))).toEqual([]);
  });

  test('takes counts in order, whatever their number of digits', async () => {
    const matcher = (await loadEngineMatchers())(gbnf);
    const counts = [0, 1, 2, 9, 10, 19, 20, 99, 100, 999];
    const pairs = counts.flatMap((low) => counts.map((high) => `a{${low},${high}}`));
    const taken = pairs.filter((text) => matcher.accepts(JSON.stringify(text)));
    expect(taken.filter((text) => !isExpression(text))).toEqual([]);
    // Of two counts with equal first digits only single digits are compared further.
    expect(pairs.filter((text) => isExpression(text) && !taken.includes(text))).toEqual([
      'a{10,10}',
      'a{10,19}',
      'a{19,19}',
      'a{20,20}',
      'a{99,99}',
      'a{100,100}',
      'a{100,999}',
      'a{999,999}',
    ]);
  });
});
