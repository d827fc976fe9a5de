/** The response to the latest settings, as far as the Worker has told it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Settings } from '../core/settings.ts';
import { follow, nothing, type ResponseState } from '../core/told.ts';
import type { Request, Told } from '../core/worker.ts';

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
