/** Law: merging equal rules leaves the language alone, and no two rules that say the same. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatGrammar } from '../../src/grammar/format-grammar.ts';
import { checkGrammar } from '../../src/language/expression/check-grammar.ts';
import { type Grammar, literal, rule, sequence } from '../../src/language/expression/expression.ts';
import { mergeEqualRules, renamedRules } from '../../src/language/expression/merge-rules.ts';
import { printOhm } from '../../src/language/ohm/print-ohm.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { anyGrammar, textsNear, verdict } from '../support/random-grammar.ts';
import { sampled } from '../support/sample.ts';

/** Every rule twice; each mention is of one of the two, as `choose` has it. */
function doubled({ root, rules }: Grammar, choose: (index: number) => boolean): Grammar {
  const names = [...rules.keys()];
  const twin = (name: string, index: number) => (choose(index) ? `${name}-twin` : name);
  const first = new Map(names.map((name, index) => [name, twin(name, index)]));
  const second = new Map(names.map((name, index) => [name, twin(name, index + names.length)]));
  const copies = [...rules].flatMap(([name, body]) => [
    [name, renamedRules(body, first)] as const,
    [`${name}-twin`, renamedRules(body, second)] as const,
  ]);
  return { root, rules: new Map(copies) };
}

test('twins become one again, and accept what they accepted', () => {
  let accepted = 0;
  fc.assert(
    fc.property(anyGrammar, fc.infiniteStream(fc.boolean()), fc.nat(1_000_000), (grammar, choices, seed) => {
      fc.pre(!checkGrammar(grammar).some(({ severity }) => severity === 'unbuildable'));
      const picks = [...choices.take(6)];
      const merged = mergeEqualRules(
        doubled(grammar, (index) => picks[index] === true),
        /^json-/,
      );
      expect(merged.rules.size).toBeLessThanOrEqual(grammar.rules.size);
      for (const text of textsNear(grammar, seed, 6)) {
        const expected = verdict(grammar, text);
        if (expected === undefined) continue;
        expect({ text, accepted: verdict(merged, text) }).toEqual({ text, accepted: expected });
        if (expected) accepted += 1;
      }
    }),
  );
  expect(accepted).toBeGreaterThan(50);
});

test('of equal rules, the one that is named for what all places share keeps its name', () => {
  const list = (name: string) => sequence(literal(','), rule(name));
  const rules = new Map([
    ['root', sequence(rule('members'), rule('json-members'))],
    ['members', list('members')],
    ['json-members', list('json-members')],
  ]);
  expect([...mergeEqualRules({ root: 'root', rules }, /^json-/).rules.keys()]).toEqual([
    'root',
    'json-members',
  ]);
});

test.each(sampled(generatedFormats(), 4))('the grammars of $name repeat no rule', ({ format }) => {
  const { expression } = formatGrammar(format);
  expect(mergeEqualRules(expression, /^json-/).rules.size).toBe(expression.rules.size);
  const bodies = printOhm(expression, 'Response')
    .split('\n\n')
    .map((block) => block.slice(block.indexOf('\n  ') + 1));
  expect(new Set(bodies).size).toBe(bodies.length);
});
