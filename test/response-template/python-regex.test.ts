/** Python's patterns: both searches against each other, against JavaScript's engine, and under every cut. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PatternError } from '../../src/format/errors.ts';
import { HeldText } from '../../src/response-template/held-text.ts';
import { BacktrackingSearch } from '../../src/response-template/pattern/backtracking-search.ts';
import { LinearSearch } from '../../src/response-template/pattern/linear-search.ts';
import {
  compilePattern,
  matchAll,
  searchPattern,
} from '../../src/response-template/pattern/pattern-search.ts';
import {
  type Pattern,
  type PatternSearch,
  type RegexMatch,
  wholeText,
} from '../../src/response-template/pattern/search.ts';

const everywhere = { from: 0, atEnd: false };
const runs = process.env.LAWS === 'long' ? 50_000 : 400;

/** Patterns whose meaning Python and JavaScript share. */
const shared = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\n', 'ab', 'abc', 'é'),
    fc.constantFrom('^', '\\b', '\\B'),
    fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => one + other),
    fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(?:${one}|${other})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,2}?'))
      .map(([item, bounds]) => `(?:${item})${bounds}`),
  ),
})).pattern;

/** The same with lookaround, captures and the end of the text. */
const irregular = fc
  .tuple(shared, shared, fc.constantFrom('(?=', '(?!', '(?:'), fc.constantFrom('(?<=', '(?<!', '(?:'))
  .map(([one, other, ahead, after]) => `${after}[ab])${one}${ahead}${other})`);

const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '\n', ' ', '😀'), maxLength: 12 });

/** JavaScript also matches between the halves of a pair. */
const pairless = texts.map((text) => text.replaceAll('😀', 'a'));

/** Whether a repeated group of `source` can match the empty text. */
function mayRepeatNothing(source: string): boolean {
  const opened: number[] = [];
  for (let at = 0; at < source.length; at++) {
    if (source[at] === '(') opened.push(at);
    if (source[at] !== ')') continue;
    const group = source.slice(opened.pop(), at + 1).replace(/\\[bB]|\^(?!a\])/g, '');
    if (/^[*+?{]/.test(source.slice(at + 1)) && new RegExp(`^${group}$`, 'su').test('')) return true;
  }
  return false;
}

function firstMatch(search: PatternSearch, text: string): RegexMatch | null {
  search.advance(wholeText(text), text.length, true);
  return search.found;
}

/** Feeds `text` in pieces that end at `cuts`. */
function firstMatchInPieces(search: PatternSearch, text: string, cuts: readonly number[]): RegexMatch | null {
  const held = new HeldText();
  let from = 0;
  for (const cut of [...cuts, text.length]) {
    held.append(text.slice(from, cut));
    from = cut;
    search.advance(held, held.end, false);
  }
  search.advance(held, held.end, true);
  return search.found;
}

/** Places between characters, in order. */
function cutsOf(text: string, numbers: readonly number[]): number[] {
  const places: number[] = [];
  for (const character of text) places.push((places.at(-1) ?? 0) + character.length);
  return numbers.map((number) => places[number % Math.max(1, places.length)] ?? 0).sort((a, b) => a - b);
}

/** What JavaScript finds, empty matches at the very end left out as the searches do. */
function javascriptSpan(pattern: string, text: string): readonly [number, number] | null {
  const found = new RegExp(pattern, 'su').exec(text);
  if (found === null || found.index === text.length) return null;
  return [found.index, found.index + found[0].length];
}

function spanOf(match: RegexMatch | null): readonly [number, number] | null {
  return match === null ? null : [match.start, match.end];
}

describe('the laws of pattern searches', () => {
  it('finds what JavaScript finds', () => {
    fc.assert(
      fc.property(fc.oneof(shared, irregular), pairless, (source, text) => {
        // JavaScript repeats nothing that matched nothing, where Python does.
        fc.pre(!mayRepeatNothing(source));
        // JavaScript's \b knows ASCII letters only, and looks into pairs.
        fc.pre(!/\\b/i.test(source) || !text.includes('é'));
        const pattern = compilePattern(source);
        expect(spanOf(firstMatch(searchPattern(pattern, 0), text))).toEqual(javascriptSpan(source, text));
      }),
      { numRuns: runs },
    );
  });

  it('finds the same with both searches', () => {
    fc.assert(
      fc.property(shared, texts, (source, text) => {
        // Where a round of a loop matches nothing, they may stop a round apart.
        fc.pre(!mayRepeatNothing(source));
        const pattern = compilePattern(`(${source})(a)?`);
        const linear = firstMatch(new LinearSearch(pattern.program, 0, everywhere), text);
        expect(linear).toEqual(firstMatch(new BacktrackingSearch(pattern, 0, everywhere), text));
      }),
      { numRuns: runs },
    );
  });

  it('finds the same however the text is cut', () => {
    fc.assert(
      fc.property(
        fc.oneof(shared, irregular),
        texts,
        fc.array(fc.nat(20), { maxLength: 5 }),
        (source, text, numbers) => {
          const pattern = compilePattern(`(${source})`);
          const whole = firstMatch(searchPattern(pattern, 0), text);
          expect(firstMatchInPieces(searchPattern(pattern, 0), text, cutsOf(text, numbers))).toEqual(whole);
        },
      ),
      { numRuns: runs },
    );
  });

  it('decides early, and never against what comes', () => {
    fc.assert(
      fc.property(fc.oneof(shared, irregular), texts, texts, (source, text, more) => {
        const pattern = compilePattern(source);
        const search = searchPattern(pattern, 0);
        search.advance(wholeText(text), text.length, false);
        const whole = firstMatch(searchPattern(pattern, 0), text + more);
        if (search.found !== null) expect(whole).toEqual(search.found);
        else if (whole !== null) expect(whole.start).toBeGreaterThanOrEqual(search.pending ?? text.length);
      }),
      { numRuns: runs },
    );
  });
});

