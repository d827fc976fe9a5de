/** Limits of what schemas, patterns and grammars are compiled to. */

import { SchemaDocument } from '../../../src/json-schema/document/schema-document.ts';
import { multiplyReaders } from '../../../src/json-schema/numbers/number-product.ts';
import { ObjectWriter } from '../../../src/json-schema/objects/object-writer.ts';
import { Compilation } from '../../../src/json-schema/plan/compilation.ts';
import { InstanceLocations } from '../../../src/json-schema/plan/instance-locations.ts';
import { Languages } from '../../../src/json-schema/plan/languages.ts';
import { planObject } from '../../../src/json-schema/plan/object-plan.ts';
import { Satisfiability } from '../../../src/json-schema/plan/satisfiability.ts';
import { objectShape } from '../../../src/json-schema/shapes/any-shape.ts';
import type { ExpansionContext } from '../../../src/json-schema/shapes/assertions.ts';
import { Constraints } from '../../../src/json-schema/shapes/constraints.ts';
import { Expander } from '../../../src/json-schema/shapes/expand.ts';
import { noKeys } from '../../../src/json-schema/shapes/key-sets.ts';
import type { Shape } from '../../../src/json-schema/shapes/shapes.ts';
import { patternTest } from '../../../src/json-schema/validate/pattern-test.ts';
import { wordTrie } from '../../../src/json-schema/write/string-writer.ts';
import { jsonSyntax } from '../../../src/json-schema/write/syntax.ts';
import { BudgetExceeded, NoValueLeft, StepBudget } from '../../../src/language/expression/budget.ts';
import { characterClass, literal, repeat, sequence } from '../../../src/language/expression/expression.ts';
import { RuleSet } from '../../../src/language/expression/rule-set.ts';
import { finish } from '../../../src/language/expression/steps.ts';
import { wholePosition } from '../../../src/language/matcher/byte-position.ts';
import { StateMasks } from '../../../src/language/matcher/masks/state-masks.ts';
import { TokenRuns } from '../../../src/language/matcher/masks/token-runs.ts';
import { tokenTrie } from '../../../src/language/matcher/masks/token-trie.ts';
import { Program } from '../../../src/language/matcher/program.ts';
import { Stacks } from '../../../src/language/matcher/stacks.ts';
import { characterSet } from '../../../src/language/regular/character-set.ts';
import { patternTerm } from '../../../src/language/regular/parse-pattern.ts';
import { finerContexts } from '../../../src/language/regular/pattern-contexts.ts';
import { plainSpelling } from '../../../src/language/regular/spelling.ts';
import { Terms } from '../../../src/language/regular/terms.ts';
import { wordsOf } from '../../../src/language/regular/words.ts';
import { writeAutomaton } from '../../../src/language/regular/write-automaton.ts';
import { ends, type Rows } from '../source-limits.ts';
import { isEnforced } from './grammars.ts';
import { indexOf } from './kept.ts';

const budget = () => new StepBudget(100_000_000);
const numbersTo = (size: number) => Array.from({ length: size }, (_, at) => at);

/** How many sets of up to `most` of so many values there are, without those of `most`. */
function setsOf(values: number, most: number): number {
  let [sets, ofThisSize] = [1, 1];
  for (let size = 1; size < most; size += 1) {
    ofThisSize = (ofThisSize * (values - size + 1)) / size;
    sets += ofThisSize;
  }
  return sets;
}

/** Collects the budgets that are spent from while `run` runs, and lets it spend without being seen. */
function withBudgets<Result>(
  run: (budgets: ReadonlySet<StepBudget>, spend: (from: StepBudget, steps: number) => void) => Result,
): Result {
  const { spend } = StepBudget.prototype;
  const budgets = new Set<StepBudget>();
  StepBudget.prototype.spend = function spendSeen(steps) {
    budgets.add(this);
    spend.call(this, steps);
  };
  try {
    return run(budgets, (from, steps) => spend.call(from, steps));
  } finally {
    StepBudget.prototype.spend = spend;
  }
}

