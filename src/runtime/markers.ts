/**
 * Markers and how they are found: exact text whose white space at the edges and around line breaks is
 * flexible. A table of choices is searched by the first characters of its markers, so that ordinary
 * text passes at the speed of `indexOf`.
 */
import type { Choice } from './module-contract.ts';
import { isSpace, skipSpace } from './white-space.ts';

/** No match here, whatever follows. */
export const absent = -1;
/** A match is possible, but the text ends too early to know. */
export const undecided = -2;

/** White space between the parts of one marker is passed over up to this many units. */
const longestGap = 64;

/** A choice whose marker has been taken apart. */
export interface CompiledChoice<Ref> extends Choice<Ref> {
  /** White space in front of the marker, which it claims from the text before it. */
  readonly lead: string;
  /** The marker without white space at its edges, cut at line breaks; empty for an empty marker. */
  readonly parts: readonly string[];
  /** White space behind the marker, which it claims if it is there. */
  readonly trail: string;
  /** Ends like a word, so it must not go on like one. */
  readonly wordEnd: boolean;
}

/** Takes a marker apart: `\n<tool_call>\n<function=` is lead `\n`, parts `<tool_call>` and `<function=`. */
export function compileChoice<Ref>(choice: Choice<Ref>): CompiledChoice<Ref> {
  const core = choice.marker.trim();
  const start = choice.marker.indexOf(core);
  const lead = core === '' ? '' : choice.marker.slice(0, start);
  const trail = core === '' ? choice.marker : choice.marker.slice(start + core.length);
  const parts = core === '' ? [] : core.split(/[ \t]*[\r\n]\s*/);
  return { ...choice, lead, parts, trail, wordEnd: trail !== '' && /\w$/.test(core) };
}

/** What a match depends on beyond the text: the tools, special tokens, whether more text can come. */
export interface MatchContext {
  /** No more text will come. */
  readonly ended: boolean;
  /** Whether the calls of this table count at all. */
  readonly callsAllowed: boolean;
  /** Whether `length` units of `part`, standing at `at`, are written with the special tokens they hold. */
  isGenuine(part: string, at: number, length: number): boolean;
  /** Position behind a known tool name at `at` with one of `ends` behind it; or `absent`, `undecided`. */
  nameEnd(text: string, at: number, ends: readonly string[]): number;
  /** Whether a JSON call of a known tool begins at `at`: a position, `absent` or `undecided`. */
  envelopeAt(text: string, at: number, choice: Choice<unknown>): number;
}

/** End of the choice's marker at `at`; or `absent`, or `undecided`. */
export function matchChoice<Ref>(
  context: MatchContext,
  text: string,
  at: number,
  choice: CompiledChoice<Ref>,
): number {
  if (choice.role === 'call' && !context.callsAllowed) return absent;
  const end = matchParts(context, text, at, choice.parts);
  if (end < 0) return end;
  if (choice.wordEnd) {
    if (end === text.length && !context.ended) return undecided;
    if (/\w/.test(text.charAt(end))) return absent;
  }
  if (choice.onlyAtEnd) {
    if (skipSpace(text, end) < text.length) return absent;
    return context.ended ? end : undecided;
  }
  return matchCondition(context, text, end, choice);
}

function matchCondition<Ref>(
  context: MatchContext,
  text: string,
  end: number,
  choice: CompiledChoice<Ref>,
): number {
  if (choice.nameFollows !== undefined) {
    const named = context.nameEnd(text, skipSpace(text, end), choice.nameFollows);
    return named < 0 ? named : end;
  }
  if (choice.envelopeFollows !== undefined) {
    const verdict = context.envelopeAt(text, end, choice);
    return verdict < 0 ? verdict : end;
  }
  return end;
}

/** End of the parts at `at`, white space between them passed over; or `absent`, or `undecided`. */
function matchParts(context: MatchContext, text: string, at: number, parts: readonly string[]): number {
  let end = at;
  for (const [index, part] of parts.entries()) {
    if (index > 0) {
      const next = skipSpace(text, end);
      if (next - end > longestGap) return absent;
      end = next;
    }
    const verdict = matchText(context, text, end, part);
    if (verdict < 0) return verdict;
    end = verdict;
  }
  return end;
}

