/**
 * The reader, on which the steps in `steps/` work. Each of its parts has one subject: the cursor, the buffered text,
 * the call being read, the JSON of its arguments, the events. Operations on several of them are methods here.
 */
import { BufferedText } from './buffered-text.ts';
import { CallAttempts } from './call-attempts.ts';
import { CallDraft } from './call-draft.ts';
import { ClaimedSpace } from './claimed-space.ts';
import { Cursor } from './cursor.ts';
import { FastPath } from './fast-path.ts';
import { InputEmitter } from './input-emitter.ts';
import { JsonScanner } from './json/json-scanner.ts';
import {
  type LawPlace,
  type LeniencyLaw,
  laws,
  markerRepair,
  type Repair,
  repair,
} from './leniency/law-table.ts';
import type { CompiledTransition } from './markers/compiled-transition.ts';
import { anyNameEnd, callFollows, envelopeAt, nameEnd } from './markers/lookahead.ts';
import { absent, type MarkerTable, type MatchContext, markerAlone } from './markers/markers.ts';
import { plainInJsonString } from './markers/plain-run.ts';
import { SpecialSpans } from './markers/special-spans.ts';
import { Quotations } from './quoting/quotations.ts';
import type { ReaderOptions } from './reader-options.ts';
import type { Notation, Transition } from './state-tables.ts';
import type { StepProgress } from './steps/step-progress.ts';
import type { Complaint } from './writer/call-writer.ts';
import { EventWriter } from './writer/event-writer.ts';

/** A state: reads on, and returns the next state, or `null` to wait for more text. */
export type State = (reader: Reader) => State | null;

/** The region being read. */
interface OpenRegion {
  readonly kind: 'text' | 'reasoning';
  /** A marker must close it; otherwise the text was cut short. */
  readonly mustClose: boolean;
}

/** See the top of this file. */
export class Reader implements MatchContext {
  readonly cursor: Cursor;
  readonly buffer = new BufferedText();
  readonly writer: EventWriter;
  readonly input: InputEmitter;
  readonly fastPath: FastPath;
  readonly quotations: Quotations;
  readonly scanner = new JsonScanner();
  readonly options: ReaderOptions;
  /** Notations of calls other than the format's. */
  readonly notations: readonly Notation<State>[];
  /** What the current step must remember while it waits for more text; discarded when the step is left. */
  progress: StepProgress | null = null;
  /** The marker that has just opened thoughts, while it may be repeated. */
  thoughtOpener: MarkerTable<State> | null = null;
  private readonly special: SpecialSpans;
  private state: State;
  private openRegion: OpenRegion | null = null;
  private draft = new CallDraft<State>(false);
  private isInCall = false;
  /** Offset of the first marker of the last call; `null` before the first. */
  callsOpenedAt: number | null = null;
  private complaint: Complaint | null = null;
  /** Whether the response has written the latest marker, and not the prompt. */
  wroteMarker = false;
  /** Whether the latest marker opened thoughts. */
  private openedThoughts = false;
  private readonly claimed: ClaimedSpace;
  readonly attempts = new CallAttempts();

  constructor(
    start: State,
    leadingSpace: string,
    options: ReaderOptions,
    base: number,
    notations: readonly Notation<State>[] = [],
  ) {
    this.notations = notations;
    this.state = start;
    this.claimed = new ClaimedSpace(leadingSpace);
    this.options = options;
    this.cursor = new Cursor(base);
    this.writer = new EventWriter(options);
    this.input = new InputEmitter(this.cursor, this.writer.calls);
    this.special = new SpecialSpans(options.specialTokens);
    this.quotations = new Quotations(this.cursor, this.writer.kept, this.special);
    this.fastPath = new FastPath(
      this.cursor,
      this.writer,
      this.callsAllowed && options.specialTokens.length === 0,
    );
  }

  /** Whether the response is over. */
  get ended(): boolean {
    return this.cursor.ended;
  }

  private get isLenient(): boolean {
    return this.options.lenient && !this.writer.calls.isCallEnforced(this.cursor.offset);
  }

  /** Whether calls are possible; without tools, their markers are text. */
  get callsAllowed(): boolean {
    const { tools } = this.options;
    return !tools.known || tools.size > 0;
  }

  /** The region being read; `null` between regions. */
  get region(): OpenRegion | null {
    return this.openRegion;
  }

  /** Whether the position is in thoughts, or between their opener and the white space that it claims. */
  get thinking(): boolean {
    if (this.openRegion !== null) return this.openRegion.kind === 'reasoning';
    return this.openedThoughts && this.claimed.space !== '';
  }

  /** Name of the current state. */
  get stateName(): string {
    return this.state.name;
  }

  /** The current or latest call. */
  get call(): CallDraft<State> {
    return this.draft;
  }

  /** Whether the position is inside a call. */
  get inCall(): boolean {
    return this.isInCall;
  }

