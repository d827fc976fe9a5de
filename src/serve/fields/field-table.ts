/**
 * The fields of requests as tables: what each may be, as the rule that checks it and as the schema that tells of it.
 * `/openapi.json` is made from these tables.
 */
import { isRecord, type OptionRule, shown } from '../../format/option-rules.ts';
import { invalid } from '../errors.ts';
import type { Body } from '../read-body.ts';

/** What a field may be. */
export interface FieldRule extends OptionRule {
  /** JSON Schema of the same values, or of fewer: of messages and tools, only their readers check the inside. */
  readonly schema: object;
  /** The fields of an object. */
  readonly fields?: FieldTable;
}

/** Fields by name. */
export type FieldTable = Readonly<Record<string, FieldRule>>;

/** A boolean. */
export const flagRule: FieldRule = kind('boolean', 'true or false');
/** A text. */
export const textRule: FieldRule = kind('string', 'a string');

/** A number from `minimum` to `maximum`. */
export function numberRule(minimum: number, maximum: number): FieldRule {
  return {
    expected: `a number from ${minimum} to ${maximum}`,
    allows: (value) => typeof value === 'number' && value >= minimum && value <= maximum,
    schema: { type: 'number', minimum, maximum },
  };
}

/** A whole number from `minimum` to `maximum`; without one, to the largest that is exact, or beyond it in limits. */
export function integerRule(minimum: number, maximum?: number): FieldRule {
  const most = maximum ?? Number.MAX_VALUE;
  return {
    expected: `an integer ${maximum === undefined ? `>= ${minimum}` : `from ${minimum} to ${maximum}`}`,
    allows: (value) => Number.isInteger(value) && Number(value) >= minimum && Number(value) <= most,
    schema: { type: 'integer', minimum, ...(maximum === undefined ? {} : { maximum }) },
  };
}

/** One of a few values. */
export function onlyRule(...values: readonly (string | number | boolean)[]): FieldRule {
  return {
    expected: values.map((value) => JSON.stringify(value)).join(' or '),
    allows: (value) => values.some((each) => each === value),
    schema: { enum: values },
  };
}

/** A list; `item` describes what its reader expects. */
export function listRule(item: object, expected = 'an array'): FieldRule {
  return { expected, allows: Array.isArray, schema: { type: 'array', items: item } };
}

/** A list of values that `rule` allows, of at most `maximum`. */
export function listOf(rule: FieldRule, expected: string, maximum?: number): FieldRule {
  const most = maximum ?? Number.POSITIVE_INFINITY;
  return {
    expected,
    allows: (value) => Array.isArray(value) && value.length <= most && value.every(rule.allows),
    schema: { type: 'array', items: rule.schema, ...(maximum === undefined ? {} : { maxItems: maximum }) },
  };
}

/** An object with these fields, and others. */
export function objectRule(fields: FieldTable = {}): FieldRule {
  return {
    expected: 'an object',
    allows: isRecord,
    schema: { type: 'object', properties: schemasOf(fields) },
    fields,
  };
}

/** What one of the rules allows. */
export function anyRule(...rules: readonly FieldRule[]): FieldRule {
  const [object] = rules.flatMap(({ fields }) => (fields === undefined ? [] : [fields]));
  return {
    expected: rules.map(({ expected }) => expected).join(', or '),
    allows: (value) => rules.some((rule) => rule.allows(value)),
    schema: { anyOf: rules.map(({ schema }) => schema) },
    ...(object === undefined ? {} : { fields: object }),
  };
}

/** For a field that its reader checks; `schema` describes what that accepts. */
export function readRule(schema: object, expected = 'another value'): FieldRule {
  return { expected, allows: () => true, schema };
}

/** The rule, whose schema also tells what the field is. */
export function described(rule: FieldRule, description: string): FieldRule {
  return { ...rule, schema: { ...rule.schema, description } };
}

/** The schemas of fields. `null` counts as absent. */
export function schemasOf(fields: FieldTable): Readonly<Record<string, object>> {
  return Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, orNull(schema)]));
}

/** The schema of what may also be `null`. */
export function orNull(schema: object): object {
  return { anyOf: [schema, { type: 'null' }] };
}

/** Throws `RequestError` for the first field, at any depth, that its rule does not allow; `path` is written before it. */
export function checkFields(body: Body, fields: FieldTable, path = ''): void {
  for (const [name, rule] of Object.entries(fields)) {
    const value = body[name] ?? undefined;
    if (value === undefined) continue;
    const at = `${path}${name}`;
    if (!rule.allows(value)) throw invalid(at, `${at} must be ${rule.expected}, got ${shown(value)}`);
    if (rule.fields !== undefined && isRecord(value)) checkFields(value, rule.fields, `${at}.`);
  }
}

function kind(type: 'boolean' | 'string', expected: string): FieldRule {
  return { expected, allows: (value) => typeof value === type, schema: { type } };
}