/** End of exactly `part` at `at`; or `absent`, or `undecided`. */
export function matchText(context: MatchContext, text: string, at: number, part: string): number {
  const rest = text.length - at;
  if (rest >= part.length) {
    return text.startsWith(part, at) && context.isGenuine(part, at, part.length) ? at + part.length : absent;
  }
  if (context.ended || !part.startsWith(text.slice(at)) || !context.isGenuine(part, at, rest)) return absent;
  return undecided;
}

/** What a table says about one position. */
export interface Match<Ref> {
  readonly choice: CompiledChoice<Ref>;
  readonly end: number;
}

/** A table of choices, compiled once per module. */
export class MarkerTable<Ref> {
  readonly choices: readonly CompiledChoice<Ref>[];
  /** The longest white space that a marker claims in front. */
  readonly longestLead: number;
  /** The distinct first characters of all markers. */
  private readonly firsts: readonly string[];
  private readonly byFirst: ReadonlyMap<number, readonly CompiledChoice<Ref>[]>;
  private readonly markerless: readonly CompiledChoice<Ref>[];

  constructor(choices: readonly Choice<Ref>[]) {
    this.choices = choices.map(compileChoice).sort((a, b) => coreLength(b) - coreLength(a));
    this.longestLead = Math.max(0, ...this.choices.map(({ lead }) => lead.length));
    const byFirst = new Map<number, CompiledChoice<Ref>[]>();
    for (const choice of this.choices) {
      const first = choice.parts[0]?.charCodeAt(0);
      if (first === undefined) continue;
      byFirst.set(first, [...(byFirst.get(first) ?? []), choice]);
    }
    this.byFirst = byFirst;
    this.firsts = [...byFirst.keys()].map((unit) => String.fromCharCode(unit));
    this.markerless = this.choices.filter(({ parts }) => parts.length === 0);
  }

  /** Whether a short piece of text holds nothing that a marker could begin with, nor white space at its end. */
  isQuiet(piece: string): boolean {
    const last = piece.length - 1;
    if (isSpace(piece.charCodeAt(last))) return false;
    for (const first of this.firsts) {
      if (piece.indexOf(first) !== -1) return false;
    }
    return true;
  }

  /** The first position at or behind `from` where a marker's first character stands, or -1. */
  candidate(text: string, from: number, cache: Int32Array): number {
    const { firsts } = this;
    let nearest = -1;
    for (let index = 0; index < firsts.length; index++) {
      let found = cache[index] ?? -2;
      if (found !== -1 && found < from) {
        found = text.indexOf(firsts[index] ?? '', from);
        cache[index] = found;
      }
      if (found !== -1 && (nearest === -1 || found < nearest)) nearest = found;
    }
    return nearest;
  }

  /** Positions already known for each first character; `candidate` fills it while one text is read. */
  newCache(): Int32Array {
    return new Int32Array(this.firsts.length).fill(-2);
  }

  /** The longest choice that matches at `at`; `null`: none; `undecided`: a longer text could. */
  matchAt(context: MatchContext, text: string, at: number): Match<Ref> | null | typeof undecided {
    const withMarker = this.firstMatch(context, text, at, this.byFirst.get(text.charCodeAt(at)) ?? []);
    if (withMarker !== null) return withMarker;
    return this.markerless.length === 0 ? null : this.firstMatch(context, text, at, this.markerless);
  }

  private firstMatch(
    context: MatchContext,
    text: string,
    at: number,
    choices: readonly CompiledChoice<Ref>[],
  ): Match<Ref> | null | typeof undecided {
    for (const choice of choices) {
      const end = matchChoice(context, text, at, choice);
      if (end === undecided) return undecided;
      if (end !== absent) return { choice, end };
    }
    return null;
  }

  /** What could stand here, for a person to read. */
  expected(): readonly string[] {
    return [...new Set(this.choices.map(({ parts }) => JSON.stringify(parts.join('\n'))))];
  }
}

function coreLength<Ref>(choice: CompiledChoice<Ref>): number {
  return choice.parts.reduce((sum, part) => sum + part.length, 0);
}
