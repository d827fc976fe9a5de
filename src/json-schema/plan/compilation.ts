/** State of one schema's compilation: nodes, constraints and languages, the report, and the budget. */
import type { SchemaIssue } from '../../format/errors.ts';
import type { JsonSchema } from '../../format/messages.ts';
import { BudgetExceeded, type StepBudget } from '../../language/expression/budget.ts';
import { maxRepetitions } from '../../language/regular/counted.ts';
import { UnsupportedPattern } from '../../language/regular/pattern-dialects.ts';
import { type Term, Terms } from '../../language/regular/terms.ts';
import {
  formatPattern,
  type IntegerRange,
  integerFormats,
  isKnownFormat,
  narrowedFormats,
  storageFormats,
  unenforcedRules,
} from '../document/formats.ts';
import { isObject, SchemaDocument, type SchemaNode } from '../document/schema-document.ts';
import type { ExpansionContext } from '../shapes/assertions.ts';
import { type Constraint, Constraints } from '../shapes/constraints.ts';
import { coveringRules } from '../shapes/covering-rules.ts';
import { Expander } from '../shapes/expand.ts';
import type { Shape, StringShape, ValueType } from '../shapes/shapes.ts';
import { InstanceLocations, type SortedKeys } from './instance-locations.ts';
import { patternLanguage } from './known-languages.ts';
import { Languages } from './languages.ts';
import { Satisfiability } from './satisfiability.ts';

/**
 * The order of an object's declared keys: the schema's; the same, but optional keys also later than in their turn; any.
 */
export type KeyOrdering = 'schema' | 'later' | 'any';

/** Options of a compilation. */
export interface CompilationOptions {
  /** Name of the tool, for reports. */
  readonly tool: string;
  readonly sortKeys: SortedKeys;
  /** Other documents that references may use, by URI. */
  readonly documents?: ReadonlyMap<string, JsonSchema>;
  readonly budget: StepBudget;
  readonly formats: 'assert' | 'ignore';
  /** Whether undeclared properties are written if the schema allows them. */
  readonly openObjects: boolean;
  /** The order of declared keys. Default: `schema`. */
  readonly keyOrder?: KeyOrdering;
  /** Maximum number of states in the product of a string's automaton and its length. */
  readonly stringStates?: number;
}

/** Where a schema requires something that cannot exist. */
interface Cause {
  readonly pointer: string;
  /** The key that is required but not allowed; `null` for other reasons. */
  readonly forbidden: string | null;
  /** `enum` or `const`, if the schema there lists its values; otherwise `schema`. */
  readonly keyword: string;
}

/** A part that values must have: the property `key`, or a first item if `key` is `null`. */
interface RequiredPart {
  readonly key: string | null;
  readonly constraint: Constraint;
}

/** State shared by writers and expanders. */
export class Compilation implements ExpansionContext {
  readonly document: SchemaDocument;
  readonly budget: StepBudget;
  readonly terms: Terms;
  readonly constraints = new Constraints((node) => this.document.meant(node));
  readonly languages: Languages;
  readonly locations: InstanceLocations;
  readonly openObjects: boolean;
  readonly keyOrder: KeyOrdering;
  /** Whether an object was written that allows undeclared keys. */
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
    this.keyOrder = options.keyOrder ?? 'schema';
    this.budget = options.budget;
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

  /** An upper bound that a grammar can count to; reports if it had to be lowered. */
  countable(max: number | null, constraint: Constraint, keyword: string): number | null {
    if (max === null || max <= maxRepetitions) return max;
    this.reportConstraint(constraint, keyword, `at most ${maxRepetitions} are written`, 'narrowed');
    return maxRepetitions;
  }

  /** The result of `make`; if a budget is exhausted, reports for `constraint` and returns `null`. */
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

  /** Records that `constraint` is unsatisfiable. */
  deny(constraint: Constraint): void {
    this.#satisfiability.deny(constraint);
  }

  /** The sub-schema of a required property or first item that leaves the root without valid values. */
  get cause(): Cause {
    let constraint = this.root;
    let pointer = '';
    let keyword = listing(constraint);
    for (let depth = 0; depth < 100; depth += 1) {
      const next = this.#required(constraint).find((each) => !this.isSatisfiable(each.constraint));
      if (next === undefined) break;
      const node = next.constraint.nodes[0]?.node;
      const isForbidden =
        node === undefined || next.constraint.nodes.some((each) => each.node.schema === false);
      if (isForbidden && next.key !== null) return { pointer, keyword, forbidden: next.key };
      if (node === undefined) break;
      constraint = next.constraint;
      pointer = node.pointer;
      keyword = listing(constraint);
    }
    return { pointer, keyword, forbidden: null };
  }

  /** The parts that all values of `constraint` must have. */
  #required(constraint: Constraint): readonly RequiredPart[] {
    return [...this.shapes(constraint).values()].flat().flatMap((shape): readonly RequiredPart[] => {
      if (shape.type === 'array')
        return shape.min > 0 ? [{ key: null, constraint: shape.prefix[0] ?? shape.rest }] : [];
      if (shape.type !== 'object') return [];
      return [...shape.required].map((key) => ({
        key,
        constraint: coveringRules(shape.rules, key, this.terms).reduce(
          (all, rule) => this.constraints.and(all, rule.constraint),
          this.constraints.anything,
        ),
      }));
    });
  }

  /** The satisfiable ones among `shapes`. */
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
    if (pattern === null) {
      this.#reportFormat(node, 'string', format);
      return null;
    }
    if (pattern === 'unsupported') {
      this.report(node, 'format', `the format ${JSON.stringify(format)} is not known; it is not enforced`);
      return null;
    }
    const narrowed = narrowedFormats.get(format);
    if (narrowed !== undefined) this.report(node, 'format', narrowed, 'narrowed');
    const unenforced = unenforcedRules.get(format);
    if (unenforced !== undefined && lengthLimit(node) > unenforced.beyond)
      this.report(node, 'format', unenforced.reason, 'noted');
    return this.#patternTerm(pattern);
  }

  formatRange(node: SchemaNode, format: string): IntegerRange | null {
    if (this.#formats === 'ignore') return null;
    this.#reportFormat(node, 'number', format);
    return integerFormats.get(format) ?? null;
  }

  #reportFormat(node: SchemaNode, type: keyof typeof storageFormats, format: string): void {
    const isStorage = storageFormats[type].has(format);
    if (!isStorage && isKnownFormat(format)) return;
    const origin = isStorage ? "is OpenAPI's" : 'is no format of JSON Schema';
    this.report(
      node,
      'format',
      `${JSON.stringify(format.slice(0, 80))} ${origin}; it is not enforced`,
      'noted',
    );
  }

  /** The language of `pattern`, charged once. Throws `UnsupportedPattern`. */
  #patternTerm(pattern: string): Term {
    const term = this.#patterns.get(pattern) ?? patternLanguage(this.terms, pattern, this.budget);
    this.#patterns.set(pattern, term);
    return term;
  }
}

/** The longest text that `node` itself allows. */
function lengthLimit({ schema }: SchemaNode): number {
  const limit = isObject(schema) ? schema.maxLength : undefined;
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
}

/** The keyword that lists the values of a constraint, none of which the others allow. */
function listing({ nodes }: Constraint): string {
  const schemas = nodes.flatMap(({ node }) => (isObject(node.schema) ? [node.schema] : []));
  return ['enum', 'const'].find((keyword) => schemas.some((schema) => keyword in schema)) ?? 'schema';
}
