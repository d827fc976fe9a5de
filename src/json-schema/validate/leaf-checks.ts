/** Keywords that look at a value itself, and not at its parts by sub-schemas. */
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import { decimalOf, isMultiple } from '../document/decimal.ts';
import { formatPattern, type IntegerRange, integerFormats } from '../document/formats.ts';
import { isArray, isObject } from '../document/schema-document.ts';
import { countOf } from '../shapes/assertions.ts';
import { typeNames } from '../shapes/type-names.ts';
import { patternTest, type TextTest } from './pattern-test.ts';
import type { Verdict } from './verdict.ts';

/** How to read these keywords. */
export interface LeafOptions {
  /** Whether `format` restricts values. */
  readonly formats: 'assert' | 'ignore';
}

type LeafCheck = (value: JsonValue, verdict: Verdict) => void;

/** The checks of the keywords of `schema`, of which each has a value that it can use. */
export function leafChecks(schema: JsonObject, options: LeafOptions): readonly LeafCheck[] {
  return [
    ...typeChecks(schema),
    ...numberChecks(schema),
    ...textChecks(schema, options),
    ...valueChecks(schema),
    ...sizeChecks(schema),
    ...requiredChecks(schema),
  ];
}

function typeChecks({ type, nullable }: JsonObject): readonly LeafCheck[] {
  if (type === undefined) return [];
  const names = [...typeNames(type), ...(nullable === true ? ['null'] : [])];
  const wanted = [...new Set(names)].join();
  return [
    (value, verdict) => {
      if (!names.some((name) => isOfType(value, name))) verdict.fail('type', `must be ${wanted}`);
    },
  ];
}

function isOfType(value: JsonValue, name: string): boolean {
  if (name === 'integer') return Number.isInteger(value);
  if (value === null) return name === 'null';
  return isArray(value) ? name === 'array' : typeof value === name;
}

const bounds = [
  { keyword: 'minimum', sign: '>=', holds: (value: number, limit: number) => value >= limit },
  { keyword: 'maximum', sign: '<=', holds: (value: number, limit: number) => value <= limit },
  { keyword: 'exclusiveMinimum', sign: '>', holds: (value: number, limit: number) => value > limit },
  { keyword: 'exclusiveMaximum', sign: '<', holds: (value: number, limit: number) => value < limit },
];

function numberChecks(schema: JsonObject): readonly LeafCheck[] {
  const limits = withoutBooleans(schema);
  const checks = bounds.flatMap(({ keyword, sign, holds }): LeafCheck[] => {
    const limit = limits[keyword];
    if (typeof limit !== 'number') return [];
    return [onNumbers((value) => holds(value, limit), keyword, `must be ${sign} ${limit}`)];
  });
  const { multipleOf } = schema;
  if (typeof multipleOf !== 'number') return checks;
  const unit = decimalOf(multipleOf);
  // Exact: 19.99 is a multiple of 0.01.
  const divides = (value: number): boolean => isMultiple(decimalOf(value), unit);
  return [...checks, onNumbers(divides, 'multipleOf', `must be multiple of ${multipleOf}`)];
}

