/**
 * `properties`, `patternProperties`, `additionalProperties`, `required`, `propertyNames`,
 * `minProperties`, `maxProperties`, `dependentRequired`, `dependentSchemas`, `dependencies`.
 */
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import type { Term } from '../../language/regular/terms.ts';
import { isArray, isObject, isSchema, type SchemaNode } from '../document/schema-document.ts';
import { objectShape } from './any-shape.ts';
import {
  type Assertion,
  assertion,
  countAssertions,
  type ExpansionContext,
  type KeywordReader,
} from './assertions.ts';
import { intersectShapes } from './intersect-shapes.ts';
import { allKeys, type KeySet, noKeys } from './key-sets.ts';
import type { PropertyRule, Shape } from './shapes.ts';

/** Reads the object keywords. */
export const readObjectKeywords: KeywordReader = (schema, node, context) => {
  const found: Assertion[] = [];
  const properties = propertiesAssertion(schema, node, context);
  if (properties !== null) found.push(properties);
  if (isArray(schema.required)) found.push(requiredAssertion(strings(schema.required), context));
  found.push(...countAssertions(schema, ['minProperties', 'maxProperties'], objectShape));
  if (isSchema(schema.propertyNames)) found.push(propertyNamesAssertion(node, context));
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
    const dependencies = schema[keyword];
    if (!isObject(dependencies)) continue;
    for (const [key, value] of Object.entries(dependencies)) {
      if (isArray(value)) found.push(dependentRequired(key, strings(value), context));
      else if (isSchema(value)) found.push(dependentSchema(key, keyword, node, context));
    }
  }
  return found;
};

/** The strings among `values`. */
export function strings(values: readonly JsonValue[]): readonly string[] {
  return values.filter((value): value is string => typeof value === 'string');
}

function key(name: string): KeySet {
  return { ...noKeys, names: new Set([name]) };
}

function without(name: string, { constraints }: ExpansionContext): Shape {
  return objectShape({ rules: [{ keys: key(name), constraint: constraints.nothing }] });
}

/** A rule of `properties` or a related keyword, with its node. */
interface NodeRule {
  readonly keys: KeySet;
  readonly node: SchemaNode;
  /** The rule's key if it is the only one. */
  readonly name: string | null;
}

function propertiesAssertion(
  schema: JsonObject,
  node: SchemaNode,
  context: ExpansionContext,
): Assertion | null {
  const { constraints } = context;
  const rules = propertyRules(schema, node, context);
  if (rules.length === 0) return null;
  const evaluated = rules.some((rule) => rule.keys.complement) ? allKeys : allNamed(rules);
  return assertion(
    () => [
      objectShape({
        rules: rules.map(
          (rule): PropertyRule => ({ keys: rule.keys, constraint: constraints.of(rule.node) }),
        ),
        evaluated,
      }),
    ],
    () => rules.map((rule) => violation(rule, context)),
  );
}

function violation({ keys, node, name }: NodeRule, { constraints }: ExpansionContext): Shape {
  const wrong: PropertyRule = { keys, constraint: constraints.of(node, false) };
  return name === null
    ? objectShape({ some: [wrong] })
    : objectShape({ rules: [wrong], required: new Set([name]) });
}

/** What a property costs, in the steps of automata. */
const stepsForProperty = 4;

function propertyRules(schema: JsonObject, node: SchemaNode, context: ExpansionContext): readonly NodeRule[] {
  const { document } = context;
  const rules: NodeRule[] = [];
  const properties = Object.entries(isObject(schema.properties) ? schema.properties : {});
  context.budget.spend(properties.length * stepsForProperty);
  for (const [name, property] of properties) {
    if (isSchema(property))
      rules.push({ keys: key(name), node: document.child(node, 'properties', name), name });
  }
  const patterns = isObject(schema.patternProperties) ? schema.patternProperties : {};
  for (const [pattern, property] of Object.entries(patterns)) {
    const language = context.patternLanguage(node, 'patternProperties', pattern);
    if (!isSchema(property)) continue;
    if (language === null) return rules;
    const keys: KeySet = { ...noKeys, patterns: [language] };
    rules.push({ keys, node: document.child(node, 'patternProperties', pattern), name: null });
  }
  if (isSchema(schema.additionalProperties)) {
    const names = Object.keys(isObject(schema.properties) ? schema.properties : {});
    const keys = { ...allNamed(rules), names: new Set(names), complement: true };
    rules.push({ keys, node: document.child(node, 'additionalProperties'), name: null });
  }
  return rules;
}

/** The keys of all `rules`, none of which is a complement. */
function allNamed(rules: readonly NodeRule[]): KeySet {
  const names = new Set<string>();
  const patterns: Term[] = [];
  for (const { keys } of rules) {
    for (const name of keys.names) names.add(name);
    patterns.push(...keys.patterns);
  }
  return { names, patterns, complement: false };
}

function requiredAssertion(names: readonly string[], context: ExpansionContext): Assertion {
  return assertion(
    () => [objectShape({ required: new Set(names) })],
    () => names.map((name) => without(name, context)),
  );
}

function propertyNamesAssertion(node: SchemaNode, context: ExpansionContext): Assertion {
  const { constraints, document, terms } = context;
  const names = constraints.of(document.child(node, 'propertyNames'));
  const refused = (): PropertyRule => {
    const language = context.stringsOf(names);
    const keys = language === terms.nothing ? allKeys : { ...noKeys, patterns: [terms.not(language)] };
    return { keys, constraint: constraints.nothing };
  };
  return assertion(
    () => [objectShape({ rules: [refused()] })],
    () => [objectShape({ some: [{ ...refused(), constraint: constraints.anything }] })],
  );
}

function dependentRequired(name: string, others: readonly string[], context: ExpansionContext): Assertion {
  const { constraints } = context;
  return assertion(
    () => [without(name, context), objectShape({ required: new Set([name, ...others]) })],
    () =>
      others.map((other) =>
        objectShape({
          required: new Set([name]),
          rules: [{ keys: key(other), constraint: constraints.nothing }],
        }),
      ),
  );
}

function dependentSchema(
  name: string,
  keyword: string,
  node: SchemaNode,
  context: ExpansionContext,
): Assertion {
  const dependent = context.document.child(node, keyword, name);
  const present = objectShape({ required: new Set([name]) });
  const both = (holds: boolean): readonly Shape[] =>
    context
      .shapesOf(dependent, holds, 'object')
      .flatMap((shape) => intersectShapes(present, shape, context.terms, context.constraints) ?? []);
  return assertion(
    () => [without(name, context), ...both(true)],
    () => both(false),
  );
}
