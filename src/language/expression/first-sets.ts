/**
 * First and follow sets as bit sets, and the LL(1) conflicts they reveal: places where a PEG and a context-free
 * reading could differ, because the next character does not decide. Each bit is one interval of code points that no
 * class or literal of the grammar splits.
 */
import { type Expression, type Grammar, maxCodePoint, unreachable } from './expression.ts';
import { children } from './references.ts';
import { isNullable, nullableRules, type RuleReferences, ruleGraph } from './rule-facts.ts';

type Bits = Uint32Array;

/** An LL(1) conflict. */
interface Ambiguity {
  readonly rule: string;
  readonly kind: 'ambiguous-choice' | 'ambiguous-repetition' | 'ambiguous-end';
  readonly reason: string;
}

/** All LL(1) conflicts. The grammar must have no undefined rules and no left recursion. */
export function findAmbiguities(grammar: Grammar): readonly Ambiguity[] {
  const search = new AmbiguitySearch(grammar);
  return search.run();
}

class AmbiguitySearch {
  readonly #rules: ReadonlyMap<string, Expression>;
  readonly #root: string;
  readonly #references: RuleReferences;
  readonly #nullable: ReadonlySet<string>;
  readonly #cuts: readonly number[];
  readonly #firsts = new Map<Expression, Bits>();
  readonly #follows = new Map<string, Bits>();
  #found: Ambiguity[] = [];
  #changed = new Set<string>();
  #rule = '';

  constructor({ rules, root }: Grammar) {
    this.#rules = rules;
    this.#root = root;
    const graph = ruleGraph(rules);
    this.#references = graph.references;
    this.#nullable = nullableRules(rules, graph);
    this.#cuts = cutPoints(rules.values());
  }

  /** Computes the follow sets to a fixpoint, then walks once more to report conflicts. */
  run(): readonly Ambiguity[] {
    this.#changed = reachableRules(this.#references, this.#root);
    for (const name of this.#changed) {
      // Remove it first: if its follow set changes during the walk, it must be walked again.
      this.#changed.delete(name);
      this.#walkRule(name);
    }
    this.#found = [];
    for (const name of reachableRules(this.#references, this.#root)) this.#walkRule(name);
    return this.#found;
  }

  #walkRule(name: string): void {
    const body = this.#rules.get(name);
    this.#rule = name;
    if (body !== undefined) this.#walk(body, this.#follows.get(name) ?? this.#none());
  }

  #walk(expression: Expression, follow: Bits): void {
    switch (expression.type) {
      case 'literal':
      case 'class':
        return;
      case 'sequence':
        expression.items.reduceRight((after, item) => {
          this.#walk(item, after);
          return isNullable(item, this.#nullable) ? union(this.#first(item), after) : this.#first(item);
        }, follow);
        return;
      case 'choice':
        this.#checkChoice(expression.alternatives, follow);
        for (const each of expression.alternatives) this.#walk(each, follow);
        return;
      case 'repeat': {
        const first = this.#first(expression.item);
        if (expression.max !== expression.min && intersects(first, follow)) {
          this.#report('ambiguous-repetition', `${this.#name(first, follow)} can repeat and can follow`);
        }
        this.#walk(expression.item, expression.max === 1 ? follow : union(first, follow));
        return;
      }
      case 'until':
        if (expression.mayEnd && follow.some((word) => word !== 0)) {
          this.#report('ambiguous-end', 'text that may end is followed by something');
        }
        for (const { next } of expression.branches) if (next !== null) this.#walk(next, follow);
        return;
      case 'rule':
        this.#addFollow(expression.name, follow);
        return;
      default:
        unreachable(expression);
    }
  }

  #checkChoice(alternatives: readonly Expression[], follow: Bits): void {
    let seen = this.#none();
    for (const [index, each] of alternatives.entries()) {
      const first = this.#first(each);
      if (intersects(seen, first)) {
        this.#report('ambiguous-choice', `${this.#name(seen, first)} begins two alternatives`);
      }
      seen = union(seen, first);
      if (!isNullable(each, this.#nullable)) continue;
      if (index < alternatives.length - 1) {
        this.#report('ambiguous-choice', 'an alternative that can be empty is not the last');
      }
    }
    const last = alternatives.at(-1);
    if (last !== undefined && isNullable(last, this.#nullable) && intersects(seen, follow)) {
      this.#report('ambiguous-choice', `${this.#name(seen, follow)} can begin it and can follow it`);
    }
  }

  #report(kind: Ambiguity['kind'], reason: string): void {
    if (!this.#found.some((each) => each.rule === this.#rule && each.reason === reason)) {
      this.#found.push({ rule: this.#rule, kind, reason });
    }
  }

  #addFollow(name: string, follow: Bits): void {
    const before = this.#follows.get(name) ?? this.#none();
    const after = union(before, follow);
    if (after.every((word, index) => word === before[index])) return;
    this.#follows.set(name, after);
    this.#changed.add(name);
  }

  #first(expression: Expression): Bits {
    const known = this.#firsts.get(expression);
    if (known !== undefined) return known;
    const first = this.#computeFirst(expression);
    this.#firsts.set(expression, first);
    return first;
  }

