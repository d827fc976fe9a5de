/** The field `tool_calls` of a response template, made from a format's calls. */
import { mergeLiterals } from '../../analysis/calls/skeleton.ts';
import type {
  CallEnvelope,
  CallPart,
  CallsFormat,
  ChatFormat,
  JsonArguments,
} from '../../format/chat-format.ts';
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import type { ResponseTemplateField } from '../index.ts';
import { patternOfParts } from './call-holes.ts';
import { entryContent } from './entry-content.ts';
import { exactly, loosely, marker, oneOfPatterns, withOptionalEdges } from './literal-patterns.ts';
import type { UnsupportedReason } from './unsupported.ts';

/** A field, if there can be one, and what it does not cover. */
export interface CallField {
  readonly field: ResponseTemplateField | null;
  readonly unsupported: readonly UnsupportedReason[];
}

/** The field that reads `calls` of `format`. */
export function callField(format: ChatFormat, calls: CallsFormat): CallField {
  if (calls.arguments.kind === 'entries') return entryField(format, calls);
  if (calls.arguments.style.python) {
    const detail = "whole calls are written as Python's literals, which no content parser reads";
    return { field: null, unsupported: [{ code: 'python-values', fatal: true, detail }] };
  }
  if (calls.envelope?.name == null) return headedField(format, calls, calls.arguments);
  return isJsonList(calls)
    ? listField(format, calls, calls.envelope)
    : envelopeField(format, calls, calls.arguments, calls.envelope);
}

/** `[TOOL_CALLS][{…}, {…}]`: the calls are read as one JSON array. */
export function isJsonList(calls: CallsFormat): boolean {
  if (calls.arguments.kind !== 'json' || calls.envelope?.name == null) return false;
  return calls.section.open.trim().endsWith('[') && calls.call.open.trim() === '';
}

/** A pattern for the beginning of every call; empty if it has none of its own. */
export function callBeginning(calls: CallsFormat): string {
  return openingPattern(calls)?.beginning ?? '';
}

function listField(format: ChatFormat, calls: CallsFormat, envelope: CallEnvelope): CallField {
  const opener = calls.section.open.trim().slice(0, -1).trim();
  const closer = calls.section.close.trim().replace(/^\]/, '').trim();
  const open =
    opener === '' ? { open_pattern: `(?=\\[\\s*${loosely(beginningOfJson(calls))})` } : { open: opener };
  return {
    field: {
      ...open,
      ...closeKeys(closer === '' ? turnEnds(format) : [closer]),
      content: 'json',
      transform_each: true,
      transform: callShape((path) => `{${path.join('.')}}`, envelope),
    },
    unsupported: opener === '' ? [noMarker()] : [],
  };
}

function envelopeField(
  format: ChatFormat,
  calls: CallsFormat,
  json: JsonArguments,
  envelope: CallEnvelope,
): CallField {
  const opener = calls.call.open.trim() || calls.section.open.trim();
  const shared = calls.call.open.trim() === '';
  const closer = calls.call.close.trim() || (shared ? calls.section.close.trim() : '');
  const next =
    opener === '' ? `\\{\\s*${loosely(beginningOfJson(calls).replace(/^\{\s*/, ''))}` : exactly(opener);
  const indistinct = shared && calls.parallel;
  return {
    field: {
      ...(opener === '' ? { open_pattern: `(?=${next})` } : { open: opener }),
      ...closing(format, calls, closer, shared ? null : next),
      repeats: true,
      content: 'json',
      transform: callShape((path) => `{content.${path.join('.')}}`, envelope),
    },
    unsupported: [
      ...(opener === '' ? [noMarker()] : []),
      ...(indistinct ? [notSeparated()] : []),
      ...emptyArguments(json),
    ],
  };
}

/** `<function=f>{…}</function>`: the name precedes the arguments. */
function headedField(format: ChatFormat, calls: CallsFormat, json: JsonArguments): CallField {
  const opening = openingPattern(calls);
  if (opening === null) return { field: null, unsupported: [{ ...noMarker(), fatal: true }] };
  const own = literalsOf(calls.tail) + calls.call.close;
  // A brace alone would end the call at the first brace inside its arguments.
  const ambiguous = /^[\s}]+$/.test(own);
  const closer = ambiguous ? own.trim() + calls.section.close.trim() : own.trim();
  return {
    field: {
      open_pattern: opening.pattern,
      ...closing(format, calls, closer, opening.beginning),
      repeats: true,
      content: 'json',
      transform: headedShape(opening.groups),
    },
    unsupported: [
      ...(ambiguous && calls.parallel ? [notSeparated()] : []),
      ...unreachableId(calls, opening.groups),
      ...emptyArguments(json),
    ],
  };
}

