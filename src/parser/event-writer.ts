/**
 * Writes events, and builds the message from them as they are written.
 *
 * All positions are offsets into the response as a whole, as in `events.ts`.
 */
import { isObject } from '../format/json-values.ts';
import type { JsonObject, ToolCall } from '../format/messages.ts';
import type { LeniencyLaw, Malformed, Repaired, ResponseEvent, ResponseMessage } from './events.ts';
import { duplicateKeys } from './json/duplicate-keys.ts';
import { WrittenText } from './markers/written-text.ts';

/** A call that is being read. */
export interface OpenCall {
  readonly name: string;
  readonly id: string;
  /** The model's own id, where it came after the call had started. */
  writtenId: string | null;
}

/** Choices of the caller. */
export interface WriterOptions {
  readonly markers: boolean;
  /** The message is wanted; otherwise nothing is kept of what was emitted. */
  readonly keeps: boolean;
  /** The id of a call for which the model had written none when its name was known. */
  readonly createId: (index: number) => string;
  /** Says what is wrong with a call; empty when nothing is. */
  readonly validate: (toolName: string, input: JsonObject) => readonly string[];
}

type Region = 'text' | 'reasoning';

/** Arguments that are kept until they are complete, what is made of them then, and the events meanwhile. */
interface WithheldInput {
  readonly settle: (json: string) => string;
  readonly events: ResponseEvent[];
  json: string;
}

/** What deltas belong to: a region, or the arguments of a call. */
export interface EmitTarget {
  readonly type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta';
  readonly id: string;
  /** All its deltas, for the message. */
  readonly text: WrittenText;
}

/** See the top of this file. */
export class EventWriter {
  /** Events that the caller has not been given yet. */
  events: ResponseEvent[] = [];
  /** The call that has started and is not complete. */
  call: OpenCall | null = null;
  /** Calls started so far. */
  callCount = 0;
  private completedCount = 0;
  /** The region whose text was written last, while it is open. */
  region: Region | null = null;
  /** What deltas belong to now; `null` between regions. */
  target: EmitTarget | null = null;
  private readonly regionCounts = { text: 0, reasoning: 0 };
  private readonly content: WrittenText;
  private readonly reasoning: WrittenText;
  /** The JSON that the open call's arguments are so far. */
  private readonly inputText = new WrittenText(true);
  private readonly calls: ToolCall[] = [];
  private readonly malformations: Malformed[] = [];
  private readonly repairs: Repaired[] = [];
  /** Repairs of the open call, reported after it. */
  private callRepairs: { readonly law: LeniencyLaw; readonly detail: string }[] = [];
  /** Arguments of the open call that are not emitted yet, because they may be wrapped in one more object. */
  private withheld: WithheldInput | null = null;
  /** Ids of calls, each with the number that the next call of the same id is looked for from. */
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
   * Hands over the events so far; where there are none, in a list that is made anew. One frozen empty list for
   * all of those makes the engine take the slow way through every loop of the caller over events.
   */
  take(): readonly ResponseEvent[] {
    const { events } = this;
    this.events = [];
    return events;
  }

  /** Adds an event. One alone, as most are, is kept without the room for more that `push` would make. */
  add(event: ResponseEvent): void {
    if (this.withheld !== null) this.withheld.events.push(event);
    else if (this.events.length === 0) this.events = [event];
    else this.events.push(event);
  }

  /** A piece of a region; opens the region if it is not open. */
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

  /** Closes the open region, if there is one. */
  endRegion(at: number): void {
    const { region, target } = this;
    if (region === null || target === null) return;
    this.region = null;
    this.target = null;
    this.add(edgeEvent(region === 'text' ? 'text-end' : 'reasoning-end', target.id, at));
  }

  /** Text of the answer has been written. */
  get hasText(): boolean {
    return this.regionCounts.text > 0;
  }

  /** A delimiter, or white space that belongs to it. */
  marker(text: string, start: number): void {
    if (text !== '') this.add({ type: 'marker', text, start, end: start + text.length });
  }

  /** A call starts: its name is known. */
  startCall(name: string, writtenId: string | null, start: number, end: number): void {
    this.endRegion(start);
    const index = this.callCount++;
    const id = this.uniqueId(writtenId ?? this.options.createId(index));
    this.call = { name, id, writtenId: writtenId === null ? null : id };
    this.withheld = null;
    this.target = { type: 'tool-input-delta', id, text: this.inputText };
    this.add({ type: 'tool-input-start', id, toolName: name, start, end });
  }

  /** The model's own id of the open call. */
  noteId(id: string): void {
    const { call } = this;
    if (call === null || call.writtenId === id) return;
    call.writtenId = id === call.id ? id : this.uniqueId(id);
  }

  /** An id that no other call has: consumers tell calls apart by their ids. */
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

  /** What follows was read although the format does not have it; reported after the open call, or at once. */
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

  /** Keeps the arguments of the open call until they are complete; `settle` says what becomes of them. */
  withholdInput(settle: (json: string) => string): void {
    this.withheld = { settle, events: [], json: '' };
  }

  /** Whether arguments are emitted as they come. */
  get inputFlows(): boolean {
    return this.withheld === null;
  }

  private releaseInput(isComplete: boolean): void {
    const { withheld } = this;
    if (withheld === null) return;
    this.withheld = null;
    const json = isComplete ? withheld.settle(withheld.json) : withheld.json;
    // Other arguments than were written stand in the first delta; the others only cover their stretches.
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

  /** JSON of the open call's arguments. */
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

  /** Whether the arguments of the open call are one whole object. */
  get hasWholeInput(): boolean {
    return this.call !== null && parseObject(this.withheld?.json ?? this.inputText.toString()) !== null;
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
    this.noteDuplicates(input);
    this.closeCall(call, at);
    const where = { start: at, end: at };
    this.add({
      type: 'tool-call',
      toolCallId: call.id,
      toolName: call.name,
      input,
      arguments: parsed,
      ...(call.writtenId === null || call.writtenId === call.id ? {} : { writtenId: call.writtenId }),
      ...where,
    });
    const message = { name: call.name, arguments: input };
    this.completedCount++;
    if (this.options.keeps)
      this.calls.push({ id: call.writtenId ?? call.id, type: 'function', function: message });
    this.reportRepairs(call.id, at);
    this.report(call, parsed, at);
  }

  /** JSON has all values of a key that comes again; a JSON parser keeps the last; the repetition is reported. */
  private noteDuplicates(input: string): void {
    for (const key of duplicateKeys(input)) {
      const detail = `the argument ${JSON.stringify(key)} is written twice; the last value counts`;
      this.callRepairs.push({ law: 'duplicate-argument', detail });
    }
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

  /** Text that the format does not allow. An open call ends here, incomplete. */
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

  /** The last event. */
  finish(reason: 'stop' | 'length', at: number): void {
    const stopped = this.completedCount > 0 ? 'tool-calls' : 'stop';
    this.add({
      type: 'finish',
      reason: reason === 'length' ? 'length' : stopped,
      start: at,
      end: at,
    });
  }

  /** The message of everything written so far; an empty one where nothing is kept. */
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

/** A delta. All of them are made here, in one shape, which is what makes them quick to look at. */
export function deltaEvent(
  { type, id }: EmitTarget,
  delta: string,
  start: number,
  end: number,
): ResponseEvent {
  return { type, id, delta, start, end };
}

type Edge = 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end' | 'tool-input-end';

/** A beginning or an end without text of its own; in one shape, too. */
function edgeEvent(type: Edge, id: string, at: number): ResponseEvent {
  return { type, id, start: at, end: at };
}

function parseObject(json: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