function find(source: string, text: string): string | null {
  const match = firstMatch(searchPattern(compilePattern(source), 0), text);
  return match === null ? null : text.slice(match.start, match.end);
}

describe('Python meanings', () => {
  it.each([
    ['(?P<q>["\'])x(?P=q)', `"x'x'`, "'x'"],
    ['(?i)<TOOL>', '<tool>', '<tool>'],
    ['(?i:A)b', 'Ab ab', 'Ab'],
    ['(?-s:a.)', 'a\nab', 'ab'],
    ['.', '😀', '😀'],
    ['\\w+', 'météo_東京-', 'météo_東京'],
    ['(?a)\\w+', 'éa', 'a'],
    ['\\s', 'x\u001cy ', ' '],
    ['\\w+', ' e\u0301\u200d-', 'e\u0301\u200d'],
    ['\\s', 'x\ufeffy', null],
    ['\\d+', 'x١٢', '١٢'],
    ['[^\\W\\d]+', '12ab', 'ab'],
    ['[]a]+', 'x]a]', ']a]'],
    ['[\\w-]+', '<a-b>', 'a-b'],
    ['a{,2}b', 'aaab', 'aab'],
    ['a{x', 'a{x', 'a{x'],
    ['(?x) a  b # comment', 'ab', 'ab'],
    ['a(?#comment)b', 'ab', 'ab'],
    ['a++b', 'aab', 'aab'],
    ['a++a', 'aaa', null],
    ['(?>a|ab)c', 'abc', null],
    ['(<)?a(?(1)>|!)', '<a> a!', '<a>'],
    ['(<)?a(?(1)>|!)', '<a! ', 'a!'],
    ['(?<=a\\n)b', 'b a\nb', 'b'],
    ['\\Ab', 'ab', null],
    ['x$', 'x\n', 'x'],
    ['x\\Z', 'x\n', null],
    ['(?m)^b', 'a\nb', 'b'],
    ['\\x41\\u0042\\U00000043', 'ABC', 'ABC'],
    ['\\p{Lu}', 'aB', 'B'],
    ['\\bx\\b', 'aé\ud83dx b', 'x'],
    ['\\bx\\b', 'aé😀x b', 'x'],
    ['\\Bx\\d', 'aé\ud83dx1 𝐀x2', 'x2'],
  ])('%j in %j is %j', (source, text, expected) => {
    expect(find(source, text)).toBe(expected);
  });

  it.each([
    '(',
    ')',
    'a**',
    '*a',
    '[a',
    '(?P<1>a)',
    '(?P=x)',
    '\\2',
    '(?<n',
    'a{3,2}',
    '[b-a]',
    '\\q',
    '\\N{DASH}',
    '('.repeat(200),
  ])('refuses %j', (source) => {
    expect(() => compilePattern(source)).toThrow(PatternError);
  });

  it('finds all matches', () => {
    const pattern = compilePattern('<(\\w)>.*?</\\1>');
    const text = '<a>1</a><b>2</a><c></c>';
    expect([...matchAll(pattern, text)].map(({ start, end }) => text.slice(start, end))).toEqual([
      '<a>1</a>',
      '<c></c>',
    ]);
  });
});

describe('hostile patterns', () => {
  const failing = `${'a'.repeat(5_000)}!`;

  it.each(['(a+)+b', '(a|a)*b', '(a|aa)+$', '(?:a*)*b', '(a*)*(?=b)', '(?:.*){5}b'])(
    '%j takes bounded time',
    (source) => {
      const pattern: Pattern = compilePattern(source);
      const begun = process.cpuUsage();
      try {
        expect(firstMatch(searchPattern(pattern, 0), failing)).toBeNull();
      } catch (error) {
        expect(error).toBeInstanceOf(PatternError);
      }
      expect(process.cpuUsage(begun).user / 1000).toBeLessThan(15_000);
    },
  );

  it('refuses a pattern that would be huge', () => {
    expect(() => compilePattern('((a{1000}){1000}){1000}')).toThrow(PatternError);
  });
});
