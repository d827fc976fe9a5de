/** The conversation, and what can be done in it. */
import { useRef, useState } from 'preact/hooks';
import { addChunk } from '../core/chunks.ts';
import { awaitsResults, emptyTurn, type ModelTurn, type Turn, toMessages } from '../core/conversation.ts';
import { type ChatRequest, ServerProblem, streamChat } from '../core/server.ts';

/** What a response is asked for with, next to the conversation. */
export type Settings = Omit<ChatRequest, 'messages'>;

/** The conversation and its actions. */
export interface Chat {
  readonly turns: readonly Turn[];
  readonly isBusy: boolean;
  /** Says something, and has it answered. */
  say(text: string): void;
  /** Tells the result of a call of the last turn; after the last of them the model goes on. */
  tell(callId: string, result: string): void;
  stop(): void;
  clear(): void;
}

/** `onKey` is called where the server asks for a key. */
export function useChat(settings: Settings, key: string, onKey: () => void): Chat {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [running, setRunning] = useState<AbortController | null>(null);
  // Chunks come faster than pages are drawn: they are added to this, and shown once a frame.
  const written = useRef<ModelTurn>(emptyTurn);
  const frame = useRef(0);

  async function respond(asked: readonly Turn[]): Promise<void> {
    const stopping = new AbortController();
    const show = (): void => setTurns([...asked, written.current]);
    const showSoon = (): void => {
      cancelAnimationFrame(frame.current);
      frame.current = requestAnimationFrame(show);
    };
    written.current = emptyTurn;
    setRunning(stopping);
    show();
    try {
      const request = { ...settings, messages: toMessages(asked) };
      for await (const chunk of streamChat(request, key, stopping.signal)) {
        written.current = addChunk(written.current, chunk);
        showSoon();
      }
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const isStopped = stopping.signal.aborted;
      written.current = { ...written.current, ...(isStopped ? { finish: 'stopped' } : { problem }) };
      if (error instanceof ServerProblem && error.needsKey) onKey();
    }
    cancelAnimationFrame(frame.current);
    written.current = { ...written.current, state: 'ended' };
    // Of a response that broke off, calls may be half written.
    if (written.current.finish !== 'tool_calls') written.current = { ...written.current, calls: [] };
    show();
    setRunning(null);
  }

  return {
    turns,
    isBusy: running !== null,
    say(text) {
      void respond([...turns, { role: 'user', text }]);
    },
    tell(callId, result) {
      const last = turns.at(-1);
      if (last?.role !== 'assistant' || !awaitsResults(turns)) return;
      const calls = last.calls.map((call) => (call.id === callId ? { ...call, result } : call));
      const told = [...turns.slice(0, -1), { ...last, calls }];
      if (calls.every((call) => call.result !== null)) void respond(told);
      else setTurns(told);
    },
    stop: () => running?.abort(),
    clear() {
      running?.abort();
      setTurns([]);
    },
  };
}