  /** Adds text and reads as far as possible. `special`: the text is one special token. */
  read(piece: string, special: boolean): void {
    const { fastPath, cursor } = this;
    if (fastPath.isInJson) this.input.coverAll();
    fastPath.close();
    if (piece !== '') this.append(piece, special);
    this.run();
    if (fastPath.isOpen) cursor.dropConsumed();
  }

  private append(piece: string, special: boolean): void {
    const { cursor, buffer } = this;
    cursor.append(piece);
    const start = cursor.base + cursor.text.length - piece.length;
    if (special) this.special.add(start, piece.length, buffer.isEmpty ? cursor.base : buffer.start);
  }

  private run(): void {
    for (;;) {
      if (this.claimed.space !== '' && !this.claimed.pass(this)) return;
      const next = this.state(this);
      if (next === null) return;
      this.state = next;
      this.progress = null;
    }
  }

  /** Reads a call that is there as a whole, by the states of another parser, from its start to where it stops. */
  readCallBy(start: State): void {
    const { state } = this;
    this.state = start;
    this.run();
    this.state = state;
  }

  /** Lets the latest marker claim the white space that comes next, as far as it matches `space`. */
  claimSpace(space: string): void {
    this.claimed.space = space;
  }

  /** Consumes the claimed white space; false while more of it may come. */
  passClaimedSpace(): boolean {
    return this.claimed.pass(this);
  }

  /** Consumes text up to `end` as part of a marker. */
  skip(end: number): void {
    const { cursor, writer } = this;
    if (end <= cursor.at) return;
    if (writer.markers) writer.marker(cursor.text.slice(cursor.at, end), cursor.offset);
    writer.skipped(cursor.offset, cursor.offsetOf(end));
    cursor.moveTo(end);
  }

  /** Consumes text up to `end` as content of the region. */
  emitText(end: number): void {
    if (this.openRegion === null) return;
    this.emitAs(this.openRegion.kind, end);
  }

  private emitAs(region: 'text' | 'reasoning', end: number): void {
    const { cursor } = this;
    const { text, at } = cursor;
    if (end <= at) return;
    const delta = at === 0 && end === text.length ? text : text.slice(at, end);
    const isThought = this.options.thoughtsInText && region === 'reasoning';
    this.writer.text(isThought ? 'text' : region, delta, cursor.offset, cursor.offsetOf(end), isThought);
    cursor.moveTo(end);
  }

  /** Consumes a marker up to `end`, and claims the white space after it. */
  consumeMarker(transition: Transition<State> & { readonly trailingSpace: string }, end: number): State {
    this.openedThoughts = false;
    this.thoughtOpener = null;
    this.wroteMarker = this.cursor.offset >= 0;
    const { repairs, role, peek } = transition;
    // A peeked part of a marker, and a fence after an opener, are reported by the step that consumes them.
    const isAhead = (repairs === 'marker-part' && peek) || (repairs === 'fence' && role === 'call');
    if (repairs !== undefined && !isAhead) this.noteRepair(markerRepair(repairs, transition));
    if (transition.peek) return transition.next;
    if (transition.role === 'thought' && this.options.thoughtsInText) {
      this.emitAs('reasoning', end);
      return transition.next;
    }
    this.skip(end);
    this.claimed.space = transition.trailingSpace;
    return transition.next;
  }

  /** Records that the latest marker opened thoughts. */
  noteThoughts(opener: CompiledTransition<State>): void {
    this.openedThoughts = true;
    this.thoughtOpener = this.options.thoughtsInText ? null : markerAlone(opener);
  }

  /** Starts a region. */
  enterRegion(kind: 'text' | 'reasoning', mustClose: boolean): void {
    const known = this.openRegion;
    if (known?.kind === kind && known.mustClose === mustClose) return;
    if (kind === 'text' && known?.kind !== kind && this.options.answersJson) this.quotations.beginJson();
    this.openRegion = { kind, mustClose };
  }

  /** Ends the region. */
  leaveRegion(): void {
    const isThought = this.openRegion?.kind === 'reasoning';
    this.openRegion = null;
    if (this.options.thoughtsInText) this.writer.leaveOpen(this.cursor.offset, isThought);
    else this.writer.endRegion(this.cursor.offset);
  }

  /** Opens a call. */
  openCall(): void {
    this.attempts.wereBareCalls = false;
    this.callsOpenedAt = this.cursor.offset;
    this.quotations.interrupt();
    this.isInCall = true;
    this.draft = new CallDraft(!this.options.parallel && this.writer.calls.count > 0);
    this.input.begin();
    this.scanner.reset();
  }

  /** Leaves the call. */
  leaveCall(): void {
    this.isInCall = false;
  }

  /** Records the model's own id of the call. */
  noteId(id: string): void {
    if (id === '') return;
    this.draft.id = id;
    this.writer.calls.noteId(id);
  }

