/** A conversation as it is shown, and what of it the model is told. */
import type { Message, ToolCall } from '../../../src/format/messages.ts';

/** A call of the model, and what it was answered. */
export interface ShownCall {
  readonly id: string;
  readonly name: string;
  /** JSON as far as it is written. */
  readonly arguments: string;
  readonly result: string | null;
}

/** What a response cost. */
export interface Cost {
  readonly prompt: number;
  readonly cached: number;
  readonly completion: number;
}

/** What the user said, or what the model made of it. */
export type Turn = UserTurn | ModelTurn;

/** What the user said. */
export interface UserTurn {
  readonly role: 'user';
  readonly text: string;
}

/** What the model wrote so far. */
export interface ModelTurn {
  readonly role: 'assistant';
  readonly thoughts: string;
  readonly text: string;
  readonly calls: readonly ShownCall[];
  readonly state: 'waits' | 'writes' | 'ended';
  /** As the server says; `stopped` by the user. */
  readonly finish: string | null;
  readonly problem: string | null;
  /** Text that fitted the model's format nowhere. */
  readonly malformed: readonly string[];
  readonly cost: Cost | null;
}

/** A turn of which nothing is written yet. */
export const emptyTurn: ModelTurn = {
  role: 'assistant',
  thoughts: '',
  text: '',
  calls: [],
  state: 'waits',
  finish: null,
  problem: null,
  malformed: [],
  cost: null,
};

/** The turns as messages of a request. Calls come with their results; a turn without anything is left out. */
export function toMessages(turns: readonly Turn[]): readonly Message[] {
  return turns.flatMap((turn): Message[] => {
    if (turn.role === 'user') return [{ role: 'user', content: turn.text }];
    const answered = turn.calls.filter(({ result }) => result !== null);
    if (turn.text === '' && answered.length === 0) return [];
    return [answerOf(turn, answered), ...answered.map(resultOf)];
  });
}

function answerOf({ text, thoughts }: ModelTurn, calls: readonly ShownCall[]): Message {
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(thoughts === '' ? {} : { reasoning_content: thoughts }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(toCall) }),
  };
}

function toCall({ id, name, arguments: written }: ShownCall): ToolCall {
  return { id, type: 'function', function: { name, arguments: written } };
}

function resultOf({ id, result }: ShownCall): Message {
  return { role: 'tool', tool_call_id: id, content: result ?? '' };
}

/** Whether the model waits for results before it can go on. */
export function awaitsResults(turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  return last?.role === 'assistant' && last.state === 'ended' && last.calls.length > 0;
}
