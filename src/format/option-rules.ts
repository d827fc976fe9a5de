/** Options from outside the type checker: what is none of them must not be taken for another in silence. */
import { UnsupportedOptionError } from './errors.ts';

/** Which values an option may have, and what they are called in an error. */
export interface OptionRule {
  readonly expected: string;
  readonly allows: (value: unknown) => boolean;
}

/** A rule for each option; the compiler sees that none is forgotten. */
export type OptionRules<Options> = { readonly [Option in keyof Required<Options>]: OptionRule };

/** For what is checked where it is read. */
export const anyValue: OptionRule = { expected: 'anything', allows: () => true };
export const boolean: OptionRule = kindOf('boolean', 'true or false');
export const string: OptionRule = kindOf('string', 'a text');
export const callback: OptionRule = kindOf('function', 'a function');
export const object: OptionRule = { expected: 'an object of names and values', allows: isRecord };
export const abortSignal: OptionRule = {
  expected: 'an AbortSignal',
  allows: (value) =>
    isRecord(value) &&
    ['throwIfAborted', 'addEventListener'].every((name) => typeof value[name] === 'function'),
};
export const date: OptionRule = {
  expected: 'a date',
  allows: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
};
export const jsonObject: OptionRule = {
  expected: 'an object of names and values that JSON can hold',
  allows: (value) => isRecord(value) && isJson(value),
};
export const array: OptionRule = { expected: 'a list', allows: Array.isArray };
export const stringArray: OptionRule = {
  expected: 'a list of texts, none of them empty',
  allows: (value) =>
    Array.isArray(value) && value.every((each) => typeof each === 'string' && each.length > 0),
};

/** Told from an analysis, a template and a generated module, which callers give by mistake. */
export const chatFormat: OptionRule = {
  expected: 'the format of analyzeTemplate() or of a generated module',
  allows: (value) => isRecord(value) && 'turn' in value && 'content' in value,
};

/** Told from a whole format. */
export const messageForm: OptionRule = {
  expected: 'the `input` of a format',
  allows: (value) => isRecord(value) && Array.isArray(value.thinkingVariables),
};

/** Also those of another realm, as test runners have them. */
export const bytes: OptionRule = {
  expected: 'bytes (a Uint8Array)',
  allows: (value) =>
    ArrayBuffer.isView(value) && 'BYTES_PER_ELEMENT' in value && value.BYTES_PER_ELEMENT === 1,
};

/** An event as parsers and chats give it; of what is said bit by bit, every bit is a text. */
export const responseEvent: OptionRule = {
  expected: 'an event of a response',
  allows: (value) =>
    isRecord(value) &&
    typeof value.type === 'string' &&
    (!value.type.endsWith('-delta') || typeof value.delta === 'string'),
};

/** Also a set or a generator; a stream is iterated over before. */
export const eventArray: OptionRule = {
  expected: 'a list of events of a response',
  allows: (value) => typeof value === 'object' && value !== null && Symbol.iterator in value,
};

/** `calls.json` of a format, or a style of one's own. */
export const jsonStyle: OptionRule = {
  expected: 'how JSON is spelled ({ itemSeparator, keySeparator, ascii })',
  allows: (value) =>
    isRecord(value) && typeof value.itemSeparator === 'string' && typeof value.keySeparator === 'string',
};

/** Plain JSON Schema. */
export const jsonSchema: OptionRule = {
  expected: 'a JSON Schema, an object or a truth value',
  allows: (value) => typeof value === 'boolean' || isRecord(value),
};

/** Told from the text of a grammar. */
export const gbnfGrammar: OptionRule = {
  expected: 'what readGbnf(text) returns',
  allows: (value) => isRecord(value) && Array.isArray(value.rules) && value.rules.every(isGbnfRule),
};

/** What `rule` allows, or `null`. */
export function orNull({ expected: wanted, allows }: OptionRule): OptionRule {
  return { expected: `${wanted}, or null`, allows: (value) => value === null || allows(value) };
}

/** One of a few values. */
export function oneOf(...values: readonly unknown[]): OptionRule {
  return { expected: values.map(shown).join(' or '), allows: (value) => values.includes(value) };
}

/** A number from `min` to `max`. */
export function numberFrom(min: number, max: number): OptionRule {
  const limits = max <= 1 ? `from ${min} to ${max}` : `of ${min} or more`;
  return { expected: `a number ${limits}`, allows: (value) => isBetween(value, min, max) };
}

/** A whole number from `min` to `max`, which may be infinite. */
export function integerFrom(min: number, max: number): OptionRule {
  const isWhole = (value: unknown) => Number.isInteger(value) || value === Number.POSITIVE_INFINITY;
  const end = max < Number.MAX_SAFE_INTEGER ? `from ${min} to ${max}` : `of ${min} or more`;
  return {
    expected: `a whole number ${end}`,
    allows: (value) => isWhole(value) && isBetween(value, min, max),
  };
}

/**
 * The options as they are read: those that are `null` are absent. Throws `UnsupportedOptionError` for what is
 * no object of options, for a name that has no rule, and for a value that is not as its rule says.
 */
export function readOptions<Given extends object, Options extends object>(
  given: Given,
  rules: OptionRules<Options>,
): Given {
  const options = withoutNulls(given);
  checkOptions<object>(options, rules);
  return options;
}

/** The same for options of which `null` is a value. */
export function checkOptions<Options extends object>(options: Options, rules: OptionRules<Options>): void {
  if (!isRecord(options)) refuse('options', object, options);
  refuseUnknownOptions(options, rules);
  for (const [option, rule] of Object.entries<OptionRule>(rules)) checkOption(option, options[option], rule);
}

/** The same for one option. */
export function checkOption(option: string, value: unknown, rule: OptionRule): void {
  if (value !== undefined) requireOption(option, value, rule);
}

/** The same for what must be there. */
export function requireOption(option: string, value: unknown, rule: OptionRule): void {
  if (!rule.allows(value)) refuse(option, rule, value);
}

/** A name without a rule is one of another API, or a slip of the pen. */
function refuseUnknownOptions<Options extends object>(options: Options, rules: OptionRules<Options>): void {
  const known = Object.keys(rules);
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined || known.includes(option)) continue;
    const meant = known.find((name) => spelling(name) === spelling(option));
    const reason = `there is no such option; ${meant === undefined ? `there are ${known.join(', ')}` : `it is called ${meant}`}`;
    throw new UnsupportedOptionError({ option, reason });
  }
}

/** JSON has no other word than `null` for what is absent. What is no object stays what it is, to be refused. */
function withoutNulls<Options>(options: Options): Options {
  if (!isRecord(options) || !Object.values(options).includes(null)) return options;
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null)) as Options;
}

/** Whether a value is an object with properties to read, and no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Not what is in itself, has no JSON, or has a getter that throws. */
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

function kindOf(type: string, wanted: string): OptionRule {
  return { expected: wanted, allows: (value) => typeof value === type };
}

function isBetween(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}

/** `max_tokens` and `maxTokens` alike. */
function spelling(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

function refuse(option: string, { expected: wanted }: OptionRule, value: unknown): never {
  throw new UnsupportedOptionError({ option, reason: `is ${wanted}, and not ${shown(value)}` });
}

/** A value in a message: texts in quotes, so that `"5"` is not 5. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'this list';
  return typeof value === 'object' && value !== null ? 'this object' : String(value);
}
