/** Finds the call that a parser is in the middle of. */
import { parseJson } from '../format/json-values.ts';
import type { BufferedText } from './buffered-text.ts';
import type { Reader } from './reader.ts';
import type { OpenCall } from './response-parser.ts';
import type { EnvelopePaths } from './state-tables.ts';
import type { BareCallsProgress, CallTrial } from './steps/step-progress.ts';
import type { ToolTable } from './tool-table.ts';

/** The call of an offered tool that is being read, once its name is known; `null` elsewhere. */
export function openCallOf({ progress, options, call, writer, buffer, inCall }: Reader): OpenCall | null {
  const { tools } = options;
  if (progress?.kind === 'bare-calls') {
    if (!mayBeCalls(progress)) return null;
    return progress.trial === null ? openJsonCall(tools, buffer) : openForeignCall(progress.trial);
  }
  if (progress?.kind === 'speculation') return openJsonCall(tools, buffer);
  const { open } = writer.calls;
  if (!inCall || open === null || call.isExtra || !tools.has(open.name)) return null;
  return { toolName: open.name, notation: { kind: 'format', opened: call.opened }, from: open.nameEnd };
}

function openForeignCall({ begun }: CallTrial): OpenCall | null {
  if (begun === null) return null;
  const { toolName, notation: name, nameEnd } = begun;
  return { toolName, notation: { kind: 'notation', name }, from: nameEnd };
}

/** Whether a grammar writes the call as JSON that may have begun: then it is a call, whatever follows it. */
export function isJsonCallEnforced(reader: Reader): boolean {
  const { options, buffer } = reader;
  const call = options.provenance === null ? null : openCallOf(reader);
  if (call?.notation.kind !== 'json') return false;
  const { start, length } = buffer;
  return options.provenance?.isEnforced(call.toolName, call.from, start + length, start) === true;
}

/** Calls in the middle of text are calls only within the format's own markers. */
function mayBeCalls({ phase, inTextAt, isMarked }: BareCallsProgress): boolean {
  return phase === 'value' && (inTextAt === null || isMarked);
}

const string = '"(?:[^"\\\\]|\\\\.)*"';
const member = `\\s*"(?:id|type)"\\s*:\\s*${string}\\s*,`;

/**
 * A call as JSON up to its arguments, at the end of a text: `{"name": "f", "arguments": `. Members before the name are
 * those that APIs write. A member's value is no call.
 */
const jsonHead = new RegExp(
  `(?:^\\s*|[^:\\s]\\s*)(\\{(?:${member})*(?:\\s*"function"\\s*:\\s*\\{)?)\\s*"(name|function)"\\s*:\\s*(${string})` +
    '\\s*,\\s*"(arguments|parameters)"\\s*:',
  'g',
);

/** No head of a call is longer. */
const maxHead = 512;

/** The call as JSON in text that may turn out to be calls; `null` until its arguments begin. */
function openJsonCall(tools: ToolTable, buffer: BufferedText): OpenCall | null {
  const text = buffer.last(maxHead);
  const head = [...text.matchAll(jsonHead)].at(-1);
  if (head === undefined) return null;
  const [all, objects = '', , name = ''] = head;
  const toolName = parseJson(name);
  if (typeof toolName !== 'string' || !tools.has(toolName)) return null;
  const from = buffer.start + buffer.length - text.length + head.index + all.length;
  const depth = objects.split('{').length - 1;
  return { toolName, notation: { kind: 'json', objects: depth, head: all.slice(all.indexOf('{')) }, from };
}

/** Where name and arguments stand in the call as JSON with which a text begins; `null` if its arguments do not begin. */
export function jsonCallPaths(text: string): EnvelopePaths | null {
  const [head] = text.slice(0, maxHead).matchAll(jsonHead);
  if (head === undefined || head.index > 0) return null;
  const [, objects = '', nameKey = '', , argumentsKey = ''] = head;
  const outer = objects.split('{').length > 2 ? ['function'] : [];
  return { name: [...outer, nameKey], arguments: [...outer, argumentsKey], id: ['id'] };
}
