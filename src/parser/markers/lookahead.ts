/** Bounded lookahead after a marker: does the name of an offered tool follow, or a whole JSON call? */

import { isObject, parseJson } from '../../format/json-values.ts';
import type { JsonValue } from '../../format/messages.ts';
import { mustBeOffered } from '../leniency/law-table.ts';
import type { EnvelopePaths, Transition } from '../state-tables.ts';
import { scanWhole } from '../steps/values/value-modes.ts';
import type { ToolTable } from '../tool-table.ts';
import { absent, undecided } from './markers.ts';
import { isSpace, skipSpace } from './white-space.ts';

/** The name in a JSON call must appear within this many units. */
const longestLookahead = 2048;

/**
 * Position after the name of an offered tool at `at`, if one of `ends` follows it (or `ends` is empty); `absent`
 * if not, `undecided` if the text ends too early. A blank among the ends stands for any white space, an empty text
 * for the end of the response.
 */
export function nameEnd(
  tools: ToolTable,
  text: string,
  at: number,
  ends: readonly string[],
  ended: boolean,
): number {
  const limit = Math.min(text.length, at + tools.longestName);
  let end = at;
  // A tool's name may contain an end, so the first whole name with an end after it is the name.
  const isEnd = () =>
    ends.some((each) => each !== '' && text.startsWith(each, end)) && tools.has(text.slice(at, end));
  while (end < limit && !isSpace(text.charCodeAt(end)) && !isEnd()) {
    if (!ended && mayEndHere(tools, text, at, end, ends)) return undecided;
    end++;
  }
  const name = text.slice(at, end);
  if (end === text.length && !ended) return tools.beginsName(name) ? undecided : absent;
  if (!tools.has(name)) return absent;
  return ends.length === 0 ? end : endFollows(text, end, ends, ended);
}

/** Whether the text stops inside a possible end after a whole name. */
function mayEndHere(
  tools: ToolTable,
  text: string,
  at: number,
  end: number,
  ends: readonly string[],
): boolean {
  const isCut = ends.some((each) => text.length - end < each.length && each.startsWith(text.slice(end)));
  return isCut && tools.has(text.slice(at, end));
}

function endFollows(text: string, nameEnds: number, ends: readonly string[], ended: boolean): number {
  const next = skipSpace(text, nameEnds);
  if (next - nameEnds > longestOpening) return absent;
  if (ends.length === 0) return next > nameEnds ? nameEnds : absent;
  if (ends.some((each) => each !== '' && text.startsWith(each, next))) return nameEnds;
  if (next > nameEnds && ends.includes(' ')) return nameEnds;
  if (ended && next === text.length && ends.includes('')) return nameEnds;
  const rest = text.slice(next, next + longestOpening);
  return !ended && ends.some((each) => each.startsWith(rest)) ? undecided : absent;
}

