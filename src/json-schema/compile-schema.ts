/**
 * Compiles a JSON Schema to an expression: one value of the schema, in a syntax. The stages, in reading order:
 *
 * 1. Nodes: `schema-document.ts` turns the schema into a graph with a node per sub-schema. `references.ts` resolves
 *    `$ref`; `vocabularies.ts` decides which keywords have a meaning.
 * 2. Constraints (`constraints.ts`): conjunctions of nodes and negated nodes.
 * 3. Shapes (`shapes.ts`): conditions on values of one JSON type. Each `…-keywords.ts` gives the shapes for which its
 *    keywords hold, and those for which they fail (`assertions.ts`). `expand.ts` combines them to the shapes of a
 *    constraint, `fewer-shapes.ts` drops redundant ones, and `clauses.ts` keeps conditions on different keys from
 *    multiplying. `satisfiability.ts` finds constraints without values.
 * 4. Languages: strings and numbers as automata (`languages.ts`, `formats.ts`, `number-…`, `../regular`).
 * 5. Locations (`instance-locations.ts`): places in a value; they fix the order of keys. `tags.ts` finds the keys that
 *    distinguish the branches of a union.
 * 6. Writers: `value-writer.ts` writes a constraint at a location as an expression, with the help of one writer per
 *    type (`string-writer.ts`, `array-writer.ts`, `object-writer.ts`). `syntax.ts` defines how values are spelled.
 *    Whatever is used repeatedly becomes a rule (`../expression/rule-set.ts`).
 *
 * `compilation.ts` holds the state of one schema's compilation, with its budget and report. `compile-arguments.ts` is
 * the other entry point: all arguments of a tool. Schemas are also read outside the compiler: by `standard-schema.ts`
 * (schemas of libraries), `validate/` (values, after a call) and `spell-value.ts`.
 */
import { SchemaError, type SchemaIssue } from '../format/errors.ts';
import type { JsonSchema } from '../format/messages.ts';
import { withoutUndefined } from '../format/option-rules.ts';
import { BudgetExceeded, NoValueLeft, StepBudget } from '../language/expression/budget.ts';
import type { Expression } from '../language/expression/expression.ts';
import type { RuleSet } from '../language/expression/rule-set.ts';
import { finish, type Steps } from '../language/expression/steps.ts';
import { plainSchema, schemaSize } from '../tools/plain-schema.ts';
import { Compilation, type CompilationOptions, type KeyOrdering } from './plan/compilation.ts';
import type { SortedKeys } from './plan/instance-locations.ts';
import { preparePatterns } from './plan/known-languages.ts';
import { EmptyConstraint } from './plan/satisfiability.ts';
import { isTooLarge, tooLarge } from './validate/schema-size.ts';
import { compileValidator, type ValidationOptions } from './validate/validate.ts';
import type { Syntax } from './write/syntax.ts';
import { ValueWriter } from './write/value-writer.ts';

export { jsonStyleSyntax, jsonSyntax, lenientJsonSyntax, pythonSyntax, type Syntax } from './write/syntax.ts';

/** Options for compiling a schema. */
export interface CompileSchemaOptions {
  /** Receives the rules. */
  readonly rules: RuleSet;
  /** How values are spelled. */
  readonly syntax: Syntax;
  /** Name of the tool, for reports; empty for a response schema. */
  readonly tool: string;
  /** `strict`: reject what can be neither enforced nor checked. `degrade`: widen it and report. */
  readonly policy: 'strict' | 'degrade';
  /** Other documents that references may use, by URI. None are fetched. */
  readonly documents?: ReadonlyMap<string, JsonSchema>;
  /** Whether `format` restricts strings (default) or is only an annotation, as in drafts since 2019-09. */
  readonly formats?: 'assert' | 'ignore';
  /** Steps of work for all attempts together. The default takes less than a second; for thousands of like parts, some. */
  readonly budget?: number;
  /** Steps of work after which `TooCostly` is thrown in place of an answer. Default: none. */
  readonly trial?: number;
  /** `false`: next to declared properties, no undeclared ones are written (reported as narrowed). Default: `true`. */
  readonly openObjects?: boolean;
  /**
   * The order of declared keys, at every level. `schema` (default): the schema's. `later`: the same, but up to five
   * optional ones may also come later. `any`: any.
   */
  readonly keyOrder?: KeyOrdering;
}

/** An expression, and every keyword it does not enforce exactly. */
export interface CompiledSchema {
  readonly expression: Expression;
  readonly issues: readonly SchemaIssue[];
  /** Steps of work spent. */
  readonly steps: number;
}

/**
 * Compiles one value of `schema`. Throws `SchemaError` if no value is valid, and under the policy `strict` if the
 * grammar would accept more than the schema and nothing can check it.
 */
export function compileSchema(schema: JsonSchema, options: CompileSchemaOptions): CompiledSchema {
  return finish(compileSchemaSteps(schema, options));
}

