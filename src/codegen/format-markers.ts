/** A format's markers, as the states need them: which may stand where, and what they lead to. */
import type { CallPart, CallsFormat, ChatFormat } from '../format/chat-format.ts';
import type { Transition } from '../parser/module-contract.ts';
import type { StateName } from './states.ts';

/** A marker and where it leads. */
export type MarkerChoice = Transition<StateName>;

/** Shorter markers are too common in prose to count by themselves. */
const tellingLength = 4;

/** White space at the edges taken off. */
export function core(literal: string): string {
  return literal.trim();
}

/** Whether a literal says nothing but white space. */
export function isBlank(literal: string): boolean {
  return core(literal) === '';
}

/**
 * The pieces of a literal between its line breaks, each with the white space after it, the first with that
 * before it too: `<a>\n`, `<b>`.
 */
export function pieces(literal: string): readonly string[] {
  if (isBlank(literal)) return [];
  const text = literal.trimStart();
  const [first = '', ...others] = text.match(/[^\r\n]*?\S[^\r\n]*?(?:[ \t]*[\r\n]\s*|$)/g) ?? [text];
  return [literal.slice(0, literal.length - text.length) + first, ...others];
}

/** The beginning of a literal up to a restart of the turn, which the states between turns read themselves. */
export function withoutRestart(format: ChatFormat, literal: string): string {
  const start = core(format.turn.start);
  if (!format.turn.restart || start === '') return literal;
  const at = literal.indexOf(start);
  return at === -1 ? literal : literal.slice(0, at);
}

/** Whether every region of a turn has a header, so that calls can only begin where a turn begins. */
export function isHeaded(format: ChatFormat): boolean {
  return format.turn.restart && !isBlank(format.content.open);
}

/**
 * What ends the header of every region: the common end of the openers of reasoning and content. `null`
 * where regions have no headers, or a call's header goes on after that end.
 */
export function headerEnd(format: ChatFormat): string | null {
  if (!isHeaded(format) || format.reasoning === null) return null;
  const [left, right] = [core(format.reasoning.start), core(format.content.open)];
  let length = 0;
  while (length < left.length && left.at(-1 - length) === right.at(-1 - length)) length++;
  const end = left.slice(left.length - length);
  if (length < tellingLength || length === left.length) return null;
  return format.calls === null || endsHead(format.calls, end) ? end : null;
}

/** Whether a call's head is a name between two literals, the second of which ends with `end`. */
function endsHead({ head, envelope }: CallsFormat, end: string): boolean {
  const last = head.at(-1);
  const holes = head.filter((part) => typeof part !== 'string');
  const [only, second] = holes;
  const named = only?.hole === 'name' && second === undefined;
  return envelope === null && named && typeof last === 'string' && core(last).endsWith(end);
}

/** Whether a marker is telling enough to count without looking at what follows. */
export function isStrong(marker: string): boolean {
  const text = core(marker);
  return text.length >= tellingLength && /[^\w\s]/.test(text);
}

/** The beginning of a turn, where it may be repeated. */
export function turnStartChoices(format: ChatFormat, next: StateName): readonly MarkerChoice[] {
  const { start, lead } = format.turn;
  return isBlank(start) ? [] : [{ marker: start + (lead ?? ''), next }];
}

/** The last marker of the turn's beginning alone: models repeat it when the prompt already ends with it. */
export function repeatedStartChoices(format: ChatFormat, next: StateName): readonly MarkerChoice[] {
  const last = /<[^<>\s]+>\s*$/.exec(format.turn.start)?.[0];
  return last === undefined || last === format.turn.start ? [] : [{ marker: last, next }];
}

