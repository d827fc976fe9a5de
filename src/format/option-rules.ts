/** Validation of options at run time, for callers without a type checker. */
import { UnsupportedOptionError } from './errors.ts';

/** Known options that are not accepted, by name: the reason, or the name of the equivalent option. */
export type RefusedOptions = Readonly<Record<string, string>>;

/** The values that an option may have, and their description in errors. */
export interface OptionRule {
  readonly expected: string;
  readonly allows: (value: unknown) => boolean;
}

/** A rule for each option; the compiler checks that none is missing. */
export type OptionRules<Options> = { readonly [Option in keyof Required<Options>]: OptionRule };

/** The options with a value for each. */
export type Filled<Options> = { readonly [Option in keyof Options]-?: Exclude<Options[Option], undefined> };

/** The longest that a timer of the platform waits, in milliseconds. */
export const maxTimer = 2 ** 31 - 1;

/** For options that are validated where they are read. */
export const anyValue: OptionRule = { expected: 'any value', allows: () => true };
export const boolean: OptionRule = kindOf('boolean', 'a boolean');
export const string: OptionRule = kindOf('string', 'a string');
/** Rejects a path to a template: without a tag, it would render the same text for every conversation. */
export const chatTemplate: OptionRule = {
  expected: 'the source of a chat template, with {{ … }} or {% … %} in it, and not its path',
  allows: (value) => typeof value === 'string' && /\{[{%]/.test(value),
};
export const callback: OptionRule = kindOf('function', 'a function');
export const object: OptionRule = { expected: 'an object', allows: isRecord };
export const abortSignal: OptionRule = {
  expected: 'an AbortSignal',
  allows: (value) =>
    isRecord(value) &&
    ['throwIfAborted', 'addEventListener'].every((name) => typeof value[name] === 'function'),
};
export const date: OptionRule = {
  expected: 'a valid Date',
  allows: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
};
export const jsonObject: OptionRule = {
  expected: 'an object that can be written as JSON',
  allows: (value) => isRecord(value) && isJson(value),
};
export const array: OptionRule = { expected: 'an array', allows: Array.isArray };
export const stringArray: OptionRule = {
  expected: 'an array of non-empty strings',
  allows: (value) =>
    Array.isArray(value) && value.every((each) => typeof each === 'string' && each.length > 0),
};

const maxTexts = 256;
const maxTextLength = 1024;

/** Texts for which each piece of a response is searched. */
export const searchedTexts: OptionRule = {
  expected: `an array of at most ${maxTexts} strings of 1 to ${maxTextLength} characters`,
  allows: (value) =>
    Array.isArray(value) && value.length <= maxTexts && value.every(textUpTo(maxTextLength).allows),
};

/** A non-empty text of at most `most` UTF-16 units. */
export function textUpTo(most: number): OptionRule {
  return {
    expected: `a string of 1 to ${most} characters`,
    allows: (value) => typeof value === 'string' && value.length > 0 && value.length <= most,
  };
}

/** Rejects an analysis, a template or a generated module, which callers pass by mistake. */
export const chatFormat: OptionRule = {
  expected: 'a ChatFormat, from analyzeTemplate() or a generated module',
  allows: (value) => isRecord(value) && 'turn' in value && 'content' in value,
};

/** Rejects a whole format. */
export const messageForm: OptionRule = {
  expected: 'the `input` of a ChatFormat',
  allows: (value) => isRecord(value) && Array.isArray(value.thinkingVariables),
};

/** Accepts bytes of another realm, as in test runners. */
export const bytes: OptionRule = {
  expected: 'a Uint8Array',
  allows: (value) =>
    ArrayBuffer.isView(value) && 'BYTES_PER_ELEMENT' in value && value.BYTES_PER_ELEMENT === 1,
};

/** An event as emitted by parsers and chats; the `delta` of a delta event is a string. */
export const responseEvent: OptionRule = {
  expected: 'a response event',
  allows: (value) =>
    isRecord(value) &&
    typeof value.type === 'string' &&
    (!value.type.endsWith('-delta') || typeof value.delta === 'string'),
};

/** Any iterable: an array, a set, a generator. Async iterables are consumed before validation. */
export const eventArray: OptionRule = {
  expected: 'an iterable of response events',
  allows: (value) => typeof value === 'object' && value !== null && Symbol.iterator in value,
};

/** `calls.json` of a format, or a custom style. */
export const jsonStyle: OptionRule = {
  expected: 'a JSON style ({ itemSeparator, keySeparator, ascii })',
  allows: (value) =>
    isRecord(value) && typeof value.itemSeparator === 'string' && typeof value.keySeparator === 'string',
};

/** Plain JSON Schema. */
export const jsonSchema: OptionRule = {
  expected: 'a JSON Schema: an object or a boolean',
  allows: (value) => typeof value === 'boolean' || isRecord(value),
};

/** Rejects the text of a grammar. */
export const gbnfGrammar: OptionRule = {
  expected: 'a grammar as readGbnf() returns it',
  allows: (value) => isRecord(value) && Array.isArray(value.rules) && value.rules.every(isGbnfRule),
};

/** The values that `rule` allows, or `null`. */
export function orNull({ expected, allows }: OptionRule): OptionRule {
  return { expected: `${expected} or null`, allows: (value) => value === null || allows(value) };
}

/** One of a few values. */
export function oneOf(...values: readonly unknown[]): OptionRule {
  return { expected: values.map(shown).join(' or '), allows: (value) => values.includes(value) };
}

/** A number from `min` to `max`. */
export function numberFrom(min: number, max: number): OptionRule {
  const limits = max <= 1 ? `from ${min} to ${max}` : `>= ${min}`;
  return { expected: `a number ${limits}`, allows: (value) => isBetween(value, min, max) };
}

/** A number from `min` to `max`, with both limits in its description. */
export function numberBetween(min: number, max: number): OptionRule {
  return { expected: `a number from ${min} to ${max}`, allows: (value) => isBetween(value, min, max) };
}

/** A whole number from `min` to `max`, which may be infinite. */
export function integerFrom(min: number, max: number): OptionRule {
  const isWhole = (value: unknown) => Number.isInteger(value) || value === Number.POSITIVE_INFINITY;
  const end = max < Number.MAX_SAFE_INTEGER ? `from ${min} to ${max}` : `>= ${min}`;
  return {
    expected: `an integer ${end}`,
    allows: (value) => isWhole(value) && isBetween(value, min, max),
  };
}

/**
 * The options without those that are `null` or `undefined`. Throws `UnsupportedOptionError` if the argument is not an object, for a
 * name without a rule, and for a value that its rule does not allow.
 */
export function readOptions<Given extends object, Options extends object>(
  given: Given,
  rules: OptionRules<Options>,
  refused: RefusedOptions = {},
): Given {
  const options = withoutNulls(given);
  checkOptions<object>(options, rules, refused);
  return options;
}

/** Validates options of which some may be `null`. */
export function checkOptions<Options extends object>(
  options: Options,
  rules: OptionRules<Options>,
  refused: RefusedOptions = {},
): void {
  if (!isRecord(options)) refuse('options', object, options);
  refuseUnknownOptions(options, rules, refused);
  for (const [option, rule] of Object.entries<OptionRule>(rules)) checkOption(option, options[option], rule);
}

/** Validates one option. */
export function checkOption(option: string, value: unknown, rule: OptionRule): void {
  if (value !== undefined) requireOption(option, value, rule);
}

/** Validates one option that must be present. */
export function requireOption(option: string, value: unknown, rule: OptionRule): void {
  if (!rule.allows(value)) refuse(option, rule, value);
}

/** A name without a rule is misspelled, or belongs to another API. */
/** Throws `UnsupportedOptionError` for the first given option that `refused` names. */
export function refuseOptions(options: object, refused: RefusedOptions): void {
  for (const [option, value] of Object.entries(options)) {
    const reason = refused[option];
    if (value !== undefined && reason !== undefined) throw new UnsupportedOptionError({ option, reason });
  }
}

function refuseUnknownOptions<Options extends object>(
  options: Options,
  rules: OptionRules<Options>,
  refused: RefusedOptions,
): void {
  const known = Object.keys(rules);
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined || known.includes(option)) continue;
    const why = refusalOf(refused, option);
    const same = known.find((name) => spelling(name) === spelling(option) || name === why);
    if (why !== undefined && same === undefined)
      throw new UnsupportedOptionError({ option, reason: `is not taken: ${why}` });
    const meant = same ?? onlyNeighbour(known, option);
    const reason = `unknown option; ${meant === undefined ? `the options are ${known.join(', ')}` : `did you mean ${meant}?`}`;
    throw new UnsupportedOptionError({ option, reason });
  }
}

