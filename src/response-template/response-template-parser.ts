/** Parses a streamed response with a response template. */
import { ResponseFieldError, UnsupportedOptionError } from '../format/errors.ts';
import type { JsonValue } from '../format/messages.ts';
import {
  array,
  checkOption,
  type OptionRule,
  type OptionRules,
  object,
  oneOf,
  readOptions,
  requireOption,
  string,
} from '../format/option-rules.ts';
import { TextBlocks } from '../parser/markers/text-blocks.ts';
import { type ArgumentTypes, argumentTypes, castToolCalls, toolDefinition } from './casting.ts';
import { type DelimiterCandidate, DelimiterSearch, type FoundDelimiter } from './delimiter-search.ts';
import { HeldText } from './held-text.ts';
import { loadResponseTemplate } from './load.ts';
import { MessageBuilder } from './message-builder.ts';
import { commonFinder } from './pattern/first-characters.ts';
import { endOfLastMatch, namedGroups } from './pattern/pattern-search.ts';
import type { LoadedTemplate, Region } from './region.ts';
import type { RegionEvent, ResponseTemplate, TemplateMessage } from './template.ts';

/** Options of parsing. */
export interface ResponseTemplateOptions {
  /**
   * The prompt that the model continues; it may have begun the message (an opened `<think>`). Everything up to the
   * last start anchor is ignored. `""` if the response has the whole message.
   */
  readonly prefix: string;
  /**
   * The tools offered, with schemas as plain JSON Schema: arguments that are strings are cast to the declared types.
   * `normalizeTools` converts tools of any shape to such an array.
   */
  readonly tools?: readonly unknown[] | null;
  /**
   * What happens to the implicit field if its region ends and text follows later (`answer`, a call, more answer).
   * `overwrite`, the default: the last stretch replaces the others, as in the reference. `join`: its texts are joined.
   * Only for text that does not repeat; a template may declare that it does (`"repeats": true, "join": ""`), as those
   * of `toResponseTemplate` do.
   */
  readonly reopenedText?: 'overwrite' | 'join';
  /**
   * What happens if the text of a region is invalid for its field. `throw`, the default: an error, as in the
   * reference. `event`: the event `region_malformed` in place of `region_close`, with the raw text, so that no model
   * output throws.
   */
  readonly malformed?: 'throw' | 'event';
}

const toolsOrNone: OptionRule = {
  expected: 'an array of tools with names and plain JSON Schema, as normalizeTools() returns it',
  allows: (value) =>
    value === null || (Array.isArray(value) && value.every((tool) => toolDefinition(tool) !== null)),
};

const rules: OptionRules<ResponseTemplateOptions> = {
  prefix: string,
  tools: toolsOrNone,
  reopenedText: oneOf('overwrite', 'join'),
  malformed: oneOf('throw', 'event'),
};

/** The prefixes of responses that are parsed together. */
const prefixes: OptionRule = {
  expected: 'a string or an array of strings',
  allows: (value) => typeof value === 'string' || Array.isArray(value),
};

/** A parser for one response. */
export interface ResponseTemplateParser<Message = TemplateMessage> {
  /** The events for the part of the message that is in the prompt. */
  readonly initialEvents: readonly RegionEvent[];
  /**
   * Parses the next piece of the response, of any size.
   *
   * @throws {ResponseFieldError} if the text of a region is invalid for its field. The parser remains usable: earlier
   * events come with the next piece.
   * @throws {UnsupportedOptionError} for anything but a string.
   */
  feed(text: string): readonly RegionEvent[];
  /**
   * Ends the response: closes open regions.
   *
   * @throws {ResponseFieldError} also if a required field is missing.
   */
  finish(): { readonly message: Message; readonly events: readonly RegionEvent[] };
}

/**
 * Makes a parser for one response. The template is not changed, and may be used again.
 *
 * @throws {ResponseTemplateError} when the template is not valid.
 * @throws {UnsupportedOptionError} when `prefix` is missing, or an option has a value that it cannot have.
 */
export function createResponseTemplateParser(
  template: ResponseTemplate | LoadedTemplate | JsonValue,
  options: ResponseTemplateOptions,
): ResponseTemplateParser {
  return startParser(loadResponseTemplate(template), options);
}

/** The same for a template that was loaded before. */
export function startParser(
  template: LoadedTemplate,
  given: ResponseTemplateOptions,
): ResponseTemplateParser {
  if (typeof given?.prefix !== 'string') {
    const reason =
      'give the prompt that the model continued, or "" when the response holds the whole message';
    throw new UnsupportedOptionError({ option: 'prefix', reason });
  }
  return new RegionParser(template, readOptions(given, rules));
}

interface OpenRegion {
  readonly field: Region;
  readonly groups: ReadonlyMap<string, string>;
  readonly raw: TextBlocks;
}

