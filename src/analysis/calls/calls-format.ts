/** Tool calls: the section, its repetition, and the skeleton of one call. */
import type {
  CallIdFormat,
  CallPart,
  CallsFormat,
  JsonArguments,
  JsonStyle,
} from '../../format/chat-format.ts';
import { writePython } from '../../format/write-values.ts';
import { mergeLiterals } from '../../layout/skeleton.ts';
import type { EvidenceLog } from '../evidence.ts';
import { matchStyle, spacedStyle } from '../literals/find-json.ts';
import { type Repetition, solveRepetition } from '../literals/repetition.ts';
import type { Boundaries } from '../literals/token-boundaries.ts';
import type { CallSpan } from '../probes/call-spans.ts';
import {
  fillPlaceholders,
  splitAfterPlaceholders,
  withKeyPlaceholders,
  withPlaceholders,
} from '../probes/placeholders.ts';
import { valueProbe } from '../probes/probes.ts';
import type { Probing } from '../probes/probing.ts';
import type { WithEnds } from '../turn/region-ends.ts';
import {
  afterCalls,
  beforeCalls,
  betweenCalls,
  type CallTurn,
  readCallTurn,
  type WithTurns,
} from '../turn/rendered-turns.ts';
import type { WithTurnStart } from '../turn/turn-start.ts';
import type { CallSection, CallsInput } from './calls-input.ts';
import type { WithCallsOpening } from './calls-opening.ts';
import { inferEntries } from './entries.ts';
import { callParts, composeId, envelopePaths, withIndexHoles } from './skeleton.ts';
import { unshownParts } from './unshown-parts.ts';

type Given = Probing & Boundaries & WithTurnStart & WithTurns & WithEnds & WithCallsOpening;

/** The input for reading calls and, if each call begins with a number, the text after that number. */
interface NumberedCalls extends CallsInput {
  readonly afterNumber: string | null;
}

/** The calls' part of the format; `null` if no call can be read. */
export function inferCallsFormat(given: Given): { readonly calls: CallsFormat | null } {
  const { calls } = given.turns;
  if (calls === null) return { calls };
  const { callsClose, callsEnd } = given.ends;
  const { callsOpen } = given.callsOpening;
  const format = readCalls({ ...given, calls, callsOpen, callsClose, callsEnd });
  return { calls: refuseUnterminatedValues(format, calls, given.log) };
}

function readCalls(given: CallsInput): CallsFormat {
  const texts = numbered(given);
  const { calls, log, boundaries } = texts;
  const keys = calls.spans.flatMap((span) => Object.keys(span.call.arguments));
  const literal = betweenCalls(calls);
  const { between, after, number } = withPlaceholders(
    literal === null ? null : withKeyPlaceholders(literal, keys),
    withKeyPlaceholders(texts.callsClose, keys),
    calls.spans.map((span) => span.call),
  );
  const repeated = { before: texts.callsOpen, between, after, none: null };
  const section: CallSection = { ...solveRepetition(repeated, boundaries), number };
  if (section.tie) {
    const message = 'what repeats in a section of calls can be cut in several ways that are equally good';
    log.warn({ field: 'calls.separator', kind: 'tie', message, rendered: between ?? '' });
  }
  const [firstSpan] = calls.spans;
  const format = firstSpan.layout === 'entries' ? entryCalls(texts, section) : jsonCalls(texts, section);
  const later = laterSeparator(texts, section);
  const complete: CallsFormat = {
    ...format,
    id: format.id?.style === 'free' ? { ...format.id, ...requiredIdLength(texts) } : format.id,
    ...(later === null ? {} : { laterSeparator: later }),
    sectionCloseOptional: missesSectionClose(texts, section),
    ...unshownParts(format, texts),
  };
  logCalls(complete, texts);
  return complete;
}

function numbered(texts: CallsInput): NumberedCalls {
  const { calls, callsOpen } = texts;
  const afterNumber = textAfterNumber(calls);
  if (afterNumber === null) return { ...texts, afterNumber };
  const widened = withNumbers(calls, afterNumber);
  const opener = callsOpen.slice(0, widened.spans[0].start - calls.spans[0].start);
  return { ...texts, afterNumber, calls: widened, callsOpen: opener };
}

