/** Texts up to a delimiter as XGrammar gets them are the texts that all other engines get. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Expression, type Grammar, literal, until } from '../../src/grammar/expression/expression.ts';
import { createMatcher } from '../../src/grammar/matcher/matcher.ts';
import { isQuick, withQuickTexts } from '../../src/grammar/structural-tag/quick-texts.ts';

function grammarOf(root: Expression): Grammar {
  return { root: 'root', rules: new Map([['root', root]]) };
}

function accepts(grammar: Grammar, text: string): boolean {
  const matcher = createMatcher(grammar);
  return matcher.accept(text) && matcher.complete;
}

const next = literal('!');
const forbidding = until({ delimiter: '\n<ab>', next }, { delimiter: '<ab>', next: null });
const texts = [
  until({ delimiter: '<ab>', next }),
  until({ delimiter: '<aab>', next }),
  until({ delimiter: 'xy', next }),
  forbidding,
];

describe.each(texts)('%j', (text) => {
  it('is the same in other rules', () => {
    expect(isQuick(text)).toBe(true);
    const plain = grammarOf(text);
    const quick = withQuickTexts(plain);
    expect([...quick.rules.values()].some((body) => JSON.stringify(body).includes('"until"'))).toBe(false);
    const delimiter = text.branches[0]?.delimiter ?? '';
    const pieces = fc.array(fc.constantFrom(...'<ab>\nxy!', delimiter, delimiter.slice(0, -1)), {
      maxLength: 9,
    });
    fc.assert(
      fc.property(pieces, fc.boolean(), (drawn, ends) => {
        const written = drawn.join('') + (ends ? `${delimiter}!` : '');
        expect(accepts(quick, written)).toBe(accepts(plain, written));
      }),
      { numRuns: 300 },
    );
  });
});

it.each([
  until({ delimiter: '<a><b>', next }),
  until({ delimiter: '<ab>', next }, { delimiter: '<cd>', next }),
  until({ delimiter: 'b<ab>', next }, { delimiter: '<ab>', next: null }),
])('%j stays as it is', (text) => {
  expect(isQuick(text)).toBe(false);
  expect(withQuickTexts(grammarOf(text)).rules.get('root')).toEqual(text);
});
