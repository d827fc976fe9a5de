/** A call's skeleton: literals and holes. */
import type { CallEnvelope, CallPart } from '../../format/chat-format.ts';
import { isObject, parseJson } from '../../format/json-values.ts';
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import { mergeLiterals } from '../../layout/skeleton.ts';
import { sameJson } from '../literals/find-json.ts';
import type { CallSpan } from '../probes/call-spans.ts';
import type { ProbeCall } from '../probes/probes.ts';

/** Splits a span of a call into literals and holes. */
export function callParts(text: string, call: ProbeCall): readonly CallPart[] {
  const parts: CallPart[] = [];
  let rest = text;
  while (rest !== '') {
    const next = nextHole(rest, call);
    if (next === null) break;
    if (next.at > 0) parts.push(rest.slice(0, next.at));
    parts.push({ hole: next.hole });
    rest = rest.slice(next.at + next.length);
  }
  if (rest !== '') parts.push(rest);
  return parts;
}

function nextHole(
  text: string,
  call: ProbeCall,
): { readonly at: number; readonly length: number; readonly hole: 'name' | 'id' } | null {
  const name = text.indexOf(call.name);
  const id = text.indexOf(call.id);
  if (name < 0 && id < 0) return null;
  if (id < 0 || (name >= 0 && name < id)) return { at: name, length: call.name.length, hole: 'name' };
  return { at: id, length: call.id.length, hole: 'id' };
}

/** Replaces numbers that count the calls by holes: literals of the first and second calls that differ by one. */
export function withIndexHoles(first: readonly CallPart[], second: readonly CallPart[]): readonly CallPart[] {
  if (first.length !== second.length) return first;
  const parts = first.flatMap((part, position) => {
    const other = second[position];
    if (typeof part !== 'string' || typeof other !== 'string' || part === other) return [part];
    return countedParts(part, other);
  });
  return mergeLiterals(parts);
}

function countedParts(first: string, second: string): readonly CallPart[] {
  const [left, right] = [first.split(/(\d+)/), second.split(/(\d+)/)];
  if (left.length !== right.length) return [first];
  const parts: CallPart[] = [];
  for (const [position, text] of left.entries()) {
    const other = right[position] ?? '';
    if (text === other) {
      if (text !== '') parts.push(text);
    } else if (Number(other) === Number(text) + 1) parts.push({ hole: 'index', base: Number(text) });
    else return [first];
  }
  return parts;
}

/**
 * An id that the template composes: the run of word characters around name and index. The part of that run at the end
 * of `open` is moved into the id; a colon in `open` ends a word before the id (`@call:`).
 */
export function composeId(
  open: string,
  head: readonly CallPart[],
): { readonly open: string; readonly head: readonly CallPart[] } {
  const [name, between, index, ...others] = head;
  if (typeof name !== 'object' || name.hole !== 'name' || typeof between !== 'string') return { open, head };
  if (typeof index !== 'object' || index.hole !== 'index' || !/^[\p{L}\p{N}_.:/#-]*$/u.test(between)) {
    return { open, head };
  }
  const prefix = /(?<![\p{L}\p{N}_./#-])[\p{L}\p{N}_./#-]*$/u.exec(open)?.[0] ?? '';
  const parts = [...(prefix === '' ? [] : [prefix]), name, between, index];
  return {
    open: open.slice(0, open.length - prefix.length),
    head: [{ hole: 'composed-id', parts }, ...others],
  };
}

/** The paths to the parts of a call's JSON object; `null` if it has no arguments. */
export function envelopePaths(first: CallSpan, second: CallSpan | undefined): CallEnvelope | null {
  const { envelope, call } = first;
  const name = findPath(envelope, (value) => value === call.name);
  const nameIsKey = envelope !== null && typeof envelope === 'object' && call.name in envelope;
  const holdsArguments = (value: JsonValue) =>
    sameJson(value, call.arguments) || isJsonText(value, call.arguments);
  const found = findPath(envelope, holdsArguments);
  if (found === null || (name === null && !nameIsKey)) return null;
  const id = findPath(envelope, (value) => value === call.id);
  return {
    name,
    arguments: name === null ? [] : found,
    id,
    index: second === undefined ? null : findIndex(envelope, second.envelope),
  };
}

function isJsonText(value: JsonValue, expected: JsonObject): boolean {
  const found = typeof value === 'string' ? parseJson(value) : undefined;
  return found !== undefined && sameJson(found, expected);
}

function findPath(value: JsonValue, matches: (value: JsonValue) => boolean): readonly string[] | null {
  if (matches(value)) return [];
  if (!isObject(value)) return null;
  for (const [key, inner] of Object.entries(value)) {
    const path = findPath(inner, matches);
    if (path !== null) return [key, ...path];
  }
  return null;
}

function findIndex(first: JsonValue, second: JsonValue): readonly string[] | null {
  if (!isObject(first) || !isObject(second)) return null;
  for (const [key, value] of Object.entries(first)) {
    const other = second[key];
    if (other === undefined) continue;
    if (isCount(value) && isCount(other) && Number(other) === Number(value) + 1) return [key];
    const path = findIndex(value, other);
    if (path !== null) return [key, ...path];
  }
  return null;
}

function isCount(value: JsonValue): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));
}
