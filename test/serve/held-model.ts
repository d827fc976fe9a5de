/** A model that writes a word whenever it is told to, and says when its response was ended. */
import { onAbort } from '../../src/format/on-abort.ts';
import type { ResponseEvent, ResponseMessage } from '../../src/parser/events.ts';
import { GeneratedChat } from '../../src/runtime/chat/chat-stream.ts';
import type { ServableModel } from '../../src/serve/index.ts';

export interface HeldModel extends ServableModel {
  /** Responses that have begun, and that are over, however they ended. */
  readonly begun: number;
  readonly over: number;
  /** Lets the next word of every response that waits come; waits until one does. */
  step(): Promise<void>;
  /** Resolves when so many have begun, or are over. */
  until(what: 'begun' | 'over', count: number): Promise<void>;
}

const stretch = { start: 0, end: 0 };

/** A model whose responses have `words` words. */
export function heldModel(words: number): HeldModel {
  const counts = { begun: 0, over: 0 };
  let waiting: (() => void)[] = [];
  const watchers = new Set<() => void>();
  const tell = (what: 'begun' | 'over' | 'waiting'): void => {
    if (what !== 'waiting') counts[what] += 1;
    for (const watch of watchers) watch();
  };

  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const watch = (): void => {
        if (!holds()) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
      watch();
    });

  async function* write(signal: AbortSignal | undefined): AsyncGenerator<ResponseEvent, ResponseMessage> {
    tell('begun');
    try {
      yield { type: 'text-start', id: 'text-0', ...stretch };
      for (let word = 0; word < words; word += 1) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          tell('waiting');
          if (signal !== undefined) onAbort(signal, resolve);
        });
        signal?.throwIfAborted();
        yield { type: 'text-delta', id: 'text-0', delta: 'word ', ...stretch };
      }
      yield { type: 'text-end', id: 'text-0', ...stretch };
      yield { type: 'finish', reason: 'stop', ...stretch };
      return { role: 'assistant', content: 'word '.repeat(words) };
    } finally {
      tell('over');
    }
  }
  return {
    name: 'held',
    get begun() {
      return counts.begun;
    },
    get over() {
      return counts.over;
    },
    chat: ({ signal }) =>
      new GeneratedChat(
        write(signal),
        () => ({ role: 'assistant', content: null }),
        async () => [],
      ),
    async step() {
      await until(() => waiting.length > 0);
      const ready = waiting;
      waiting = [];
      for (const go of ready) go();
    },
    until: (what, count) => until(() => counts[what] >= count),
  };
}
