/** One schema being compiled: its nodes, constraints and languages, what was reported, and what may be spent. */
import type { SchemaIssue } from '../../../format/errors.ts';
import type { JsonSchema } from '../../../format/messages.ts';
import { BudgetExceeded, StepBudget } from '../../expression/budget.ts';
import { maxRepetitions } from '../../regular/counted.ts';
import { UnsupportedPattern } from '../../regular/pattern-dialects.ts';
import { type Term, Terms } from '../../regular/terms.ts';
import { formatPattern, narrowedFormats, unenforcedLengths } from '../document/formats.ts';
import { isObject, SchemaDocument, type SchemaNode } from '../document/schema-document.ts';
import type { ExpansionContext } from '../shapes/assertions.ts';
import { type Constraint, Constraints } from '../shapes/constraints.ts';
import { Expander } from '../shapes/expand.ts';
import { coversKey } from '../shapes/key-sets.ts';
import type { Shape, StringShape, ValueType } from '../shapes/shapes.ts';
import { InstanceLocations, type KeySorting } from './instance-locations.ts';
import { patternLanguage } from './known-languages.ts';
import { Languages } from './languages.ts';
import { Satisfiability } from './satisfiability.ts';

/** How a compilation is set up. */
export interface CompilationOptions {
  /** Name of the tool, for reports. */
  readonly tool: string;
  readonly sortKeys: KeySorting;
  /** Other documents that references may name, by URI. */
  readonly documents?: ReadonlyMap<string, JsonSchema>;
  /** Steps of work. */
  readonly budget: number;
  readonly formats: 'assert' | 'ignore';
  /** Whether properties that no keyword declares are written where the schema allows them. */
  readonly openObjects: boolean;
  /** Whether declared keys come in any order. Default `false`. */
  readonly anyOrder?: boolean;
  /** States that one string may have after its automaton was multiplied by its length. */
  readonly stringStates?: number;
}

/** Where a schema asks for what there is not. */
export interface Culprit {
  readonly pointer: string;
  /** The key that it requires and does not allow; `null` where that is not why. */
  readonly forbidden: string | null;
}

/** What values must have: a property under `key`, or a first item. */
interface RequiredPart {
  readonly key: string | null;
  readonly constraint: Constraint;
}

/** Everything that writers and expanders share. */
export class Compilation implements ExpansionContext {
  readonly document: SchemaDocument;
  readonly budget: StepBudget;
  readonly terms: Terms;
  readonly constraints = new Constraints((node) => this.document.meant(node));
  readonly languages: Languages;
  readonly locations: InstanceLocations;
  readonly openObjects: boolean;
  readonly anyOrder: boolean;
  /** Whether an object was written in which keys may come that are not declared. */
  wroteOpenObject = false;
  readonly #tool: string;
  readonly #formats: CompilationOptions['formats'];
  readonly #expander: Expander;
  readonly #satisfiability: Satisfiability;
  readonly #issues = new Map<string, SchemaIssue>();
  readonly #patterns = new Map<string, Term>();