class RegionParser implements ResponseTemplateParser {
  readonly initialEvents: readonly RegionEvent[];
  readonly #template: LoadedTemplate;
  readonly #types: ArgumentTypes;
  readonly #joinsText: boolean;
  readonly #reportsMalformed: boolean;
  readonly #message: MessageBuilder;
  readonly #text = new HeldText();
  /** How many characters before a position its delimiters may examine. */
  readonly #lookbehind: number;
  #events: RegionEvent[] = [];
  /** The open region; `null` between regions. */
  #region: OpenRegion | null = null;
  #search: DelimiterSearch;
  /** For each region: what finds the characters with which its delimiters begin. */
  readonly #finders = new Map<Region | null, RegExp | null>();
  /** Up to this position, the text was emitted or was a delimiter. */
  #position = 0;
  /** Fields opened by an empty delimiter at `#position`, so that none opens there repeatedly. */
  #openedHere = new Set<Region>();
  /** Texts of the implicit field, if they are joined. */
  readonly #implicitTexts: string[] = [];
  /** The first half of a pair whose second half has not come yet. */
  #half = '';
  #finished = false;

  constructor(template: LoadedTemplate, options: ResponseTemplateOptions) {
    this.#template = template;
    this.#types = argumentTypes(options.tools ?? []);
    const { implicit } = template;
    this.#joinsText =
      options.reopenedText === 'join' && implicit !== null && implicit.text && !implicit.repeats;
    this.#reportsMalformed = options.malformed === 'event';
    this.#message = new MessageBuilder(template);
    this.#lookbehind = Math.max(
      1,
      ...delimitersOf(template).map(({ pattern }) => pattern.program.lookbehind),
    );
    this.#search = this.#startSearch();
    const begun = afterAnchor(template, options.prefix);
    this.initialEvents = begun === '' ? [] : this.feed(begun);
  }

  feed(piece: string): readonly RegionEvent[] {
    if (this.#finished) {
      throw new UnsupportedOptionError({
        option: 'feed',
        reason: 'the response is finished; create a new parser',
      });
    }
    checkOption('feed', piece ?? null, string);
    const whole = this.#half + piece;
    const last = whole.charCodeAt(whole.length - 1);
    const keepsHalf = last >= 0xd800 && last <= 0xdbff;
    this.#half = keepsHalf ? whole.slice(-1) : '';
    this.#text.append(keepsHalf ? whole.slice(0, -1) : whole);
    this.#process(false);
    return this.#takeEvents();
  }

  finish(): { readonly message: TemplateMessage; readonly events: readonly RegionEvent[] } {
    if (this.#finished) {
      throw new UnsupportedOptionError({
        option: 'finish',
        reason: 'the response is finished; create a new parser',
      });
    }
    this.#finished = true;
    this.#text.append(this.#half);
    this.#process(true);
    this.#emit(this.#text.end);
    this.#close();
    this.#joinTexts();
    for (const field of this.#message.missing()) {
      const reason = 'the response lacks this required field';
      this.#orMalformed(field, '', () => {
        throw new ResponseFieldError({ field, reason, raw: '' });
      });
    }
    return { message: this.#message.finish(), events: this.#takeEvents() };
  }

  #takeEvents(): readonly RegionEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #process(final: boolean): void {
    while (this.#position < this.#text.end) {
      const found = this.#search.advance(this.#text, final);
      this.#emit(found?.match.start ?? this.#search.safe);
      if (found === null) break;
      this.#accept(found);
    }
    this.#text.forget(this.#position - 2 * this.#lookbehind);
  }

  /** Adds the text up to `to` to the open region, or to the implicit one. */
  #emit(to: number): void {
    if (to <= this.#position) return;
    const text = this.#text.slice(this.#position, to);
    this.#moveTo(to);
    if (this.#region === null && this.#template.implicit !== null)
      this.#open(this.#template.implicit, new Map());
    if (this.#region === null) return;
    const { field, raw } = this.#region;
    raw.append(text);
    this.#events.push({ type: 'region_chunk', field: field.name, text, dirty: field.structured });
  }

  #accept(found: FoundDelimiter): void {
    try {
      if (found.candidate.action === 'open') this.#acceptOpener(found);
      else this.#acceptCloser(found);
    } finally {
      // Also after a region that is malformed, because the next ones may not be.
      this.#search = this.#startSearch();
    }
  }

  #acceptOpener({ candidate, match }: FoundDelimiter): void {
    this.#close();
    const groups = namedGroups(candidate.delimiter.pattern, match, (from, to) => this.#text.slice(from, to));
    this.#moveTo(match.end);
    if (match.end === match.start) this.#openedHere.add(candidate.field);
    this.#open(candidate.field, groups);
  }

  #acceptCloser({ candidate, match }: FoundDelimiter): void {
    // If `$` closes the implicit region, the newline after it does not belong to the region either.
    const empty = match.end === match.start && candidate.field === this.#template.implicit;
    const passed = empty && this.#text.slice(match.end, match.end + 1) === '\n' ? 1 : 0;
    this.#moveTo(match.end + passed);
    this.#close();
  }

  #moveTo(position: number): void {
    if (position > this.#position) this.#openedHere.clear();
    this.#position = position;
  }

  #open(field: Region, groups: ReadonlyMap<string, string>): void {
    this.#region = { field, groups, raw: new TextBlocks() };
    this.#events.push({ type: 'region_open', field: field.name });
  }

  #close(): void {
    if (this.#region === null) return;
    const { field, groups, raw } = this.#region;
    this.#region = null;
    const text = raw.toString();
    this.#orMalformed(field.name, text, () => {
      const value = castToolCalls(field.read(text, groups), this.#types);
      this.#message.add(field, value);
      this.#events.push({ type: 'region_close', field: field.name, value });
      if (this.#joinsText && field === this.#template.implicit) this.#implicitTexts.push(text);
    });
  }

  /** Reads a region; with that option, reports it as malformed instead of throwing. */
  #orMalformed(field: string, raw: string, read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!this.#reportsMalformed || !(error instanceof ResponseFieldError)) throw error;
      this.#events.push({ type: 'region_malformed', field, raw, reason: error.reason });
    }
  }

  /** Replaces the last stretch of the implicit field by all of them. */
  #joinTexts(): void {
    const { implicit } = this.#template;
    if (implicit === null || this.#implicitTexts.length < 2) return;
    this.#message.add(implicit, implicit.read(this.#implicitTexts.join(''), new Map()));
  }

  #startSearch(): DelimiterSearch {
    const candidates = this.#candidates();
    return new DelimiterSearch(candidates, this.#position, this.#finderOf(candidates));
  }

  #finderOf(candidates: readonly DelimiterCandidate[]): RegExp | null {
    const region = this.#region?.field ?? this.#template.implicit;
    const known = this.#finders.get(region);
    if (known !== undefined) return known;
    const finder = commonFinder(candidates.map(({ delimiter }) => delimiter.pattern.program));
    this.#finders.set(region, finder);
    return finder;
  }

  /**
   * The delimiters that may come next: in a region with an opener, its closer; elsewhere openers and the implicit
   * closer.
   */
  #candidates(): DelimiterCandidate[] {
    const open = this.#region?.field ?? null;
    const { implicit, fields } = this.#template;
    const closing = open ?? implicit;
    // If no region is open, an empty closer cannot close anything here.
    const emptyFrom = this.#position + (open === null ? 1 : 0);
    const closer: DelimiterCandidate[] =
      closing?.close == null
        ? []
        : [{ action: 'close', field: closing, delimiter: closing.close, emptyFrom }];
    if (open !== null && open !== implicit) return closer;
    // If openers match the same text, the field whose name sorts first is taken, as in the reference.
    const byName = fields.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const openers = byName.flatMap((field): DelimiterCandidate[] => {
      if (field.open === null) return [];
      const openFrom = this.#position + (this.#openedHere.has(field) ? 1 : 0);
      return [{ action: 'open', field, delimiter: field.open, emptyFrom: openFrom }];
    });
    return [...openers, ...closer];
  }
}