function head(texts: CallsInput, from: 'start' | 'end'): readonly CallPart[] {
  const [first, second] = texts.calls.spans;
  const written = (span: typeof first) =>
    from === 'start'
      ? texts.calls.text.slice(span.start, span.arguments.start)
      : texts.calls.text.slice(span.arguments.end, span.end);
  const parts = callParts(written(first), first.call);
  return second === undefined ? parts : withIndexHoles(parts, callParts(written(second), second.call));
}

function jsonCalls(texts: NumberedCalls, section: CallSection): CallsFormat {
  const [first, second] = texts.calls.spans;
  const parts = head(texts, 'start');
  const closer = splitAfterPlaceholders(section.itemClose, section.number);
  const tail = [...head(texts, 'end'), ...closer.tail];
  const alone = texts.afterNumber === null && closer.tail.length === 0;
  const isEnvelope = first.layout === 'envelope' && alone;
  const composed = isEnvelope ? { open: section.itemOpen, head: parts } : composeId(section.itemOpen, parts);
  return {
    ...sectionOf(section),
    call: { open: composed.open, close: closer.close },
    parallel: second !== undefined,
    head: mergeLiterals(composed.head),
    arguments: jsonArguments(texts, section, composed.open + renderedHead(texts)),
    tail: mergeLiterals(tail),
    envelope: isEnvelope ? envelopePaths(first, second) : null,
    id: idFormat(composed.head, tail),
  };
}

function sectionOf(section: Repetition): Pick<CallsFormat, 'section' | 'separator' | 'sectionCloseOptional'> {
  return {
    section: { open: section.open, close: section.close },
    separator: section.separator,
    sectionCloseOptional: false,
  };
}

/** The head of the first call, as rendered. */
function renderedHead(texts: CallsInput): string {
  const first = texts.calls.spans[0];
  return texts.calls.text.slice(first.start, first.arguments.start);
}

function entryCalls(texts: CallsInput, section: CallSection): CallsFormat {
  const parts = head(texts, 'start');
  const entries = inferEntries(texts, section, parts);
  const opening = [...parts];
  const last = opening.at(-1);
  if (typeof last === 'string') opening[opening.length - 1] = entries.headEnd;
  else opening.push(entries.headEnd);
  const composed = composeId(section.itemOpen, opening);
  const closer = splitAfterPlaceholders(entries.callClose, section.number);
  return {
    ...sectionOf(section),
    call: { open: composed.open, close: closer.close },
    parallel: texts.calls.spans.length > 1,
    head: mergeLiterals(composed.head),
    arguments: entries.format,
    tail: closer.tail,
    envelope: null,
    id: idFormat(composed.head, closer.tail),
    ...(entries.areTypesUnshown ? { unshown: ['types'] } : {}),
  };
}

function idFormat(opening: readonly CallPart[], tail: readonly CallPart[]): CallIdFormat | null {
  const holes = (parts: readonly CallPart[]) =>
    parts.flatMap((part) => (typeof part === 'object' ? [part.hole] : []));
  const before = holes(opening);
  const all = [...before, ...holes(tail)];
  if (all.includes('composed-id')) return { style: 'composed', position: 'before-name' };
  const style = all.includes('id') ? 'free' : all.includes('index') ? 'index' : null;
  if (style === null) return null;
  const hole = style === 'free' ? 'id' : 'index';
  if (!before.includes(hole)) return { style, position: 'after-arguments' };
  return { style, position: before.indexOf(hole) < before.indexOf('name') ? 'before-name' : 'between' };
}

/** The required length of ids, if the template refuses ids that are one character shorter or longer. */
function requiredIdLength({ prober, calls }: CallsInput): Pick<CallIdFormat, 'length'> {
  const { call } = calls.spans[0];
  const { length } = call.id;
  const refuses = (id: string) =>
    prober.turn({ id: `call-id-of-${id.length}`, calls: [{ ...call, id }] }) === null;
  return refuses(call.id.slice(1)) && refuses(`${call.id}x`) ? { length } : {};
}

