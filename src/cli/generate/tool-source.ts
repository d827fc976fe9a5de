/** Reads tools from a file, a module, or an MCP server. */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { codeOf } from '../../format/error-class.ts';
import { ToolListError } from '../../format/errors.ts';
import type { Tool } from '../../format/messages.ts';
import { readToolList } from '../../tools/read-tool-list.ts';
import { isAddress, listMcpTools, type McpLimits } from '../mcp/mcp-session.ts';
import { readTextFile } from '../read-text.ts';

/** Tools with their source, for errors. */
export interface NamedTools {
  readonly tools: readonly Tool[];
  readonly source: string;
}

/**
 * Reads and joins tool lists. A list is a JSON file, a TypeScript or JavaScript module (its export `tools` or its
 * default export), the address of an MCP server, or else a command that starts one. Modules and commands are executed.
 * Throws `ToolListError`.
 */
export async function readToolSources(
  sources: readonly string[],
  limits: McpLimits = {},
): Promise<NamedTools> {
  const lists: Tool[] = [];
  for (const source of sources)
    for (const tool of readToolList(await readSource(source, limits), source)) lists.push(tool);
  const source = sources.join(' + ');
  // Read again as one list, because two lists may have the same name.
  return { tools: sources.length === 1 ? lists : readToolList(lists, source), source };
}

async function readSource(source: string, limits: McpLimits): Promise<unknown> {
  if (isAddress(source)) return listMcpTools(source, limits);
  if (/\.json$/i.test(source)) return readJson(source);
  // With a blank in it, it may be a command whose last word is a script.
  if (/\.[cm]?[jt]s$/i.test(source) && (!/\s/.test(source) || fs.existsSync(source)))
    return readModule(source);
  if (source.trim() === '')
    throw new ToolListError({ source, reason: 'it must be a file, a command or an address' });
  // Without a separator, a command is looked for in other folders than this one.
  if (/[/\\]/.test(source)) await checkCommand(source);
  return listMcpTools(source, limits);
}

/** A folder, or a file that cannot be executed, was not meant as a command. */
async function checkCommand(source: string): Promise<void> {
  const there = await fs.promises.stat(source).catch(() => null);
  if (there === null) return;
  const isProgram =
    there.isFile() &&
    (await fs.promises.access(source, fs.constants.X_OK).then(
      () => true,
      () => false,
    ));
  if (isProgram) return;
  const reason = `is ${there.isDirectory() ? 'a folder' : 'no list of tools'}; give a JSON file (.json), a module (.js, .ts), or the command or address of an MCP server`;
  throw new ToolListError({ source, reason });
}

async function readJson(source: string): Promise<unknown> {
  const text = await readTextFile(source).catch((cause: unknown) => {
    throw cannotRead(source, cause);
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = `is not JSON: ${cause instanceof Error ? cause.message : cause}`;
    throw new ToolListError({ source, reason, cause });
  }
}

async function readModule(source: string): Promise<unknown> {
  await fs.promises.access(source).catch((cause: unknown) => {
    throw cannotRead(source, cause);
  });
  const exports = await importModule(source);
  const found = exports.get('tools') ?? exports.get('default');
  if (found !== undefined) return found;
  throw new ToolListError({ source, reason: 'exports neither `tools` nor a default' });
}

async function importModule(source: string): Promise<ReadonlyMap<string, unknown>> {
  try {
    const imported: object = await import(pathToFileURL(path.resolve(source)).href);
    return new Map<string, unknown>(Object.entries(imported));
  } catch (cause) {
    const code = codeOf(cause);
    const reason =
      code === 'ERR_UNKNOWN_FILE_EXTENSION'
        ? `this Node (${process.version}) cannot run TypeScript: take Node 22.18 or newer, run under tsx, or give JavaScript`
        : `cannot be imported: ${cause instanceof Error ? cause.message : cause}`;
    throw new ToolListError({ source, reason, cause });
  }
}

function cannotRead(source: string, cause: unknown): ToolListError {
  const code = codeOf(cause);
  const reason = code === 'ENOENT' ? 'no such file' : `cannot be read (${code ?? cause})`;
  return new ToolListError({ source, reason, cause });
}
