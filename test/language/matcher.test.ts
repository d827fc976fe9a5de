/** The matcher's laws: alive, forced, what begins here, which tokens; judged by llama.cpp's engine. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GrammarError } from '../../src/format/errors.ts';
import { oneOf } from '../../src/language/expression/alternatives.ts';
import { checkGrammar } from '../../src/language/expression/check-grammar.ts';
import {
  characterClass,
  choice,
  type Expression,
  exceptCharacters,
  type Grammar,
  literal,
  repeat,
  rule,
  sequence,
  until,
  without,
} from '../../src/language/expression/expression.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { createMatcher, createMatcherSteps, type Matcher } from '../../src/language/matcher/matcher.ts';
import { indexTokens, type TokenIndex } from '../../src/language/matcher/token-index.ts';
import { type EngineMatcher, loadEngineMatchers } from '../support/grammar-engine.ts';
import { anyGrammar, textsNear, verdict } from '../support/random-grammar.ts';

const long = process.env.LAWS === 'long';
const engine = await loadEngineMatchers();

const seed = fc.nat(1_000_000);

/** Few stacks on the way: the engine's time grows with their square, and nothing bounds it. */
function isTame(grammar: Grammar, text: string): boolean {
  try {
    createMatcher(grammar, { maxStacks: 8 }).allowedLength(text);
    return true;
  } catch (error) {
    if (error instanceof GrammarError) return false;
    throw error;
  }
}

/** Grammars that the engine builds, and texts near them that both can match in good time. */
function onGrammarsAndTexts(numRuns: number, law: (grammar: Grammar, text: string) => void): void {
  fc.assert(
    fc.property(anyGrammar, seed, (grammar, number) => {
      fc.pre(!checkGrammar(grammar, { ambiguity: false }).some(({ severity }) => severity === 'unbuildable'));
      for (const text of textsNear(grammar, number, 6)) {
        if (isTame(grammar, text)) law(grammar, text);
      }
    }),
    { numRuns: long ? numRuns * 30 : numRuns },
  );
}

function matcherAfter(grammar: Grammar, text: string): Matcher | undefined {
  const matcher = createMatcher(grammar);
  return matcher.accept(text) ? matcher : undefined;
}

describe('laws', () => {
  test('byte by byte, as much of a text is allowed as the engine lets through', () => {
    onGrammarsAndTexts(100, (grammar, text) => {
      const bytes = new TextEncoder().encode(text);
      const { bytes: alive, accepted } = engine(printGbnf(grammar)).run(bytes);
      const matcher = createMatcher(grammar);
      expect({ text, alive: matcher.allowedLength(bytes) }).toEqual({ text, alive });
      expect(matcher.accept(bytes) && matcher.complete).toBe(accepted);
    });
  });

  test('forced text is the only continuation, and all of it', () => {
    onGrammarsAndTexts(50, (grammar, text) => {
      const start = createMatcher(grammar);
      const before = text.slice(0, start.allowedLength(text));
      start.accept(before);
      // A rule that never ends forces text without end, and may get too ambiguous on the way.
      if (!endsSoon(start)) return;
      const forced = start.forced();
      const judge = engine(printGbnf(grammar));
      for (let end = 0; end < forced.length; end += (forced.codePointAt(end) ?? 0) > 0xffff ? 2 : 1) {
        expect(charactersAfter(judge, before + forced.slice(0, end))).toEqual([codePointAt(forced, end)]);
        expect(judge.accepts(before + forced.slice(0, end))).toBe(false);
      }
      const after = before + forced;
      expect(judge.accepts(after) || charactersAfter(judge, after).length !== 1).toBe(true);
    });
  });

  test('the grammar that begins here is the rest of the whole grammar', () => {
    onGrammarsAndTexts(60, (grammar, text) => {
      const whole = engine(printGbnf(grammar));
      const chars = Array.from(text);
      for (let cut = 0; cut <= chars.length; cut += 2) {
        const [before, after] = [chars.slice(0, cut).join(''), chars.slice(cut).join('')];
        const matcher = matcherAfter(grammar, before);
        if (matcher === undefined) break;
        const rest = engine(matcher.gbnf());
        for (const tail of [after, '', `${after}a`, after.slice(1)]) {
          if (!isTame(grammar, before + tail)) continue;
          expect({ before, tail, accepted: rest.accepts(tail) }).toEqual({
            before,
            tail,
            accepted: whole.accepts(before + tail),
          });
        }
      }
    });
  });

  test('the few allowed tokens are those that are allowed one by one', () => {
    const texts = ['a', 'b', 'ab', 'aab', '<', '<b', '</b>', 'é', '€a', '😀', '\n', 'aa', 'ba', 'c'];
    const encoder = new TextEncoder();
    const tokens = texts.map((text, id): [number, Uint8Array] => [id, encoder.encode(text)]);
    const halves: [number, Uint8Array][] = Array.from(encoder.encode('é€😀'), (byte, index) => [
      100 + index,
      new Uint8Array([byte]),
    ]);
    const all = [...tokens, ...halves];
    const index = indexOf(all);
    onGrammarsAndTexts(60, (grammar, text) => {
      const matcher = createMatcher(grammar);
      const bytes = encoder.encode(text);
      matcher.accept(bytes.subarray(0, Math.floor(matcher.allowedLength(bytes) / 2)));
      const allowed = all.filter(([, each]) => matcher.allows(each)).map(([id]) => id);
      const found = matcher.allowedTokens(index, all.length);
      expect([...(found ?? [])].sort((a, b) => a - b)).toEqual(allowed);
      if (allowed.length > 0) expect(matcher.allowedTokens(index, allowed.length - 1)).toBeNull();
    });
  });
});

