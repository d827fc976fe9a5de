/** What expensive schemas were compiled to, kept between processes. */
import type { PackedExpression } from '../format/compiled-tools.ts';
import { IdiolectError, type SchemaIssue } from '../format/errors.ts';
import { toolVersion } from '../format/version.ts';
import { renamedRules } from './expression/merge-rules.ts';
import { packExpression, unpackExpression } from './expression/packed-expression.ts';
import { referredRules } from './expression/references.ts';
import type { RuleSet } from './expression/rule-set.ts';
import type { Steps } from './expression/steps.ts';
import type { CompiledSchema } from './json-schema/compile-schema.ts';

/** Where texts are kept by name. What it loses is compiled again. */
export interface SchemaStore {
  /** A name of letters and digits for a text: its SHA-256. */
  digest(text: string): string;
  /** What was kept under a name; `null` where nothing is. */
  read(name: string): string | null;
  write(name: string, text: string): void;
}

/** Steps of compiling from which a schema is kept: to read it is quicker than some tens of milliseconds of work. */
const minSteps = 20_000;

interface StoredSchema {
  readonly value: PackedExpression;
  readonly rules: Readonly<Record<string, PackedExpression>>;
  readonly report: readonly SchemaIssue[];
}

/**
 * What `compile` makes in `rules`, or what it has made before of the same: `madeOf` is all that its result depends on
 * next to this version of the compiler, the schema included.
 */
export function* storedOrCompiled(
  store: SchemaStore | null,
  madeOf: readonly unknown[],
  rules: RuleSet,
  compile: () => Steps<CompiledSchema>,
): Steps<CompiledSchema> {
  if (store === null) return yield* compile();
  const name = store.digest(JSON.stringify([toolVersion, ...madeOf]));
  const stored = readStored(store.read(name), rules);
  if (stored !== null) return stored;
  const compiled = yield* compile();
  if (compiled.steps >= minSteps) store.write(name, JSON.stringify(packSchema(compiled, rules)));
  return compiled;
}

function packSchema({ expression, issues }: CompiledSchema, { rules }: RuleSet): StoredSchema {
  const needed = new Set(referredRules(expression));
  const packed: Record<string, PackedExpression> = {};
  for (const name of needed) {
    const body = rules.get(name);
    if (body === undefined) continue;
    packed[name] = packExpression(body);
    for (const each of referredRules(body)) needed.add(each);
  }
  return { value: packExpression(expression), rules: packed, report: issues };
}

/** A stored schema, its rules among `rules` under names of their own; `null` for anything else, or a damaged one. */
function readStored(text: string | null, rules: RuleSet): CompiledSchema | null {
  if (text === null) return null;
  try {
    const { value, rules: packed, report } = JSON.parse(text) as StoredSchema;
    const bodies = Object.entries(packed).map(([name, body]) => [name, unpackExpression(body)] as const);
    const names = new Map(bodies.map(([name]) => [name, name]));
    const expression = renamedRules(unpackExpression(value), names);
    for (const [, body] of bodies) renamedRules(body, names);
    for (const [name] of bodies) {
      const fresh = rules.freshName(name);
      rules.reserve([fresh]);
      names.set(name, fresh);
    }
    for (const [name, body] of bodies) rules.define(names.get(name) ?? name, renamedRules(body, names));
    return { expression: renamedRules(expression, names), issues: [...report], steps: 0 };
  } catch (error) {
    if (error instanceof IdiolectError || error instanceof SyntaxError || error instanceof TypeError)
      return null;
    throw error;
  }
}
