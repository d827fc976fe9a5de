/** The response to the latest settings, as far as the Worker has told it. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Settings } from '../core/settings.ts';
import { follow, nothing, type ResponseState } from '../core/told.ts';
import type { Request, Told } from '../core/worker.ts';

/** Loads what it needs while the page is drawn for the first time. */
const worker = new Worker(new URL('../core/worker.ts', import.meta.url), { type: 'module' });

/** Milliseconds for which typing has to rest. */
const pause = 250;

/** Whether it was typed that made these settings of the others; what is chosen from a list is done at once. */
function isTyped(one: Settings, other: Settings): boolean {
  return (['tool', 'question', 'temperature'] as const).some((each) => one[each] !== other[each]);
}

function isFirst(progress: Told['progress'][number]): boolean {
  return progress.type === 'failure' || (progress.type === 'tokens' && progress.kept === 0);
}

/** Asks the Worker once typing rests; the same settings are drawn again with another `seed`. */
export function useResponse(settings: Settings, seed: number): ResponseState {
  const [state, setState] = useState(nothing);
  const asked = useRef(0);
  const last = useRef(settings);
  // Before the page is painted, which the answer need not wait for.
  useLayoutEffect(() => {
    const listen = ({ data: { id, progress } }: MessageEvent<Told>) => {
      if (id !== asked.current) return;
      setState((before) =>
        progress.reduce((known, each) => follow(isFirst(each) ? nothing : known, each), before),
      );
    };
    worker.addEventListener('message', listen);
    return () => worker.removeEventListener('message', listen);
  }, []);
  useLayoutEffect(() => {
    const ask = () => {
      asked.current += 1;
      worker.postMessage({ id: asked.current, settings, seed } satisfies Request);
    };
    const isLater = isTyped(settings, last.current);
    last.current = settings;
    if (!isLater) {
      ask();
      return;
    }
    const timer = setTimeout(ask, pause);
    return () => clearTimeout(timer);
  }, [settings, seed]);
  return state;
}
