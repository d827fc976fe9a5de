/** Limits of what is made of schemas and of their patterns. */
import { DynamicScopes } from '../../../src/json-schema/document/dynamic-scopes.ts';
import { inexactMultiples } from '../../../src/json-schema/numbers/number-language.ts';
import { numbersNearZero } from '../../../src/json-schema/numbers/number-values.ts';
import { KeyExits } from '../../../src/json-schema/objects/key-exits.ts';
import { AnyOrder, LaterOrder } from '../../../src/json-schema/objects/key-order.ts';
import { objectShape } from '../../../src/json-schema/shapes/any-shape.ts';
import { Constraints } from '../../../src/json-schema/shapes/constraints.ts';
import { Disjunctions } from '../../../src/json-schema/shapes/disjunctions.ts';
import { subsume } from '../../../src/json-schema/shapes/fewer-shapes.ts';
import type { NumberShape } from '../../../src/json-schema/shapes/shapes.ts';
import { Verdict } from '../../../src/json-schema/validate/verdict.ts';
import { ValueWriter } from '../../../src/json-schema/write/value-writer.ts';
import { StepBudget } from '../../../src/language/expression/budget.ts';
import { textSampler } from '../../../src/language/expression/draw-text.ts';
import {
  anyCharacter,
  choice,
  literal,
  rule,
  sequence,
} from '../../../src/language/expression/expression.ts';
import { RuleSet } from '../../../src/language/expression/rule-set.ts';
import { indexTokens, sharedIndex } from '../../../src/language/matcher/token-index.ts';
import type { Automaton } from '../../../src/language/regular/automaton.ts';
import { buildAutomaton } from '../../../src/language/regular/build-automaton.ts';
import { characterSet } from '../../../src/language/regular/character-set.ts';
import { countLoops } from '../../../src/language/regular/counted-loops.ts';
import { restrictLength } from '../../../src/language/regular/lengths.ts';
import { patternTerm } from '../../../src/language/regular/parse-pattern.ts';
import { sharedParts } from '../../../src/language/regular/shared-parts.ts';
import { Terms } from '../../../src/language/regular/terms.ts';
import { ends, type Rows } from '../source-limits.ts';

const budget = () => new StepBudget(100_000_000);
const labels = (size: number) => Array.from({ length: size }, (_, at) => at);

/** Numbers of which nothing is asked but this. */
const numbers = (asked: Partial<NumberShape>): NumberShape => ({
  ...{ type: 'number', integer: null, min: null, max: null, multiples: [], only: null, excluded: [] },
  ...asked,
});
const bound = (value: number) => ({ value: { digits: BigInt(value), scale: 0 }, exclusive: false });
const multiple = (of: number, holds = true) => ({ of: { digits: BigInt(of), scale: 0 }, holds });

const sets = Array.from({ length: 5000 }, (_, at) => characterSet([0x1000 + at, 0x1000 + at]));
const nth = (at: number) => sets[at] ?? characterSet();

function automatonOf(pattern: string): Automaton {
  const terms = new Terms(budget());
  return buildAutomaton(terms, patternTerm(terms, pattern), budget());
}

/** Values of a first group, and of a second one within its scope, that make as few variants as `size` or more. */
function fewestValues(size: number): readonly [number, number] {
  const pairs = labels(63).flatMap((p) => labels(63).map((q) => [p + 1, q + 1] as const));
  const variants = ([p, q]: readonly [number, number]) => (p + 1) * (1 + (q + 1));
  const [fewest] = pairs.filter((each) => variants(each) >= size).sort((a, b) => variants(a) - variants(b));
  return fewest ?? [1, 1];
}

