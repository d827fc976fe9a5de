/**
 * Writes events and builds the message from them.
 *
 * All positions are offsets into the whole response, as in `events.ts`.
 */
import { parseObject } from '../format/json-values.ts';
import type { JsonObject, ToolCall } from '../format/messages.ts';
import type { SettledArguments } from './absent-arguments.ts';
import type { LeniencyLaw, Malformed, Repaired, ResponseEvent, ResponseMessage } from './events.ts';
import { duplicateKeys } from './json/duplicate-keys.ts';
import { WrittenText } from './markers/written-text.ts';

/** The call being read. */
export interface OpenCall {
  readonly name: string;
  readonly id: string;
  /** The model's own id, if it came after the call had started. */
  writtenId: string | null;
}

/** Choices of the caller. */
export interface WriterOptions {
  readonly markers: boolean;
  /** Whether the message is wanted; otherwise emitted text is not stored. */
  readonly keeps: boolean;
  /** Creates the id of a call if the model had written none when its name became known. */
  readonly createId: (index: number) => string;
  /** Takes out of a call's arguments, a JSON object, those that are absent. */
  readonly settle: (toolName: string, json: string) => SettledArguments;
  /** Lists what is wrong with a call; empty if nothing is. */
  readonly validate: (toolName: string, input: JsonObject) => readonly string[];
}

type Region = 'text' | 'reasoning';

/** Arguments withheld until they are complete, the function that settles them, and the events held back meanwhile. */
interface WithheldInput {
  readonly settle: (json: string) => string;
  readonly events: ResponseEvent[];
  json: string;
}

/** Where deltas go: a region, or the arguments of a call. */
export interface EmitTarget {
  readonly type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta';
  readonly id: string;
  /** All its deltas, for the message. */
  readonly text: WrittenText;
}

/** See the top of this file. */
export class EventWriter {
  /** Events not yet delivered to the caller. */
  events: ResponseEvent[] = [];
  /** The call that has started and is not complete. */
  call: OpenCall | null = null;
  /** Calls started so far. */
  callCount = 0;
  private completedCount = 0;
  /** The region of the latest text, while it is open. */
  region: Region | null = null;
  /** The current target of deltas; `null` between regions. */
  target: EmitTarget | null = null;
  private readonly regionCounts = { text: 0, reasoning: 0 };
  private readonly content: WrittenText;
  private readonly reasoning: WrittenText;
  /** JSON of the open call's arguments so far. */
  private readonly inputText = new WrittenText(true);
  private readonly calls: ToolCall[] = [];
  private readonly malformations: Malformed[] = [];
  private readonly repairs: Repaired[] = [];
  /** Repairs of the open call; reported after it. */
  private callRepairs: { readonly law: LeniencyLaw; readonly detail: string }[] = [];
  /** Arguments of the open call that are withheld because they may be wrapped in one more object. */
  private withheld: WithheldInput | null = null;
  /** For each id used so far, the number to try next when it must be made unique. */
  private readonly ids = new Map<string, number>();
  private readonly options: WriterOptions;

  constructor(options: WriterOptions) {
    this.options = options;
    this.content = new WrittenText(options.keeps);
    this.reasoning = new WrittenText(options.keeps);
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
    this.target =
      region === 'text'
        ? { type: 'text-delta', id, text: this.content }
        : { type: 'reasoning-delta', id, text: this.reasoning };
    this.add(edgeEvent(region === 'text' ? 'text-start' : 'reasoning-start', id, at));
  }

  /** Closes the open region, if any. */
  endRegion(at: number): void {
    const { region, target } = this;
    if (region === null || target === null) return;
    this.region = null;
    this.target = null;
    this.add(edgeEvent(region === 'text' ? 'text-end' : 'reasoning-end', target.id, at));
  }

  /** Whether any text of the answer has been emitted. */
  get hasText(): boolean {
    return this.regionCounts.text > 0;
  }