/** Maximum length of white space and of names in the opening of a call. */
const longestOpening = 128;
/** A character of a name that is not an offered tool's; names of offered tools may have any. */
const nameUnit = /[^\s<>[\]{}()"'`|=,;\\]/;

/** Whether the text that the choice requires follows at `at`: `at` itself, `absent` or `undecided`. */
export function callFollows(
  tools: ToolTable,
  text: string,
  at: number,
  choice: Transition<unknown>,
  ended: boolean,
): number {
  const { texts = [], nameEnds } = choice.followedBy ?? {};
  if (choice.repairs === 'noise') return callAfterNoise(tools, text, at, texts, ended);
  const next = skipSpace(text, at);
  if (next - at > longestOpening) return absent;
  if (texts.some((each) => (each === '' ? ended && next === text.length : text.startsWith(each, next))))
    return mustBeOffered(choice.repairs) ? namesTool(tools, text, next, ended) : at;
  const rest = text.slice(next, next + longestOpening);
  const mayContinue = !ended && texts.some((each) => each.startsWith(rest));
  if (nameEnds === undefined) return mayContinue ? undecided : absent;
  const offered = tools.known ? nameEnd(tools, text, next, nameEnds, ended) : absent;
  const isAnyCall = !tools.known || !mustBeOffered(choice.repairs);
  const named = offered >= 0 || !isAnyCall ? offered : anyNameEnd(text, next, nameEnds, ended);
  if (named >= 0) return at;
  return mayContinue || named === undecided || offered === undecided ? undecided : absent;
}

/** Maximum length of other text between the markers of a section and of its first call. */
const longestNoise = 256;

/** Whether other text, one of `openers` and a word that names an offered tool follow at `at`: `at` itself, `absent` or `undecided`. */
function callAfterNoise(
  tools: ToolTable,
  text: string,
  at: number,
  openers: readonly string[],
  ended: boolean,
): number {
  const near = text.slice(at, at + longestNoise);
  const noise = near.search(/[<[|`]|$/);
  const open = ended ? absent : undecided;
  if (!tools.known) return absent;
  if (noise === near.length) return near.length < longestNoise ? open : absent;
  const rest = text.slice(at + noise, at + noise + longestNoise);
  const opener = openers.find((each) => rest.startsWith(each));
  if (opener === undefined) return openers.some((each) => each.startsWith(rest)) ? open : absent;
  const named = rest.slice(opener.length);
  const word = named.slice(0, named.search(/(?<=\S)\s|$/) + 1);
  if (tools.isNamedIn(word)) return at;
  return word === named && rest.length < longestNoise ? open : absent;
}

/** A call with a respelled opener must name its tool within this many units. */
const longestWayToName = 256;

/** Whether an offered tool is named soon after `at`: `at` itself, `absent` or `undecided`. */
function namesTool(tools: ToolTable, text: string, at: number, ended: boolean): number {
  if (!tools.known) return at;
  // A name is only recognised together with the character after it.
  const near = text.slice(at, at + longestWayToName);
  if (tools.isNamedIn(near)) return at;
  return ended || near.length === longestWayToName ? absent : undecided;
}

/** Position after any name at `at` that is followed by one of `ends`; or `absent` or `undecided`. */
function anyNameEnd(text: string, at: number, ends: readonly string[], ended: boolean): number {
  let end = at;
  while (end < text.length && end - at < longestOpening && nameUnit.test(text.charAt(end))) {
    if (end > at && ends.some((each) => each !== '' && text.startsWith(each, end))) return end;
    end++;
  }
  if (end === text.length) return ended ? absent : undecided;
  return end === at ? absent : endFollows(text, end, ends, ended);
}

/** Whether a JSON call of an offered tool begins after the choice's marker (or with it, where it is `{`). */
export function envelopeAt(
  tools: ToolTable,
  text: string,
  at: number,
  choice: Transition<unknown>,
  ended: boolean,
): number {
  const paths = choice.envelopeFollows;
  if (paths === undefined) return absent;
  const start = choice.marker.trimEnd().endsWith('{') ? at - 1 : skipSpace(text, at);
  // Whatever has arrived, it decides by the same text.
  const near = text.slice(0, at + longestLookahead);
  const verdict = new EnvelopePeek(tools, paths, near, start).verdict();
  if (verdict !== undecided) return verdict;
  return ended || text.length - at > longestLookahead ? absent : undecided;
}

/** Reads the beginning of a JSON object, up to the call's name. */
class EnvelopePeek {
  private readonly tools: ToolTable;
  private readonly paths: EnvelopePaths;
  private readonly text: string;
  private at: number;

  constructor(tools: ToolTable, paths: EnvelopePaths, text: string, at: number) {
    this.tools = tools;
    this.paths = paths;
    this.text = text;
    this.at = at;
  }

  verdict(): number {
    const { name } = this.paths;
    if (name === null) return this.keyIsName();
    const inner: string[] = [];
    let opened = this.take('{');
    while (opened) {
      const key = this.string();
      if (key === null) return this.failure();
      if (!this.take(':')) return this.failure();
      const place = [...inner, key];
      if (samePath(place, name)) return this.knownName();
      if (place.every((each, index) => name[index] === each)) {
        inner.push(key);
        opened = this.take('{');
      } else {
        if (this.string() === null) return this.failure();
        opened = this.take(',');
      }
    }
    return this.failure();
  }

  private keyIsName(): number {
    if (!this.take('{')) return this.failure();
    return this.knownName();
  }

  private knownName(): number {
    const name = this.string();
    if (name === null) return this.failure();
    return this.tools.has(name) || !this.tools.known ? this.at : absent;
  }

  private failure(): number {
    return this.at >= this.text.length ? undecided : absent;
  }

  /** Skips white space and `character`; false if another one stands there. */
  private take(character: string): boolean {
    this.at = skipSpace(this.text, this.at);
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  /** Reads a JSON or Python string; `null` if there is none here, or no whole one. */
  private string(): string | null {
    const quote = this.take('"') ? '"' : "'";
    if (quote === "'" && !this.take(quote)) return null;
    const start = this.at;
    while (this.at < this.text.length && this.text[this.at] !== quote) {
      this.at += this.text[this.at] === '\\' ? 2 : 1;
    }
    this.at++;
    const written = this.text.slice(start - 1, this.at);
    return parseString(quote === '"' ? written : (scanWhole(written)?.json ?? ''));
  }
}

function samePath(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((key, index) => key === right[index]);
}

function parseString(json: string): string | null {
  const value = parseJson(json);
  return typeof value === 'string' ? value : null;
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
