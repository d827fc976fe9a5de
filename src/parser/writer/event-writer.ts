/**
 * Writes events and builds the message from them. What belongs to calls is the call writer's.
 *
 * All positions are offsets into the whole response, as in `events.ts`.
 */

import type { Malformed, Repaired, ResponseEvent, ResponseMessage } from '../events.ts';
import type { Repair } from '../leniency/law-table.ts';
import { findPossibleCall } from '../possible-calls.ts';
import type { WriterOptions } from '../reader-options.ts';
import { CallWriter, type Complaint } from './call-writer.ts';
import { deltaEvent, type EmitTarget, edgeEvent } from './edge-events.ts';
import { KeptMessage } from './kept-message.ts';
import { RegionPlace } from './region-place.ts';

type WrittenRegion = 'text' | 'reasoning';

/** See the top of this file. */
export class EventWriter {
  /** Events not yet delivered to the caller. */
  events: ResponseEvent[] = [];
  /** The region of the latest text, while it is open. */
  region: WrittenRegion | null = null;
  /** The current target of deltas; `null` between regions. */
  target: EmitTarget | null = null;
  private readonly regionCounts = { text: 0, reasoning: 0 };
  /** Where the text of the latest region stands. */
  private regionPlace = new RegionPlace(0);
  /** Where the latest text that is no call ends: of the answer, or malformed. */
  otherTextEnd = Number.NEGATIVE_INFINITY;
  /** Markers of calls in the answer that opened none. */
  private readonly unusedOpeners = new Set<string>();
  /** What closes calls, where the latest region may hold some. */
  private closers: readonly string[] = [];
  /** The latest thoughts. */
  private thoughts = '';
  /** Regions that are to be apart from those before. */
  private readonly separated = { text: false, reasoning: false };
  readonly kept: KeptMessage;
  readonly calls: CallWriter;
  private readonly options: WriterOptions;

  constructor(options: WriterOptions) {
    this.options = options;
    this.kept = new KeptMessage(options.keeps);
    this.calls = new CallWriter(options, this);
  }

  /** Whether events for markers are wanted. */
  get markers(): boolean {
    return this.options.markers;
  }

  /**
   * Returns the events so far. An empty list is created anew each time: sharing one frozen list would make loops
   * over events in the caller's code polymorphic, and slow.
   */
  take(): readonly ResponseEvent[] {
    const { events } = this;
    this.events = [];
    return events;
  }

  /** Adds an event. A single event, the usual case, gets an array of length 1; `push` would reserve room for more. */
  add(event: ResponseEvent): void {
    if (this.calls.holds(event)) return;
    if (this.events.length === 0) this.events = [event];
    else this.events.push(event);
  }

  /** Emits a piece of a region's text; opens the region if necessary. `isThought`: it is text only because thoughts are. */
  text(region: WrittenRegion, delta: string, start: number, end: number, isThought = false): void {
    if (this.region !== region) this.openRegion(region, start);
    if (!isThought) this.regionPlace.resume();
    this.delta(delta, start, end);
  }

  /** The open region may go on after what comes here, which may be a call. */
  leaveOpen(at: number, isThought: boolean): void {
    if (this.region !== null) this.regionPlace.leave(at, isThought);
  }

  /** Emits a delta of what is being written: a region, or the arguments of a call. */
  delta(delta: string, start: number, end: number): void {
    const { target } = this;
    if (target === null) return;
    target.text.append(delta);
    this.add(deltaEvent(target, delta, start, end));
  }

  private openRegion(region: WrittenRegion, at: number): void {
    this.endRegion(at);
    this.region = region;
    const id = `${region}-${this.regionCounts[region]++}`;
    this.regionPlace = new RegionPlace(at);
    this.target =
      region === 'text'
        ? { type: 'text-delta', id, text: this.kept.content }
        : { type: 'reasoning-delta', id, text: this.kept.reasoning };
    this.add(edgeEvent(region === 'text' ? 'text-start' : 'reasoning-start', id, at));
    if (this.separated[region]) this.delta('\n', at, at);
    this.separated[region] = false;
  }

