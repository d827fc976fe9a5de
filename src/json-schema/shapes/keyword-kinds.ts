/** The kind of value that each keyword requires. A keyword with any other value is ignored and reported. */
import type { SchemaIssue } from '../../format/errors.ts';
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import { isArray, isObject, isSchema, type SchemaNode } from '../document/schema-document.ts';
import { hasItemsAsPrefix } from './array-keywords.ts';
import type { ExpansionContext } from './assertions.ts';
import { knownTypes, meantType, typeNames, unknownTypes } from './type-names.ts';

/** A kind of value: its name in reports, its test, and the keywords that require it. */
interface Kind {
  readonly name: string;
  has(value: JsonValue): boolean;
  readonly keywords: readonly string[];
  /** The kind of the elements; elements of another kind are reported by name. */
  readonly of?: { readonly name: string; has(value: JsonValue): boolean };
}

const isText = (value: JsonValue) => typeof value === 'string';
const isNumber = (value: JsonValue) => typeof value === 'number';
const isBoolean = (value: JsonValue) => typeof value === 'boolean';
const areTexts = (value: JsonValue) => isArray(value) && value.every(isText);

const text = { name: 'a text', has: isText };
const texts = { name: 'a list of texts', has: areTexts };
const schema = { name: 'a schema (an object, true or false)', has: isSchema };

const kinds: readonly Kind[] = [
  { ...text, keywords: ['$ref', '$dynamicRef', '$recursiveRef', 'pattern', 'format'] },
  { name: 'a number', has: isNumber, keywords: ['minimum', 'maximum'] },
  {
    name: 'a number',
    has: (value) => isNumber(value) || isBoolean(value),
    keywords: ['exclusiveMinimum', 'exclusiveMaximum'],
  },
  {
    name: 'a number of at least 0',
    has: (value) => typeof value === 'number' && value >= 0,
    keywords: ['Length', 'Items', 'Properties', 'Contains'].flatMap((what) => [`min${what}`, `max${what}`]),
  },
  {
    name: 'a positive number',
    has: (value) => typeof value === 'number' && value > 0,
    keywords: ['multipleOf'],
  },
  { name: 'true or false', has: isBoolean, keywords: ['nullable', 'uniqueItems'] },
  { name: 'a list', has: isArray, keywords: ['enum'] },
  { name: 'a list of texts', has: isArray, keywords: ['required'], of: text },
  {
    name: `the name of a type (${knownTypes.join(', ')}) or a list of such names`,
    // Unknown names in a list are ignored. An empty list names no type, so no value is valid.
    has: (value) => typeNames(value).length > 0 || (isArray(value) && value.length === 0),
    keywords: ['type'],
  },
  {
    name: 'a list of schemas',
    has: isArray,
    keywords: ['allOf', 'anyOf', 'oneOf', 'prefixItems'],
    of: schema,
  },
  {
    ...schema,
    keywords: [
      ...['not', 'if', 'then', 'else', 'contains', 'additionalItems', 'unevaluatedItems'],
      ...['additionalProperties', 'propertyNames', 'unevaluatedProperties'],
    ],
  },
  {
    name: 'a schema or a list of schemas',
    has: (value) => isSchema(value) || (isArray(value) && value.every(isSchema)),
    keywords: ['items'],
  },
  {
    name: 'an object of schemas',
    has: isObject,
    keywords: ['properties', 'patternProperties', 'dependentSchemas'],
    of: schema,
  },
  { name: 'an object of lists of texts', has: isObject, keywords: ['dependentRequired'], of: texts },
  {
    name: 'an object of schemas and lists of texts',
    has: isObject,
    keywords: ['dependencies'],
    of: { name: 'a schema or a list of texts', has: (value) => isSchema(value) || areTexts(value) },
  },
];

const kindOf: ReadonlyMap<string, Kind> = new Map(
  kinds.flatMap((kind) => kind.keywords.map((keyword) => [keyword, kind] as const)),
);
/** Meanings of empty lists that the meta-schemas forbid or discourage. */
const emptyLists: ReadonlyMap<string, string> = new Map([
  ...['enum', 'type', 'anyOf', 'oneOf'].map((keyword) => [keyword, 'so no value is valid here'] as const),
  ...['allOf', 'prefixItems'].map((keyword) => [keyword, 'so it says nothing'] as const),
]);

