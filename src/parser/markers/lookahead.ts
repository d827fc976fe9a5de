/**
 * Bounded lookahead after a marker: does the name of an offered tool follow, or a JSON call of one? `ended` says that
 * the text is the whole response, so that nothing is undecided. `knowsCalls` alone reads whole JSON.
 */

import { isObject, parseJson } from '../../format/json-values.ts';
import type { JsonValue } from '../../format/messages.ts';
import { mustBeOffered } from '../leniency/law-table.ts';
import type { EnvelopePaths, Transition } from '../state-tables.ts';
import { scanWhole } from '../steps/values/value-modes.ts';
import type { ToolTable } from '../tool-table.ts';
import { absent, type MatchEnd, undecided } from './markers.ts';
import { isSpace, skipSpace } from './white-space.ts';

/** Maximum length of white space and of names in the opening of a call. */
const maxOpening = 128;
/** Maximum length of other text between the markers of a section and of its first call. */
const maxNoise = 256;
/** A call with a respelled opener must name its tool within this many units. */
const maxWayToName = 256;
/** The name in a JSON call must appear within this many units. */
const maxLookahead = 2048;
/** A character of a name that is not an offered tool's; names of offered tools may have any. */
const nameUnit = /[^\s<>[\]{}()"'`|=,;\\]/;

/**
 * Position after the name of an offered tool at `at`, if one of `ends` follows it (or `ends` is empty):
 *
 *     <function=get_weather>
 *               ^ at       ^ the verdict, if `>` is one of `ends`
 *
 * A blank among the ends stands for any white space, an empty text for the end of the response.
 */
export function nameEnd(
  tools: ToolTable,
  text: string,
  at: number,
  ends: readonly string[],
  ended: boolean,
): MatchEnd {
  const limit = Math.min(text.length, at + tools.maxNameLength);
  const wholeEnds = ends.filter((each) => each !== '');
  let end = at;
  while (end < limit && !isSpace(text.charCodeAt(end))) {
    // A tool's name may contain an end, so the first whole name with an end after it is the name.
    if (tools.has(text.slice(at, end))) {
      if (wholeEnds.some((each) => text.startsWith(each, end))) break;
      const rest = text.slice(end);
      if (!ended && wholeEnds.some((each) => rest.length < each.length && each.startsWith(rest)))
        return undecided;
    }
    end++;
  }
  const name = text.slice(at, end);
  if (end === text.length && !ended) return tools.beginsName(name) ? undecided : absent;
  if (!tools.has(name)) return absent;
  return ends.length === 0 ? end : endFollows(text, end, ends, ended);
}

/** `at` if one of `ends` follows there; without any (from `anyNameEnd` alone), white space must follow. */
function endFollows(text: string, at: number, ends: readonly string[], ended: boolean): MatchEnd {
  const next = skipSpace(text, at);
  const isSpaced = next > at;
  if (next - at > maxOpening) return absent;
  if (ends.length === 0) return isSpaced ? at : absent;
  const follows = ends.some((each) => {
    if (each === '') return ended && next === text.length;
    return (each === ' ' && isSpaced) || text.startsWith(each, next);
  });
  if (follows) return at;
  return !ended && mayBegin(ends, text, next) ? undecided : absent;
}

/** Whether the text from `at` is the beginning of one of `wanted`. */
function mayBegin(wanted: readonly string[], text: string, at: number): boolean {
  const rest = text.slice(at, at + maxOpening);
  return wanted.some((each) => each.startsWith(rest));
}

/**
 * `at` if the text that the transition requires follows there: one of its texts, or the name of a call.
 *
 *     <tool_call>⏎<function=get_weather>
 *                ^ at, if `<function=` is one of the texts
 *     <tool_call>⏎get_weather⏎
 *                ^ at, if a line break is one of the ends of names, and the tool is offered or any name will do
 */
export function callFollows(
  tools: ToolTable,
  text: string,
  at: number,
  transition: Transition<unknown>,
  ended: boolean,
): MatchEnd {
  const { texts = [], nameEnds } = transition.followedBy ?? {};
  if (transition.repairs === 'noise') return callAfterNoise(tools, text, at, texts, ended);
  const next = skipSpace(text, at);
  if (next - at > maxOpening) return absent;
  const needsOffered = mustBeOffered(transition.repairs);
  if (texts.some((each) => (each === '' ? ended && next === text.length : text.startsWith(each, next))))
    return needsOffered ? namesTool(tools, text, next, ended) : at;
  const ofTexts = !ended && mayBegin(texts, text, next) ? undecided : absent;
  if (nameEnds === undefined) return ofTexts;
  const ofOffered = tools.known ? nameEnd(tools, text, next, nameEnds, ended) : absent;
  if (ofOffered >= 0) return at;
  const acceptsAnyName = !tools.known || !needsOffered;
  const ofAnyName = acceptsAnyName ? anyNameEnd(text, next, nameEnds, ended) : absent;
  if (ofAnyName >= 0) return at;
  return [ofTexts, ofOffered, ofAnyName].includes(undecided) ? undecided : absent;
}

/**
 * `at` if other text, one of `openers` and a word that names an offered tool follow there:
 *
 *     <tool_calls> As asked: <tool_call>get_weather …
 *                 ^ at       ^ opener   ^ word
 */
function callAfterNoise(
  tools: ToolTable,
  text: string,
  at: number,
  openers: readonly string[],
  ended: boolean,
): MatchEnd {
  if (!tools.known) return absent;
  const unlessEnded = ended ? absent : undecided;
  const near = text.slice(at, at + maxNoise);
  const noise = near.search(/[<[|`]|$/);
  if (noise === near.length) return near.length < maxNoise ? unlessEnded : absent;
  const rest = text.slice(at + noise, at + noise + maxNoise);
  const opener = openers.find((each) => rest.startsWith(each));
  if (opener === undefined) return openers.some((each) => each.startsWith(rest)) ? unlessEnded : absent;
  const named = rest.slice(opener.length);
  // Up to and including the white space after the first word.
  const word = named.slice(0, named.search(/(?<=\S)\s|$/) + 1);
  if (tools.isNamedIn(word)) return at;
  const isCut = word === named && rest.length < maxNoise;
  return isCut ? unlessEnded : absent;
}

/** `at` if an offered tool is named soon after it. */
function namesTool(tools: ToolTable, text: string, at: number, ended: boolean): MatchEnd {
  if (!tools.known) return at;
  // A name is only recognised together with the character after it.
  const near = text.slice(at, at + maxWayToName);
  if (tools.isNamedIn(near)) return at;
  return ended || near.length === maxWayToName ? absent : undecided;
}

/** Position after any name at `at` that is followed by one of `ends`. */
export function anyNameEnd(text: string, at: number, ends: readonly string[], ended: boolean): MatchEnd {
  let end = at;
  while (end < text.length && end - at < maxOpening && nameUnit.test(text.charAt(end))) {
    if (end > at && ends.some((each) => each !== '' && text.startsWith(each, end))) return end;
    end++;
  }
  if (end === text.length) return ended ? absent : undecided;
  return end === at ? absent : endFollows(text, end, ends, ended);
}

/**
 * Position after the tool's name in a JSON call that begins after the transition's marker (or with it, where the
 * marker ends in `{`):
 *
 *     <tool_call>{"id": "1", "name": "get_weather", …
 *                ^ at                            ^ the verdict
 */
export function envelopeAt(
  tools: ToolTable,
  text: string,
  at: number,
  transition: Transition<unknown>,
  ended: boolean,
): MatchEnd {
  const paths = transition.envelopeFollows;
  if (paths === undefined) return absent;
  // A match ends before the white space at its marker's end.
  const start = transition.marker.trimEnd().endsWith('{') ? at - 1 : skipSpace(text, at);
  // Cut off, so that the verdict does not depend on how much has arrived.
  const near = text.slice(0, at + maxLookahead);
  const verdict = new EnvelopeLookahead(tools, near, start).nameAt(paths.name);
  if (verdict !== undecided) return verdict;
  return ended || text.length - at > maxLookahead ? absent : undecided;
}

/** Reads the beginning of a JSON object, up to the call's name: by recursive descent, with the usual `accept`. */
class EnvelopeLookahead {
  readonly #tools: ToolTable;
  readonly #text: string;
  #at: number;

  constructor(tools: ToolTable, text: string, at: number) {
    this.#tools = tools;
    this.#text = text;
    this.#at = at;
  }

  /**
   * Position after the name at `path`; for `null`, the first key is the name. Objects on the path are entered, strings
   * next to it skipped; anything else before the name is no call.
   */
  nameAt(path: readonly string[] | null): MatchEnd {
    if (path === null) return this.#accept('{') ? this.#toolName() : this.#failure();
    let depth = 0;
    let isKeyNext = this.#accept('{');
    while (isKeyNext) {
      const key = this.#string();
      if (key === null || !this.#accept(':')) break;
      if (key === path[depth]) {
        depth++;
        if (depth === path.length) return this.#toolName();
        isKeyNext = this.#accept('{');
      } else isKeyNext = this.#string() !== null && this.#accept(',');
    }
    return this.#failure();
  }

  #toolName(): MatchEnd {
    const name = this.#string();
    if (name === null) return this.#failure();
    return this.#tools.has(name) || !this.#tools.known ? this.#at : absent;
  }

  #failure(): MatchEnd {
    return this.#at >= this.#text.length ? undecided : absent;
  }

  /** Skips white space and `character`; false if another one stands there. */
  #accept(character: string): boolean {
    this.#at = skipSpace(this.#text, this.#at);
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  /** Reads a JSON or Python string; `null` if there is none here, or no whole one. */
  #string(): string | null {
    const quote = ['"', "'"].find((each) => this.#accept(each));
    if (quote === undefined) return null;
    const start = this.#at - 1;
    while (this.#at < this.#text.length && this.#text[this.#at] !== quote) {
      this.#at += this.#text[this.#at] === '\\' ? 2 : 1;
    }
    this.#at++;
    const written = this.#text.slice(start, this.#at);
    const value = parseJson(quote === '"' ? written : (scanWhole(written)?.json ?? ''));
    return typeof value === 'string' ? value : null;
  }
}

/** Whether the JSON is one whole call of an offered tool or, with `list`, an array of such calls. */
export function knowsCalls(tools: ToolTable, paths: EnvelopePaths, list: boolean, json: string): boolean {
  const value = parseJson(json);
  if (!list) return isKnownCall(tools, paths, value);
  return Array.isArray(value) && value.length > 0 && value.every((each) => isKnownCall(tools, paths, each));
}

function isKnownCall(tools: ToolTable, paths: EnvelopePaths, call: JsonValue | undefined): boolean {
  if (!isObject(call)) return false;
  const [key = '', second] = Object.keys(call);
  const isNameAsKey = paths.name === null;
  if (isNameAsKey && second !== undefined) return false;
  const name = paths.name === null ? key : valueAt(call, paths.name);
  const values = isNameAsKey ? valueAt(call, [key]) : valueAt(call, paths.arguments);
  if (typeof name !== 'string' || (tools.known && !tools.has(name))) return false;
  return isObject(typeof values === 'string' ? parseJson(values) : values);
}

function valueAt(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  let place: JsonValue | undefined = value;
  for (const key of path) place = isObject(place) && Object.hasOwn(place, key) ? place[key] : undefined;
  return place;
}
