/** Tools for prompts: without properties meant for validators and other APIs, and with numbers as they were written. */
import { asWritten, type ExactObject, type ExactValue, isExactObject } from '../format/exact-json.ts';
import { memoize } from '../format/memoize.ts';
import type { JsonObject, JsonSchema, Tool } from '../format/messages.ts';
import { finish, type Steps } from '../language/expression/steps.ts';

/** Bounds that libraries add to every integer, because JavaScript's numbers have them. */
const safeBounds: ReadonlyMap<string, ExactValue> = new Map([
  ['maximum', Number.MAX_SAFE_INTEGER],
  ['minimum', Number.MIN_SAFE_INTEGER],
]);

/**
 * The tools without `$schema`, `strict` and the bounds of safe integers, on which no model was trained. The grammar
 * still uses them. A schema whose text was read here shows `1.0` and integers of any length. A tool without any of this
 * is the same object.
 */
export function promptTools(tools: readonly Tool[]): readonly Tool[] {
  return finish(promptToolsSteps(tools));
}

/** `promptTools` in steps. */
export function* promptToolsSteps(tools: readonly Tool[]): Steps<readonly Tool[]> {
  const shown: Tool[] = [];
  for (const tool of tools) {
    shown.push(promptTool(tool));
    yield;
  }
  return shown;
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

/** Schemas are no deeper than their readers allow; values that are data are unchanged, and whatever changes nowhere. */
function withoutSafeBounds(value: ExactValue): ExactValue {
  if (isList(value)) {
    let items: ExactValue[] | null = null;
    for (const [index, item] of value.entries()) {
      const plain = withoutSafeBounds(item);
      if (plain === item) continue;
      items ??= [...value];
      items[index] = plain;
    }
    return items ?? value;
  }
  return isExactObject(value) ? withoutBoundsOf(value) : value;
}

function withoutBoundsOf(value: ExactObject): ExactObject {
  let entries: Map<string, ExactValue> | null = null;
  for (const key of Object.keys(value)) {
    const item = value[key] ?? null;
    const isNeedless = safeBounds.get(key) === item;
    const plain = isNeedless || isData(key) ? item : withoutSafeBounds(item);
    if (!isNeedless && plain === item) continue;
    entries ??= new Map(Object.entries(value));
    if (isNeedless) entries.delete(key);
    else entries.set(key, plain);
  }
  return entries === null ? value : Object.fromEntries(entries);
}

function isList(value: ExactValue): value is readonly ExactValue[] {
  return Array.isArray(value);
}

function isData(keyword: string): boolean {
  return keyword === 'const' || keyword === 'enum' || keyword === 'default' || keyword === 'examples';
}
