/** Writes the compiled arguments of one set of tools, so that requests with them need not wait for the compiler. */

import { type Printable, printValue } from '../codegen/source-writer.ts';
import type { ChatFormat } from '../format/chat-format.ts';
import type { CompiledTools } from '../format/compiled-tools.ts';
import { UnsupportedOptionError } from '../format/errors.ts';
import type { Tool } from '../format/messages.ts';
import { sha256 } from '../format/sha256.ts';
import { compilerText, ToolArguments } from '../grammar/tool-arguments.ts';
import { turnLayout } from '../layout/turn-layout.ts';

/**
 * The compiled arguments of `tools` for requests with this policy, independent of tool choice, number of calls and
 * prompt. Throws `SchemaError` and `ToolError`; `UnsupportedOptionError` if the format has no calls.
 */
export function compileAhead(
  format: ChatFormat,
  tools: readonly Tool[],
  policy: 'strict' | 'degrade',
): CompiledTools {
  const { calls } = turnLayout(format);
  const { templateSha256: template } = format;
  if (calls === null)
    throw new UnsupportedOptionError({ option: 'tools', reason: 'this chat template renders no tool calls' });
  const options = { policy, argumentOrder: 'later' } as const;
  const packed = new ToolArguments(calls, options).pack(tools, sha256);
  return { compiler: sha256(compilerText(format, options)), template, policy, ...packed };
}

/** The source of the module that exports it as `compiledTools`; `banner` is its first comment. */
export function emitCompiledTools(banner: string, compiled: CompiledTools): string {
  const value: Printable = JSON.parse(JSON.stringify(compiled));
  const start = 'export const compiledTools: CompiledTools = ';
  return `${banner}
//
// The arguments of the tools in tools.ts, compiled: a chat with these tools, or some of them, does not wait
// for the compiler. Whatever differs (a schema, the format, the version) is compiled anew.
import type { CompiledTools } from 'idiolect/parser';

${start}${printValue(value, 0, start.length, 1)};
`;
}
