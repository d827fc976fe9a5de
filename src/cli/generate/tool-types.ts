/** TypeScript types of tools' arguments, by json-schema-to-typescript. */
import type { compile, JSONSchema } from 'json-schema-to-typescript';
import { codeOf } from '../../format/error-class.ts';
import { MissingPackageError, ToolListError } from '../../format/errors.ts';
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
 * for each. Every call that a schema allows has its type. Throws `ToolListError`, which names `source`, and
 * `MissingPackageError`: the package, which brings 17 MB of a formatter along, is needed for this alone.
 */
export async function printToolTypes(tools: readonly Tool[], source: string): Promise<string> {
  const compile = await loadCompiler();
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

async function loadCompiler(): Promise<typeof compile> {
  try {
    return (await import('json-schema-to-typescript')).compile;
  } catch (cause) {
    if (codeOf(cause) !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new MissingPackageError({
      packageName: 'json-schema-to-typescript',
      neededFor: 'idiolect generate --tools',
      cause,
    });
  }
}

function isTaken(key: string): boolean {
  return taken.has(key.replace(/[^a-z]/gi, '').toLowerCase());
}
