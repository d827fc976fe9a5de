/**
 * The reader: the text that is being read, where reading stands in it, and what has been said about it.
 * States (see `module-contract.ts`) work on it through the steps in `steps-*.ts`.
 */
import { deltaEvent, EventWriter, type Saying, type WriterOptions } from './event-writer.ts';
import type { ResponseEvent } from './events.ts';
import { JsonScanner } from './json/json-scanner.ts';
import { callGoesOn, envelopeAt, nameEnd } from './markers/look-ahead.ts';
import type { MatchContext } from './markers/markers.ts';
import { type QuietText, quietInJsonString } from './markers/quiet-text.ts';
import { SpecialSpans } from './markers/special-spans.ts';
import { TextBlocks } from './markers/text-blocks.ts';
import type { State, Transition } from './module-contract.ts';
import type { SchemaPlace } from './steps/schema-place.ts';
import type { ValueStack } from './steps/value-stack.ts';
import type { ToolTable } from './tool-table.ts';

/** Choices of the caller that the steps ask for. */
export interface ReaderOptions extends WriterOptions {
  readonly tools: ToolTable;
  /** Thoughts stay in the content, with their markers. */
  readonly thoughtsInText: boolean;
  /** More than one call may be made. */
  readonly parallel: boolean;
  readonly specialTokens: readonly string[];
  /** The prompt opened reasoning, in a format where nothing else does. */
  readonly thoughtOpened: boolean;
}

/** What is known of a call before it is announced, and what its arguments need. */
export interface CallDraft {
  name: string | null;
  id: string | null;
  announced: boolean;
  /** Entries of the arguments so far. */
  entries: number;
}

/** Text at the end of a piece that may be the beginning of a marker is looked at again up to this length. */
const longestTail = 8;

/** See the top of this file. */
export class Reader implements MatchContext {
  /** The text at hand: what is not consumed yet, and perhaps some of what is. */
  text = '';
  /** Where reading stands in `text`. */
  at = 0;
  /** Offset of `text[0]` in the response. */
  base: number;
  ended = false;
  /** The text ended because no more of it was allowed, not because the model had written all. */
  cutShort = false;
  state: State;
  readonly writer: EventWriter;
  readonly options: ReaderOptions;
  /** White space that the last marker claims if it comes. */
  trail = '';
  /** Text taken out of `text` and not said yet, because what it is depends on what follows. */
  readonly held = new TextBlocks();
  heldStart = 0;
  /** What is wrong with the held text, where it is malformed. */
  complaint: { readonly expected: readonly string[]; readonly reason: string } | null = null;
  /** Up to here, text is known to hold no calls without a marker. */
  triedTo = Number.NEGATIVE_INFINITY;
  /** The region that is being read; `null` between regions. */
  region: 'text' | 'reasoning' | null = null;
  /** That region is closed by a marker. */
  regionMustClose = false;
  /** A call has been opened and reading has not left it. */
  inCall = false;
  /** That call may not be made, because there has been one. */
  isExtraCall = false;
  draft: CallDraft = newDraft();
  /** Where the last call was opened: the offset of its first marker. `null` before the first. */
  callsOpenedAt: number | null = null;
  readonly scanner = new JsonScanner();
  /** End of the last stretch that a tool-input-delta covered. */
  private inputEnd = 0;
  /** Text of the arguments that was consumed after it, and is in no event yet. */
  private unsaid = '';
  /** Where the values that are being read belong. */
  values: ValueStack | null = null;
  /** The schema of the open call's arguments. */
  parameters: SchemaPlace = { schema: undefined, root: undefined };
  /** What the reader waits for, where plain text needs no state to be read. */
  private waiting: QuietText | null = null;
  private waitingWithin: 'text' | 'raw' | 'json' = 'text';
  /** What quiet pieces are said of. */
  private saying: Saying | null = null;
  /** The first character of a marker is in doubt until more comes, whichever marker it is. */
  private readonly firstsWait: boolean;
  /** State private to one step while it waits; cleared when the step is left. */
  progress: unknown = null;
  private readonly special: SpecialSpans;

  constructor(start: State, lead: string, options: ReaderOptions, base: number) {
    this.state = start;
    this.trail = lead;
    this.options = options;
    this.base = base;
    this.writer = new EventWriter(options);
    this.special = new SpecialSpans(options.specialTokens);
    this.firstsWait = this.callsAllowed && options.specialTokens.length === 0;
  }

