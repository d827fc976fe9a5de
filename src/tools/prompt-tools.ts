/** Tools for prompts: without properties meant for validators and other APIs, and with numbers as they were written. */
import { asWritten, type ExactValue, isExactObject } from '../format/exact-json.ts';
import { memoize } from '../format/memoize.ts';
import type { JsonObject, JsonSchema, Tool } from '../format/messages.ts';

/** Bounds that libraries add to every integer, because JavaScript's numbers have them. */
const safeBounds: readonly (readonly [string, number])[] = [
  ['maximum', Number.MAX_SAFE_INTEGER],
  ['minimum', Number.MIN_SAFE_INTEGER],
];

/**
 * The tools without `$schema`, `strict` and the bounds of safe integers, on which no model was trained. The grammar
 * still uses them. A schema whose text was read here shows `1.0` and integers of any length. A tool without any of this
 * is the same object.
 */
export function promptTools(tools: readonly Tool[]): readonly Tool[] {
  return tools.map(promptTool);
}

const promptTool = memoize((tool: Tool): Tool => {
  const { strict, ...inner } = tool.function as Tool['function'] & { readonly strict?: unknown };
  const { parameters } = inner;
  const plain = parameters === undefined ? undefined : promptSchema(parameters);
  if (strict === undefined && plain === parameters) return tool;
  return { ...tool, function: plain === undefined ? inner : { ...inner, parameters: plain } };
});

function promptSchema(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const written = asWritten(schema);
  if (!isExactObject(written)) return schema;
  const { $schema, ...rest } = written;
  return withoutSafeBounds($schema === undefined ? written : rest) as JsonObject;
}

/** Schemas are no deeper than their readers allow; values that are data are unchanged. */
function withoutSafeBounds(value: ExactValue): ExactValue {
  if (isList(value)) {
    const items = value.map(withoutSafeBounds);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isExactObject(value)) return value;
  const needless = safeBounds
    .filter(([keyword, bound]) => value[keyword] === bound)
    .map(([keyword]) => keyword);
  const entries = Object.entries(value)
    .filter(([key]) => !needless.includes(key))
    .map(([key, item]) => [key, isData(key) ? item : withoutSafeBounds(item)] as const);
  const changed = needless.length > 0 || entries.some(([key, item]) => item !== value[key]);
  return changed ? Object.fromEntries(entries) : value;
}

function isList(value: ExactValue): value is readonly ExactValue[] {
  return Array.isArray(value);
}

function isData(keyword: string): boolean {
  return keyword === 'const' || keyword === 'enum' || keyword === 'default' || keyword === 'examples';
}