  /** Emits a delimiter, or white space that belongs to it. */
  marker(text: string, start: number): void {
    if (text !== '') this.add({ type: 'marker', text, start, end: start + text.length });
  }

  /** Starts a call; its name is known. */
  startCall(name: string, writtenId: string | null, start: number, end: number): void {
    this.endRegion(start);
    const index = this.callCount++;
    const id = this.uniqueId(writtenId ?? this.options.createId(index));
    this.call = { name, id, writtenId: writtenId === null ? null : id };
    this.withheld = null;
    this.target = { type: 'tool-input-delta', id, text: this.inputText };
    this.add({ type: 'tool-input-start', id, toolName: name, start, end });
  }

  /** Records the model's own id of the open call. */
  noteId(id: string): void {
    const { call } = this;
    if (call === null || call.writtenId === id) return;
    call.writtenId = id === call.id ? id : this.uniqueId(id);
  }

  /** Makes an id unique within the response, because consumers identify calls by it. */
  private uniqueId(id: string): string {
    let count = this.ids.get(id);
    if (count === undefined) {
      this.ids.set(id, 2);
      return id;
    }
    let unique = id;
    for (; this.ids.has(unique); count++) unique = `${id}-${count}`;
    this.ids.set(id, count).set(unique, 2);
    const detail = `two calls have the id ${JSON.stringify(id)}; the second is called ${JSON.stringify(unique)}`;
    this.callRepairs.push({ law: 'duplicate-id', detail });
    return unique;
  }

  /** Records a deviation that was read all the same; reported after the open call, or at once if there is none. */
  repaired(law: LeniencyLaw, detail: string, at: number): void {
    if (this.call !== null) this.callRepairs.push({ law, detail });
    else this.addRepaired({ type: 'repaired', law, detail, start: at, end: at });
  }

  private addRepaired(event: Repaired): void {
    if (this.options.keeps) this.repairs.push(event);
    this.add(event);
  }

  private reportRepairs(toolCallId: string, at: number): void {
    const repairs = this.callRepairs;
    if (repairs.length === 0) return;
    this.callRepairs = [];
    for (const { law, detail } of repairs) {
      this.addRepaired({ type: 'repaired', law, detail, toolCallId, start: at, end: at });
    }
  }

  /** Withholds the arguments of the open call until they are complete; `settle` then returns the final JSON. */
  withholdInput(settle: (json: string) => string): void {
    this.withheld = { settle, events: [], json: '' };
  }

  /** Whether arguments are emitted as they arrive. */
  get inputFlows(): boolean {
    return this.withheld === null;
  }

  private releaseInput(isComplete: boolean): void {
    const { withheld } = this;
    if (withheld === null) return;
    this.withheld = null;
    const json = isComplete ? withheld.settle(withheld.json) : withheld.json;
    // If the JSON was changed, the first delta has all of it; the others are empty and only cover their stretches.
    let rest = json;
    for (const event of withheld.events) {
      if (event.type !== 'tool-input-delta') {
        this.add(event);
        continue;
      }
      const delta = json === withheld.json ? event.delta : rest;
      this.delta(delta, event.start, event.end);
      rest = '';
    }
  }

  /** Emits JSON of the open call's arguments. */
  input(delta: string, start: number, end: number): void {
    const { withheld, target } = this;
    if (delta === '' || this.call === null || target === null) return;
    if (withheld === null) {
      this.delta(delta, start, end);
    } else {
      withheld.json += delta;
      withheld.events.push(deltaEvent(target, delta, start, end));
    }
  }

  /** Whether the open call's arguments are one complete object. */
  get hasWholeInput(): boolean {
    return this.call !== null && parseObject(this.withheld?.json ?? this.inputText.toString()) !== null;
  }

