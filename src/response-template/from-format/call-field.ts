/** The field `tool_calls` of a response template, made from a format's calls. */
import type { CallEnvelope, CallPart } from '../../format/chat-format.ts';
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import type { EntriesLayout } from '../../layout/entries.ts';
import { coresOf, Marker } from '../../layout/marker.ts';
import { literalsOf, mergeLiterals } from '../../layout/skeleton.ts';
import type { CallsLayout, TurnLayout } from '../../layout/turn-layout.ts';
import type { ResponseTemplateField } from '../index.ts';
import { entryContent } from './entry-content.ts';
import { exactly, loosely, oneOfPatterns, withOptionalEdges } from './literal-patterns.ts';
import type { UnsupportedReason } from './unsupported.ts';

/** A field, if there can be one, and what it does not cover. */
interface CallField {
  readonly field: ResponseTemplateField | null;
  readonly unsupported: readonly UnsupportedReason[];
}

/** The field that reads the calls of `layout`. */
export function callField(layout: TurnLayout, calls: CallsLayout): CallField {
  if (calls.entries !== null) return entryField(layout, calls, calls.entries);
  if (calls.arguments.style.python) {
    const detail = "whole calls are written as Python's literals, which no content parser reads";
    return { field: null, unsupported: [{ code: 'python-values', fatal: true, detail }] };
  }
  if (calls.envelope?.name == null) return headedField(layout, calls);
  return isJsonList(calls)
    ? listField(layout, calls, calls.envelope)
    : envelopeField(layout, calls, calls.envelope);
}

/** `[TOOL_CALLS][{…}, {…}]`: the calls are read as one JSON array. */
export function isJsonList({ arguments: values, envelope, open, call }: CallsLayout): boolean {
  if (values.kind !== 'json' || envelope?.name == null) return false;
  return open.core.endsWith('[') && call.open.isBlank;
}

/** A pattern for the beginning of every call; empty if it has none of its own. */
export function callBeginning(calls: CallsLayout): string {
  return openingPattern(calls)?.beginning ?? '';
}

function listField(layout: TurnLayout, calls: CallsLayout, envelope: CallEnvelope): CallField {
  const opener = new Marker(calls.open.core.slice(0, -1)).core;
  const closer = new Marker(calls.close.core.replace(/^\]/, '')).core;
  const open =
    opener === '' ? { open_pattern: `(?=\\[\\s*${loosely(beginningOfJson(calls))})` } : { open: opener };
  return {
    field: {
      ...open,
      ...closeKeys(closer === '' ? turnEnds(layout) : [closer]),
      content: 'json',
      transform_each: true,
      transform: callShape((path) => `{${path.join('.')}}`, envelope),
    },
    unsupported: opener === '' ? [noMarker()] : [],
  };
}

function envelopeField(layout: TurnLayout, calls: CallsLayout, envelope: CallEnvelope): CallField {
  const shared = calls.call.open.isBlank;
  const opener = calls.call.open.core || calls.open.core;
  const closer = calls.call.close.core || (shared ? calls.close.core : '');
  const next =
    opener === '' ? `\\{\\s*${loosely(beginningOfJson(calls).replace(/^\{\s*/, ''))}` : exactly(opener);
  const isAmbiguous = shared && calls.parallel;
  return {
    field: {
      ...(opener === '' ? { open_pattern: `(?=${next})` } : { open: opener }),
      ...closing(layout, calls, closer, shared ? null : next),
      repeats: true,
      content: 'json',
      transform: callShape((path) => `{content.${path.join('.')}}`, envelope),
    },
    unsupported: [
      ...(opener === '' ? [noMarker()] : []),
      ...(isAmbiguous ? [notSeparated()] : []),
      ...emptyArguments(calls),
    ],
  };
}

/** `<function=f>{…}</function>`: the name precedes the arguments. */
function headedField(layout: TurnLayout, calls: CallsLayout): CallField {
  const opening = openingPattern(calls);
  if (opening === null) return { field: null, unsupported: [{ ...noMarker(), fatal: true }] };
  const own = new Marker(literalsOf(calls.tail) + calls.call.close.text);
  // A brace alone would end the call at the first brace inside its arguments.
  const ambiguous = /^[\s}]+$/.test(own.text);
  const closer = ambiguous ? own.core + calls.close.core : own.core;
  return {
    field: {
      open_pattern: opening.pattern,
      ...closing(layout, calls, closer, opening.beginning),
      repeats: true,
      content: 'json',
      transform: headedShape(opening.groups),
    },
    unsupported: [
      ...(ambiguous && calls.parallel ? [notSeparated()] : []),
      ...unreachableId(calls, opening.groups),
      ...emptyArguments(calls),
    ],
  };
}

