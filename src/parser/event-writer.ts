/**
 * Writes events and builds the message from them.
 *
 * All positions are offsets into the whole response, as in `events.ts`.
 */
import { parseObject } from '../format/json-values.ts';
import type { JsonObject } from '../format/messages.ts';
import { AbsentArguments } from './absent-arguments.ts';
import { CallRepairs } from './call-repairs.ts';
import { judgeCall } from './call-verdict.ts';
import { deltaEvent, type EmitTarget, edgeEvent } from './edge-events.ts';
import type { Assurance, Malformed, Repaired, ResponseEvent, ResponseMessage } from './events.ts';
import { KeptMessage } from './kept-message.ts';
import type { Repair } from './leniency/law-table.ts';
import { WrittenText } from './markers/written-text.ts';
import { findPossibleCall } from './possible-calls.ts';
import type { WriterOptions } from './reader-options.ts';
import { RegionPlace } from './region-place.ts';
import type { StartedCall } from './started-call.ts';
import { UniqueIds } from './unique-ids.ts';
import { WithheldInput } from './withheld-input.ts';

type Region = 'text' | 'reasoning';

/** See the top of this file. */
export class EventWriter {
  /** Events not yet delivered to the caller. */
  events: ResponseEvent[] = [];
  /** The call that has started and is not complete. */
  call: StartedCall | null = null;
  /** Calls started so far. */
  callCount = 0;
  private completedCount = 0;
  /** The region of the latest text, while it is open. */
  region: Region | null = null;
  /** The current target of deltas; `null` between regions. */
  target: EmitTarget | null = null;
  private readonly regionCounts = { text: 0, reasoning: 0 };
  /** Where the text of the latest region stands. */
  private regionPlace = new RegionPlace(0);
  /** Where the latest text that is no call ends: of the answer, or malformed. */
  private otherTextEnd = Number.NEGATIVE_INFINITY;
  /** Markers of calls in the answer that opened none. */
  private readonly unusedOpeners = new Set<string>();
  /** What closes calls, where the latest region may hold some. */
  private closers: readonly string[] = [];
  /** The latest thoughts. */
  private thoughts = '';
  /** Regions that are to be apart from those before. */
  private readonly separated = { text: false, reasoning: false };
  readonly kept: KeptMessage;
  /** JSON of the open call's arguments so far. */
  private readonly inputText = new WrittenText(true);
  private readonly callRepairs = new CallRepairs();
  /** Arguments of the open call that are withheld because they may be wrapped in one more object. */
  private withheld: WithheldInput | null = null;
  /** Leaves absent arguments out of the open call; `null` if it can have none. */
  private absent: AbsentArguments | null = null;
  /** The events of an open call that no grammar vouches for yet; `null` while events are delivered. */
  private unassured: ResponseEvent[] | null = null;
  private readonly ids = new UniqueIds();
  private readonly options: WriterOptions;

  constructor(options: WriterOptions) {
    this.options = options;
    this.kept = new KeptMessage(options.keeps);
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
    if (this.withheld !== null) this.withheld.events.push(event);
    else if (this.unassured !== null) this.unassured.push(event);
    else if (this.events.length === 0) this.events = [event];
    else this.events.push(event);
  }

  /** Emits a piece of a region's text; opens the region if necessary. */
  text(region: Region, delta: string, start: number, end: number): void {
    if (this.region !== region) this.openRegion(region, start);
    this.delta(delta, start, end);
  }

  private delta(delta: string, start: number, end: number): void {
    const { target } = this;
    if (target === null) return;
    target.text.append(delta);
    this.add(deltaEvent(target, delta, start, end));
  }

  private openRegion(region: Region, at: number): void {
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
    this.otherTextEnd = this.regionPlace.endBefore(at);
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
    if (this.withheld === null) this.absent?.cover();
    this.add({ type: 'marker', text, start, end: start + text.length });
  }