  /** Whether calls can be made at all; without tools, their markers are text. */
  get callsAllowed(): boolean {
    const { tools } = this.options;
    return !tools.known || tools.size > 0;
  }

  /** Offset in the response of a position in `text`. */
  offset(position: number): number {
    return this.base + position;
  }

  /** More text of the region is expected; pieces that are quiet need nothing but to be said. */
  waitForText(quiet: QuietText): void {
    if (this.writer.region !== null) this.waitQuietly(quiet, 'text');
  }

  /** The same inside a raw string of the arguments. */
  waitForString(quiet: QuietText): void {
    this.waitQuietly(quiet, 'raw');
  }

  /** The same inside a string of JSON arguments that the scanner reads. */
  waitForJson(): void {
    const inside = this.at === this.text.length && this.unsaid === '' && this.scanner.insideString;
    if (inside) this.waitQuietly(quietInJsonString, 'json');
  }

  private waitQuietly(quiet: QuietText, within: 'text' | 'raw' | 'json'): void {
    if (this.text.length - this.at > longestTail) return;
    this.saying = this.writer.saying;
    this.waitingWithin = within;
    this.waiting = quiet;
  }

  /** Reads a piece that needs no state, and makes the one event that it is; `null` if it does need one. */
  readQuietly(piece: string): readonly ResponseEvent[] | null {
    const { waiting, saying } = this;
    if (waiting === null || saying === null) return null;
    if (this.text.length > 0 || !waiting.appendPlain(piece, saying.text)) {
      return this.readAlmostQuietly(piece, waiting, saying);
    }
    const start = this.base;
    const end = start + piece.length;
    this.base = end;
    return [deltaEvent(saying, piece, start, end)];
  }

  /** The same for a piece whose last unit may have to wait, or that is said in other words. */
  private readAlmostQuietly(
    piece: string,
    waiting: QuietText,
    saying: Saying,
  ): readonly ResponseEvent[] | null {
    const whole = this.text + piece;
    const length = waiting.quietEnd(whole, this.firstsWait);
    if (length <= 0) return null;
    const start = this.base;
    const end = start + length;
    this.base = end;
    this.text = length === whole.length ? '' : whole.slice(length);
    const said = length === whole.length ? whole : whole.slice(0, length);
    if (this.waitingWithin === 'raw')
      return [deltaEvent(saying, saying.text.appendEscaped(said), start, end)];
    saying.text.append(said);
    return [deltaEvent(saying, said, start, end)];
  }

  /** Adds text and reads as far as it goes. `special`: the text is one special token. */
  read(piece: string, special: boolean): void {
    if (this.waiting !== null) this.stopWaiting();
    if (piece !== '') this.append(piece, special);
    this.run();
    if (this.waiting !== null) this.dropRead();
  }

  private stopWaiting(): void {
    if (this.waitingWithin === 'json') this.inputEnd = this.base;
    this.waiting = null;
  }

  /** Keeps of the text only what has not been read. */
  private dropRead(): void {
    this.text = this.at === this.text.length ? '' : this.text.slice(this.at);
    this.base += this.at;
    this.at = 0;
  }

  private append(piece: string, special: boolean): void {
    this.dropRead();
    const needed = this.held.length === 0 ? this.base : this.heldStart;
    if (special) this.special.add(this.base + this.text.length, needed);
    this.text += piece;
  }

  private run(): void {
    for (;;) {
      if (this.trail !== '' && !this.takeTrail()) return;
      const next = this.state(this);
      if (next === null) return;
      this.state = next;
      this.progress = null;
    }
  }

  /** Consumes the white space that the last marker claims; false while more of it may come. */
  takeTrail(): boolean {
    while (this.trail !== '') {
      if (this.at === this.text.length) return this.ended;
      const next = this.text.charAt(this.at);
      if (next === '\r' && this.trail.startsWith('\n')) {
        if (this.at + 1 === this.text.length && !this.ended) return false;
        if (this.text[this.at + 1] !== '\n') break;
        this.skip(this.at + 1);
      } else if (next !== this.trail[0]) {
        break;
      }
      this.skip(this.at + 1);
      this.trail = this.trail.slice(1);
    }
    this.trail = '';
    return true;
  }