  /** Emits the call's start, once its name is known; the name is between two positions. */
  startCall(start: number, end: number): void {
    const { draft, cursor } = this;
    if (draft.started || draft.name === null) return;
    draft.started = true;
    draft.parameters = this.options.tools.parameters(draft.name);
    const name = { start: cursor.offsetOf(start), end: cursor.offsetOf(end) };
    this.writer.calls.startCall(draft.name, draft.id, {
      openedAt: this.callsOpenedAt ?? name.start,
      ...name,
    });
    if (draft.deviation !== null) this.noteRepair(repair('json', 'deviation', draft.deviation));
  }

  /** Notes a value's deviation from its notation, once per call. */
  noteDeviation(detail: string | null): void {
    const { draft } = this;
    if (detail === null || !this.allows('json') || draft.deviation !== null) return;
    draft.deviation = detail;
    if (draft.started) this.noteRepair(repair('json', 'deviation', detail));
  }

  /** Consumes text up to `end` into the buffer. */
  bufferTo(end: number): void {
    const { cursor, buffer } = this;
    buffer.startAt(cursor.offset);
    if (end > cursor.at) buffer.append(cursor.text.slice(cursor.at, end), cursor.offset);
    cursor.moveTo(Math.max(end, cursor.at));
  }

  /** Puts the buffered text back, to be read again. */
  rewind(): void {
    this.cursor.rewind(this.buffer.take());
  }

  /** Reports a deviation from the format that was read all the same. */
  noteRepair(made: Repair): void {
    if (made.law === 'opener') this.draft.opened = false;
    this.writer.repaired(made, this.cursor.offset);
  }

  /** Records a complaint. Text from here on is buffered, and reported by `reportMalformed`. */
  complain(expected: readonly string[], reason: string): void {
    this.complaint = { expected, reason };
    const pending = this.input.takePending();
    // Text of the arguments that turned out not to be JSON is part of the report.
    if (pending !== '' && this.buffer.isEmpty)
      this.buffer.append(pending, this.cursor.offset - pending.length);
    this.scanner.reset();
  }

  /** Reports the buffered text, if there was a complaint. */
  reportMalformed(): void {
    const { complaint, buffer } = this;
    if (complaint === null) return;
    this.complaint = null;
    this.draft.isReported = true;
    const { start } = buffer;
    this.writer.malformed(buffer.take(), start, complaint);
  }

  /** Opens the fast path inside a JSON string. */
  waitInJson(): void {
    if (this.cursor.isAtEnd && this.input.isSettled && this.scanner.insideString) {
      this.fastPath.open(plainInJsonString, 'json-string');
    }
  }

  /** Unread text between two offsets, in pieces as it was fed. */
  piecesBetween(from: number, to: number): readonly { readonly text: string; readonly special: boolean }[] {
    const { base, text } = this.cursor;
    return this.special.pieces(text.slice(from - base, to - base), from);
  }

  /** The positions of the next special token in the unread text; it is never content. */
  nextSpecialToken(): { readonly at: number; readonly end: number } | null {
    const { cursor } = this;
    const token = this.allows('special-token') ? this.special.next(cursor.offset) : null;
    if (token === null) return null;
    const at = token.start - cursor.base;
    return { at, end: at + token.length };
  }

  /** Where the position is, for the laws of leniency. */
  private get place(): LawPlace {
    if (this.openRegion !== null) return this.openRegion.kind === 'reasoning' ? 'thoughts' : 'answer';
    return this.isInCall ? 'call' : 'between';
  }

  /**
   * Whether a law of leniency applies to text at `at`. What the grammar of a call wrote has no deviations: it means what
   * the grammar means. Nor has the prompt, which is the template's own.
   */
  allows(law: LeniencyLaw, at = this.cursor.at): boolean {
    const { strict, places }: { readonly strict: boolean; readonly places: readonly LawPlace[] } = laws[law];
    if (strict) return true;
    return this.isLenient && this.cursor.offsetOf(at) >= 0 && places.includes(this.place);
  }

  maySpeculate(at: number): boolean {
    return this.cursor.offsetOf(at) >= this.attempts.textUpTo;
  }

  isWrittenAsTokens(part: string, at: number, length: number): boolean {
    const offset = this.cursor.offsetOf(at);
    // Markers in the prompt are the template's own.
    return offset < 0 || this.special.isWrittenAsTokens(part, offset, length);
  }

  inPrompt(at: number): boolean {
    return this.cursor.offsetOf(at) < 0;
  }

  isSpecial(at: number): boolean {
    const offset = this.cursor.offsetOf(at);
    return offset < 0 || this.special.beginsAt(offset);
  }

  followedBy(text: string, at: number, transition: Transition<unknown>): number {
    return callFollows(this.options.tools, text, at, transition, this.ended);
  }

  nameEnd(text: string, at: number, ends: readonly string[]): number {
    return nameEnd(this.options.tools, text, at, ends, this.ended);
  }

  anyNameEnd(text: string, at: number, ends: readonly string[]): number {
    return this.options.tools.known ? absent : anyNameEnd(text, at, ends, this.ended);
  }

  envelopeAt(text: string, at: number, transition: Transition<unknown>): number {
    return envelopeAt(this.options.tools, text, at, transition, this.ended);
  }
}