  /** Starts a call; its name is known. */
  startCall(
    name: string,
    writtenId: string | null,
    { openedAt, start, end }: { readonly openedAt: number; readonly start: number; readonly end: number },
  ): void {
    this.endRegion(start);
    const index = this.callCount++;
    const id = this.uniqueId(writtenId ?? this.options.createId(index));
    this.call = {
      name,
      id,
      openedAt,
      nameEnd: end,
      argumentsAt: end,
      writtenId: writtenId === null ? null : id,
    };
    this.withheld = null;
    const names = this.options.tools.absentIfNull(name);
    this.absent =
      names.size === 0 ? null : new AbsentArguments(names, (delta, from, to) => this.delta(delta, from, to));
    if (this.options.provenance !== null && !this.isEnforced(this.call, end)) this.unassured = [];
    this.target = { type: 'tool-input-delta', id, text: this.inputText };
    this.add({ type: 'tool-input-start', id, toolName: name, start, end });
  }

  /** Records the model's own id of the open call. */
  noteId(id: string): void {
    const { call } = this;
    if (call === null || call.writtenId === id) return;
    call.writtenId = id === call.id ? id : this.uniqueId(id);
  }

  private uniqueId(id: string): string {
    const unique = this.ids.unique(id);
    if (unique === id) return id;
    this.callRepairs.noteId(id, unique);
    return unique;
  }

  /** Records a deviation that was read all the same; reported after the open call, or at once if there is none. */
  repaired(repair: Repair, at: number): void {
    if (this.call !== null) this.callRepairs.note(repair);
    else this.addRepaired({ type: 'repaired', ...repair, start: at, end: at });
  }

  private addRepaired(event: Repaired): void {
    this.kept.note(event);
    this.add(event);
  }

  private reportRepairs(toolCallId: string, at: number): void {
    for (const repair of this.callRepairs.take()) {
      this.addRepaired({ type: 'repaired', ...repair, toolCallId, start: at, end: at });
    }
  }

  /** Withholds the arguments of the open call until they are complete; `settle` then returns the final JSON. */
  withholdInput(settle: (json: string) => string): void {
    this.withheld = new WithheldInput(settle);
  }

  /** Whether arguments are emitted as they arrive. */
  get inputFlows(): boolean {
    return this.withheld === null && this.unassured === null && this.absent?.isHolding !== true;
  }

  /** Whether the grammar of the open call's tool has allowed its arguments up to `end`. */
  isCallEnforced(end: number): boolean {
    return this.call !== null && this.isEnforced(this.call, end);
  }

  private isEnforced({ name, argumentsAt }: StartedCall, end: number): boolean {
    return this.options.provenance?.isEnforced(name, argumentsAt, end, this.otherTextEnd) === true;
  }

  /** Delivers the events of a call that turned out to be valid. */
  private releaseCall(): void {
    const { unassured } = this;
    this.unassured = null;
    for (const event of unassured ?? []) this.add(event);
  }

  private releaseInput(isComplete: boolean): void {
    const { withheld } = this;
    if (withheld === null) return;
    this.withheld = null;
    withheld.release(isComplete, (event, delta) => {
      if (delta !== null) return this.certainInput(delta, event.start, event.end);
      this.absent?.cover();
      this.add(event);
    });
  }

  /** Emits JSON of the arguments that is not withheld. */
  private certainInput(delta: string, start: number, end: number): void {
    if (this.absent === null) this.delta(delta, start, end);
    else this.absent.input(delta, start, end);
  }

  /** Takes note that the value at `at`, not emitted yet, is no `null`. */
  expectValue(at: number): void {
    if (this.withheld === null) this.absent?.expectValue(at);
  }

  /** Emits JSON of the open call's arguments. */
  input(delta: string, start: number, end: number): void {
    const { withheld, target, call } = this;
    if (delta === '' || call === null || target === null) return;
    if (call.argumentsAt === call.nameEnd) call.argumentsAt = start;
    if (withheld === null && this.unassured !== null && this.isEnforced(call, end)) this.releaseCall();
    if (withheld === null) {
      this.certainInput(delta, start, end);
    } else {
      withheld.json += delta;
      withheld.events.push(deltaEvent(target, delta, start, end));
    }
  }

  /** Whether the open call's arguments are one complete object. */
  get hasWholeInput(): boolean {
    return this.call !== null && parseObject(this.withheld?.json ?? this.inputText.toString()) !== null;
  }

  /** The last units of JSON of the open call's arguments so far. */
  inputEnd(length: number): string {
    return this.withheld?.json.slice(-length) ?? this.inputText.end(length);
  }

