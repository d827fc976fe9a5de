/**
 * Judges values by a schema: what each keyword says of a value, in the reading of the grammar. Nothing is generated or
 * compiled ahead: the checks of a sub-schema are made when a value first reaches it, so a large schema costs what its
 * values use of it.
 */
import { pointerPart } from '../../format/json-values.ts';
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import {
  isArray,
  isObject,
  isSchema,
  type SchemaDocument,
  type SchemaNode,
} from '../document/schema-document.ts';
import { itemNodes } from '../shapes/array-keywords.ts';
import { countOf } from '../shapes/assertions.ts';
import { isMeant } from '../shapes/keyword-kinds.ts';
import { referenced, referenceKeywords } from '../shapes/references.ts';
import { type LeafOptions, leafChecks } from './leaf-checks.ts';
import { patternTest } from './pattern-test.ts';
import { type ValidationFailure, Verdict } from './verdict.ts';

/** What one keyword says of a value. `seen`: verdicts of referenced sub-schemas, by sub-schema and place. */
type Check = (value: JsonValue, verdict: Verdict, seen: Map<string, Verdict | null>) => void;

/** Judges values by the nodes of a document. */
export class Evaluator {
  readonly #document: SchemaDocument;
  readonly #options: LeafOptions;
  readonly #checks = new Map<number, readonly Check[]>();

  constructor(document: SchemaDocument, options: LeafOptions) {
    this.#document = document;
    this.#options = options;
  }

  /**
   * Why `value` is invalid. Throws `RangeError` for a reference that leads nowhere or to itself, `SyntaxError` for a
   * pattern that is none, where the value reaches them.
   */
  failures(node: SchemaNode, value: JsonValue): readonly ValidationFailure[] {
    return this.#judge(node, value, '', new Map()).failures;
  }

  /** Makes the checks of everything that `node` leads to. Throws what `failures` would throw for some value. */
  prepare(node: SchemaNode): void {
    const open = [node];
    const known = new Set<number>();
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (known.has(next.id)) continue;
      known.add(next.id);
      this.#checksOf(next);
      open.push(...subschemasOf(this.#document, next));
    }
  }

  #judge(node: SchemaNode, value: JsonValue, pointer: string, seen: Map<string, Verdict | null>): Verdict {
    const verdict = new Verdict(pointer);
    for (const check of this.#checksOf(node)) check(value, verdict, seen);
    return verdict;
  }

  #checksOf(node: SchemaNode): readonly Check[] {
    const known = this.#checks.get(node.id);
    if (known !== undefined) return known;
    const made = this.#make(node);
    this.#checks.set(node.id, made);
    return made;
  }

  #make(node: SchemaNode): readonly Check[] {
    if (node.schema === true) return [];
    if (node.schema === false)
      return [(_, verdict) => verdict.fail('false schema', 'boolean schema is false')];
    const entries = Object.entries(node.schema).filter((entry) => isMeant(...entry));
    const schema: JsonObject = Object.fromEntries(entries);
    const references = this.#references(node, schema);
    if (node.origin.refAlone && typeof schema.$ref === 'string') return references;
    return [
      ...leafChecks(schema, this.#options),
      ...references,
      ...this.#logic(node, schema),
      ...this.#array(node, schema),
      ...this.#object(node, schema),
      // Last: it asks what the others have evaluated.
      ...this.#unevaluated(node, schema),
    ];
  }