/** Up to draft 4, `exclusiveMinimum: true` says how `minimum` is meant. */
function withoutBooleans(schema: JsonObject): JsonObject {
  const found: Record<string, JsonValue> = { ...schema };
  for (const [inclusive, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const { [inclusive]: limit, [exclusive]: isExclusive } = found;
    if (isExclusive !== true || limit === undefined) continue;
    delete found[inclusive];
    found[exclusive] = limit;
  }
  return found;
}

function onNumbers(holds: (value: number) => boolean, keyword: string, message: string): LeafCheck {
  return (value, verdict) => {
    if (typeof value === 'number' && !holds(value)) verdict.fail(keyword, message);
  };
}

function textChecks(schema: JsonObject, { formats }: LeafOptions): readonly LeafCheck[] {
  const { pattern, format } = schema;
  const checks: LeafCheck[] = [];
  const onTexts = (holds: TextTest, keyword: string, message: string): void => {
    checks.push((value, verdict) => {
      if (typeof value === 'string' && !holds(value)) verdict.fail(keyword, message);
    });
  };
  if (typeof pattern === 'string')
    onTexts(patternTest(pattern), 'pattern', `must match pattern "${pattern}"`);
  if (typeof format !== 'string' || formats === 'ignore') return checks;
  const language = formatPattern(format);
  const message = `must match format "${format}"`;
  if (language !== null && language !== 'unsupported') onTexts(formatTest(language), 'format', message);
  const range = integerFormats.get(format);
  return range === undefined ? checks : [...checks, onNumbers(integerTest(range), 'format', message)];
}

/** Whether a number is an integer of a range, of which a double holds the ends only about. */
function integerTest({ least, most }: IntegerRange): (value: number) => boolean {
  return (value) => Number.isInteger(value) && value >= Number(least) && value <= Number(most);
}

/** The tests of the formats so far, by pattern: their automata are large, and few schemas use more than one. */
const formatTests = new Map<string, TextTest>();

function formatTest(pattern: string): TextTest {
  return (text) => {
    const test = formatTests.get(pattern) ?? patternTest(pattern);
    formatTests.set(pattern, test);
    return test(text);
  };
}

function valueChecks(schema: JsonObject): readonly LeafCheck[] {
  const checks: LeafCheck[] = [];
  const oneOf = (values: readonly JsonValue[], keyword: string, message: string): void => {
    const keys = new Set(values.map(keyOf));
    checks.push((value, verdict) => {
      if (!keys.has(keyOf(value))) verdict.fail(keyword, message);
    });
  };
  if (schema.const !== undefined) oneOf([schema.const], 'const', 'must be equal to constant');
  if (isArray(schema.enum)) oneOf(schema.enum, 'enum', 'must be equal to one of the allowed values');
  return checks;
}

/** Sizes by what they count: characters, not units of UTF-16. */
const sizes = [
  {
    what: 'Length',
    name: 'characters',
    of: (value: JsonValue) => (typeof value === 'string' ? [...value].length : null),
  },
  { what: 'Items', name: 'items', of: (value: JsonValue) => (isArray(value) ? value.length : null) },
  {
    what: 'Properties',
    name: 'properties',
    of: (value: JsonValue) => (isObject(value) ? Object.keys(value).length : null),
  },
];

function sizeChecks(schema: JsonObject): readonly LeafCheck[] {
  const checks = sizes.flatMap(({ what, name, of }): LeafCheck[] => {
    const [least, most] = [countOf(schema[`min${what}`]), schema[`max${what}`]];
    const found: LeafCheck[] = [];
    if (least !== null)
      found.push((value, verdict) => {
        if ((of(value) ?? least) < least)
          verdict.fail(`min${what}`, `must NOT have fewer than ${least} ${name}`);
      });
    if (typeof most === 'number')
      found.push((value, verdict) => {
        if ((of(value) ?? most) > most) verdict.fail(`max${what}`, `must NOT have more than ${most} ${name}`);
      });
    return found;
  });
  if (schema.uniqueItems !== true) return checks;
  return [
    ...checks,
    (value, verdict) => {
      if (isArray(value) && !areDistinct(value)) verdict.fail('uniqueItems', 'must NOT have duplicate items');
    },
  ];
}

function requiredChecks(schema: JsonObject): readonly LeafCheck[] {
  const checks: LeafCheck[] = [];
  if (isArray(schema.required)) {
    const names = schema.required.filter(isText);
    checks.push((value, verdict) => {
      if (!isObject(value)) return;
      for (const name of names)
        if (!Object.hasOwn(value, name)) verdict.fail('required', `must have required property '${name}'`);
    });
  }
  for (const keyword of ['dependentRequired', 'dependencies'])
    for (const [name, others] of Object.entries(schema[keyword] ?? {})) {
      if (!isArray(others)) continue;
      const names = others.filter(isText);
      const listed = `${names.length === 1 ? 'property' : 'properties'} ${names.join(', ')}`;
      checks.push((value, verdict) => {
        if (!isObject(value) || !Object.hasOwn(value, name)) return;
        if (names.some((each) => !Object.hasOwn(value, each)))
          verdict.fail(keyword, `must have ${listed} when property ${name} is present`);
      });
    }
  return checks;
}

function isText(value: JsonValue): value is string {
  return typeof value === 'string';
}

/**
 * Whether no two items are equal; numbers by value, objects whatever the order of their keys. In time that is linear in
 * their size: compared in pairs, 10,000 objects take seconds.
 */
export function areDistinct(items: readonly JsonValue[]): boolean {
  const seen = new Set<string>();
  for (const item of items) {
    const key = keyOf(item);
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return true;
}

/** The same text for equal values. */
function keyOf(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(keyOf).join()}]`;
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${keyOf(member)}`);
  return `{${members.sort().join()}}`;
}
