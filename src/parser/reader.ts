/**
 * The reader: what states work on through the steps in `steps/`. Its parts have one
 * subject each: the cursor in the text, the text that is buffered, the call that is being read, the JSON of its
 * arguments, the events. What concerns more than one of them is done here.
 */
import { BufferedText } from './buffered-text.ts';
import { CallDraft } from './call-draft.ts';
import { Cursor } from './cursor.ts';
import { EventWriter, type WriterOptions } from './event-writer.ts';
import type { LeniencyLaw } from './events.ts';
import { FastPath } from './fast-path.ts';
import { InputEmitter } from './input-emitter.ts';
import { JsonScanner } from './json/json-scanner.ts';
import { callFollows, envelopeAt, nameEnd } from './markers/lookahead.ts';
import {
  type CompiledTransition,
  type MarkerTable,
  type MatchContext,
  markerAlone,
} from './markers/markers.ts';
import { plainInJsonString } from './markers/plain-run.ts';
import { SpecialSpans } from './markers/special-spans.ts';
import { repairDetail } from './repair-detail.ts';
import type { Transition } from './state-tables.ts';
import type { StepProgress } from './steps/step-progress.ts';
import type { ToolTable } from './tool-table.ts';

/** One place where the reader can stand. Returns the next place, or `null` to wait for more text. */
export type State = (reader: Reader) => State | null;

/** Choices of the caller that the steps ask for. */
export interface ReaderOptions extends WriterOptions {
  readonly tools: ToolTable;
  /** Thoughts stay in the content, with their markers. */
  readonly thoughtsInText: boolean;
  /** More than one call may be made. */
  readonly parallel: boolean;
  readonly specialTokens: readonly string[];
  /** What the format does not have is read where it can only mean one thing. */
  readonly lenient: boolean;
  /** The prompt opened reasoning, in a format where nothing else does. */
  readonly thoughtOpened: boolean;
}

/** The region that is being read. */
interface OpenRegion {
  readonly kind: 'text' | 'reasoning';
  /** It is closed by a marker: text that ends without it is cut short. */
  readonly mustClose: boolean;
}

/** What is wrong with the text in the buffer. */
interface Complaint {
  readonly expected: readonly string[];
  readonly reason: string;
}

/** A marker that is consumed; the steps for headers have no more of it. */
type ConsumedMarker = Transition<State> & Pick<CompiledTransition<State>, 'trailingSpace'>;

/** See the top of this file. */
export class Reader implements MatchContext {
  readonly cursor: Cursor;
  readonly buffer = new BufferedText();
  readonly writer: EventWriter;
  readonly input: InputEmitter;
  readonly fastPath: FastPath;
  readonly scanner = new JsonScanner();
  readonly options: ReaderOptions;
  /** What one step knows while it waits for more text; gone when the step is left. */
  progress: StepProgress | null = null;
  /** The marker that has just opened thoughts, while it may stand once more. */
  thoughtOpener: MarkerTable<State> | null = null;
  private readonly special: SpecialSpans;
  private state: State;
  private openRegion: OpenRegion | null = null;
  private draft = new CallDraft(false);
  private isInCall = false;
  private openedAt: number | null = null;
  private complaint: Complaint | null = null;
  /** The last marker opened thoughts. */
  private openedThoughts = false;
  /** White space that the last marker claims if it comes. */
  private claimedSpace: string;
  private triedBareCalls = false;
  /** Offset up to which text is known to hold no calls without a marker. */
  private speculatedTo = Number.NEGATIVE_INFINITY;

  constructor(start: State, leadingSpace: string, options: ReaderOptions, base: number) {
    this.state = start;
    this.claimedSpace = leadingSpace;
    this.options = options;
    this.cursor = new Cursor(base);
    this.writer = new EventWriter(options);
    this.input = new InputEmitter(this.cursor, this.writer);
    this.special = new SpecialSpans(options.specialTokens);
    this.fastPath = new FastPath(
      this.cursor,
      this.writer,
      this.callsAllowed && options.specialTokens.length === 0,
    );
  }

  /** No more text will come. */
  get ended(): boolean {
    return this.cursor.ended;
  }

  /** Whether calls can be made at all; without tools, their markers are text. */
  get callsAllowed(): boolean {
    const { tools } = this.options;
    return !tools.known || tools.size > 0;
  }

  /** The region that is being read; `null` between regions. */
  get region(): OpenRegion | null {
    return this.openRegion;
  }