export const schemaRows: Rows = {
  'json-schema/document/dynamic-scopes.ts maxScopes': (size) => {
    const scopes = new DynamicScopes();
    // The scope outside of all is one.
    const uris = labels(size - 1).map((at) => `urn:${at}`);
    for (const uri of uris) scopes.add('a', uri);
    for (const uri of uris) scopes.enter(scopes.outside, uri);
    return scopes.isBounded;
  },
  'json-schema/numbers/number-language.ts maxRemainders': (size) =>
    ends(() => inexactMultiples(numbers({ multiples: [multiple(size)] }))),
  // So many remainders times digits, or as few more as there are.
  'json-schema/numbers/number-language.ts maxCounted': (size) => {
    const pairs = [3, 7, 9, 11, 13].flatMap((of) => labels(15).map((at) => [of, at + 1] as const));
    const product = ([of, digits]: readonly [number, number]) => of * digits;
    const [fewest = [1, 1]] = pairs
      .filter((each) => product(each) >= size)
      .sort((a, b) => product(a) - product(b));
    const [of, digits] = fewest;
    const inexact = inexactMultiples(numbers({ multiples: [multiple(of)] }));
    return inexact === null || (inexact.digits ?? 0) >= digits;
  },
  'json-schema/numbers/number-values.ts maxValues': (size) =>
    numbersNearZero(numbers({ integer: true, min: bound(0), max: bound(size - 1) }), budget()).complete,
  // None of so many numbers fits.
  'json-schema/numbers/number-values.ts maxTries': (size) => {
    const shape = { integer: true, min: bound(0), max: bound(size - 1), multiples: [multiple(1, false)] };
    return numbersNearZero(numbers(shape), budget()).complete;
  },
  'json-schema/objects/key-exits.ts maxUngrouped': (size) => {
    const exits = new KeyExits(['a'], { keyClose: '"', keySpelling: null } as never, new RuleSet());
    return !exits.isGrouped({ children: labels(size) } as never);
  },
  'json-schema/objects/key-order.ts maxTogether': (size) =>
    new AnyOrder(labels(size), new Set([0])).free.length === 0,
  // So many of more keys, all required, come in any order.
  'json-schema/objects/key-order.ts maxWindow': (size) =>
    new AnyOrder(labels(10), new Set(labels(10))).ahead >= size - 1,
  // As few keys as have so many entries, each in 16 states times 5 keys, are tracked as widely as ten.
  'json-schema/objects/key-order.ts maxEntries': (size) => {
    const count = Math.ceil(size / (16 * 5));
    return new AnyOrder(labels(count), new Set(labels(count))).ahead === 4;
  },
  'json-schema/objects/key-order.ts maxOptional': (size) =>
    new LaterOrder(labels(size + 1), new Set([size])).isUseful,
  // One state before each required key before all optional ones; 32 before each of three, and 32 at the end.
  'json-schema/objects/key-order.ts maxStates': (size) => {
    const first = size - 32 * 4;
    const required = labels(first + 5 + 3).filter((label) => label < first || label >= first + 5);
    return new LaterOrder(labels(first + 5 + 3), new Set(required)).isUseful;
  },
  'json-schema/shapes/constraints.ts maxStates': (size) => {
    const constraints = new Constraints();
    // That of every value is one.
    const schema = { type: 'object' };
    return ends(() => {
      for (const id of labels(size - 1)) constraints.of({ id, schema } as never);
    });
  },
  // The test that has all but one other around it.
  'json-schema/shapes/disjunctions.ts maxDepth': (size) => {
    const disjunctions = new Disjunctions({} as never, () => false);
    disjunctions.depth = size - 1;
    return !disjunctions.mayOverlap([]);
  },
  'json-schema/shapes/disjunctions.ts maxShapes': (size) => {
    const disjunctions = new Disjunctions({ constraints: new Constraints() } as never, () => true);
    const shapes = labels(size).map((at) => numbers({ min: bound(at) }));
    return ends(() => disjunctions.distinct(shapes));
  },
  'json-schema/shapes/fewer-shapes.ts maxSubsumed': (size) =>
    subsume(Array.from({ length: size }, () => objectShape({}))).length === 1,
  'json-schema/validate/verdict.ts maxFailures': (size) => {
    const verdict = new Verdict('');
    for (let told = 0; told < size; told += 1) verdict.fail('type', 'must be integer');
    return verdict.failures.length === size;
  },
  'json-schema/write/value-writer.ts maxIndentation': (size) => {
    const margin = ValueWriter.prototype.innerMargin.call(
      { syntax: { indent: 2, margin: 0 } } as never,
      2 * (size - 1),
    );
    return margin === 2 * size;
  },
  'language/expression/draw-text.ts maxDepth': (size) => {
    const rules = new Map([['more', choice(sequence(literal('a'), rule('more')), literal('b'))]]);
    return textSampler({ ...new RuleSet().grammar('more', literal('')), rules }, () => 0)().length > size;
  },
  'language/expression/expression.ts maxCodePoint': (point) =>
    anyCharacter.ranges.some(([from, to]) => from <= point && point <= to),
  'language/matcher/token-index.ts maxLatest': (size) => {
    const vocabulary = (at: number) => ({ bytes: Uint8Array.of(size, at), starts: Uint32Array.of(0, 2) });
    const held = labels(size).map((at) => indexTokens(vocabulary(at), [0]));
    const [first] = held;
    return first !== undefined && sharedIndex({ ...first }) === first;
  },
  // A chain of so many states, of which the last one has a loop.
  'language/regular/counted-loops.ts maxStates': (size) => {
    const target = (at: number) => Math.min(at + 1, size - 1);
    const states = labels(size).map((at) => ({
      accepts: at === size - 1,
      edges: [[nth(0), target(at)]] as const,
    }));
    return countLoops({ states }, { max: 10_000 }, budget()) !== null;
  },
  // A few states, the loop of two, and a chain. In one unit, pieces of the loop take 48 nodes, its entry one, and what
  // follows the entry two each, with the unit and without.
  'language/regular/counted-loops.ts maxNodes': (size) => {
    const [chain, entry] = [974, size - 1999];
    const states = labels(entry + 2 + chain).map((at) => ({
      accepts: at !== entry + 1,
      edges:
        at === entry + 1 + chain
          ? []
          : at === entry
            ? ([
                [nth(1), at + 1],
                [nth(2), at],
                [nth(0), at + 2],
              ] as const)
            : ([[nth(0), at === entry + 1 ? entry : at + 1]] as const),
    }));
    return countLoops({ states }, { max: entry + chain + 12 }, budget()) !== null;
  },
  // A loop of so many states, of which one is the entry and each other its neighbour.
  'language/regular/loops.ts maxLoopStates': (size) => {
    const others = labels(size - 1);
    const automaton: Automaton = {
      states: [
        { accepts: true, edges: others.map((at) => [nth(at), at + 1]) },
        ...others.map((at) => ({ accepts: false, edges: [[nth(at), 0]] as const })),
      ],
    };
    return countLoops(automaton, { max: 10_000 }, budget()) !== null;
  },
  // One state, which stays where it is with each character.
  'language/regular/lengths.ts maxLengthStates': (size) =>
    ends(() => restrictLength(automatonOf('^a*$'), 0, size - 1, budget())),
  'language/regular/pattern-references.ts maxVariants': (size) => {
    const [p, q] = fewestValues(size);
    const set = (from: number, count: number) =>
      `[${String.fromCodePoint(from)}-${String.fromCodePoint(from + count - 1)}]`;
    return ends(() => patternTerm(new Terms(budget()), `(${set(0x100, p)})(${set(0x200, q)})\\1\\2`));
  },
  // The last of so many states that begin alike is a part of the one after them.
  'language/regular/shared-parts.ts maxCandidates': (size) => {
    const ends = labels(3).map((at) => size + 1 + at);
    const [one = 0, two = 0, three = 0] = ends;
    const states: Automaton['states'] = [
      ...labels(size).map((at) => ({
        accepts: false,
        edges: [
          [nth(0), one],
          [nth(at + 1), two],
        ] as const,
      })),
      {
        accepts: false,
        edges: [
          [nth(0), one],
          [nth(size), two],
          [nth(size + 1), three],
        ],
      },
      ...ends.map(() => ({ accepts: true, edges: [] })),
    ];
    return sharedParts({ states }, () => true)[size] === size - 1;
  },
};