  /** What follows is another message: a line break keeps its texts apart from those before. */
  separate(): void {
    this.separated.text = this.regionCounts.text > 0;
    this.separated.reasoning = this.regionCounts.reasoning > 0;
  }

  /** Closes the open region, if any. */
  endRegion(at: number): void {
    const { region, target } = this;
    if (region === null || target === null) return;
    const text = this.kept.takeRegion(region);
    this.region = null;
    this.target = null;
    this.add(edgeEvent(region === 'text' ? 'text-end' : 'reasoning-end', target.id, at));
    if (region === 'reasoning') {
      this.thoughts = text;
      return;
    }
    this.otherTextEnd = Math.max(this.otherTextEnd, this.regionPlace.endBefore(at));
    this.tellPossibleCall(text, at);
  }

  /** Takes note that a stretch of the open region is no text of it. */
  skipped(start: number, end: number): void {
    if (this.region !== null) this.regionPlace.skipped(start, end);
  }

  /** Tells what looks like a call in the text of the region that has just ended. */
  private tellPossibleCall(text: string, at: number): void {
    const { options } = this;
    if (!options.seeksCalls || options.tools.size === 0) return;
    const found = findPossibleCall(options.tools, text, {
      openers: this.unusedOpeners,
      closers: this.closers,
    });
    if (found === null) return;
    const place = this.regionPlace.offsetOf(found.at);
    const event = { type: 'possible-call', toolName: found.toolName, at: place, start: at, end: at } as const;
    this.kept.note(event);
    this.add(event);
  }

  /** Takes note of what closes the calls that the open region may hold. */
  noteClosers(closers: readonly string[]): void {
    this.closers = closers;
  }

  /** Takes note of a marker that opens calls elsewhere. */
  noteOpener(opener: string): void {
    this.unusedOpeners.add(opener);
  }

  /** Whether any text of the answer has been emitted. */
  get hasText(): boolean {
    return this.regionCounts.text > 0;
  }

  /** Emits a delimiter, or white space that belongs to it. */
  marker(text: string, start: number): void {
    if (text === '') return;
    this.calls.coverBeforeMarker();
    this.add({ type: 'marker', text, start, end: start + text.length });
  }

  /** Records a deviation that was read all the same; reported after the open call, or at once if there is none. */
  repaired(repair: Repair, at: number): void {
    if (this.calls.open !== null) this.calls.repaired(repair);
    else this.addRepaired({ type: 'repaired', ...repair, start: at, end: at });
  }

  addRepaired(event: Repaired, keptId?: string): void {
    this.kept.note(keptId === undefined ? event : { ...event, toolCallId: keptId });
    this.add(event);
  }

  /** Emits text that the format does not allow. An open call ends here, incomplete. */
  malformed(raw: string, start: number, complaint: Complaint): void {
    this.endRegion(start);
    const { open } = this.calls;
    if (open !== null) this.calls.breakOff(open, raw, start, complaint);
    else this.addMalformed({ type: 'malformed', raw, ...complaint, start, end: start + raw.length });
  }

  addMalformed(event: Malformed): void {
    this.otherTextEnd = event.end;
    this.kept.note(event);
    this.add(event);
  }

  /** Emits the last event. */
  finish(reason: 'stop' | 'length', at: number): void {
    // Thoughts are all that there is: the call may be in them.
    if (!this.hasText && this.calls.count === 0) this.tellPossibleCall(this.thoughts, at);
    const stopped = this.calls.completed > 0 ? 'tool-calls' : 'stop';
    this.add({
      type: 'finish',
      reason: reason === 'length' ? 'length' : stopped,
      start: at,
      end: at,
    });
  }

  /** The message of all events so far; empty if it is not kept. */
  message(): ResponseMessage {
    return this.kept.message();
  }
}