/** `compileSchema` in steps. */
export function compileSchemaSteps(schema: JsonSchema, options: CompileSchemaOptions): Steps<CompiledSchema> {
  const { rules, syntax } = options;
  return compile(schema, options, syntax, (compilation) => {
    const { root, locations, document } = compilation;
    if (!compilation.isSatisfiable(root)) throw new Unsatisfiable();
    const writer = new ValueWriter(compilation, rules, syntax, rules.freshKey('value'));
    return writer.value(root, locations.of([document.root]), 'value', syntax.margin);
  });
}

/** Thrown if compiling takes more steps than a trial allows. */
export class TooCostly extends Error {
  constructor() {
    super('compiling it takes more steps than were to be tried');
  }
}

/** Thrown inside a compilation if the schema has no valid value; the message says where. */
export class Unsatisfiable extends Error {
  constructor(message = 'no value is valid against this schema') {
    super(message);
  }
}

/** Default steps for one schema: including its checks, less than a second of an idle core; for thousands of like parts, some. */
const defaultBudget = 600_000;

/**
 * What to give up, in order, until the budget suffices; each is reported as narrowed. First long texts of patterns,
 * then undeclared properties. Smaller attempts get a smaller share of the budget; all shares together do not exceed
 * it.
 */
const fallbacks: readonly Fallback[] = [
  { share: 0.6, less: {} },
  { share: 0.25, less: { stringStates: 10_000 } },
  { share: 0.15, less: { stringStates: 4000, openObjects: false } },
];

interface Fallback {
  /** The part of the budget that this attempt may spend. */
  readonly share: number;
  readonly less: Partial<Pick<CompilationOptions, 'stringStates' | 'openObjects'>>;
}

/** Runs `write`; handles its budget and reports according to the policy. */
export function* compile(
  schema: JsonSchema,
  options: Omit<CompileSchemaOptions, 'syntax'>,
  { sortKeys }: Pick<CompilationOptions, 'sortKeys'>,
  write: (compilation: Compilation) => Expression,
): Steps<CompiledSchema> {
  const { tool, policy, trial = Number.POSITIVE_INFINITY } = options;
  const plain = plainSchema(schema, tool);
  const size = schemaSize(plain);
  if (size > trial) throw new TooCostly();
  yield;
  yield* prepare(plain, options);
  const written = yield* writeFirst(plain, options, sortKeys, write);
  const { expression } = written;
  // Each value was read.
  const steps = Math.max(written.steps, size);
  const issues = settleChecks(plain, written.issues, options);
  if (policy === 'strict' && issues.some(({ effect }) => effect === 'widened')) throw new SchemaError(issues);
  if (expression !== null) return { expression, issues, steps };
  if (schema === true) throw refusal(tool, 'the budget is too small for any value', issues);
  const anything = yield* compile(
    true,
    { ...options, budget: Number.POSITIVE_INFINITY },
    { sortKeys },
    write,
  );
  return { expression: anything.expression, issues, steps };
}

/** Builds patterns ahead, as many as the budget allows. */
function* prepare(
  schema: JsonSchema,
  { budget = defaultBudget, trial }: Pick<CompileSchemaOptions, 'budget' | 'trial'>,
): Steps<void> {
  try {
    yield* preparePatterns(schema, new StepBudget(trial ?? budget, trial !== undefined));
  } catch (error) {
    // A pattern with too many parts is refused where it is used.
    if (!(error instanceof BudgetExceeded || error instanceof RangeError)) throw error;
    if (trial !== undefined) throw new TooCostly();
  }
}

/** The result of the first fallback within budget; if none is, only a report. */
function* writeFirst(
  schema: JsonSchema,
  options: Omit<CompileSchemaOptions, 'syntax'>,
  sortKeys: SortedKeys,
  write: (compilation: Compilation) => Expression,
): Steps<Omit<CompiledSchema, 'expression'> & { readonly expression: Expression | null }> {
  let steps = 0;
  let failure: SchemaIssue | null = null;
  let last: Compilation | null = null;
  for (const fallback of fallbacks) {
    if (last !== null && !helps(fallback, last)) continue;
    yield;
    const compilation = startCompilation(schema, options, sortKeys, fallback);
    last = compilation;
    yield;
    const written = yield* writeWithin(compilation, options, write);
    steps += compilation.budget.spent;
    yield;
    if (typeof written === 'string' && options.trial !== undefined) throw new TooCostly();
    if (typeof written !== 'string') return { expression: written, issues: compilation.issues, steps };
    failure ??= unwritten(written, options.tool);
  }
  return { expression: null, issues: failure === null ? [] : [failure], steps };
}

/** Whether `fallback` would change anything about `compilation`, which exceeded its budget. */
function helps(
  { less: { stringStates, openObjects } }: Fallback,
  { languages, wroteOpenObject }: Compilation,
): boolean {
  const shorter = stringStates !== undefined && languages.maxProduct > stringStates;
  return shorter || (openObjects === false && wroteOpenObject);
}