  #child(node: SchemaNode, keyword: string, ...tokens: readonly string[]): SchemaNode {
    return this.#document.child(node, keyword, ...tokens);
  }

  /** The sub-schemas in a list or an object of them. */
  #children(node: SchemaNode, schema: JsonObject, keyword: string): ReadonlyMap<string, SchemaNode> {
    const parts = schema[keyword];
    const entries = isArray(parts) || isObject(parts) ? Object.entries(parts) : [];
    return new Map(
      entries.flatMap(([name, part]) => (isSchema(part) ? [[name, this.#child(node, keyword, name)]] : [])),
    );
  }

  #references(node: SchemaNode, schema: JsonObject): readonly Check[] {
    return targetsOf(this.#document, node, schema).map(
      (target): Check =>
        (value, verdict, seen) => {
          const key = `${target.id} ${verdict.pointer}`;
          const known = seen.get(key);
          if (known === null) throw new RangeError('its references lead to themselves');
          if (known === undefined) seen.set(key, null);
          const judged = known ?? this.#judge(target, value, verdict.pointer, seen);
          seen.set(key, judged);
          verdict.include(judged);
        },
    );
  }

  #logic(node: SchemaNode, schema: JsonObject): readonly Check[] {
    const checks: Check[] = [];
    const branches = (keyword: string) => [...this.#children(node, schema, keyword).values()];
    if (isSchema(schema.not)) {
      const negated = this.#child(node, 'not');
      checks.push((value, verdict, seen) => {
        if (this.#judge(negated, value, verdict.pointer, seen).holds)
          verdict.fail('not', 'must NOT be valid');
      });
    }
    if (isArray(schema.anyOf)) checks.push(this.#alternatives('anyOf', branches('anyOf')));
    if (isArray(schema.oneOf)) checks.push(this.#alternatives('oneOf', branches('oneOf')));
    for (const part of branches('allOf')) checks.push(this.#inPlace(part));
    if (isSchema(schema.if)) checks.push(this.#condition(node, schema));
    return checks;
  }

  #inPlace(part: SchemaNode): Check {
    return (value, verdict, seen) => verdict.include(this.#judge(part, value, verdict.pointer, seen));
  }

  /** `oneOf` allows one of the branches, `anyOf` any; without a choice, the failures of all are of interest. */
  #alternatives(keyword: 'anyOf' | 'oneOf', branches: readonly SchemaNode[]): Check {
    const [wanted, message] =
      keyword === 'oneOf'
        ? [1, 'must match exactly one schema in oneOf']
        : [Number.POSITIVE_INFINITY, 'must match a schema in anyOf'];
    return (value, verdict, seen) => {
      const judged = branches.map((branch) => this.#judge(branch, value, verdict.pointer, seen));
      const valid = judged.filter(({ holds }) => holds);
      const isAllowed = valid.length > 0 && valid.length <= wanted;
      if (isAllowed || valid.length === 0)
        for (const each of judged) if (each.holds === isAllowed) verdict.include(each);
      if (!isAllowed) verdict.fail(keyword, message);
    };
  }

  #condition(node: SchemaNode, schema: JsonObject): Check {
    const condition = this.#child(node, 'if');
    const [consequence, otherwise] = (['then', 'else'] as const).map((keyword) =>
      isSchema(schema[keyword]) ? { keyword, part: this.#child(node, keyword) } : null,
    );
    return (value, verdict, seen) => {
      const judged = this.#judge(condition, value, verdict.pointer, seen);
      if (judged.holds) verdict.include(judged);
      const next = judged.holds ? consequence : otherwise;
      if (next == null) return;
      const then = this.#judge(next.part, value, verdict.pointer, seen);
      verdict.include(then);
      if (!then.holds) verdict.fail('if', `must match "${next.keyword}" schema`);
    };
  }

  #array(node: SchemaNode, schema: JsonObject): readonly Check[] {
    const { prefix, rest } = itemNodes(schema, node, { document: this.#document });
    const checks: Check[] = [];
    if (prefix.length > 0 || rest !== null)
      checks.push((value, verdict, seen) => {
        if (!isArray(value)) return;
        const more = rest?.schema === false && value.length > prefix.length;
        if (more) verdict.fail('items', `must NOT have more than ${prefix.length} items`);
        for (const [index, item] of value.entries()) {
          const part = prefix[index] ?? (more ? null : rest);
          if (part !== null) this.#inside(part, item, String(index), verdict, seen);
        }
      });
    if (isSchema(schema.contains)) checks.push(this.#contains(node, schema));
    return checks;
  }

  #contains(node: SchemaNode, schema: JsonObject): Check {
    const wanted = this.#child(node, 'contains');
    const min = countOf(schema.minContains) ?? 1;
    const max = schema.maxContains === undefined ? null : Math.floor(Number(schema.maxContains));
    const message = max === null ? `at least ${min}` : `at least ${min} and no more than ${max}`;
    return (value, verdict, seen) => {
      if (!isArray(value)) return;
      const found = Array.from(value.keys()).filter(
        (index) => this.#judge(wanted, value[index] ?? null, `${verdict.pointer}/${index}`, seen).holds,
      );
      for (const index of found) verdict.evaluated.add(String(index));
      if (found.length < min || (max !== null && found.length > max))
        verdict.fail('contains', `must contain ${message} valid item(s)`);
    };
  }

  #object(node: SchemaNode, schema: JsonObject): readonly Check[] {
    const properties = this.#children(node, schema, 'properties');
    const patterns = Array.from(this.#children(node, schema, 'patternProperties'), ([pattern, part]) => ({
      test: patternTest(pattern),
      part,
    }));
    const others = isSchema(schema.additionalProperties) ? this.#child(node, 'additionalProperties') : null;
    const checks: Check[] = this.#dependents(node, schema);
    if (isSchema(schema.propertyNames)) {
      const names = this.#child(node, 'propertyNames');
      checks.push((value, verdict, seen) => {
        if (!isObject(value)) return;
        for (const name of Object.keys(value)) {
          // A name is at no place of the value; the space keeps it apart from that of its member.
          const judged = this.#judge(names, name, `${verdict.pointer}/${pointerPart(name)} `, seen);
          for (const failure of judged.failures) verdict.fail(failure.keyword, failure.message);
          if (!judged.holds) verdict.fail('propertyNames', 'property name must be valid');
        }
      });
    }
    if (properties.size === 0 && patterns.length === 0 && others === null) return checks;
    checks.push((value, verdict, seen) => {
      if (!isObject(value)) return;
      for (const [name, member] of Object.entries(value)) {
        const own = properties.get(name);
        const parts = patterns.filter(({ test }) => test(name)).map(({ part }) => part);
        if (own !== undefined) parts.unshift(own);
        if (parts.length === 0 && others !== null) parts.push(others);
        if (others?.schema === false && parts[0] === others)
          verdict.fail('additionalProperties', 'must NOT have additional properties');
        else for (const part of parts) this.#inside(part, member, name, verdict, seen);
      }
    });
    return checks;
  }

  /** `dependentSchemas`, and `dependencies` that are schemas. */
  #dependents(node: SchemaNode, schema: JsonObject): Check[] {
    return ['dependentSchemas', 'dependencies'].flatMap((keyword) =>
      Array.from(this.#children(node, schema, keyword), ([name, part]): Check => {
        const inPlace = this.#inPlace(part);
        return (value, verdict, seen) => {
          if (isObject(value) && Object.hasOwn(value, name)) inPlace(value, verdict, seen);
        };
      }),
    );
  }

  #unevaluated(node: SchemaNode, schema: JsonObject): readonly Check[] {
    const kinds = [
      { keyword: 'unevaluatedItems', has: isArray, message: 'must NOT have unevaluated items' },
      { keyword: 'unevaluatedProperties', has: isObject, message: 'must NOT have unevaluated properties' },
    ];
    return kinds.flatMap(({ keyword, has, message }): Check[] => {
      if (!isSchema(schema[keyword])) return [];
      const part = this.#child(node, keyword);
      return [
        (value, verdict, seen) => {
          if (typeof value !== 'object' || value === null || !has(value)) return;
          for (const [name, member] of Object.entries(value)) {
            if (verdict.evaluated.has(name)) continue;
            if (part.schema === false) verdict.fail(keyword, message);
            else this.#inside(part, member, name, verdict, seen);
          }
        },
      ];
    });
  }

  /** Judges a part of the value, which counts as evaluated. */
  #inside(
    part: SchemaNode,
    value: JsonValue,
    name: string,
    verdict: Verdict,
    seen: Map<string, Verdict | null>,
  ): void {
    verdict.evaluated.add(name);
    if (part.schema === true) return;
    const { failures } = this.#judge(part, value, `${verdict.pointer}/${pointerPart(name)}`, seen);
    verdict.addFailures(failures);
  }
}