/**
 * In JSON, `null` means that an option is absent; `undefined` must not take the place of a default. A value that is not
 * an object is returned unchanged, to be rejected.
 */
function withoutNulls<Options>(options: Options): Options {
  if (!isRecord(options) || Object.values(options).every((value) => value != null)) return options;
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value != null)) as Options;
}

/** An object without the fields that are `undefined`. */
export function withoutUndefined<Options extends object>(options: Options): WithoutUndefined<Options> {
  const defined = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as WithoutUndefined<Options>;
}

/** What may be `undefined` may be absent. */
type WithoutUndefined<Options> = {
  [Name in keyof Options as undefined extends Options[Name] ? never : Name]: Options[Name];
} & {
  [Name in keyof Options as undefined extends Options[Name] ? Name : never]?: Exclude<
    Options[Name],
    undefined
  >;
};

/** Whether a value is a non-null object that is not an array. A revoked proxy is none: nothing can be asked of it. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && isList(value) === false;
}

/** Whether a value is an array; `null` for a revoked proxy. */
function isList(value: unknown): boolean | null {
  try {
    return Array.isArray(value);
  } catch {
    return null;
  }
}

/** False for circular values, BigInts and throwing getters. */
function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

function isGbnfRule(value: unknown): boolean {
  return isRecord(value) && typeof value.name === 'string' && isRecord(value.body);
}