export const compiledRows: Rows = {
  // Before the first character, and each place in a circle of the others.
  'json-schema/numbers/number-product.ts maxProductStates': (size) => {
    const reader = {
      step: (state: number) => (state + 1) % (size - 1),
      accepts: () => true,
      distinguishes: [],
    };
    return ends(() => multiplyReaders([{ negative: false, readers: [reader] }], budget()));
  },
  // An object of fewer keys than it must have: required ones, and then pairs of an optional and a required one. There are
  // as many states as these have places and numbers of keys so far, together a square.
  'json-schema/objects/object-writer.ts maxProgress': (size) => {
    const pairs = 140;
    const single = numbersTo(size - (pairs + 1) ** 2).map((at) => `single${at}`);
    const required = numbersTo(pairs).map((at) => `required${at}`);
    const keys = [...single, ...required.flatMap((key, at) => [`optional${at}`, key])];
    const options = {
      tool: '',
      sortKeys: false,
      formats: 'assert',
      openObjects: true,
      budget: budget(),
    } as const;
    const compilation = new Compilation({}, options);
    const { anything, nothing } = compilation.constraints;
    const shape = objectShape({
      rules: [
        { keys: { ...noKeys, names: new Set(keys) }, constraint: anything },
        { keys: { ...noKeys, names: new Set(keys), complement: true }, constraint: nothing },
      ],
      required: new Set([...single, ...required]),
      min: keys.length + 1,
    });
    const location = { ...compilation.locations.of([compilation.document.root]), keys };
    const { object } = jsonSyntax;
    const writing = {
      compilation,
      rules: new RuleSet(),
      object,
      blank: literal(''),
      value: () => literal(''),
    };
    try {
      new ObjectWriter(shape, location, 'object', writing).object();
    } catch (error) {
      if (error instanceof NoValueLeft) return true;
      if (!(error instanceof BudgetExceeded)) throw error;
    }
    return false;
  },
  // A schema and its parts.
  'json-schema/plan/instance-locations.ts maxNodes': (size) => {
    const document = new SchemaDocument({ allOf: numbersTo(size - 1).map((at) => ({ minProperties: at })) });
    return new InstanceLocations(document, budget(), false).of([document.root]).nodes.length === size;
  },
  // Before each character of a key and after the last one; after those of the pattern, and after any others.
  'json-schema/plan/object-plan.ts maxKeyStates': (size) => {
    const [terms, constraints] = [new Terms(budget()), new Constraints()];
    const keys = { ...noKeys, patterns: [patternTerm(terms, '^b$')] };
    const shape = objectShape({ rules: [{ keys, constraint: constraints.anything }] });
    return ends(() => planObject(shape, ['a'.repeat(size - 3)], { terms, constraints, budget: budget() }));
  },
  // Keys of one pattern: as many are declared, more are a class.
  'json-schema/plan/object-plan.ts maxListedKeys': (size) => {
    const [terms, constraints] = [new Terms(budget()), new Constraints()];
    const pattern = patternTerm(terms, `^(${numbersTo(size).join('|')})$`);
    const others = { ...noKeys, patterns: [pattern], complement: true };
    const shape = objectShape({ rules: [{ keys: others, constraint: constraints.nothing }], min: 2 });
    return planObject(shape, [], { terms, constraints, budget: budget() }).classes.length === 0;
  },
  // So many alternatives, each of which requires a key and allows none.
  'json-schema/plan/satisfiability.ts maxAttempts': (size) => {
    const [terms, constraints] = [new Terms(budget()), new Constraints()];
    const languages = new Languages(terms, budget());
    const context = { terms, constraints, languages, budget: budget(), shapes: () => new Map() };
    const never = objectShape({ required: new Set(['a']), max: 0 });
    const clauses = [numbersTo(size).map(() => never)];
    return !new Satisfiability(context).ofShape(objectShape({ clauses }));
  },
  // Branches that overlap only below what so many alternatives next to them allow.
  'json-schema/shapes/expand.ts maxContext': (size) => {
    const terms = new Terms(budget());
    const document = new SchemaDocument({
      anyOf: numbersTo(size).map((at) => ({ minimum: 10 * (at + 1), maximum: 10 * (at + 1) + 1 })),
      oneOf: [{ maximum: 5 }, { minimum: -5 }],
    });
    let isAmongAll = true;
    const mayProduce = (shapes: readonly Shape[]) => {
      isAmongAll &&= shapes.every((shape) => shape.type === 'number' && Number(shape.min?.value.digits) > 0);
      return shapes.length > 0;
    };
    const context: ExpansionContext = {
      ...{ document, terms, constraints: new Constraints(), budget: budget(), report: () => undefined },
      shapesOf: (node, holds, type) => expander.ofNode(node, holds, type),
      ...{ stringsOf: () => terms.everything, patternLanguage: () => null },
      ...{ formatLanguage: () => null, formatRange: () => null },
    };
    const expander = new Expander(context, mayProduce);
    expander.ofNode(document.root, true, 'number');
    return isAmongAll;
  },
  // Steps that were taken for an earlier text.
  'json-schema/validate/pattern-test.ts maxKept': (size) =>
    withBudgets((budgets, spend) => {
      const test = patternTest('^(?:ab)+$');
      test('ab');
      const [first = budget()] = budgets;
      spend(first, size - first.spent);
      test('ab');
      test('abab');
      return budgets.size === 1;
    }),
  // As few values and items as have so many sets, or as few more as there are.
  'json-schema/write/distinct-items.ts maxSets': (size) => {
    const pairs = numbersTo(40).flatMap((values) =>
      numbersTo(values).map((most) => [values + 1, most + 2] as const),
    );
    const [[values, most] = [1, 1]] = pairs
      .filter((pair) => setsOf(...pair) >= size)
      .sort((a, b) => setsOf(...a) - setsOf(...b));
    return isEnforced({
      type: 'array',
      uniqueItems: true,
      items: { enum: numbersTo(values) },
      maxItems: most,
    });
  },
  // Each text but the longest one ends where the others branch off.
  'json-schema/write/string-writer.ts maxDepth': (size) =>
    wordTrie(numbersTo(size + 1).map((at) => 'a'.repeat(at + 1))) !== null,
  // Beginnings of tokens: those of letters, which are skipped, and those after a quote, which may come only later. A mask
  // that is no difference is found by runs.
  'language/matcher/masks/state-masks.ts maxDifference': (size) => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const words = letters.flatMap((one) =>
      letters.flatMap((two) => ['a', 'b', 'c'].map((each) => one + two + each)),
    );
    const quoted = `"${'a'.repeat(size - letters.length - 1)}`;
    const trie = tokenTrie(indexOf(...words, quoted));
    const letter = characterClass([0x61, 0x7a]);
    const root = sequence(letter, repeat(letter), literal('"'), repeat(letter));
    const program = new Program(new RuleSet().grammar('root', root).rules);
    finish(program.prepare());
    const stacks = new Stacks(program, 100);
    let isRun = false;
    const masks = new StateMasks(stacks, trie, (members) => {
      isRun = true;
      return new TokenRuns(trie, members);
    });
    masks.at(wholePosition(stacks.start('root')));
    return !isRun;
  },
  // Before each character of a text and after it; after any other, be it of a word or not.
  'language/regular/pattern-contexts.ts maxContexts': (size) => {
    const terms = new Terms(budget());
    const lookbehinds = new Map([[{} as never, terms.text('a'.repeat(size - 3))]]);
    return ends(() => finerContexts(terms, lookbehinds, false));
  },
  // A word of so many characters.
  'language/regular/words.ts maxWordLength': (size) => {
    const states = numbersTo(size).map((at) => ({ accepts: false, edges: [[[[97, 97]], at + 1]] as const }));
    return wordsOf({ states: [...states, { accepts: true, edges: [] }] }, 1) !== null;
  },
  // A text of so many characters, each another one, is one rule.
  'language/regular/write-automaton.ts maxInlineDepth': (size) => {
    const rules = new RuleSet();
    const states = numbersTo(size + 1).map((at) => ({
      accepts: at === size,
      edges: at === size ? [] : [[characterSet([0x1000 + at, 0x1000 + at]), at + 1] as const],
    }));
    writeAutomaton({ states }, plainSpelling, literal(''), rules, 'text');
    return rules.rules.size === 1;
  },
};
