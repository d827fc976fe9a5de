/** The response to the latest settings, as far as the Worker has told it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ResponseEvent, ResponseMessage } from '../../../src/parser/events.ts';
import type { Progress, ShownToken } from '../core/respond.ts';
import type { Settings } from '../core/settings.ts';
import type { Request, Told } from '../core/worker.ts';

/** What is known of a response. */
export interface ResponseState {
  readonly tokens: readonly ShownToken[];
  readonly events: readonly ResponseEvent[];
  /** `null` until it is finished. */
  readonly message: ResponseMessage | null;
  readonly report: readonly string[];
  readonly problem: string | null;
}

const nothing: ResponseState = { tokens: [], events: [], message: null, report: [], problem: null };

/** Milliseconds for which typing has to rest. */
const pause = 250;

/** Asks the Worker once typing rests; the same settings are drawn again with another `seed`. */
export function useResponse(settings: Settings, seed: number): ResponseState {
  const [state, setState] = useState(nothing);
  const worker = useRef<Worker>(null);
  const asked = useRef(0);
  useEffect(() => {
    const made = new Worker(new URL('../core/worker.ts', import.meta.url), { type: 'module' });
    made.addEventListener('message', ({ data: { id, progress } }: MessageEvent<Told>) => {
      if (id !== asked.current) return;
      const isFirst = progress.type === 'failure' || (progress.type === 'tokens' && progress.kept === 0);
      setState((last) => follow(isFirst ? nothing : last, progress));
    });
    worker.current = made;
    return () => made.terminate();
  }, []);
  useEffect(() => {
    const ask = () => {
      asked.current += 1;
      worker.current?.postMessage({ id: asked.current, settings, seed } satisfies Request);
    };
    const timer = setTimeout(ask, asked.current === 0 ? 0 : pause);
    return () => clearTimeout(timer);
  }, [settings, seed]);
  return state;
}

function follow(
  state: ResponseState,
  progress: Progress | Extract<Told['progress'], { type: 'failure' }>,
): ResponseState {
  switch (progress.type) {
    case 'failure':
      return { ...state, problem: progress.message };
    case 'end':
      return { ...state, message: progress.message, report: progress.report };
    case 'tokens':
      return {
        ...state,
        tokens: [...state.tokens.slice(0, progress.kept), ...progress.tokens],
        events: [...state.events, ...progress.events],
      };
  }
}