/** The targets of the references in `schema`. Throws `RangeError` if there is none, or more than one. */
export function targetsOf(
  document: SchemaDocument,
  node: SchemaNode,
  schema: JsonObject,
): readonly SchemaNode[] {
  return referenceKeywords.flatMap((keyword) => {
    const reference = schema[keyword];
    if (typeof reference !== 'string') return [];
    const target = referenced(document, node, keyword, reference);
    if (target === null || target === 'ambiguous') throw new RangeError(`nothing is found at ${reference}`);
    return [target];
  });
}

/** Keywords with a sub-schema. */
const singleKeywords = [
  ...['not', 'if', 'then', 'else', 'contains', 'items', 'additionalItems', 'additionalProperties'],
  ...['propertyNames', 'unevaluatedItems', 'unevaluatedProperties', 'prefixItems'],
];
/** Keywords with several: a list of them, or an object. */
const manyKeywords = [
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'],
  ...['properties', 'patternProperties', 'dependentSchemas', 'dependencies'],
];

/** The sub-schemas that judge some value together with `node`, and the targets of its references. */
export function subschemasOf(document: SchemaDocument, node: SchemaNode): readonly SchemaNode[] {
  const { schema } = node;
  if (!isObject(schema)) return [];
  const targets = targetsOf(document, node, schema);
  if (node.origin.refAlone && typeof schema.$ref === 'string') return targets;
  const single = singleKeywords.filter((keyword) => isSchema(schema[keyword]));
  const many = manyKeywords.flatMap((keyword) => {
    const parts: JsonValue | undefined = schema[keyword];
    // A keyword for one sub-schema may also have an object.
    if (!isArray(parts) && (!isObject(parts) || single.includes(keyword))) return [];
    return Object.entries(parts).flatMap(([name, part]) =>
      isSchema(part) ? [document.child(node, keyword, name)] : [],
    );
  });
  return [...targets, ...single.map((keyword) => document.child(node, keyword)), ...many];
}
