/**
 * Finds the calls of a probe in its render, and the spans of their parts.
 *
 * Arguments are found by decoding: at every bracket and quote, JSON is parsed and compared with the given value. The
 * result decides the layout: a JSON object that also contains the name, literals around a JSON value, or entries with
 * their own markers.
 */

import { parseJson } from '../../format/json-values.ts';
import type { JsonValue } from '../../format/messages.ts';
import { writePython } from '../../format/write-values.ts';
import { type FoundJson, positionsOf, pythonAsJson, sameJson, scanJson } from '../literals/find-json.ts';
import type { ProbeCall } from './probes.ts';

/** How the arguments of calls are laid out. */
type CallLayout = 'envelope' | 'json' | 'entries';

/** One call in a render; positions refer to that render. */
export interface CallSpan {
  readonly call: ProbeCall;
  readonly layout: CallLayout;
  /** Start of the JSON object, or of the first hole. */
  readonly start: number;
  /** End (exclusive) of the JSON object, or of the last hole or value. */
  readonly end: number;
  /** The JSON arguments, or from the first key to the last value. */
  readonly arguments: { readonly start: number; readonly end: number };
  readonly encoding: 'value' | 'string';
  /** The call's JSON object, for `envelope`. */
  readonly envelope: JsonValue;
}

/** The spans of all calls, in order; `null` if one is missing. Whole calls may be printed as Python objects. */
export function findCalls(text: string, calls: readonly ProbeCall[]): readonly CallSpan[] | null {
  if (!calls.every((call) => text.includes(writePython(call.arguments)))) return findWritten(text, calls);
  const printed = findWritten(pythonAsJson(text), calls);
  return printed?.every(({ layout }) => layout === 'envelope') ? printed : findWritten(text, calls);
}

function findWritten(text: string, calls: readonly ProbeCall[]): readonly CallSpan[] | null {
  const spans: CallSpan[] = [];
  let at = 0;
  for (const [index, call] of calls.entries()) {
    const others = calls.filter((each) => each !== call).map((each) => each.name);
    const next = calls[index + 1];
    const span = findJsonCall(text, call, at, others) ?? findEntries(text, call, at, next?.name);
    if (span === null) return null;
    spans.push(span);
    at = span.end;
  }
  return spans;
}

function findJsonCall(
  text: string,
  call: ProbeCall,
  from: number,
  others: readonly string[],
): CallSpan | null {
  const found = findArguments(text, call, from);
  if (found === null) return null;
  const { json, encoding } = found;
  const argumentsAt = { start: json.start, end: json.end };
  const envelope = findEnvelope(text, call, from, json, others);
  if (envelope !== null) {
    const { start, end, value } = envelope;
    return { call, layout: 'envelope', start, end, arguments: argumentsAt, encoding, envelope: value };
  }
  const holes = [call.name, call.id]
    .map((each) => text.indexOf(each, from))
    .filter((each) => each >= 0 && each < json.start);
  if (holes.length === 0) return null;
  const end = trailingIdEnd(text, call, json.end) ?? json.end;
  const start = Math.min(...holes);
  return { call, layout: 'json', start, end, arguments: argumentsAt, encoding, envelope: null };
}

/** The end of an id after the arguments and before any other sentinel of the call. */
function trailingIdEnd(text: string, call: ProbeCall, from: number): number | null {
  const id = text.indexOf(call.id, from);
  return id < 0 ? null : id + call.id.length;
}

function findArguments(
  text: string,
  call: ProbeCall,
  from: number,
): { readonly json: FoundJson; readonly encoding: 'value' | 'string' } | null {
  for (const at of positionsOf(text, '{', from, text.length)) {
    const json = scanJson(text, at);
    if (json !== null && sameJson(json.value, call.arguments)) return { json, encoding: 'value' };
  }
  for (const at of positionsOf(text, '"', from, text.length)) {
    const json = scanJson(text, at);
    if (json !== null && typeof json.value === 'string' && holdsJson(json.value, call.arguments)) {
      return { json, encoding: 'string' };
    }
  }
  return null;
}

function holdsJson(text: string, value: JsonValue): boolean {
  const found = parseJson(text);
  return found !== undefined && sameJson(found, value);
}

/**
 * The outermost object around the arguments that contains this call's name and no other's. An object with a list of
 * calls is not the call, even if the list has only one.
 */
function findEnvelope(
  text: string,
  call: ProbeCall,
  from: number,
  inner: FoundJson,
  others: readonly string[],
): FoundJson | null {
  for (const at of positionsOf(text, '{', from, inner.start)) {
    const json = scanJson(text, at);
    if (json === null || json.end < inner.end || !text.slice(at, json.end).includes(call.name)) continue;
    if (others.some((other) => text.slice(at, json.end).includes(other))) continue;
    if (holdsArguments(json.value, call.arguments)) return json;
  }
  return null;
}

/** Whether the arguments are in `value`, inside nothing but objects. */
function holdsArguments(value: JsonValue, wanted: JsonValue): boolean {
  if (typeof value === 'string') return holdsJson(value, wanted);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return sameJson(value, wanted) || Object.values(value).some((each) => holdsArguments(each, wanted));
}

function findEntries(
  text: string,
  call: ProbeCall,
  from: number,
  nextName: string | undefined,
): CallSpan | null {
  const name = text.indexOf(call.name, from);
  if (name < 0) return null;
  const id = text.indexOf(call.id, from);
  const start = id >= 0 && id < name ? id : name;
  const later = nextName === undefined ? -1 : text.indexOf(nextName, name);
  const region = text.slice(0, later < 0 ? text.length : later);
  const marks = Object.entries(call.arguments).flatMap(([key, value]) => {
    const at = region.indexOf(key, name);
    const valueAt = region.lastIndexOf(String(value));
    return [at, valueAt < 0 ? -1 : valueAt + String(value).length];
  });
  if (marks.some((each) => each < 0)) return null;
  const argumentsAt = { start: Math.min(...marks), end: Math.max(...marks) };
  return {
    call,
    layout: 'entries',
    start,
    end: argumentsAt.end,
    arguments: argumentsAt,
    encoding: 'value',
    envelope: null,
  };
}