  #computeFirst(expression: Expression): Bits {
    switch (expression.type) {
      case 'literal': {
        const code = expression.text.codePointAt(0);
        return code === undefined ? this.#none() : this.#bits([[code, code]]);
      }
      case 'class':
        return this.#bits(expression.ranges);
      case 'sequence': {
        const end = expression.items.findIndex((item) => !isNullable(item, this.#nullable));
        const items = end === -1 ? expression.items : expression.items.slice(0, end + 1);
        return items.map((item) => this.#first(item)).reduce(union, this.#none());
      }
      case 'choice':
        return expression.alternatives.map((each) => this.#first(each)).reduce(union, this.#none());
      case 'repeat':
        return this.#first(expression.item);
      case 'until':
        return this.#bits([[0, maxCodePoint]]);
      case 'rule': {
        const body = this.#rules.get(expression.name);
        return body === undefined ? this.#none() : this.#first(body);
      }
      default:
        return unreachable(expression);
    }
  }

  #none(): Bits {
    return new Uint32Array((this.#cuts.length >> 5) + 1);
  }

  #bits(ranges: readonly (readonly [number, number])[]): Bits {
    const bits = this.#none();
    for (const [from, to] of ranges) {
      for (let piece = pieceOf(this.#cuts, from); (this.#cuts[piece] ?? Infinity) <= to; piece += 1) {
        bits[piece >> 5] = (bits[piece >> 5] ?? 0) | (1 << (piece & 31));
      }
    }
    return bits;
  }

  /** A character or a token that is in both sets, for messages. */
  #name(a: Bits, b: Bits): string {
    const piece = this.#cuts.findIndex((_, index) => {
      const word = (a[index >> 5] ?? 0) & (b[index >> 5] ?? 0);
      return ((word >>> (index & 31)) & 1) === 1;
    });
    const code = Math.max(1, this.#cuts[piece] ?? 1);
    // Tokens are code points beyond Unicode.
    return code > maxCodePoint
      ? `token ${code - maxCodePoint - 1}`
      : JSON.stringify(String.fromCodePoint(code));
  }
}

/** First code points of the intervals; all code points of an interval are in the same first sets. */
function cutPoints(expressions: Iterable<Expression>): readonly number[] {
  const cuts = new Set<number>([0]);
  const cut = (from: number, to: number): void => {
    cuts.add(from);
    if (to < maxCodePoint) cuts.add(to + 1);
  };
  const pending = [...expressions];
  for (let each = pending.pop(); each !== undefined; each = pending.pop()) {
    if (each.type === 'class') for (const [from, to] of each.ranges) cut(from, to);
    const code = each.type === 'literal' ? each.text.codePointAt(0) : undefined;
    if (code !== undefined) cut(code, code);
    for (const child of children(each)) pending.push(child);
  }
  return [...cuts].sort((a, b) => a - b);
}

/** Index of the interval that contains `code`. */
function pieceOf(cuts: readonly number[], code: number): number {
  let start = 0;
  let end = cuts.length;
  while (end - start > 1) {
    const middle = (start + end) >> 1;
    if ((cuts[middle] ?? 0) <= code) start = middle;
    else end = middle;
  }
  return start;
}

function union(a: Bits, b: Bits): Bits {
  return a.map((word, index) => word | (b[index] ?? 0));
}

function intersects(a: Bits, b: Bits): boolean {
  return a.some((word, index) => (word & (b[index] ?? 0)) !== 0);
}

/** The start rule and all rules reachable from it. */
export function reachableRules(references: RuleReferences, root: string): Set<string> {
  const reached = new Set([root]);
  for (const name of reached) for (const each of references.get(name) ?? []) reached.add(each);
  return reached;
}
