/** Stores the results of compiling expensive schemas between processes. */
import type { PackedExpression } from '../format/compiled-tools.ts';
import { IdiolectError, SchemaError, type SchemaIssue } from '../format/errors.ts';
import { toolVersion } from '../format/version.ts';
import type { CompiledSchema } from '../json-schema/compile-schema.ts';
import { packExpression, unpackExpression } from '../language/expression/packed-expression.ts';
import { referredRules } from '../language/expression/references.ts';
import type { RuleSet } from '../language/expression/rule-set.ts';
import type { Steps } from '../language/expression/steps.ts';

/** A store of texts by name. A lost entry is compiled again. */
export interface SchemaStore {
  /** The SHA-256 of a text, in letters and digits, to serve as a name. */
  digest(text: string): string;
  /** The stored text; `null` if there is none. */
  read(name: string): string | null;
  write(name: string, text: string): void;
  /** Steps that compiling what `name` stands for may take here; `TooCostly` is thrown for more. Default: any number. */
  limit?(name: string): number | undefined;
  /** Whether it also stores that a schema is refused. Default: false. */
  readonly keepsRefusals?: boolean;
}

/**
 * Steps above which a result is stored: they may take twenty milliseconds, while most tools take a few hundred. What
 * other schemas of the process have built before is not counted, and another process may need it.
 */
export const minSteps = 2_000;

/** The first line of a stored result; each of the others is a rule, so that none takes long to parse. */
interface StoredSchema {
  readonly value: PackedExpression;
  /** Of the rules, in their order. */
  readonly names: readonly string[];
  readonly report: readonly SchemaIssue[];
  /** Why the schema is refused, in place of the rest. */
  readonly refused?: readonly SchemaIssue[];
}

/**
 * Returns the stored result, or runs `compile` and stores its result. `cacheKey` holds everything that the result
 * depends on, schema included, except for the version of the compiler.
 */
export function* storedOrCompiled(
  store: SchemaStore | null,
  cacheKey: readonly unknown[],
  rules: RuleSet,
  compile: (trial: number | undefined) => Steps<CompiledSchema>,
): Steps<CompiledSchema> {
  if (store === null) return yield* compile(undefined);
  const name = store.digest(JSON.stringify([toolVersion, ...cacheKey]));
  yield;
  const stored = yield* readStored(store.read(name), rules);
  if (stored !== null) return stored;
  const compiled = yield* orRefusal(store, name, compile(store.limit?.(name)));
  if (compiled.steps >= minSteps) store.write(name, packSchema(compiled, rules));
  return compiled;
}

function* orRefusal(store: SchemaStore, name: string, steps: Steps<CompiledSchema>): Steps<CompiledSchema> {
  try {
    return yield* steps;
  } catch (error) {
    if (error instanceof SchemaError && store.keepsRefusals === true)
      store.write(name, JSON.stringify({ refused: error.issues }));
    throw error;
  }
}

function packSchema({ expression, issues }: CompiledSchema, { rules }: RuleSet): string {
  const needed = new Set(referredRules(expression));
  const packed = new Map<string, string>();
  for (const name of needed) {
    const body = rules.get(name);
    if (body === undefined) continue;
    packed.set(name, JSON.stringify(packExpression(body)));
    for (const each of referredRules(body)) needed.add(each);
  }
  const names = [...packed.keys()];
  const first: StoredSchema = { value: packExpression(expression), names, report: issues };
  return [JSON.stringify(first), ...packed.values()].join('\n');
}

/**
 * Reads a stored schema and adds its rules under fresh names; `null` if it is missing or damaged. Throws the `SchemaError`
 * that is stored.
 */
function* readStored(text: string | null, rules: RuleSet): Steps<CompiledSchema | null> {
  if (text === null) return null;
  try {
    const [first = '', ...lines] = text.split('\n');
    const { value, names: stored, report, refused } = JSON.parse(first) as StoredSchema;
    if (refused !== undefined) throw new SchemaError([...refused]);
    const names = new Map(stored.map((name) => [name, name]));
    const packed = new Map<string, PackedExpression>();
    for (const [index, name] of stored.entries()) {
      packed.set(name, JSON.parse(lines[index] ?? ''));
      yield;
    }
    const renamed = (name: string): string => names.get(name) ?? undefinedRule(name);
    // A damaged one takes no names.
    for (const each of [value, ...packed.values()]) {
      unpackExpression(each, renamed);
      yield;
    }
    for (const name of names.keys()) {
      const fresh = rules.freshName(name);
      rules.reserve([fresh]);
      names.set(name, fresh);
    }
    for (const [name, body] of packed) {
      rules.define(renamed(name), unpackExpression(body, renamed));
      yield;
    }
    return { expression: unpackExpression(value, renamed), issues: [...report], steps: 0 };
  } catch (error) {
    if (error instanceof SchemaError) throw error;
    if (error instanceof IdiolectError || error instanceof SyntaxError || error instanceof TypeError)
      return null;
    throw error;
  }
}

function undefinedRule(name: string): never {
  throw new TypeError(`the rule ${name} is not stored`);
}
