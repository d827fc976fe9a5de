/**
 * Writes the events of calls: one is open at a time, from its name to the end of its arguments. Its events may have to
 * wait: until the arguments are complete, or until it is known that the call is valid.
 */
import { parseObject } from '../../format/json-values.ts';
import type { JsonObject } from '../../format/messages.ts';
import type { Assurance, Malformed, Repaired, ResponseEvent } from '../events.ts';
import type { Repair } from '../leniency/law-table.ts';
import { WrittenText } from '../markers/written-text.ts';
import type { WriterOptions } from '../reader-options.ts';
import { AbsentArguments } from './absent-arguments.ts';
import { CallRepairs } from './call-repairs.ts';
import { judgeCall } from './call-verdict.ts';
import { deltaEvent, type EmitTarget, edgeEvent } from './edge-events.ts';
import type { KeptMessage } from './kept-message.ts';
import type { StartedCall } from './started-call.ts';
import { UniqueIds } from './unique-ids.ts';
import { WithheldInput } from './withheld-input.ts';

/** Why text is malformed. */
export type Complaint = Pick<Malformed, 'expected' | 'reason'>;

/** Where the events go, and what else is written there. */
interface Outlet {
  /** The current target of deltas; `null` between regions. */
  target: EmitTarget | null;
  readonly kept: KeptMessage;
  /** Where the latest text that is no call ends. */
  readonly otherTextEnd: number;
  add(event: ResponseEvent): void;
  /** `keptId`: the id that the message has for the call. */
  addRepaired(event: Repaired, keptId: string): void;
  addMalformed(event: Malformed): void;
  delta(delta: string, start: number, end: number): void;
  endRegion(at: number): void;
}

/** See the top of this file. */
export class CallWriter {
  /** The call that has started and is not complete. */
  open: StartedCall | null = null;
  /** Calls started so far. */
  count = 0;
  /** Calls handed out so far. */
  completed = 0;
  /** JSON of the open call's arguments so far. */
  private readonly inputText = new WrittenText(true);
  private readonly repairs = new CallRepairs();
  /** Arguments of the open call that are withheld because they may be wrapped in one more object. */
  private withheld: WithheldInput | null = null;
  /** Leaves absent arguments out of the open call; `null` if it can have none. */
  private absent: AbsentArguments | null = null;
  /** The events of an open call that no grammar vouches for yet; `null` while events are delivered. */
  private unassured: ResponseEvent[] | null = null;
  private readonly ids = new UniqueIds();
  private readonly options: WriterOptions;
  private readonly outlet: Outlet;

  constructor(options: WriterOptions, outlet: Outlet) {
    this.options = options;
    this.outlet = outlet;
  }

  /** Whether an event has to wait, and waits from now on. */
  holds(event: ResponseEvent): boolean {
    const waiting = this.withheld?.events ?? this.unassured;
    waiting?.push(event);
    return waiting !== null;
  }

  /** Covers the text so far, before a marker's event. */
  coverBeforeMarker(): void {
    if (this.withheld === null) this.absent?.cover();
  }

