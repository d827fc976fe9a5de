/** Laws of the rules of options: what is allowed, what an error says about the rest, and which name was meant. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import {
  abortSignal,
  anyValue,
  bytes,
  chatFormat,
  chatTemplate,
  checkOptions,
  date,
  eventArray,
  gbnfGrammar,
  integerFrom,
  jsonObject,
  jsonSchema,
  jsonStyle,
  numberBetween,
  numberFrom,
  type OptionRule,
  oneOf,
  orNull,
  readOptions,
  responseEvent,
  string,
  stringArray,
  textUpTo,
} from '../../src/format/option-rules.ts';

const numRuns = process.env.LAWS === 'long' ? 5_000 : 200;

/** What an error says, or null if there is none. */
function reasonOf(options: object, rules: Readonly<Record<string, OptionRule>>, refused = {}): string | null {
  try {
    checkOptions<object>(options, rules, refused);
    return null;
  } catch (error) {
    if (!(error instanceof UnsupportedOptionError)) throw error;
    return error.reason;
  }
}

describe('a rule', () => {
  it.each([
    ['numberFrom', numberFrom, false],
    ['numberBetween', numberBetween, false],
    ['integerFrom', integerFrom, true],
  ] as const)(
    'of %s allows just the numbers from the first to the last, and names a limit',
    (_, rule, isWhole) => {
      const bound = fc.integer({ min: -3, max: 3 });
      const value = fc.oneof(
        fc.integer({ min: -4, max: 4 }),
        fc.constantFrom<unknown>(0.5, Number.NaN, '1', null, 1n),
      );
      fc.assert(
        fc.property(bound, bound, value, (a, b, given) => {
          const [min, max] = [Math.min(a, b), Math.max(a, b)];
          const fits = typeof given === 'number' && given >= min && given <= max;
          expect(rule(min, max).allows(given)).toBe(fits && (!isWhole || Number.isInteger(given)));
          expect(rule(min, max).expected).toContain(String(min));
        }),
        { numRuns },
      );
    },
  );

  it('of whole numbers allows infinity where there is no last one, and names the last one where it is', () => {
    const open = integerFrom(0, Number.POSITIVE_INFINITY);
    expect([open.allows(Number.POSITIVE_INFINITY), open.allows(-1), open.allows(2 ** 60)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(open.expected).not.toMatch(/Infinity/);
    expect(integerFrom(0, Number.MAX_SAFE_INTEGER).expected).not.toContain(String(Number.MAX_SAFE_INTEGER));
    expect(integerFrom(2, 7).expected).toMatch(/2.*7/);
    expect(numberBetween(2, 7).expected).toMatch(/2.*7/);
    expect(numberFrom(0, 1).expected).toMatch(/0.*1/);
  });

  it.each<readonly [string, OptionRule, allowed: readonly unknown[], refused: readonly unknown[]]>([
    [
      'bytes',
      bytes,
      [new Uint8Array(2), Buffer.from('a')],
      [new Uint16Array(2), new DataView(new ArrayBuffer(1)), [1]],
    ],
    ['iterables', eventArray, [[], new Set(), new Map().values()], [null, 'text', {}, 7]],
    [
      'events',
      responseEvent,
      [{ type: 'a' }, { type: 'a-delta', delta: '' }],
      [{ type: 7 }, { type: 'a-delta' }, null],
    ],
    [
      'styles of JSON',
      jsonStyle,
      [{ itemSeparator: ',', keySeparator: ':' }],
      [{ itemSeparator: ',' }, { keySeparator: ':' }, null],
    ],
    ['schemas', jsonSchema, [true, false, {}], ['{}', 7, null]],
    ['texts or null', orNull(string), ['', null], [7, undefined]],
    ['one of two', oneOf('a', 1), ['a', 1], ['1', 'b', undefined]],
    ['formats', chatFormat, [{ turn: {}, content: {} }], [{ turn: {} }, { content: {} }, null]],
    [
      'grammars',
      gbnfGrammar,
      [{ rules: [] }, { rules: [{ name: 'a', body: {} }] }],
      [{ rules: [{ name: 'a' }] }, { rules: [{ body: {} }] }, 'root ::= "a"'],
    ],
    [
      'signals',
      abortSignal,
      [new AbortController().signal],
      [{ throwIfAborted: () => null }, new EventTarget()],
    ],
    ['dates', date, [new Date(0)], [new Date(Number.NaN), 0]],
    ['templates', chatTemplate, ['{{ a }}', '{% b %}'], ['path/to/a.jinja', '{a}', null]],
    ['JSON', jsonObject, [{ a: [1] }], [{ a: 1n }, null, 'a']],
  ])('of %s allows those alone', (_, { allows }, allowed, refused) => {
    expect(allowed.filter((each) => !allows(each))).toEqual([]);
    expect(refused.filter((each) => allows(each))).toEqual([]);
  });

  it('of texts allows those of one character up to the most', () => {
    const { allows } = textUpTo(3);
    expect(['', 'a', 'abc', 'abcd', 7].map(allows)).toEqual([false, true, true, false, false]);
  });

  it('of lists of texts allows lists of texts with characters alone', () => {
    const part = fc.constantFrom<unknown>('a', 'b', '', 1, null);
    fc.assert(
      fc.property(fc.array(part, { maxLength: 3 }), (list) => {
        expect(stringArray.allows(list)).toBe(list.every((each) => each === 'a' || each === 'b'));
        expect(stringArray.allows(Object.fromEntries(list.entries()))).toBe(false);
      }),
      { numRuns },
    );
  });
});

describe('an unknown option', () => {
  const rules = { maxTokens: anyValue, topK: anyValue, topP: anyValue, grammar: anyValue };
  const letters = fc.constantFrom(...'abcxyz');

  it('is refused with the one known name from which it is a letter away, in any spelling', () => {
    const edit = fc.tuple(fc.nat(2), fc.nat(9), letters).map(([kind, at, letter]) => (name: string) => {
      const place = at % name.length;
      const after = name.slice(kind === 0 ? place : place + 1);
      return `${name.slice(0, place)}${kind === 1 ? '' : letter}${after}`;
    });
    fc.assert(
      fc.property(fc.constantFrom('maxTokens', 'max_tokens', 'grammar'), edit, (name, change) => {
        const known = name === 'grammar' ? 'grammar' : 'maxTokens';
        const wrong = change(name);
        fc.pre(!Object.hasOwn(rules, wrong));
        expect(reasonOf({ [wrong]: 1 }, rules)).toMatch(new RegExp(`did you mean ${known}\\?`));
      }),
      { numRuns },
    );
  });

  it.each(['topA', 'tokens', 'maxTokensss', 'gr', 'garmmar'])(
    'is refused with all names if none is near: %s',
    (name) => {
      expect(reasonOf({ [name]: 1 }, rules)).toMatch(/the options are maxTokens, topK, topP, grammar/);
    },
  );

  it('is not there if it is undefined', () => {
    expect(reasonOf({ other: undefined, grammar: undefined }, rules)).toBe(null);
    expect(readOptions({ grammar: null, topK: 0, topP: undefined }, rules)).toEqual({ topK: 0 });
  });

  it('that is refused says why, unless another name of it is known', () => {
    const refused = { logits: 'there are none', n: 'topK', MAX_TOKENS: 'no' };
    expect(reasonOf({ logits: 1 }, rules, refused)).toMatch(/there are none/);
    expect(reasonOf({ LOG_ITS: 1 }, rules, refused)).toMatch(/there are none/);
    expect(reasonOf({ n: 1 }, rules, refused)).toMatch(/did you mean topK\?/);
    expect(reasonOf({ max_tokens: 1 }, rules, refused)).toMatch(/did you mean maxTokens\?/);
  });
});