  /** Completes the open call. */
  endCall(at: number): void {
    const { call } = this;
    if (call === null) return;
    this.releaseInput(true);
    const written = this.inputText.toString();
    const parsed = parseObject(written);
    if (parsed === null) {
      this.malformed('', at, ['arguments as one JSON object'], 'the arguments are not a JSON object');
      return;
    }
    this.noteDuplicates(written);
    const input = this.withoutAbsent(call, written);
    const settled = input === written ? parsed : (parseObject(input) ?? parsed);
    this.closeCall(call, at);
    const where = { start: at, end: at };
    this.add({
      type: 'tool-call',
      toolCallId: call.id,
      toolName: call.name,
      input,
      arguments: settled,
      ...(call.writtenId === null || call.writtenId === call.id ? {} : { writtenId: call.writtenId }),
      ...where,
    });
    const message = { name: call.name, arguments: input };
    this.completedCount++;
    if (this.options.keeps)
      this.calls.push({ id: call.writtenId ?? call.id, type: 'function', function: message });
    this.reportRepairs(call.id, at);
    this.report(call, settled, at);
  }

  /** Reports keys that occur twice: a JSON parser keeps only the last value. */
  private noteDuplicates(input: string): void {
    for (const key of duplicateKeys(input)) {
      const detail = `the argument ${JSON.stringify(key)} is written twice; the last value counts`;
      this.callRepairs.push({ law: 'duplicate-argument', detail });
    }
  }

  /** The arguments without those that are absent, which deltas have as they were written. */
  private withoutAbsent({ name }: OpenCall, written: string): string {
    const { json, absent } = this.options.settle(name, written);
    for (const key of absent) {
      const detail = `the argument ${JSON.stringify(key)} is optional and must not be null; it is left out`;
      this.callRepairs.push({ law: 'null-argument', detail });
    }
    return json;
  }

  private closeCall({ id }: OpenCall, at: number): void {
    this.call = null;
    this.target = null;
    this.inputText.clear();
    this.add(edgeEvent('tool-input-end', id, at));
  }

  private report(call: OpenCall, input: JsonObject, at: number): void {
    const problems = this.options.validate(call.name, input);
    if (problems.length === 0) return;
    this.addMalformed({
      type: 'malformed',
      raw: '',
      expected: [],
      reason: problems.join('; '),
      toolCallId: call.id,
      start: at,
      end: at,
    });
  }

  /** Emits text that the format does not allow. An open call ends here, incomplete. */
  malformed(raw: string, start: number, expected: readonly string[], reason: string): void {
    const { call } = this;
    this.endRegion(start);
    this.releaseInput(false);
    const end = start + raw.length;
    const input = this.inputText.toString();
    const owner = call === null ? {} : { toolCallId: call.id, brokenCall: { toolName: call.name, input } };
    if (call !== null) this.closeCall(call, start);
    this.addMalformed({ type: 'malformed', raw, expected, reason, ...owner, start, end });
    if (call !== null) this.reportRepairs(call.id, end);
  }

  private addMalformed(event: Malformed): void {
    if (this.options.keeps) this.malformations.push(event);
    this.add(event);
  }

  /** Emits the last event. */
  finish(reason: 'stop' | 'length', at: number): void {
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
    if (!this.options.keeps) return { role: 'assistant', content: null };
    const content = this.content.toString();
    const reasoning = this.reasoning.toString();
    return {
      role: 'assistant',
      content: content === '' && this.calls.length > 0 ? null : content,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(this.calls.length === 0 ? {} : { tool_calls: [...this.calls] }),
      ...(this.malformations.length === 0 ? {} : { malformed: [...this.malformations] }),
      ...(this.repairs.length === 0 ? {} : { repaired: [...this.repairs] }),
    };
  }
}

/** A delta. All deltas are created here, with one hidden class, so that consumers access them quickly. */
export function deltaEvent(
  { type, id }: EmitTarget,
  delta: string,
  start: number,
  end: number,
): ResponseEvent {
  return { type, id, delta, start, end };
}

type Edge = 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end' | 'tool-input-end';

/** A start or end event without text; like deltas, always with one hidden class. */
function edgeEvent(type: Edge, id: string, at: number): ResponseEvent {
  return { type, id, start: at, end: at };
}
