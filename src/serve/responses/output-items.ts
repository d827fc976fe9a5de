/** Converts events of a response to the items of `/v1/responses` and the events of its stream. */
import type { Finish, ResponseEvent, ToolCallEvent } from '../../parser/events.ts';
import { logprobsOf } from '../logprobs.ts';
import { type ClientTool, textArgument } from './read-tools.ts';

/** A part of a response: thoughts, a message, a call. */
interface Item {
  readonly id: string;
  readonly type: 'reasoning' | 'message' | 'function_call' | 'custom_tool_call';
  readonly [field: string]: unknown;
}

/** An item while it is written. */
interface OpenItem {
  readonly type: Item['type'];
  readonly id: string;
  readonly callId: string;
  readonly tool: ClientTool;
  readonly index: number;
  text: string;
  readonly logprobs: object[];
}

/** An event of the stream, without its sequence number. */
export interface OutputEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Follows one response. A broken call is never done, and not one of the items. */
export class OutputItems {
  readonly #done: Item[] = [];
  readonly #id: string;
  readonly #byFunction: ReadonlyMap<string, ClientTool>;
  #open: OpenItem | null = null;
  /** Where its text has ended; whether a limit cut it is known with the next event. */
  #endedAt: number | null = null;
  #count = 0;
  #finish: Finish | null = null;

  /** `id`: of the response; the ids of items are derived from it. `byFunction`: the client's tools. */
  constructor(id: string, byFunction: ReadonlyMap<string, ClientTool>) {
    this.#id = id;
    this.#byFunction = byFunction;
  }

  /** The finished items. */
  get items(): readonly Item[] {
    return this.#done;
  }

  /** How it ended; `null` before that. */
  get finish(): Finish | null {
    return this.#finish;
  }

  /** The stream events for an event of the response. */
  next(event: ResponseEvent): readonly OutputEvent[] {
    const before = this.#endedAt !== null && event.type !== 'finish' ? this.#close() : [];
    return [...before, ...this.#eventsOf(event)];
  }

  #eventsOf(event: ResponseEvent): readonly OutputEvent[] {
    switch (event.type) {
      case 'reasoning-delta':
        return this.#add('reasoning', event.delta);
      case 'text-delta':
        return this.#add('message', event.delta, logprobsOf(event));
      case 'reasoning-end':
      case 'text-end':
        this.#endedAt = event.end;
        return [];
      case 'tool-input-start':
        return [...this.#close(), ...this.#beginCall(event.id, event.toolName)];
      case 'tool-input-delta':
        return this.#addArguments(event.delta);
      case 'tool-call':
        if (this.#open?.type === 'custom_tool_call') this.#open.text = textOf(event);
        return this.#close();
      case 'finish':
        this.#finish = event;
        if (this.#open !== null && isCall(this.#open)) this.#open = null;
        return [...this.#close(this.#isCut(event) ? 'incomplete' : 'completed'), ...this.#emptyAnswer(event)];
      default:
        return [];
    }
  }

  /** Whether a limit ended the open item: not where the marker that closes it was written. */
  #isCut({ reason, start }: Finish): boolean {
    return reason === 'length' && (this.#endedAt === null || this.#endedAt === start);
  }

  /** An answer of no text is a message, too: clients that find none ask again. */
  #emptyAnswer({ reason }: Finish): readonly OutputEvent[] {
    const isAnswered = this.#done.some(({ type }) => type !== 'reasoning');
    if (isAnswered || reason !== 'stop') return [];
    return [...this.#begin('message', '', noTool), ...this.#close()];
  }

  #beginCall(callId: string, name: string): readonly OutputEvent[] {
    const tool = this.#byFunction.get(name) ?? { type: 'function', name };
    return this.#begin(tool.type === 'custom' ? 'custom_tool_call' : 'function_call', callId, tool);
  }

  #begin(type: Item['type'], callId: string, tool: ClientTool): readonly OutputEvent[] {
    const index = this.#count;
    this.#count += 1;
    const id = `${prefixes[type]}_${this.#id}${index}`;
    const open: OpenItem = { type, id, callId, tool, index, text: '', logprobs: [] };
    this.#open = open;
    const added = {
      type: 'response.output_item.added',
      output_index: index,
      item: itemOf(open, 'in_progress'),
    };
    if (isCall(open)) return [added];
    return [added, { type: 'response.content_part.added', ...placeOf(open), part: partOf(open) }];
  }

  /** The arguments of a tool with free text are only emitted when they are complete. */
  #addArguments(delta: string): readonly OutputEvent[] {
    const open = this.#open;
    if (open?.type !== 'function_call') return [];
    open.text += delta;
    return [{ type: `${textEvents.function_call}.delta`, ...placeOf(open), delta }];
  }

  #add(
    type: 'reasoning' | 'message',
    delta: string,
    logprobs: readonly object[] = [],
  ): readonly OutputEvent[] {
    const isOther = this.#open?.type !== type;
    const before = isOther ? [...this.#close(), ...this.#begin(type, '', noTool)] : [];
    const open = this.#open;
    if (open === null) return before;
    open.text += delta;
    open.logprobs.push(...logprobs);
    const tokens = type === 'message' ? { logprobs } : {};
    return [...before, { type: `${textEvents[type]}.delta`, ...placeOf(open), delta, ...tokens }];
  }

  #close(status: 'completed' | 'incomplete' = 'completed'): readonly OutputEvent[] {
    const open = this.#open;
    this.#endedAt = null;
    if (open === null) return [];
    this.#open = null;
    const item = itemOf(open, status);
    this.#done.push(item);
    const done = { type: 'response.output_item.done', output_index: open.index, item };
    return [...textDone(open), done];
  }
}