function kindOf(type: string, expected: string): OptionRule {
  return { expected, allows: (value) => typeof value === type };
}

function isBetween(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}

/** The message for a refused option, whatever its spelling. */
function refusalOf(refused: RefusedOptions, option: string): string | undefined {
  return Object.entries(refused).find(([name]) => spelling(name) === spelling(option))?.[1];
}

/** Makes `max_tokens` and `maxTokens` equal. */
export function spelling(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/** The only known name that differs by one letter; none if there are several, as for `topA`. */
export function onlyNeighbour(known: readonly string[], option: string): string | undefined {
  const near = known.filter((name) => isOneEditAway(spelling(name), spelling(option)));
  return near.length === 1 ? near[0] : undefined;
}

/** Whether adding, removing or replacing one letter turns `b` into `a`. */
function isOneEditAway(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  let same = 0;
  while (same < short.length && short[same] === long[same]) same += 1;
  return long.slice(same + 1) === short.slice(same + (long.length === short.length ? 1 : 0));
}

/** Throws the `UnsupportedOptionError` for a value that its rule does not allow. */
export function refuse(option: string, { expected }: Pick<OptionRule, 'expected'>, value: unknown): never {
  const hasWrongElements = isList(value) && expected.startsWith('an array of');
  const given = hasWrongElements ? 'an array of something else' : shown(value);
  throw new UnsupportedOptionError({ option, reason: `must be ${expected}, got ${given}` });
}

/** A value in a message: strings are quoted, so that `"5"` differs from 5. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (typeof value === 'function') return 'a function';
  if (isList(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