function startCompilation(
  schema: JsonSchema,
  options: Omit<CompileSchemaOptions, 'syntax'>,
  sortKeys: SortedKeys,
  fallback: Fallback,
): Compilation {
  const { tool, documents, openObjects = true, formats = 'assert', keyOrder = 'schema' } = options;
  const { share, less } = fallback;
  try {
    return new Compilation(schema, {
      tool,
      sortKeys,
      formats,
      keyOrder,
      openObjects: openObjects && less.openObjects !== false,
      budget: new StepBudget(
        options.trial ?? Math.floor((options.budget ?? defaultBudget) * share),
        options.trial !== undefined,
      ),
      ...withoutUndefined({ documents, stringStates: less.stringStates }),
    });
  } catch (error) {
    if (error instanceof RangeError) throw refusal(tool, 'it is nested too deeply', []);
    throw error;
  }
}

/** The report for a schema that is not written at all. Requirements too large for any value are not checked, either. */
function unwritten(written: string, tool: string): SchemaIssue {
  const effect = written.includes('repetitions') ? 'widened' : 'checked';
  return { tool, pointer: '', keyword: 'schema', effect, reason: `${written}; nothing of it is written` };
}

/** The result of `write`, or why the budget (or the stack) does not suffice. */
function* writeWithin(
  compilation: Compilation,
  { tool, rules }: Pick<CompileSchemaOptions, 'tool' | 'rules'>,
  write: (compilation: Compilation) => Expression,
): Steps<Expression | string> {
  rules.chargeTo(compilation.budget);
  try {
    return yield* writeSatisfiable(compilation, rules, write);
  } catch (error) {
    if (error instanceof Unsatisfiable) {
      const { pointer, forbidden, keyword } = compilation.cause;
      const why = forbidden === null ? '' : `: the required key ${JSON.stringify(forbidden)} is not allowed`;
      throw refusal(tool, error.message + why, compilation.issues, { pointer, keyword });
    }
    if (error instanceof BudgetExceeded) return error.message;
    if (error instanceof RangeError)
      return 'it is nested too deeply, or has too many parts or too large a count in one place';
    throw error;
  } finally {
    rules.chargeTo(null);
  }
}

/**
 * Runs `write`; if it finds a constraint without values, records that and starts again. Not after something was
 * narrowed: there may then be values that are merely not written.
 */
function* writeSatisfiable(
  compilation: Compilation,
  rules: RuleSet,
  write: (compilation: Compilation) => Expression,
): Steps<Expression> {
  for (;;) {
    try {
      yield* settleProperties(compilation);
      return yield* rules.attempt(() => write(compilation));
    } catch (error) {
      if (compilation.issues.some(({ effect }) => effect === 'narrowed')) throw error;
      if (error instanceof NoValueLeft) throw new Unsatisfiable();
      if (!(error instanceof EmptyConstraint)) throw error;
      compilation.deny(error.constraint);
    }
  }
}

/** Asks in steps whether the root's properties have values: dozens of multiples take milliseconds each. */
function* settleProperties(compilation: Compilation): Steps<void> {
  for (const shape of compilation.shapes(compilation.root).get('object') ?? []) {
    if (shape.type !== 'object') continue;
    for (const { constraint } of shape.rules) {
      compilation.isSatisfiable(constraint);
      yield;
    }
  }
}

function refusal(
  tool: string,
  reason: string,
  others: readonly SchemaIssue[],
  { pointer, keyword }: Pick<SchemaIssue, 'pointer' | 'keyword'> = { pointer: '', keyword: 'schema' },
): SchemaError {
  return new SchemaError([{ tool, pointer, keyword, effect: 'narrowed', reason }, ...others]);
}

/** Turns `checked` into `widened` if nothing can check `schema`: it is too large, or not to be understood. */
function settleChecks(
  schema: JsonSchema,
  issues: readonly SchemaIssue[],
  { tool, ...options }: ValidationOptions & { readonly tool: string },
): readonly SchemaIssue[] {
  if (!issues.some(({ effect }) => effect === 'checked')) return issues;
  const reason = reasonUnchecked(schema, tool, options);
  return issues.map((issue) => {
    if (issue.effect !== 'checked') return issue;
    if (reason === null) return { ...issue, reason: `${issue.reason}; it is checked` };
    return { ...issue, effect: 'widened', reason: `${issue.reason}; it is not enforced, and ${reason}` };
  });
}

/** Why nothing can check `schema`; `null` if something can. */
function reasonUnchecked(schema: JsonSchema, tool: string, options: ValidationOptions): string | null {
  if (isTooLarge(schema)) return tooLarge;
  try {
    compileValidator(schema, tool, options);
    return null;
  } catch (error) {
    if (error instanceof SchemaError) return error.issues[0]?.reason ?? error.message;
    throw error;
  }
}