const prefixes = { reasoning: 'rs', message: 'msg', function_call: 'fc', custom_tool_call: 'ctc' } as const;

const textEvents = {
  reasoning: 'response.reasoning_text',
  message: 'response.output_text',
  function_call: 'response.function_call_arguments',
  custom_tool_call: 'response.custom_tool_call_input',
} as const;

const noTool: ClientTool = { type: 'function', name: '' };

function isCall({ type }: OpenItem): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

/** The text of a call of a tool with free text. */
function textOf({ arguments: { [textArgument]: text } }: ToolCallEvent): string {
  return typeof text === 'string' ? text : '';
}

/** The last events of an item's text. */
function textDone(open: OpenItem): readonly OutputEvent[] {
  const { type, text, tool, logprobs } = open;
  const place = placeOf(open);
  const kind = `${textEvents[type]}.done`;
  switch (type) {
    case 'function_call':
      return [{ type: kind, ...place, name: tool.name, arguments: text }];
    case 'custom_tool_call': {
      const delta = { type: `${textEvents[type]}.delta`, ...place, delta: text };
      return [delta, { type: kind, ...place, input: text }];
    }
    default: {
      const tokens = type === 'message' ? { logprobs } : {};
      const part = { type: 'response.content_part.done', ...place, part: partOf(open) };
      return [{ type: kind, ...place, text, ...tokens }, part];
    }
  }
}

function placeOf(open: OpenItem): object {
  const place = { item_id: open.id, output_index: open.index };
  return isCall(open) ? place : { ...place, content_index: 0 };
}

function partOf({ type, text, logprobs }: OpenItem): object {
  return type === 'reasoning'
    ? { type: 'reasoning_text', text }
    : { type: 'output_text', text, annotations: [], logprobs: [...logprobs] };
}

function itemOf(open: OpenItem, status: 'in_progress' | 'completed' | 'incomplete'): Item {
  const { id, type, callId, text } = open;
  if (isCall(open)) {
    const { name, namespace } = open.tool;
    const called = { call_id: callId, name, ...(namespace === undefined ? {} : { namespace }) };
    const input = type === 'function_call' ? { arguments: text } : { input: text };
    return { id, type, status, ...called, ...input };
  }
  const content = status === 'in_progress' ? [] : [partOf(open)];
  if (type === 'reasoning') return { id, type, status, summary: [], content };
  return { id, type, status, role: 'assistant', content };
}
