/** Events of a response as the items of `/v1/responses`, and as the events of its stream. */
import type { Finish, ResponseEvent } from '../../parser/events.ts';
import { logprobsOf } from '../logprobs.ts';

/** A part of a response: thoughts, a message, a call. */
interface Item {
  readonly id: string;
  readonly type: 'reasoning' | 'message' | 'function_call';
  readonly [field: string]: unknown;
}

/** An item while it is written. */
interface OpenItem {
  readonly type: Item['type'];
  readonly id: string;
  readonly callId: string;
  readonly name: string;
  readonly index: number;
  text: string;
  readonly logprobs: object[];
}

/** An event of the stream, without its number. */
export interface OutputEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Follows one response. A call that broke off is never done, and none of the items. */
export class OutputItems {
  readonly #done: Item[] = [];
  readonly #id: string;
  #open: OpenItem | null = null;
  #count = 0;
  #finish: Finish | null = null;

  /** `id`: of the response; those of its items are made of it. */
  constructor(id: string) {
    this.#id = id;
  }

  /** The items that are done. */
  get items(): readonly Item[] {
    return this.#done;
  }

  /** How it ended; `null` before. */
  get finish(): Finish | null {
    return this.#finish;
  }

  /** What the stream says of an event. */
  next(event: ResponseEvent): readonly OutputEvent[] {
    switch (event.type) {
      case 'reasoning-delta':
        return this.#add('reasoning', event.delta);
      case 'text-delta':
        return this.#add('message', event.delta, logprobsOf(event));
      case 'reasoning-end':
      case 'text-end':
        return this.#close();
      case 'tool-input-start':
        return [...this.#close(), ...this.#begin('function_call', event.id, event.toolName)];
      case 'tool-input-delta':
        return this.#add('function_call', event.delta);
      case 'tool-call':
        return this.#close();
      case 'malformed':
        if (this.#open?.type === 'function_call' && event.toolCallId === this.#open.callId) this.#open = null;
        return [];
      case 'finish':
        this.#finish = event;
        if (this.#open?.type === 'function_call') this.#open = null;
        return this.#close();
      default:
        return [];
    }
  }

  #begin(type: Item['type'], callId = '', name = ''): readonly OutputEvent[] {
    const prefix = { reasoning: 'rs', message: 'msg', function_call: 'fc' }[type];
    const index = this.#count;
    this.#count += 1;
    const open: OpenItem = {
      type,
      id: `${prefix}_${this.#id}${index}`,
      callId,
      name,
      index,
      text: '',
      logprobs: [],
    };
    this.#open = open;
    const added = {
      type: 'response.output_item.added',
      output_index: index,
      item: itemOf(open, 'in_progress'),
    };
    if (type === 'function_call') return [added];
    return [added, { type: 'response.content_part.added', ...placeOf(open), part: partOf(open) }];
  }

  #add(type: Item['type'], delta: string, logprobs: readonly object[] = []): readonly OutputEvent[] {
    const isOther = this.#open?.type !== type;
    const before = isOther ? [...this.#close(), ...this.#begin(type)] : [];
    const open = this.#open;
    if (open === null) return before;
    open.text += delta;
    open.logprobs.push(...logprobs);
    const kind = `${textEvents[type]}.delta`;
    const tokens = type === 'message' ? { logprobs } : {};
    return [...before, { type: kind, ...placeOf(open), delta, ...tokens }];
  }

  #close(): readonly OutputEvent[] {
    const open = this.#open;
    if (open === null) return [];
    this.#open = null;
    const item = itemOf(open, 'completed');
    this.#done.push(item);
    const place = placeOf(open);
    const done = { type: 'response.output_item.done', output_index: open.index, item };
    const kind = `${textEvents[open.type]}.done`;
    if (open.type === 'function_call')
      return [{ type: kind, ...place, name: open.name, arguments: open.text }, done];
    const tokens = open.type === 'message' ? { logprobs: open.logprobs } : {};
    return [
      { type: kind, ...place, text: open.text, ...tokens },
      { type: 'response.content_part.done', ...place, part: partOf(open) },
      done,
    ];
  }
}

const textEvents = {
  reasoning: 'response.reasoning_text',
  message: 'response.output_text',
  function_call: 'response.function_call_arguments',
} as const;

function placeOf({ type, id, index }: OpenItem): object {
  const place = { item_id: id, output_index: index };
  return type === 'function_call' ? place : { ...place, content_index: 0 };
}

function partOf({ type, text, logprobs }: OpenItem): object {
  return type === 'reasoning'
    ? { type: 'reasoning_text', text }
    : { type: 'output_text', text, annotations: [], logprobs: [...logprobs] };
}

function itemOf(open: OpenItem, status: 'in_progress' | 'completed'): Item {
  const { id, type, callId, name, text } = open;
  if (type === 'function_call') return { id, type, status, call_id: callId, name, arguments: text };
  const content = status === 'completed' ? [partOf(open)] : [];
  if (type === 'reasoning') return { id, type, status, summary: [], content };
  return { id, type, status, role: 'assistant', content };
}