function delimitersOf(template: LoadedTemplate) {
  return template.fields.flatMap((field) => [field.open ?? [], field.close ?? []].flat());
}

/** The part of the message in the prompt: the text after the last anchor, or all of it without one. */
function afterAnchor(template: LoadedTemplate, prefix: string): string {
  return prefix.slice(endOfLastMatch(template.anchor, prefix));
}

/** Parses a whole response at once. Options and errors are those of {@link createResponseTemplateParser}. */
export function parseWithResponseTemplate(
  template: ResponseTemplate | LoadedTemplate | JsonValue,
  text: string,
  options: ResponseTemplateOptions,
): TemplateMessage {
  return parseLoaded(loadResponseTemplate(template), text, options);
}

/**
 * Parses several responses, with one prefix for all or one for each.
 *
 * @throws {UnsupportedOptionError} when the number of prefixes is not that of the texts, or there are none.
 */
export function parseBatchWithResponseTemplate(
  template: ResponseTemplate | LoadedTemplate | JsonValue,
  texts: readonly string[],
  options: Omit<ResponseTemplateOptions, 'prefix'> & { readonly prefix: string | readonly string[] },
): TemplateMessage[] {
  checkOption('options', options ?? null, object);
  requireOption('texts', texts, array);
  const { prefix } = options;
  checkOption('prefix', prefix ?? null, prefixes);
  if (typeof prefix !== 'string' && prefix.length !== texts.length) {
    const reason = `${prefix.length} prefixes for ${texts.length} texts; give one for all or one for each`;
    throw new UnsupportedOptionError({ option: 'prefix', reason });
  }
  const loaded = loadResponseTemplate(template);
  return texts.map((text, index) => {
    const own = typeof prefix === 'string' ? prefix : (prefix[index] ?? '');
    return parseLoaded(loaded, text, { ...options, prefix: own });
  });
}

function parseLoaded(
  template: LoadedTemplate,
  text: string,
  options: ResponseTemplateOptions,
): TemplateMessage {
  const parser = startParser(template, options);
  parser.feed(text);
  return parser.finish().message;
}