function indexOf(tokens: readonly (readonly [id: number, bytes: Uint8Array])[]): TokenIndex {
  const byId = new Map(tokens);
  const all = Array.from({ length: 200 }, (_, id) => byId.get(id) ?? new Uint8Array());
  const starts = Uint32Array.from(
    { length: all.length + 1 },
    (_, id) => Buffer.concat(all.slice(0, id)).length,
  );
  return indexTokens({ bytes: Buffer.concat(all), starts }, byId.keys());
}

function endsSoon(matcher: Matcher): boolean {
  try {
    return matcher.forced().length <= 12;
  } catch (error) {
    if (error instanceof GrammarError) return false;
    throw error;
  }
}

function codePointAt(text: string, index: number): string {
  return String.fromCodePoint(text.codePointAt(index) ?? 0);
}

/** Which of a few characters, among them all that the random grammars name, the engine lets follow. */
function charactersAfter(judge: EngineMatcher, text: string): string[] {
  return ['a', 'b', 'c', '<', '>', 'é', '\n', '€', '😀', '/', 'z', '1'].filter((char) =>
    judge.alive(text + char),
  );
}

describe('cases', () => {
  const grammarOf = (root: Expression, rules: Record<string, Expression> = {}): Grammar => ({
    root: 'root',
    rules: new Map([['root', root], ...Object.entries(rules)]),
  });
  const string = sequence(
    literal('"'),
    repeat(exceptCharacters([0x22, 0x22], [0x5c, 0x5c], [0, 0x1f])),
    literal('"'),
  );
  const call = grammarOf(
    sequence(
      literal('{"name": "'),
      choice(
        sequence(literal('get_'), oneOf(['weather', 'wind']), literal('", "arguments": '), rule('place')),
        sequence(literal('stop", "arguments": {}')),
      ),
      literal('}'),
    ),
    { place: sequence(literal('{"city": '), rule('string'), literal('}')), string },
  );

  test('a call: what is forced between its choices', () => {
    const matcher = createMatcher(call);
    expect(matcher.forced()).toBe('{"name": "');
    expect(matcher.accept('{"name": "g')).toBe(true);
    expect(matcher.forced()).toBe('et_w');
    expect(matcher.accept('et_wi')).toBe(true);
    expect(matcher.forced()).toBe('nd", "arguments": {"city": "');
    expect(matcher.accept('xyz')).toBe(false);
    expect(matcher.accept('nd", "arguments": {"city": "Köln')).toBe(true);
    expect(matcher.forced()).toBe('');
    expect(matcher.allowedLength('", "x')).toBe(1);
    expect(matcher.accept('"')).toBe(true);
    expect(matcher.forced()).toBe('}}');
    expect(matcher.complete).toBe(false);
    expect(matcher.accept('}}') && matcher.complete).toBe(true);
    expect(matcher.open).toBe(false);
  });

  test('what begins in the middle of a string names only the rules it needs', () => {
    const matcher = createMatcher(call);
    matcher.accept('{"name": "get_wind", "arguments": {"city": "K');
    expect(matcher.gbnf()).toBe('root ::= [^\\x00-\\x1F"\\\\]* "\\"}}"\n');
  });

  test('what is left of a counted repetition', () => {
    const matcher = createMatcher(
      grammarOf(sequence(repeat(rule('digit'), 2, 5), literal('.')), {
        digit: characterClass([0x30, 0x39]),
      }),
    );
    matcher.accept('123');
    expect(matcher.gbnf()).toBe('root ::= digit{0,2} "."\ndigit ::= [0-9]\n');
  });

  test('a failed accept and a clone leave the matcher where it was', () => {
    const matcher = createMatcher(grammarOf(without('</x>')));
    matcher.accept('a</');
    const copy = matcher.clone();
    expect(copy.accept('x>')).toBe(false);
    expect(copy.accept('y')).toBe(true);
    expect(matcher.state).not.toBe(copy.state);
    expect(matcher.clone().state).toBe(matcher.state);
  });

  test('a character that comes in pieces', () => {
    const matcher = createMatcher(grammarOf(repeat(characterClass([0x20ac, 0x20ac]), 1)));
    const [first = 0, second = 0, third = 0] = new TextEncoder().encode('€');
    expect(matcher.accept(new Uint8Array([first, second]))).toBe(true);
    expect([matcher.complete, matcher.forced(), matcher.allows('€')]).toEqual([false, '', false]);
    expect(matcher.allows(new Uint8Array([third + 1]))).toBe(false);
    expect(matcher.accept(new Uint8Array([third])) && matcher.complete).toBe(true);
  });

  test('a character that is never completed counts as U+FFFD where that is allowed', () => {
    const begun = new Uint8Array([0xe2, 0x82]);
    const free = createMatcher(grammarOf(sequence(repeat(exceptCharacters([0x3c, 0x3c])), literal('<'))));
    expect(free.accept(begun) && free.accept(' a')).toBe(false);
    expect(free.acceptReplaced('\ufffd a') && free.accept('<') && free.complete).toBe(true);
    const named = createMatcher(grammarOf(repeat(characterClass([0x20ac, 0x20ac]), 1)));
    expect(named.accept(begun)).toBe(true);
    expect(named.acceptReplaced('\ufffd')).toBe(false);
    expect(named.accept(new Uint8Array([0xac])) && named.complete).toBe(true);
  });

  test('hostile grammars are refused, not run for ever', () => {
    const loop = grammarOf(choice(literal('a'), rule('left')), {
      left: sequence(rule('root'), literal('b')),
    });
    expect(() => createMatcher(loop)).toThrow(GrammarError);
    const forks = grammarOf(choice(sequence(literal('a'), rule('root'), rule('tail')), literal('a')), {
      tail: choice(literal('a'), literal('aa'), literal('aaa')),
    });
    expect(() => createMatcher(forks, { maxStacks: 100 }).accept('a'.repeat(5000))).toThrow(GrammarError);
    const chain = new Map<string, Expression>([['root', rule('r0')]]);
    for (let index = 0; index < 110_000; index += 1) {
      chain.set(`r${index}`, choice(rule(`r${index + 1}`), literal('b')));
    }
    chain.set('r110000', literal('a'));
    expect(() => createMatcher({ root: 'root', rules: chain })).toThrow(GrammarError);
  });

  test('rules of any size match the same, and large ones are compiled in steps', () => {
    const others = Array.from({ length: 600 }, (_, index) => literal(`⛄${index}`));
    const enlarged = ({ root, rules }: Grammar): Grammar => ({
      root,
      rules: new Map(Array.from(rules, ([name, body]) => [name, choice(...others, body)])),
    });
    fc.assert(
      fc.property(anyGrammar, seed, (grammar, given) => {
        const large = enlarged(grammar);
        fc.pre(isTame(grammar, '') && isTame(large, ''));
        for (const text of textsNear(grammar, given, 6)) {
          const expected = verdict(grammar, text);
          if (expected !== undefined)
            expect([text, verdict(large, text) ?? expected]).toEqual([text, expected]);
        }
        expect(verdict(large, '⛄599')).not.toBe(false);
      }),
      { numRuns: 100 },
    );
    const count = (size: number): number => {
      const texts = Array.from({ length: size }, (_, index) => literal(`${index}${'x'.repeat(100)}`));
      const steps = createMatcherSteps(grammarOf(choice(...texts, literal('y'.repeat(100 * size)))));
      for (let steady = 0; ; steady += 1) if (steps.next().done === true) return steady;
    };
    expect(count(4_000)).toBeGreaterThan(3_000 + count(1_000));
  });

  test('endless forced text comes in a bounded piece', () => {
    const matcher = createMatcher(grammarOf(sequence(literal('ab'), rule('root'))));
    expect(matcher.forced()).toHaveLength(2000);
  });

  test('the cost per character does not grow with the text', () => {
    const text = `${'a < b </ '.repeat(20_000)}</x>`;
    const matcher = createMatcher(grammarOf(until({ delimiter: '</x>', next: literal('') })));
    expect(matcher.accept(text)).toBe(true);
    expect(matcher.gbnf()).toBe('root ::= ""\n');
  });
});
