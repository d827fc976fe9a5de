/** A recorded response, shown as it was written. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Progress } from '../core/respond.ts';
import { follow, nothing, type ResponseState } from '../core/told.ts';

/** Milliseconds between two steps: a response takes less than five seconds. */
const pause = 50;

/** The response so far, and a function that begins again. It is whole at once for whoever wants no motion. */
export function useReplay(progress: readonly Progress[]): {
  readonly response: ResponseState;
  readonly replay: () => void;
} {
  const [shown, show] = useState(() =>
    matchMedia('(prefers-reduced-motion: reduce)').matches ? progress.length : 0,
  );
  const replay = useCallback(() => show(0), []);
  useEffect(() => {
    if (shown >= progress.length) return;
    const timer = setTimeout(() => show(shown + 1), pause);
    return () => clearTimeout(timer);
  }, [shown, progress]);
  return { response: progress.slice(0, shown).reduce(follow, nothing), replay };
}
