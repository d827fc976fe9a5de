/** TypeScript types of tools' arguments, by json-schema-to-typescript. */
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { ToolListError } from '../../format/errors.ts';
import type { Tool } from '../../format/messages.ts';
import { schemaForTypes } from '../../generate/schema-for-types.ts';

/** The style of the project's formatter. */
const style = {
  bracketSpacing: true,
  printWidth: 110,
  semi: true,
  singleQuote: true,
  tabWidth: 2,
  trailingComma: 'all',
  useTabs: false,
} as const;

/** Names that the generated file declares itself. */
const taken: ReadonlySet<string> = new Set(['tool', 'toolcall', 'toolcallevent', 'toolarguments']);

/**
 * Declarations for the arguments of `tools`: an interface `ToolArguments` with the tools' names as keys, and a type
 * for each. Every call that a schema allows has its type. Throws `ToolListError`, which names `source`.
 */
export async function printToolTypes(tools: readonly Tool[], source: string): Promise<string> {
  const schema: JSONSchema = JSON.parse(JSON.stringify(schemaForTypes(tools)));
  try {
    const text = await compile(schema, 'ToolArguments', {
      bannerComment: '',
      additionalProperties: true,
      ignoreMinAndMaxItems: true,
      style,
      // Nothing is read from disk or network for a schema.
      $refOptions: { resolve: { external: false } },
      customName: (_schema, key) => (key !== undefined && isTaken(key) ? `${key} value` : undefined),
    });
    return text.trim();
  } catch (cause) {
    const reason = `no types can be made of the schemas: ${cause instanceof Error ? cause.message : cause}`;
    throw new ToolListError({ source, reason, cause });
  }
}

function isTaken(key: string): boolean {
  return taken.has(key.replace(/[^a-z]/gi, '').toLowerCase());
}