/** Whether `keyword` can make a value invalid. */
export function isAssertion(keyword: string): boolean {
  return keyword === 'const' || kindOf.has(keyword);
}

/** Whether `keyword` can use `value`; true for unknown keywords. */
export function isMeant(keyword: string, value: JsonValue): boolean {
  return kindOf.get(keyword)?.has(value) ?? true;
}

/** Reports keywords of `schema` with unusable values, or that leave nothing to choose. */
export function reportKinds(
  schema: JsonObject,
  node: SchemaNode,
  context: Pick<ExpansionContext, 'report'>,
): void {
  for (const [keyword, value] of Object.entries(schema)) {
    const isWritten = node.origin.synthetic === '';
    const empty = isArray(value) && value.length === 0 ? emptyLists.get(keyword) : undefined;
    if (isWritten && empty !== undefined)
      context.report(node, keyword, `the list is empty, ${empty}`, 'noted');
    if (isWritten && (keyword === 'enum' || keyword === 'const') && holdsHalf(value))
      context.report(node, keyword, 'texts with half a surrogate pair cannot be written', 'narrowed');
    const kind = kindOf.get(keyword);
    if (kind === undefined) continue;
    if (keyword === 'prefixItems' && hasItemsAsPrefix(schema)) {
      const effect = isNegated(node) ? 'widened' : 'narrowed';
      context.report(node, keyword, 'is one schema and no list of them; it is read as `items`', effect);
    } else if (!kind.has(value)) {
      const reason = `${shown(value)} is not ${kind.name}, and means nothing${hint(keyword, value)}`;
      context.report(node, keyword, reason, effectOf(keyword, value));
    } else if (keyword === 'type' && unknownTypes(value).length > 0) {
      const names = unknownTypes(value).map(shown).join(', ');
      const reason = `${names} is not a type of JSON Schema (${knownTypes.join(', ')}); no value has it`;
      context.report(node, keyword, reason + hint(keyword, value), 'narrowed');
    } else if (kind.of !== undefined) {
      reportParts(node, keyword, value, kind.of, context);
    }
  }
}

/** Whether a schema stands, or may stand, in a negation or condition, where what is narrowed may allow more. */
function isNegated({ pointer }: SchemaNode): boolean {
  return /\/(not|if)(\/|$)/.test(pointer);
}

/** Whether `value` contains a lone surrogate. */
export function holdsHalf(value: JsonValue): boolean {
  if (typeof value === 'string') return /\p{Cs}/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => holdsHalf(key) || holdsHalf(inner));
}

/** Reports elements of a list or object that are of the wrong kind. */
function reportParts(
  node: SchemaNode,
  keyword: string,
  value: JsonValue,
  { name, has }: NonNullable<Kind['of']>,
  context: Pick<ExpansionContext, 'report'>,
): void {
  const parts = Object.entries(isArray(value) || isObject(value) ? value : {});
  const wrong = parts.filter(([, part]) => !has(part));
  const [first] = wrong;
  if (first === undefined) return;
  const more = wrong.length === 1 ? '' : `, and ${wrong.length - 1} more`;
  const reason = `${first[0]}: ${shown(first[1])} is not ${name}${more}; other values are ignored`;
  context.report(node, keyword, reason, wrong.every(([, part]) => part === null) ? 'noted' : 'widened');
}

/** The effect of ignoring the keyword. */
function effectOf(keyword: string, value: JsonValue): SchemaIssue['effect'] {
  if (keyword === 'nullable') return 'narrowed';
  // Schema printers write null for absent keywords, and draft 3 has `required: false`.
  const isAbsent = value === null || (keyword === 'required' && value === false);
  const saysNothing = /^min[A-Z]/.test(keyword) && typeof value === 'number';
  return isAbsent || saysNothing ? 'noted' : 'widened';
}

function hint(keyword: string, value: JsonValue): string {
  if (keyword === 'type') return unknownTypes(value).map(meantType).join('');
  if (keyword !== 'required' || value !== true) return '';
  return ' (an object requires properties by listing their names)';
}

/** A prefix of `value` that is long enough to recognise it. */
function shown(value: JsonValue): string {
  const all = JSON.stringify(value);
  return all.length > 60 ? `${all.slice(0, 59)}…` : all;
}