/** Ends of the turn, and at the end of the text those whose last token was not delivered. */
export function endChoices(format: ChatFormat, next: StateName): readonly MarkerChoice[] {
  const ends = format.turn.ends.filter((end) => !isBlank(end));
  const known = new Set(ends.map(core));
  const cutShort = ends.flatMap((end) =>
    format.stops
      .filter((stop) => core(end).endsWith(core(stop)) && core(end) !== core(stop) && !isBlank(stop))
      .map((stop) => core(end).slice(0, -core(stop).length)),
  );
  const partial = [...new Set(cutShort)].filter((end) => !isBlank(end) && !known.has(core(end)));
  const breaks = turnBreaks(format).filter((marker) => !known.has(core(marker)));
  return [
    ...breaks.map((marker) => ({ marker, next })),
    ...ends.map((marker) => ({ marker, next })),
    ...partial.map((marker) => ({ marker, next, onlyAtEnd: true as const })),
  ];
}

/** Whether a marker is one of the ends of a turn. */
export function isTurnEnd({ turn }: ChatFormat, marker: string): boolean {
  return turn.ends.some((end) => core(end) === core(marker));
}

/** Texts that end a turn in the middle of a message, before the next turn begins. */
function turnBreaks(format: ChatFormat): readonly string[] {
  const { reasoning, content, calls } = format;
  const literals = [reasoning?.end, content.close, content.beforeCalls, calls?.separator, calls?.call.close];
  const breaks = literals.flatMap((literal = '') => {
    const end = withoutRestart(format, literal);
    return end === literal || isBlank(end) ? [] : [end];
  });
  return [...new Set(breaks)];
}

/** One marker on the way into a call. */
export interface ChainLink {
  readonly marker: string;
  /** It belongs to the section, so it does not come again before the next call. */
  readonly section: boolean;
  /** It begins a call by itself, also where markers before it are missing. */
  readonly opensCall: boolean;
}

/** The markers on the way into a call, in order. */
export function openingChain(calls: CallsFormat): readonly ChainLink[] {
  const section = sectionPieces(calls).map((marker) => ({ marker, section: true, opensCall: false }));
  const open = pieces(calls.call.open + (calls.envelope === null ? leadingLiteral(calls.head) : ''));
  const ownOpen = !isBlank(calls.call.open);
  const call = open.map((marker, index) => ({ marker, section: false, opensCall: ownOpen && index === 0 }));
  return [...section, ...call];
}