  /** Reading stands in thoughts, or after their opener and before the white space that it claims. */
  get thinking(): boolean {
    if (this.openRegion !== null) return this.openRegion.kind === 'reasoning';
    return this.openedThoughts && this.claimedSpace !== '';
  }

  /** Name of the state that reads on. */
  get stateName(): string {
    return this.state.name;
  }

  /** The call that is being read, or was last. */
  get call(): CallDraft {
    return this.draft;
  }

  /** A call has been opened and reading has not left it. */
  get inCall(): boolean {
    return this.isInCall;
  }

  /** Offset of the first marker of the last call; `null` before the first. */
  get callsOpenedAt(): number | null {
    return this.openedAt;
  }

  /** Adds text and reads as far as it goes. `special`: the text is one special token. */
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
      if (this.claimedSpace !== '' && !this.passClaimedSpace()) return;
      const next = this.state(this);
      if (next === null) return;
      this.state = next;
      this.progress = null;
    }
  }

  /** White space that comes next belongs to the marker before it, as far as it is `space`. */
  claimSpace(space: string): void {
    this.claimedSpace = space;
  }

  /** Consumes the white space that the last marker claims; false while more of it may come. */
  passClaimedSpace(): boolean {
    const { cursor } = this;
    while (this.claimedSpace !== '') {
      if (cursor.isAtEnd) return this.ended;
      const next = cursor.text.charAt(cursor.at);
      if (next === '\r' && this.claimedSpace.startsWith('\n')) {
        if (cursor.at + 1 === cursor.text.length && !this.ended) return false;
        if (cursor.text[cursor.at + 1] !== '\n') break;
        this.skip(cursor.at + 1);
      } else if (next !== this.claimedSpace[0]) {
        break;
      }
      this.skip(cursor.at + 1);
      this.claimedSpace = this.claimedSpace.slice(1);
    }
    this.claimedSpace = '';
    return true;
  }

  /** Consumes text up to `end` as part of a marker. */
  skip(end: number): void {
    const { cursor, writer } = this;
    if (end <= cursor.at) return;
    if (writer.markers) writer.marker(cursor.text.slice(cursor.at, end), cursor.offset);
    cursor.moveTo(end);
  }

  /** Consumes text up to `end` as part of the region. */
  emitText(end: number): void {
    if (this.openRegion === null) return;
    this.emitAs(this.options.thoughtsInText ? 'text' : this.openRegion.kind, end);
  }

  private emitAs(region: 'text' | 'reasoning', end: number): void {
    const { cursor } = this;
    const { text, at } = cursor;
    if (end <= at) return;
    const delta = at === 0 && end === text.length ? text : text.slice(at, end);
    this.writer.text(region, delta, cursor.offset, cursor.offsetOf(end));
    cursor.moveTo(end);
  }

  /** Consumes a marker up to `end`, and claims the white space after it. */
  consumeMarker(transition: ConsumedMarker, end: number): State {
    this.openedThoughts = false;
    this.thoughtOpener = null;
    const { repairs, role, peek } = transition;
    // A part of a marker that is only seen, and a fence after an opener, are reported where they are passed.
    const isAhead = (repairs === 'marker-part' && peek) || (repairs === 'fence' && role === 'call');
    if (repairs !== undefined && !isAhead) this.noteRepair(repairs, repairDetail(transition));
    if (transition.peek) return transition.next;
    if (transition.role === 'thought' && this.options.thoughtsInText) {
      this.emitAs('text', end);
      return transition.next;
    }
    this.skip(end);
    this.claimedSpace = transition.trailingSpace;
    return transition.next;
  }

  /** The marker that was consumed last opened thoughts. */
  noteThoughts(opener: CompiledTransition<State>): void {
    this.openedThoughts = true;
    this.thoughtOpener = this.options.thoughtsInText ? null : markerAlone(opener);
  }

  /** A region is being read from here on. */
  enterRegion(kind: 'text' | 'reasoning', mustClose: boolean): void {
    const { openRegion } = this;
    if (openRegion?.kind === kind && openRegion.mustClose === mustClose) return;
    this.openRegion = { kind, mustClose };
  }

  /** The region that was being read is over. */
  leaveRegion(): void {
    this.openRegion = null;
    if (!this.options.thoughtsInText) this.writer.endRegion(this.cursor.offset);
  }

  /** A call opens here. */
  openCall(): void {
    this.triedBareCalls = false;
    this.openedAt = this.cursor.offset;
    this.isInCall = true;
    this.draft = new CallDraft(!this.options.parallel && this.writer.callCount > 0);
    this.input.begin();
    this.scanner.reset();
  }

  /** Reading has left the call. */
  leaveCall(): void {
    this.isInCall = false;
  }

  /** The model's own id of the call. */
  noteId(id: string): void {
    if (id === '') return;
    this.draft.id = id;
    this.writer.noteId(id);
  }

  /** The name of the call is known, and stands between two positions: emits its start, once. */
  startCall(start: number, end: number): void {
    const { draft, cursor } = this;
    if (draft.started || draft.name === null) return;
    draft.started = true;
    draft.parameters = this.options.tools.parameters(draft.name);
    this.writer.startCall(draft.name, draft.id, cursor.offsetOf(start), cursor.offsetOf(end));
  }

  /** Consumes text up to `end` into the buffer. */
  bufferTo(end: number): void {
    const { cursor, buffer } = this;
    buffer.startAt(cursor.offset);
    if (end > cursor.at) buffer.append(cursor.text.slice(cursor.at, end), cursor.offset);
    cursor.moveTo(Math.max(end, cursor.at));
  }

  /** Puts what is in the buffer back, to be read again. */
  rewind(): void {
    this.cursor.rewind(this.buffer.take());
  }

  /** What was read here although the format does not have it. */
  noteRepair(law: LeniencyLaw, detail: string): void {
    this.writer.repaired(law, detail, this.cursor.offset);
  }

  /** What is wrong here. Text from here on is buffered and reported by `reportMalformed`. */
  complain(expected: readonly string[], reason: string): void {
    this.bufferPendingInput();
    this.complaint = { expected, reason };
    this.scanner.reset();
  }

  /** Text of the arguments that turned out to be no JSON becomes part of the report. */
  private bufferPendingInput(): void {
    const pending = this.input.takePending();
    if (pending === '' || !this.buffer.isEmpty) return;
    this.buffer.append(pending, this.cursor.offset - pending.length);
  }

  /** Reports what is in the buffer, if there was a complaint. */
  reportMalformed(): void {
    const { complaint, buffer } = this;
    if (complaint === null) return;
    this.complaint = null;
    const { start } = buffer;
    this.writer.malformed(buffer.take(), start, complaint.expected, complaint.reason);
  }

  /** The scanner stands inside a string of JSON: plain pieces are events at once. */
  waitInJson(): void {
    if (this.cursor.isAtEnd && this.input.isSettled && this.scanner.insideString) {
      this.fastPath.open(plainInJsonString, 'json-string');
    }
  }

  /** The next special token in the text at hand, by position: no content, whatever it is. */
  nextSpecialToken(): { readonly at: number; readonly end: number } | null {
    const { cursor } = this;
    const token = this.options.lenient ? this.special.next(cursor.offset) : null;
    if (token === null) return null;
    const at = token.start - cursor.base;
    return { at, end: at + token.length };
  }

  /** The answer has not begun, or begins again after a call: it may be calls alone. */
  get mayBeBareCalls(): boolean {
    const { options, writer, cursor } = this;
    const isBeginning =
      (writer.callCount > 0 || !writer.hasText) && cursor.offset >= 0 && !this.triedBareCalls;
    const isAllowed = options.parallel || writer.callCount === 0;
    return isBeginning && isAllowed && options.lenient && options.tools.known && this.callsAllowed;
  }

  /** The answer is not calls alone, or they have been read. */
  noteBareCalls(): void {
    this.triedBareCalls = true;
  }

  /** Text up to here holds no calls without a marker. */
  noteSpeculated(offset: number): void {
    this.speculatedTo = offset;
  }

  /** What the prompt holds is the template's own, and needs no leniency. */
  forgives(at: number): boolean {
    return this.options.lenient && this.cursor.offsetOf(at) >= 0;
  }

  maySpeculate(at: number): boolean {
    return this.cursor.offsetOf(at) >= this.speculatedTo;
  }

  isWrittenAsTokens(part: string, at: number, length: number): boolean {
    const offset = this.cursor.offsetOf(at);
    // Markers of the prompt are the template's own.
    return offset < 0 || this.special.isWrittenAsTokens(part, offset, length);
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

  envelopeAt(text: string, at: number, transition: Transition<unknown>): number {
    return envelopeAt(this.options.tools, text, at, transition, this.ended);
  }
}