function entryField(format: ChatFormat, calls: CallsFormat): CallField {
  if (calls.arguments.kind !== 'entries') return { field: null, unsupported: [] };
  const after = literalsOf(calls.tail) + calls.call.close;
  const content = entryContent(calls.arguments, literalsOf(calls.head.slice(-1)), after);
  const braces = content.content?.content === 'json';
  // The braces of JSON belong to the content.
  const opening = openingPattern(braces ? { ...calls, head: withoutBrace(calls.head) } : calls);
  if (content.content === null || opening === null) {
    return { field: null, unsupported: [...content.unsupported, ...(opening === null ? [noMarker()] : [])] };
  }
  const closer = (calls.call.close.trim() || literalsOf(calls.tail)).trim();
  return {
    field: {
      open_pattern: opening.pattern,
      ...closing(format, calls, braces ? closer.replace(/^\}\s*/, '') : closer, opening.beginning),
      repeats: true,
      ...content.content,
      transform: headedShape(opening.groups),
    },
    unsupported: [...content.unsupported, ...unreachableId(calls, opening.groups)],
  };
}

function withoutBrace(head: readonly CallPart[]): readonly CallPart[] {
  const last = head.at(-1);
  return typeof last === 'string' ? [...head.slice(0, -1), last.replace(/\{\s*$/, '')] : head;
}

interface Opening {
  readonly pattern: string;
  readonly groups: ReadonlySet<string>;
  /** A pattern for the beginning of the next call. */
  readonly beginning: string;
}

/** The text before the arguments; `null` if it begins with no literal. */
function openingPattern(calls: CallsFormat): Opening | null {
  const first = calls.head[0];
  const literal = calls.call.open + (typeof first === 'string' ? first : '');
  const beginning = literal.trim() === '' ? calls.section.open : literal;
  if (beginning.trim() === '') return null;
  const parts: CallPart[] = [literal.trim() === '' ? calls.section.open : calls.call.open, ...calls.head];
  const { pattern, groups } = patternOfParts(mergeLiterals(parts));
  return { pattern: pattern.replace(/^(?:\\n|\\t| )\?/, ''), groups, beginning: marker(beginning) };
}

/**
 * What closes a call's region. Without a closer, that is the end of the turn, or the beginning of the next call, which
 * is peeked.
 */
function closing(
  format: ChatFormat,
  calls: CallsFormat,
  closer: string,
  next: string | null,
): Pick<ResponseTemplateField, 'close' | 'close_pattern'> {
  const separator = calls.separator.trim();
  if (closer !== '') {
    if (separator === '' || separator.includes(closer)) return { close: closer };
    return { close_pattern: `${exactly(closer)}(?:${withOptionalEdges(calls.separator)})?` };
  }
  const ends = turnEnds(format);
  const section = calls.section.close.trim();
  const literals = section === '' ? ends : [section, ...ends];
  if (next === null || !calls.parallel) return closeKeys(literals);
  const before = separator === '' ? '' : loosely(calls.separator);
  return { close_pattern: oneOfPatterns([...literals.map(exactly), `${before}(?=${next})`]) };
}

/** Texts that end the turn, trimmed. */
export function turnEnds(format: ChatFormat): readonly string[] {
  const ends = [...format.turn.ends, ...format.stops].map((end) => end.trim());
  return [...new Set(ends)].filter((end) => end !== '');
}

/** `close` for these literals; nothing if there are none. */
export function closeKeys(literals: readonly string[]): Pick<ResponseTemplateField, 'close'> {
  const [only, second] = literals;
  if (only === undefined) return {};
  return { close: second === undefined ? only : literals };
}

function callShape(placeholder: (path: readonly string[]) => string, envelope: CallEnvelope): JsonObject {
  const called = { name: placeholder(envelope.name ?? []), arguments: placeholder(envelope.arguments) };
  const shape: Record<string, JsonValue> = { type: 'function', function: called };
  return envelope.id === null ? shape : { ...shape, id: placeholder(envelope.id) };
}

function headedShape(groups: ReadonlySet<string>): JsonObject {
  const shape: JsonObject = { type: 'function', function: { name: '{name}', arguments: '{content}' } };
  return groups.has('id') ? { ...shape, id: '{id}' } : shape;
}

/** The beginning of a JSON call: its first literal, up to the first hole. */
function beginningOfJson(calls: CallsFormat): string {
  const first = calls.head[0];
  return typeof first === 'string' ? first : '{';
}

function literalsOf(parts: readonly CallPart[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : '')).join('');
}

function noMarker(): UnsupportedReason {
  const detail = 'nothing stands before a call, so that an answer which looks like one is read as one';
  return { code: 'no-call-marker', fatal: false, detail };
}

function notSeparated(): UnsupportedReason {
  const detail =
    'calls that follow one another have no beginning or end of their own; only single calls are read';
  return { code: 'calls-not-separated', fatal: false, detail };
}

function unreachableId(calls: CallsFormat, groups: ReadonlySet<string>): readonly UnsupportedReason[] {
  if (calls.id === null || groups.has('id')) return [];
  const detail = 'the id stands after the arguments, where no placeholder reaches it';
  return [{ code: 'unreachable-id', fatal: false, detail }];
}

function emptyArguments(json: JsonArguments): readonly UnsupportedReason[] {
  if (json.empty === null || json.empty.trim() === '{}') return [];
  const detail = `calls without arguments are written as ${JSON.stringify(json.empty)}, which is not read`;
  return [{ code: 'empty-arguments', fatal: false, detail }];
}
