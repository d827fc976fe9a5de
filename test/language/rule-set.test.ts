/** Laws of a set of rules: its names are legal and new, equal things share one, and a copy and its original do the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BudgetExceeded, StepBudget } from '../../src/language/expression/budget.ts';
import { type Expression, literal, sequence } from '../../src/language/expression/expression.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { finish } from '../../src/language/expression/steps.ts';
import type { Automaton } from '../../src/language/regular/automaton.ts';

const numRuns = process.env.LAWS === 'long' ? 5_000 : 150;

const hint = fc.oneof(
  fc.constantFrom('a', 'b', 'root', 'A', 'a-2', 'fooBar', '9', '', 'é', 'a--b', '-', 'root-', 'x'.repeat(60)),
  fc.string({ maxLength: 6 }),
);
const body = fc.constantFrom<Expression>(
  literal('x'),
  literal('y'),
  sequence(literal('x'), { type: 'rule', name: 'a' }),
);

type Operation = (rules: RuleSet) => unknown;

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.tuple(hint, body).map(
    ([name, expression]): Operation =>
      (rules) =>
        rules.add(name, expression),
  ),
  fc.tuple(hint, body, hint).map(
    ([name, expression, inner]): Operation =>
      (rules) =>
        rules.named(`key ${name}`, name, () => sequence(expression, rules.add(inner, literal(inner)))),
  ),
  hint.map(
    (name): Operation =>
      (rules) =>
        rules.freshKey(name),
  ),
  hint.map(
    (name): Operation =>
      (rules) =>
        rules.shortKey(name),
  ),
  fc.tuple(hint, body).map(
    ([key, expression]): Operation =>
      (rules) =>
        rules.remember(key, () => expression),
  ),
  hint.map(
    (name): Operation =>
      (rules) =>
        rules.reserve([`reserved-${name.length}`]),
  ),
  fc.tuple(hint, body).map(
    ([name, expression]): Operation =>
      (rules) =>
        rules.define(`reserved-${name.length}`, expression),
  ),
);
const operations = fc.array(operation, { maxLength: 12 });

const rulesOf = (rules: RuleSet) => [...rules.rules];

describe('a set of rules', () => {
  it('gives names that every engine takes, each once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(hint, fc.constantFrom('a', 'fooBar')), { maxLength: 20, size: 'max' }),
        (hints) => {
          const rules = new RuleSet();
          const names = hints.map((each) => {
            const name = rules.freshName(each);
            rules.reserve([name]);
            return name;
          });
          expect(new Set(names).size).toBe(names.length);
          for (const name of names) expect(name).toMatch(/^(?!root$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/);
          expect(Math.max(0, ...names.map(({ length }) => length))).toBeLessThanOrEqual('-20'.length + 40);
        },
      ),
      { numRuns },
    );
  });

  it('shares a rule between equal expressions, and no other', () => {
    fc.assert(
      fc.property(operations, fc.array(fc.tuple(hint, body), { maxLength: 6 }), (before, added) => {
        const rules = new RuleSet();
        for (const each of before) each(rules);
        const references = added.map(([name, expression]) => rules.add(name, expression));
        for (const [at, one] of references.entries()) {
          const expression = added[at]?.[1];
          if (one.type !== 'rule') throw new TypeError('a reference');
          expect(rules.rules.get(one.name)).toEqual(expression);
          expect(rules.add('other', one)).toBe(one);
          for (const [to, other] of references.entries())
            expect(JSON.stringify(one) === JSON.stringify(other)).toBe(expression === added[to]?.[1]);
        }
      }),
      { numRuns },
    );
  });

  it('does the same as its copy, and nothing to it', () => {
    fc.assert(
      fc.property(operations, operations, (before, after) => {
        const original = new RuleSet();
        for (const each of before) each(original);
        const kept = rulesOf(original);
        const copy = original.branch();
        expect(rulesOf(copy)).toEqual(kept);
        const ofCopy = after.map((each) => each(copy));
        expect(rulesOf(original)).toEqual(kept);
        expect(after.map((each) => each(original))).toEqual(ofCopy);
        expect(rulesOf(original)).toEqual(rulesOf(copy));
      }),
      { numRuns },
    );
  });

  it('numbers equal automata alike, in a copy, too', () => {
    const automaton = (accepts: boolean): Automaton => ({ states: [{ accepts, edges: [] }] });
    const rules = new RuleSet();
    const numbers = [true, false, true].map((each) => rules.automatonNumber(automaton(each)));
    expect(numbers).toEqual([numbers[0], numbers[1], numbers[0]]);
    expect(numbers[1]).not.toBe(numbers[0]);
    expect(rules.branch().automatonNumber(automaton(false))).toBe(numbers[1]);
  });

  it('takes back what is stopped or fails, and goes on as if it had not begun', () => {
    fc.assert(
      fc.property(operations, operations, operations, fc.boolean(), (before, tried, after, fails) => {
        const [rules, untouched] = [new RuleSet(), new RuleSet()];
        for (const each of before) for (const set of [rules, untouched]) each(set);
        const kept = rulesOf(rules);
        const attempt = rules.attempt(() => {
          for (const each of tried) each(rules);
          rules.later('late', () => literal('late'));
          if (fails) throw new RangeError('failed');
        });
        if (fails) expect(() => finish(attempt)).toThrow('failed');
        else {
          attempt.next();
          attempt.return(undefined);
        }
        // Reserving and defining a name of one's own is not taken back.
        const ownNames = ([name]: readonly [string, Expression]) => !name.startsWith('reserved-');
        expect(rulesOf(rules).filter(ownNames)).toEqual(kept.filter(ownNames));
        for (const each of after) each(rules);
        const names = [...rules.rules.values()];
        expect(names.every((each) => each !== null)).toBe(true);
        const late = finish(rules.attempt(() => rules.later('late', () => literal('late'))));
        expect(late.type === 'rule' && rules.rules.get(late.name)).toEqual(literal('late'));
      }),
      { numRuns },
    );
  });

  it('builds each key once, one after the other, before anyone asks for the rules', () => {
    const rules = new RuleSet();
    let [built, within, most] = [0, 0, 0];
    const chain = (depth: number): Expression =>
      rules.named(`key ${depth}`, 'chain', () => {
        built += 1;
        within += 1;
        most = Math.max(most, within);
        const next = depth === 0 ? literal('end') : sequence(literal('x'), chain(depth - 1));
        // What refers to itself is not built again.
        expect(chain(depth).type).toBe('rule');
        within -= 1;
        return next;
      });
    const first = chain(2000);
    expect([built, most, rules.rules.size]).toEqual([2001, 1, 2001]);
    expect(chain(2000)).toEqual(first);
    expect(built).toBe(2001);
  });

  it('remembers what was made for a key, and defines what is reserved, once', () => {
    const rules = new RuleSet();
    const made = rules.remember('key', () => literal('made'));
    expect(rules.remember('key', () => literal('other'))).toBe(made);
    expect(rules.remember('other', () => literal('other'))).toEqual(literal('other'));
    rules.reserve(['a', 'b']);
    expect(rules.rules.size).toBe(0);
    expect([rules.define('a', literal('1')), rules.define('a', literal('2'))]).toEqual([true, false]);
    expect(rules.define('nowhere', literal('1'))).toBe(false);
    expect(rulesOf(rules)).toEqual([['a', literal('1')]]);
    expect(rules.freshName('b')).not.toBe('b');
    const { root, rules: all } = rules.grammar('start', literal('s'));
    expect([root, all.get('start')]).toEqual(['start', literal('s')]);
    for (const taken of ['start', 'a', 'b'])
      expect(() => rules.grammar(taken, literal('s')), taken).toThrow(RangeError);
  });

  it('builds what is attempted in steps, one for each rule', () => {
    const rules = new RuleSet();
    const built: number[] = [];
    const attempt = rules.attempt(() => {
      for (const each of [0, 1, 2])
        rules.named(`key ${each}`, 'a', () => {
          built.push(each);
          return literal(`${each}`);
        });
    });
    for (let steps = 0; ; steps += 1) {
      expect(built).toHaveLength(steps);
      if (attempt.next().done) break;
    }
    expect([built, rules.rules.size]).toEqual([[0, 1, 2], 3]);
  });

  it('takes a legal name that is free as it is', () => {
    for (const name of ['a', 'a-b', 'x9']) expect(new RuleSet().freshName(name)).toBe(name);
  });

  it('never gives a key twice', () => {
    const rules = new RuleSet();
    const keys = ['a', 'a', 'b', 'a 1'].map((each) => rules.freshKey(each));
    expect(new Set(keys).size).toBe(keys.length);
    expect(['x', 'y', 'x'].map((each) => rules.shortKey(each))).toEqual(['=0', '=1', '=0']);
  });

  it('charges each new rule, and other work, to a budget, until it is charged to none', () => {
    const rules = new RuleSet();
    rules.add('before', literal('0'));
    const price = new StepBudget(1000);
    rules.chargeTo(price);
    rules.add('a', literal('1'));
    const once = price.spent;
    expect(once).toBeGreaterThan(0);
    const budget = new StepBudget(2 * once - 1);
    rules.chargeTo(budget);
    rules.add('b', literal('2'));
    expect(budget.spent).toBe(once);
    rules.add('again', literal('2'));
    rules.charge(1);
    expect(budget.spent).toBe(once + 1);
    expect(() => rules.add('c', literal('3'))).toThrow(BudgetExceeded);
    const before = budget.spent;
    rules.chargeTo(null);
    rules.add('d', literal('4'));
    rules.charge(7);
    expect(budget.spent).toBe(before);
  });
});