function entryField(layout: TurnLayout, calls: CallsLayout, entries: EntriesLayout): CallField {
  const after = literalsOf(calls.tail) + calls.call.close.text;
  const content = entryContent(entries, literalsOf(calls.head.slice(-1)), after);
  const braces = content.content?.content === 'json';
  // The braces of JSON belong to the content.
  const opening = openingPattern(braces ? { ...calls, head: withoutBrace(calls.head) } : calls);
  if (content.content === null || opening === null) {
    return { field: null, unsupported: [...content.unsupported, ...(opening === null ? [noMarker()] : [])] };
  }
  const closer = calls.call.close.core || new Marker(literalsOf(calls.tail)).core;
  return {
    field: {
      open_pattern: opening.pattern,
      ...closing(layout, calls, braces ? closer.replace(/^\}\s*/, '') : closer, opening.beginning),
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
function openingPattern(calls: CallsLayout): Opening | null {
  const first = calls.head[0];
  const literal = new Marker(calls.call.open.text + (typeof first === 'string' ? first : ''));
  const beginning = literal.isBlank ? calls.open : literal;
  if (beginning.isBlank) return null;
  const parts: CallPart[] = [(literal.isBlank ? calls.open : calls.call.open).text, ...calls.head];
  const { pattern, groups } = patternOfParts(mergeLiterals(parts));
  return { pattern: pattern.replace(/^(?:\\n|\\t| )\?/, ''), groups, beginning: exactly(beginning.core) };
}

/**
 * What closes a call's region. Without a closer, that is the end of the turn, or the beginning of the next call, which
 * is peeked.
 */
function closing(
  layout: TurnLayout,
  calls: CallsLayout,
  closer: string,
  next: string | null,
): Pick<ResponseTemplateField, 'close' | 'close_pattern'> {
  const { core: separator, text: between } = calls.separator;
  if (closer !== '') {
    if (separator === '' || separator.includes(closer)) return { close: closer };
    return { close_pattern: `${exactly(closer)}(?:${withOptionalEdges(between)})?` };
  }
  const ends = turnEnds(layout);
  const literals = calls.close.isBlank ? ends : [calls.close.core, ...ends];
  if (next === null || !calls.parallel) return closeKeys(literals);
  const before = separator === '' ? '' : loosely(between);
  return { close_pattern: oneOfPatterns([...literals.map(exactly), `${before}(?=${next})`]) };
}

/** Texts that end the turn, trimmed. */
export function turnEnds({ ends, stops }: TurnLayout): readonly string[] {
  return coresOf([...ends, ...stops]);
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
function beginningOfJson(calls: CallsLayout): string {
  const first = calls.head[0];
  return typeof first === 'string' ? first : '{';
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

function unreachableId(calls: CallsLayout, groups: ReadonlySet<string>): readonly UnsupportedReason[] {
  if (calls.id === null || groups.has('id')) return [];
  const detail = 'the id stands after the arguments, where no placeholder reaches it';
  return [{ code: 'unreachable-id', fatal: false, detail }];
}

function emptyArguments({ arguments: { empty } }: CallsLayout): readonly UnsupportedReason[] {
  if (empty === null || new Marker(empty).core === '{}') return [];
  const detail = `calls without arguments are written as ${JSON.stringify(empty)}, which is not read`;
  return [{ code: 'empty-arguments', fatal: false, detail }];
}

/** A pattern and the groups it captures. */
interface HolePattern {
  readonly pattern: string;
  readonly groups: ReadonlySet<string>;
}

/** A pattern for `parts`; each kind of hole is captured once, under its own name. */
function patternOfParts(parts: readonly CallPart[]): HolePattern {
  const groups = new Set<string>();
  const pieces = parts.map((part, index) => {
    if (typeof part === 'string') return withOptionalEdges(part);
    return holePattern(part, firstCharacter(parts[index + 1]), groups);
  });
  return { pattern: pieces.join(''), groups };
}

/** The first character after a hole; a call's arguments begin with a brace or a tag. */
function firstCharacter(part: CallPart | undefined): string {
  return typeof part === 'string' ? new Marker(part).core.charAt(0) : '';
}

function holePattern(part: Exclude<CallPart, string>, next: string, groups: Set<string>): string {
  switch (part.hole) {
    case 'index':
      return '\\d+';
    case 'name':
    case 'id':
      return capture(part.hole, untilCharacter(next), groups);
    case 'composed-id': {
      const inner = part.parts.map((piece, index) => {
        if (typeof piece === 'string') return withOptionalEdges(piece);
        const following = part.parts[index + 1];
        return holePattern(piece, following === undefined ? next : firstCharacter(following), groups);
      });
      return capture('id', inner.join(''), groups);
    }
  }
}

/** Text before `next`, which names and ids never contain, without white space. */
function untilCharacter(next: string): string {
  const excluded = next === '' ? '<{(\\[' : next.replace(/[\\\]^-]/g, '\\$&');
  return `[^\\s${excluded}]+`;
}

function capture(name: string, pattern: string, groups: Set<string>): string {
  if (groups.has(name)) return `(?P=${name})`;
  groups.add(name);
  return `(?P<${name}>${pattern})`;
}