/** A value that shows separators, indentation, non-ASCII escapes and key order. */
function styledArguments(texts: CallsInput): readonly CallTurn[] {
  const { prober, turnStart } = texts;
  const { typed, inner } = prober.sentinels;
  const nested = { [inner[0]]: [`${inner[1]}é`, 1], [inner[1]]: true };
  const probes = [
    valueProbe(prober.sentinels, typed.object, nested, 'style'),
    valueProbe(prober.sentinels, typed.array, [`${inner[0]}é`, inner[1]], 'style-array'),
  ];
  return probes.map((probe) => readCallTurn(prober, probe, turnStart)).filter((each) => each !== null);
}

function jsonArguments(texts: CallsInput, section: CallSection, callHead: string): JsonArguments {
  const { encoding } = texts.calls.spans[0];
  for (const rendered of [...styledArguments(texts), texts.calls]) {
    const span = rendered.spans[0];
    const found = spellingOf(rendered, encoding);
    if (found === null) continue;
    const written = rendered.text.slice(span.arguments.start, span.arguments.end);
    texts.log.support('calls.arguments.style', rendered.probe.id, written, 'how its JSON is spelled');
    return { kind: 'json', encoding, style: found, empty: emptyArguments(texts, section, callHead) };
  }
  texts.log.warn({
    field: 'calls.arguments.style',
    kind: 'assumed',
    message: 'the JSON style is unknown; the usual one is assumed',
  });
  return { kind: 'json', encoding, style: spacedStyle, empty: emptyArguments(texts, section, callHead) };
}

function spellingOf(
  { text, spans: [span] }: CallTurn,
  encoding: JsonArguments['encoding'],
): JsonStyle | null {
  const { start } = span.arguments;
  const json = matchStyle(text, start, span.call.arguments, encoding);
  if (json !== null) return json.style;
  const printed = encoding === 'value' && text.startsWith(writePython(span.call.arguments), start);
  return printed ? { ...spacedStyle, python: true } : null;
}

/** What is written for no arguments, if that is not an empty object. */
function emptyArguments(texts: CallsInput, section: CallSection, callHead: string): string | null {
  const rendered = texts.prober.turn(texts.probes.noArguments);
  const at = rendered?.lastIndexOf(callHead) ?? -1;
  if (rendered === null || at < 0) return null;
  const first = texts.calls.spans[0];
  const tail = texts.calls.text.slice(first.arguments.end, first.end);
  const itemClose = fillPlaceholders(section.itemClose, first.call, section.number);
  const after = tail + itemClose + section.close + texts.callsEnd;
  const rest = rendered.slice(at + callHead.length);
  if (!rest.endsWith(after)) return null;
  const empty = rest.slice(0, rest.length - after.length);
  return empty === '{}' || empty === '"{}"' ? null : empty;
}

/** The separator between the second and third calls, if it differs from the first. */
function laterSeparator(texts: NumberedCalls, section: CallSection): string | null {
  const read = readCallTurn(texts.prober, texts.probes.threeCalls, texts.turnStart);
  const three = read === null || texts.afterNumber === null ? read : withNumbers(read, texts.afterNumber);
  const [, second, third] = three?.spans ?? [];
  if (three === null || second === undefined || third === undefined) return null;
  const between = three.text.slice(second.end, third.start);
  const itemClose = fillPlaceholders(section.itemClose, second.call, section.number + 1);
  if (!between.startsWith(itemClose) || !between.endsWith(section.itemOpen)) return null;
  const separator = between.slice(itemClose.length, between.length - section.itemOpen.length);
  if (separator === section.separator || separator.trim() === '') return null;
  const message = 'the template separates later calls by something else than the first two';
  texts.log.warn({ field: 'calls.laterSeparator', kind: 'history', message, rendered: between });
  return separator;
}