  constructor(schema: JsonSchema, options: CompilationOptions) {
    this.#tool = options.tool;
    this.#formats = options.formats;
    this.openObjects = options.openObjects;
    this.anyOrder = options.anyOrder ?? false;
    this.budget = new StepBudget(options.budget);
    this.document = new SchemaDocument(schema, options.documents);
    this.terms = new Terms(this.budget);
    this.languages = new Languages(this.terms, this.budget, options.stringStates);
    this.locations = new InstanceLocations(this.document, this.budget, options.sortKeys);
    this.#expander = new Expander(this, (shapes) => this.#satisfiability.ofShapes(shapes));
    this.#satisfiability = new Satisfiability({
      terms: this.terms,
      constraints: this.constraints,
      budget: this.budget,
      languages: this.languages,
      shapes: (constraint) => this.#expander.shapes(constraint),
    });
  }

  /** What the grammar does not enforce exactly. */
  get issues(): readonly SchemaIssue[] {
    return [...this.#issues.values()];
  }

  /** The constraint of the whole schema. */
  get root(): Constraint {
    return this.constraints.of(this.document.root);
  }

  report(
    node: SchemaNode | null,
    keyword: string,
    reason: string,
    effect: SchemaIssue['effect'] = 'widened',
  ): void {
    const pointer = node?.pointer ?? '';
    this.#issues.set(`${pointer} ${keyword} ${effect}`, {
      tool: this.#tool,
      pointer,
      keyword,
      effect,
      reason,
    });
  }

  /** Reports for the first node of `constraint` that has `keyword`. */
  reportConstraint(
    constraint: Constraint,
    keyword: string,
    reason: string,
    effect: SchemaIssue['effect'] = 'widened',
  ): void {
    const nodes = constraint.nodes.map(({ node }) => node);
    const owner = nodes.find(({ schema }) => typeof schema === 'object' && keyword in schema) ?? nodes[0];
    this.report(owner ?? null, keyword, reason, effect);
  }

  /** An upper bound that a grammar can count to; a lower one is reported. */
  countable(max: number | null, constraint: Constraint, keyword: string): number | null {
    if (max === null || max <= maxRepetitions) return max;
    this.reportConstraint(constraint, keyword, `at most ${maxRepetitions} are written`, 'narrowed');
    return maxRepetitions;
  }

  /** What `make` gives; `null` after a budget is used up. */
  attempt<T>(make: () => T): T | null {
    try {
      return make();
    } catch (error) {
      if (error instanceof BudgetExceeded) return null;
      throw error;
    }
  }

  /** What `make` gives; after a budget is used up, a report for `constraint` and `null`. */
  within<T>(constraint: Constraint, keyword: string, make: () => T): T | null {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
      this.reportConstraint(constraint, keyword, error.message, 'checked');
      return null;
    }
  }

  /** The shapes of `constraint` by type. */
  shapes(constraint: Constraint): ReadonlyMap<ValueType, readonly Shape[]> {
    return this.#expander.shapes(constraint);
  }

  shapesOf(node: SchemaNode, holds: boolean, type: ValueType): readonly Shape[] {
    return this.#expander.ofNode(node, holds, type);
  }

  /** Whether some value meets `constraint`. */
  isSatisfiable(constraint: Constraint): boolean {
    return this.#satisfiability.of(constraint);
  }

  /** The sub-schema for whose sake no value is of the root: of a required property, or a first item. */
  get culprit(): Culprit {
    let constraint = this.root;
    let pointer = '';
    for (let depth = 0; depth < 100; depth += 1) {
      const next = this.#required(constraint).find((each) => !this.isSatisfiable(each.constraint));
      if (next === undefined) break;
      const node = next.constraint.nodes[0]?.node;
      const isForbidden =
        node === undefined || next.constraint.nodes.some((each) => each.node.schema === false);
      if (isForbidden && next.key !== null) return { pointer, forbidden: next.key };
      if (node === undefined) break;
      constraint = next.constraint;
      pointer = node.pointer;
    }
    return { pointer, forbidden: null };
  }

  /** What values that meet `constraint` cannot do without. */
  #required(constraint: Constraint): readonly RequiredPart[] {
    return [...this.shapes(constraint).values()].flat().flatMap((shape): readonly RequiredPart[] => {
      if (shape.type === 'array')
        return shape.min > 0 ? [{ key: null, constraint: shape.prefix[0] ?? shape.rest }] : [];
      if (shape.type !== 'object') return [];
      return [...shape.required].map((key) => ({
        key,
        constraint: shape.rules
          .filter((rule) => coversKey(this.terms, rule.keys, key))
          .reduce((all, rule) => this.constraints.and(all, rule.constraint), this.constraints.anything),
      }));
    });
  }

  /** Those of `shapes` that some value is of. */
  satisfiable(shapes: readonly Shape[]): readonly Shape[] {
    return shapes.filter((shape) => this.#satisfiability.ofShape(shape));
  }

  stringsOf(constraint: Constraint): Term {
    const shapes = this.shapes(constraint).get('string') ?? [];
    const strings = shapes.filter((shape): shape is StringShape => shape.type === 'string');
    return this.terms.or(...strings.map((shape) => this.languages.stringTerm(shape)));
  }

  patternLanguage(node: SchemaNode, keyword: string, pattern: string): Term | null {
    try {
      return this.#patternTerm(pattern);
    } catch (error) {
      if (!(error instanceof UnsupportedPattern)) throw error;
      this.report(node, keyword, `the pattern ${JSON.stringify(pattern)} cannot be read: ${error.message}`);
      return null;
    }
  }

  formatLanguage(node: SchemaNode, format: string): Term | null {
    if (this.#formats === 'ignore') return null;
    const pattern = formatPattern(format);
    if (pattern === null) return null;
    if (pattern === 'unsupported') {
      this.report(node, 'format', `the format ${JSON.stringify(format)} is not known; it is not enforced`);
      return null;
    }
    const narrowed = narrowedFormats.get(format);
    if (narrowed !== undefined) this.report(node, 'format', narrowed, 'narrowed');
    const tooLong = unenforcedLengths.get(format);
    if (tooLong !== undefined && lengthLimit(node) > tooLong.most)
      this.report(node, 'format', tooLong.reason, 'noted');
    return this.#patternTerm(pattern);
  }

  /** What `pattern` allows, paid for once. Throws `UnsupportedPattern`. */
  #patternTerm(pattern: string): Term {
    const term = this.#patterns.get(pattern) ?? patternLanguage(this.terms, pattern, this.budget);
    this.#patterns.set(pattern, term);
    return term;
  }
}

/** How long the texts of `node` may be by its own account. */
function lengthLimit({ schema }: SchemaNode): number {
  const limit = isObject(schema) ? schema.maxLength : undefined;
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
}