/** The bracket of a JSON array is a piece of its own: models leave it out, or set it apart. */
function sectionPieces(calls: CallsFormat): readonly string[] {
  const all = pieces(calls.section.open);
  const last = all.at(-1) ?? '';
  const array = /^(\s*\S.*\S)(\[\s*)$/.exec(last);
  if (calls.envelope === null || array === null || !isStrong(array[1] ?? '')) return all;
  return [...all.slice(0, -1), array[1] ?? '', array[2] ?? ''];
}

/** The text of a skeleton before its first hole. */
export function leadingLiteral(parts: readonly CallPart[]): string {
  const end = parts.findIndex((part) => typeof part !== 'string');
  return parts.slice(0, end === -1 ? parts.length : end).join('');
}

/** What shows that a call follows: the name of a tool, perhaps with the call's number in front. */
export function nameAhead(
  format: ChatFormat,
  calls: CallsFormat,
): Pick<MarkerChoice, 'nameFollows' | 'afterNumber'> | null {
  const [first, ...rest] = calls.head.slice(calls.head.findIndex((part) => typeof part !== 'string'));
  const counts = typeof first === 'object' && first.hole === 'index';
  const nameFollows = textsAfterName(format, counts ? { ...calls, head: rest } : calls);
  if (nameFollows === null) return null;
  return counts ? { nameFollows, afterNumber: leadingLiteral(rest) } : { nameFollows };
}

/**
 * Texts that can stand after the tool's name. Among them `' '` stands for white space before a key, and `''`
 * for the end of the response. An empty list: white space and then any key must follow. `null`: the head does
 * not begin with the name.
 */
export function textsAfterName(format: ChatFormat, calls: CallsFormat): readonly string[] | null {
  const holes = calls.head.slice(calls.head.findIndex((part) => typeof part !== 'string'));
  const [first, ...rest] = holes;
  if (typeof first !== 'object' || first.hole !== 'name') return null;
  const literal = leadingLiteral(rest);
  if (isBlank(literal) && literal !== '' && beginsWithKey(calls)) return [];
  if (!isBlank(literal)) return [core(literal).split(/\s/)[0] ?? ''];
  return [...argumentBegins(format, calls), ...blankBegins(calls)];
}

/** How the arguments can begin without a marker: with white space before a key, or with the end of the response. */
function blankBegins(calls: CallsFormat): readonly string[] {
  if (calls.arguments.kind !== 'entries' || isBlank(calls.call.open)) return [];
  return [...(beginsWithSpace(calls) ? [' '] : []), ...(isEndless(calls) ? [''] : [])];
}

/** Whether white space and nothing else stands before the first key. */
export function beginsWithSpace(calls: CallsFormat): boolean {
  const { arguments: format } = calls;
  return format.kind === 'entries' && beginsWithKey(calls) && format.open + format.entry.open !== '';
}

/** Whether nothing closes a call, nor its section. */
export function isEndless(calls: CallsFormat): boolean {
  return closingElements(calls).length === 0 && isBlank(calls.section.close);
}

/** Whether nothing stands before the first key. */
function beginsWithKey({ arguments: format }: CallsFormat): boolean {
  return format.kind === 'entries' && isBlank(format.open) && isBlank(format.entry.open);
}

/** Texts with which the arguments, or the end of a call without any, can begin. */
export function argumentBegins(format: ChatFormat, calls: CallsFormat): readonly string[] {
  const closing = closingPieces(calls).slice(0, 1).map(core);
  const ends = closing.length > 0 ? closing : callFollowers(format, calls);
  if (calls.arguments.kind === 'json') {
    return calls.arguments.encoding === 'string' ? ['"', '{', ...ends] : ['{', ...ends];
  }
  const { open, entry } = calls.arguments;
  const begin = core(open) === '' ? core(entry.open) : core(open);
  return [begin, ...ends].filter((text) => text !== '');
}

/** A hole of a call's skeleton. */
export type Hole = Exclude<CallPart, string>;

/** A marker, or a hole, after the arguments. */
export type Closing = string | Hole;

/** What stands between the arguments and the end of the call. */
export function closingElements(calls: CallsFormat): readonly Closing[] {
  const inner = calls.arguments.kind === 'entries' ? pieces(calls.arguments.close) : [];
  const tail = calls.envelope === null ? calls.tail : [];
  const all: Closing[] = [...inner];
  let literal = '';
  for (const part of tail) {
    if (typeof part === 'string') {
      literal += part;
      continue;
    }
    all.push(...pieces(literal), part);
    literal = '';
  }
  return [...all, ...pieces(literal + calls.call.close)];
}

/** The markers between the arguments and the end of a call; holes are left out. */
export function closingPieces(calls: CallsFormat): readonly string[] {
  return closingElements(calls).filter((each) => typeof each === 'string');
}

/** Texts after a call: of another one, of the section's end or, where it has none, of the turn's. */
export function callFollowers({ turn }: ChatFormat, calls: CallsFormat): readonly string[] {
  const another = isBlank(calls.separator) ? calls.call.open : calls.separator;
  const ends = isBlank(calls.section.close) ? turn.ends : [calls.section.close];
  return [...new Set([another, ...ends].map(core))].filter((text) => text !== '');
}

/** Ends of a section: whole, and each of its markers alone. */
export function sectionEndChoices(format: ChatFormat, next: StateName): readonly MarkerChoice[] {
  const { calls } = format;
  if (calls === null) return [];
  const close = withoutRestart(format, calls.section.close);
  if (isBlank(close)) return [];
  const bracket = /^\s*\](.*\S.*)$/s.exec(close)?.[1];
  const parts = bracket === undefined ? pieces(close) : [']', ...pieces(bracket)];
  const markers = new Set([close, ...parts]);
  return [...markers].map((marker) => ({ marker, next }));
}
