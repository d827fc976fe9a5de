/** Bodies are parsed in steps: whatever the text, the outcome is that of parsing it at once. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseExactJson } from '../../../src/format/exact-json.ts';
import { parseJson } from '../../../src/format/json-values.ts';
import { finish } from '../../../src/language/expression/steps.ts';
import { parseInSteps } from '../../../src/serve/body/parse-in-steps.ts';
import { RequestError } from '../../../src/serve/errors.ts';
import { mutatedText } from '../../fuzz/mutated-text.ts';

/** Longer than what is taken out, and than what is read in one step. */
const long = fc
  .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), fc.constantFrom(1, 9, 20_000))
  .map(([text, times]) => text.repeat(times));
const number = fc.constantFrom('1', '-0', '1.0', '1e3', '12345678901234567890', '0.5');
const blank = fc.constantFrom('', ' ', '\n'.repeat(40), ' \t\r\n');

/** JSON as clients may write it: any escapes, white space and numbers. */
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    number,
    fc.constantFrom('true', 'null', '""', '"\\\\"', '"\\ud83d\\ude00"'),
    long.map((text) => JSON.stringify(text)),
    long.map(
      (text) =>
        `"${text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`,
    ),
    fc
      .tuple(blank, fc.array(tie('value'), { maxLength: 4 }))
      .map(([space, items]) => `[${space}${items.join(`${space},`)}]`),
    fc
      .tuple(
        blank,
        fc.array(fc.tuple(fc.oneof(fc.constant('__proto__'), long), tie('value')), { maxLength: 4 }),
      )
      .map(
        ([space, members]) =>
          `{${members.map(([key, value]) => `${space}${JSON.stringify(key)}${space}:${space}${value}`).join()}${space}}`,
      ),
  ),
})).value as fc.Arbitrary<string>;

function parsed(text: string): unknown {
  try {
    return finish(parseInSteps(Buffer.from(text)));
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}

function atOnce(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? undefined : { value, written: parseExactJson(text) };
}

/** Keys may be `__proto__`, which `toEqual` does not compare. */
function isTheSame(given: string): boolean {
  const text = given.toWellFormed();
  return isDeepStrictEqual(parsed(text), atOnce(text));
}

test('the value is that of the whole text', () => {
  fc.assert(fc.property(json, isTheSame));
});

test('what is no JSON is refused, and nothing else', () => {
  const texts = [
    `["${'a'.repeat(200)}`,
    `1${' '.repeat(30)}2`,
    `"${'\\u00'.repeat(60)}"`,
    `"${'\n'.repeat(90)}"`,
  ];
  for (const text of texts) expect(parsed(text)).toEqual(atOnce(text));
  const seeds = [`{"a": [1, "${'word '.repeat(40)}", {"b": "${'\\u0041'.repeat(30)}"}], "c": -1.50}`];
  const parts = ['"', '\\', '\\u', ' '.repeat(30), 'x'.repeat(99), '{', ']', ',', ':', '1.0'];
  fc.assert(fc.property(mutatedText(seeds, parts), isTheSame));
});

describe('a large body is read in many steps', () => {
  const size = 2_000_000;
  it.each([
    ['letters', `"${'a'.repeat(size)}"`],
    ['escapes', `"${'\\u0041'.repeat(size / 6)}"`],
    ['quotes', `"${'\\"'.repeat(size / 2)}"`],
    ['backslashes', `"${'\\'.repeat(size)}"`],
    ['white space', `[1${' '.repeat(size)}]`],
    ['numbers', `[${'7,'.repeat(100_000)}1.0]`],
  ])('%s', (_, text) => {
    let count = 0;
    for (const steps = parseInSteps(Buffer.from(text)); steps.next().done !== true; ) count += 1;
    expect(count).toBeGreaterThan(10);
    expect(parsed(text)).toEqual(atOnce(text));
  });

  it('no number of a million digits is read', () => {
    expect(() => finish(parseInSteps(Buffer.from(`[${'1'.repeat(1_000_000)}]`)))).toThrow(RequestError);
  });
});