  /** Consumes text up to `end` as part of a marker. */
  skip(end: number): void {
    if (end <= this.at) return;
    if (this.writer.markers) this.writer.marker(this.text.slice(this.at, end), this.offset(this.at));
    this.at = end;
  }

  /** Consumes text up to `end` as part of the region. */
  say(end: number): void {
    if (end <= this.at || this.region === null) return;
    const region = this.options.thoughtsInText ? 'text' : this.region;
    const delta = this.at === 0 && end === this.text.length ? this.text : this.text.slice(this.at, end);
    this.writer.text(region, delta, this.offset(this.at), this.offset(end));
    this.at = end;
  }

  /** Consumes a marker, with the white space in front up to `start`, and claims the white space after. */
  take(choice: Transition<State> & { readonly trail: string }, end: number): State {
    if (choice.peek) return choice.next;
    if (choice.role === 'thought' && this.options.thoughtsInText) {
      this.sayMarker(end);
      return choice.next;
    }
    this.skip(end);
    this.trail = choice.trail;
    return choice.next;
  }

  /** A marker of reasoning that stays in the content. */
  private sayMarker(end: number): void {
    const { region } = this;
    this.region = 'text';
    this.say(end);
    this.region = region;
  }

  /** The region that was being read is over. */
  leaveRegion(): void {
    this.region = null;
    this.regionMustClose = false;
    if (!this.options.thoughtsInText) this.writer.endRegion(this.offset(this.at));
  }

  /** JSON of the arguments, or of a value in them, begins at the reader's position. */
  beginInput(): void {
    this.inputEnd = this.offset(this.at);
    this.unsaid = '';
  }

  /** Consumes text up to `end`, whose JSON is `json`; the tail `held` of the text is not in it yet. */
  sayInput(json: string, end: number, held: string): void {
    if (json === '') {
      this.unsaid += this.text.slice(this.at, end);
    } else {
      const stop = this.offset(end) - held.length;
      this.writer.input(json, this.inputEnd, stop);
      this.inputEnd = stop;
      this.unsaid = held;
    }
    this.at = end;
  }

  /** Text of the arguments that was consumed and turned out to be no JSON becomes part of the report. */
  reject(): void {
    const { unsaid } = this;
    this.unsaid = '';
    if (unsaid === '' || this.held.length > 0) return;
    this.heldStart = this.offset(this.at) - unsaid.length;
    this.held.append(unsaid);
  }

  /** Takes text up to `end` out of `text`, to be said later. */
  hold(end: number): void {
    if (this.held.length === 0) this.heldStart = this.offset(this.at);
    if (end > this.at) this.held.append(this.text.slice(this.at, end));
    this.at = end;
  }

  /** Puts the held text back, to be read again. */
  unhold(): void {
    const held = this.held.toString();
    this.text = held + this.text.slice(this.at);
    this.base = this.offset(this.at) - held.length;
    this.at = 0;
    this.held.clear();
  }

  /** A call opens here. */
  openCall(): void {
    this.callsOpenedAt = this.offset(this.at);
    this.inCall = true;
    this.isExtraCall = !this.options.parallel && this.writer.callCount > 0;
    this.draft = newDraft();
    this.values = null;
    this.unsaid = '';
    this.scanner.reset();
  }

  mayTry(at: number): boolean {
    return this.offset(at) >= this.triedTo;
  }

  isGenuine(part: string, at: number, length: number): boolean {
    const offset = this.offset(at);
    // Markers of the prompt are the template's own.
    return offset < 0 || this.special.isGenuine(part, offset, length);
  }

  isSpecial(at: number): boolean {
    const offset = this.offset(at);
    return offset < 0 || this.special.beginsAt(offset);
  }

  callGoesOn(text: string, at: number, choice: Transition<unknown>): number {
    return callGoesOn(this.options.tools, text, at, choice, this.ended);
  }

  nameEnd(text: string, at: number, ends: readonly string[]): number {
    return nameEnd(this.options.tools, text, at, ends, this.ended);
  }

  envelopeAt(text: string, at: number, choice: Transition<unknown>): number {
    return envelopeAt(this.options.tools, text, at, choice, this.ended);
  }
}

function newDraft(): CallDraft {
  return { name: null, id: null, announced: false, entries: 0 };
}