  /** Starts a call; its name is known. */
  startCall(
    name: string,
    writtenId: string | null,
    { openedAt, start, end }: { readonly openedAt: number; readonly start: number; readonly end: number },
  ): void {
    this.outlet.endRegion(start);
    const index = this.count++;
    const id = this.uniqueId(writtenId ?? this.options.createId(index));
    this.open = {
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
      names.size === 0
        ? null
        : new AbsentArguments(names, (delta, from, to) => this.outlet.delta(delta, from, to));
    if (this.options.provenance !== null && !this.isEnforced(this.open, end)) this.unassured = [];
    this.outlet.target = { type: 'tool-input-delta', id, text: this.inputText };
    this.outlet.add({ type: 'tool-input-start', id, toolName: name, start, end });
  }

  /** Records the model's own id of the open call. */
  noteId(id: string): void {
    const { open: call } = this;
    if (call === null || call.writtenId === id) return;
    call.writtenId = id === call.id ? id : this.uniqueId(id);
  }

  private uniqueId(id: string): string {
    const unique = this.ids.unique(id);
    if (unique === id) return id;
    this.repairs.noteId(id, unique);
    return unique;
  }

  /** Records a deviation of the open call that was read all the same; reported after the call. */
  repaired(made: Repair): void {
    this.repairs.note(made);
  }

  /** `keptId`: the id that the message has for the call. */
  private reportRepairs(toolCallId: string, at: number, keptId = toolCallId): void {
    for (const repair of this.repairs.take()) {
      this.outlet.addRepaired({ type: 'repaired', ...repair, toolCallId, start: at, end: at }, keptId);
    }
  }

  /** Withholds the arguments of the open call until they are complete; `finish` then returns the final JSON. */
  withholdInput(finish: (json: string) => string): void {
    this.withheld = new WithheldInput(finish);
  }

  /** Whether arguments are emitted as they arrive. */
  get inputFlows(): boolean {
    return this.withheld === null && this.unassured === null && this.absent?.isHolding !== true;
  }

  /** Whether the grammar of the open call's tool has allowed its arguments up to `end`. */
  isCallEnforced(end: number): boolean {
    return this.open !== null && this.isEnforced(this.open, end);
  }

  private isEnforced({ name, argumentsAt }: StartedCall, end: number): boolean {
    return this.options.provenance?.isEnforced(name, argumentsAt, end, this.outlet.otherTextEnd) === true;
  }

  /** Delivers the events of a call that turned out to be valid. */
  private releaseCall(): void {
    const { unassured } = this;
    this.unassured = null;
    for (const event of unassured ?? []) this.outlet.add(event);
  }

  private releaseInput(isComplete: boolean): void {
    const { withheld } = this;
    if (withheld === null) return;
    this.withheld = null;
    withheld.release(isComplete, (event, delta) => {
      if (delta !== null) return this.certainInput(delta, event.start, event.end);
      this.absent?.cover();
      this.outlet.add(event);
    });
  }

  /** Emits JSON of the arguments that is not withheld. */
  private certainInput(delta: string, start: number, end: number): void {
    if (this.absent === null) this.outlet.delta(delta, start, end);
    else this.absent.input(delta, start, end);
  }

  /** Takes note that the value at `at`, not emitted yet, is no `null`. */
  expectValue(at: number): void {
    if (this.withheld === null) this.absent?.expectValue(at);
  }

  /** Emits JSON of the open call's arguments. */
  input(delta: string, start: number, end: number): void {
    const {
      withheld,
      open: call,
      outlet: { target },
    } = this;
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
    return this.open !== null && parseObject(this.withheld?.json ?? this.inputText.toString()) !== null;
  }

  /** The last units of JSON of the open call's arguments so far. */
  inputEnd(length: number): string {
    return this.withheld?.json.slice(-length) ?? this.inputText.end(length);
  }

  /** Completes the open call. */
  endCall(at: number): void {
    const { open: call } = this;
    if (call === null) return;
    this.releaseInput(true);
    const input = this.inputText.toString();
    const parsed = parseObject(input);
    if (parsed === null) {
      const reason = 'the arguments are not a JSON object';
      this.breakOff(call, '', at, { expected: ['arguments as one JSON object'], reason });
      return;
    }
    this.absent?.cover();
    this.repairs.noteDuplicates(input);
    // Text that the grammar allowed counts only if it was read as the grammar reads it.
    const isEnforced = this.repairs.isEmpty && this.isEnforced(call, at);
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
    this.outlet.add({
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
    this.completed++;
    const called = { name: call.name, arguments: input };
    const keptId = call.writtenId ?? call.id;
    this.outlet.kept.addCall({
      id: keptId,
      type: 'function',
      function: called,
      ...assurance,
    });
    this.reportRepairs(call.id, at, keptId);
  }

  private closeCall({ id }: StartedCall, at: number): void {
    this.forgetCall();
    this.outlet.add(edgeEvent('tool-input-end', id, at));
  }

  private forgetCall(): void {
    this.open = null;
    this.outlet.target = null;
    this.repairs.noteAbsent(this.absent?.names ?? []);
    this.absent = null;
    this.inputText.clear();
  }

  /** Emits a complete call that cannot be handed out. */
  private refuse(call: StartedCall, problems: readonly string[], at: number): void {
    const input = this.inputText.toString();
    const { raw, start } = this.takeCallText(call, '', at);
    this.outlet.addMalformed({
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

  /** Ends the open call, incomplete, before text that the format does not allow. */
  breakOff(call: StartedCall, raw: string, at: number, { expected, reason }: Complaint): void {
    this.releaseInput(false);
    this.absent?.breakOff(at);
    const end = at + raw.length;
    const input = this.inputText.toString();
    const text = this.takeCallText(call, raw, at);
    this.outlet.addMalformed({
      type: 'malformed',
      raw: text.raw,
      expected,
      reason,
      toolCallId: call.id,
      brokenCall: { toolName: call.name, input },
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
}