  /** Completes the open call. */
  endCall(at: number): void {
    const { call } = this;
    if (call === null) return;
    this.releaseInput(true);
    const input = this.inputText.toString();
    const parsed = parseObject(input);
    if (parsed === null) {
      this.malformed('', at, ['arguments as one JSON object'], 'the arguments are not a JSON object');
      return;
    }
    this.absent?.cover();
    this.callRepairs.noteDuplicates(input);
    // Text that the grammar allowed counts only if it was read as the grammar reads it.
    const isEnforced = this.callRepairs.isEmpty && this.isEnforced(call, at);
    const verdict = judgeCall(this.options, call.name, parsed, isEnforced);
    if (verdict.problems.length > 0) this.refuse(call, verdict.problems, at);
    else this.handOut(call, parsed, input, verdict.assurance, at);
  }

  private handOut(
    call: StartedCall,
    parsed: JsonObject,
    input: string,
    known: Assurance | undefined,
    at: number,
  ): void {
    const assurance = known === undefined ? {} : { assurance: known };
    this.releaseCall();
    this.closeCall(call, at);
    this.add({
      type: 'tool-call',
      toolCallId: call.id,
      toolName: call.name,
      input,
      arguments: parsed,
      ...(call.writtenId === null || call.writtenId === call.id ? {} : { writtenId: call.writtenId }),
      ...assurance,
      start: at,
      end: at,
    });
    this.completedCount++;
    const called = { name: call.name, arguments: input };
    this.kept.addCall({ id: call.writtenId ?? call.id, type: 'function', function: called, ...assurance });
    this.reportRepairs(call.id, at);
  }

  private closeCall({ id }: StartedCall, at: number): void {
    this.forgetCall();
    this.add(edgeEvent('tool-input-end', id, at));
  }

  private forgetCall(): void {
    this.call = null;
    this.target = null;
    this.callRepairs.noteAbsent(this.absent?.names ?? []);
    this.absent = null;
    this.inputText.clear();
  }

  /** Emits a complete call that cannot be handed out. */
  private refuse(call: StartedCall, problems: readonly string[], at: number): void {
    const input = this.inputText.toString();
    const { raw, start } = this.takeCallText(call, '', at);
    this.addMalformed({
      type: 'malformed',
      raw,
      expected: [],
      reason: problems.join('; '),
      toolCallId: call.id,
      brokenCall: { toolName: call.name, input, problems },
      start,
      end: at,
    });
    this.reportRepairs(call.id, at);
  }

  /** Emits text that the format does not allow. An open call ends here, incomplete. */
  malformed(raw: string, start: number, expected: readonly string[], reason: string): void {
    const { call } = this;
    this.endRegion(start);
    this.releaseInput(false);
    this.absent?.breakOff(start);
    const end = start + raw.length;
    if (call === null) {
      this.addMalformed({ type: 'malformed', raw, expected, reason, start, end });
      return;
    }
    const input = this.inputText.toString();
    const text = this.takeCallText(call, raw, start);
    const owner = { toolCallId: call.id, brokenCall: { toolName: call.name, input } };
    this.addMalformed({
      type: 'malformed',
      raw: text.raw,
      expected,
      reason,
      ...owner,
      start: text.start,
      end,
    });
    this.reportRepairs(call.id, end);
  }

  /**
   * Closes a call that is not handed out, before `rest` at `at`. If its events were withheld, they never come, and the
   * text that they covered is part of the report.
   */
  private takeCallText(
    call: StartedCall,
    rest: string,
    at: number,
  ): { readonly raw: string; readonly start: number } {
    const { provenance } = this.options;
    const isWithheld = this.unassured !== null && provenance !== null;
    this.unassured = null;
    if (!isWithheld) {
      this.closeCall(call, at);
      return { raw: rest, start: at };
    }
    this.forgetCall();
    return { raw: provenance.textOf(call.openedAt, at) + rest, start: call.openedAt };
  }

  private addMalformed(event: Malformed): void {
    this.otherTextEnd = event.end;
    this.kept.note(event);
    this.add(event);
  }

  /** Emits the last event. */
  finish(reason: 'stop' | 'length', at: number): void {
    // Thoughts are all that there is: the call may be in them.
    if (!this.hasText && this.callCount === 0) this.tellPossibleCall(this.thoughts, at);
    const stopped = this.completedCount > 0 ? 'tool-calls' : 'stop';
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