/** Whether a single call lacks the section's closer that several calls have. */
function missesSectionClose(texts: CallsInput, section: Repetition): boolean {
  if (section.close === '' || texts.calls.spans.length < 2) return false;
  const one = readCallTurn(texts.prober, texts.probes.oneCall, texts.turnStart);
  if (one === null) return false;
  const after = afterCalls(one);
  const isMissing = !after.includes(section.close.trim());
  if (isMissing) {
    const message = 'a single call ends without the closer that ends a section of several';
    texts.log.warn({ field: 'calls.section.close', kind: 'history', message, rendered: after });
  }
  return isMissing;
}

function logCalls(format: CallsFormat, texts: CallsInput): void {
  const { log, calls } = texts;
  const between = betweenCalls(calls);
  const [span] = calls.spans;
  const whole = calls.text.slice(span.start, span.end);
  const both = format.parallel ? 'both calls are rendered' : 'two calls are refused';
  const note = (field: string, slice: string, reason: string) =>
    log.support(`calls.${field}`, calls.probe.id, slice, reason);
  note('section.open', texts.callsOpen, 'what the section adds before its first call');
  note('call.open', between ?? texts.callsOpen, 'what every call begins with');
  note('separator', between ?? '', 'between two calls');
  note('call.close', between ?? texts.callsClose, 'what every call ends with');
  note('section.close', texts.callsClose, 'after the last call');
  note('parallel', between ?? '', both);
  note('head', calls.text.slice(span.start, span.arguments.start), 'before the arguments');
  note('tail', calls.text.slice(span.arguments.end, span.end), 'after the arguments');
  note('arguments', calls.text.slice(span.arguments.start, span.arguments.end), 'the arguments');
  note('envelope', whole, format.envelope === null ? 'no JSON object holds it all' : 'one JSON object');
  note('id', whole, format.id === null ? 'the given id is not there' : 'where the id stands');
  log.support('calls.sectionCloseOptional', 'one-call', texts.callsClose, 'against the end of a single call');
  if (format.laterSeparator === undefined) return;
  log.support('calls.laterSeparator', 'three-calls', format.laterSeparator, 'between second and third call');
}

/**
 * The calls; or none, with a warning, if nothing follows values that are written unchanged: only the text after them
 * would show where they end.
 */
function refuseUnterminatedValues(calls: CallsFormat, turn: CallTurn, log: EvidenceLog): CallsFormat | null {
  if (!hasUnterminatedValues(calls)) return calls;
  const message =
    'texts are written as they are, and nothing of their own ends them: where an argument stops cannot be told ' +
    'from its text, so calls of this template cannot be read';
  log.warn({ field: 'calls', kind: 'self-check', message, rendered: turn.text, written: '' });
  return null;
}

function hasUnterminatedValues({ arguments: format }: CallsFormat): boolean {
  if (format.kind === 'json') return false;
  const { string } = format.frames;
  return string.codec === 'raw' && string.close === '' && format.entry.close.every((part) => part === '');
}

/** The text between number and call, if calls begin with numbers: `. ` in `1. f {…}`; otherwise `null`. */
function textAfterNumber(turn: CallTurn): string | null {
  const between = betweenCalls(turn);
  const before = beforeCalls(turn);
  if (between === null) return null;
  let length = 0;
  while (length < between.length && between.at(-1 - length) === before.at(-1 - length)) length++;
  const text = between.slice(between.length - length);
  const [first, second] = [before, between].map((each) => numberBefore(each, text));
  const counts = first !== '' && second !== '' && Number(second) === Number(first) + 1;
  return counts ? text : null;
}

/** The number before `text` at the end of a literal. */
function numberBefore(literal: string, text: string): string {
  return /(?<!\d)\d+$/.exec(literal.slice(0, literal.length - text.length))?.[0] ?? '';
}

/** The turn, with each call's span extended to its number, which counts the calls, and the text `after` it. */
function withNumbers(turn: CallTurn, after: string): CallTurn {
  const [first, ...others] = turn.spans;
  const widened = (span: CallSpan): CallSpan => {
    const literal = turn.text.slice(0, span.start);
    if (!literal.endsWith(after)) return span;
    return { ...span, start: span.start - after.length - numberBefore(literal, after).length };
  };
  return { ...turn, spans: [widened(first), ...others.map(widened)] };
}
