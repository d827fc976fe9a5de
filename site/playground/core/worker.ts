/** The Worker: answers the latest request, and gives up the one before. */
import { type Progress, respond } from './respond.ts';
import type { Settings } from './settings.ts';
import type { Failure } from './told.ts';

/** A request. */
export interface Request {
  readonly id: number;
  readonly settings: Settings;
  readonly seed: number;
}

/** What the page is told. */
export interface Told {
  readonly id: number;
  readonly progress: Progress | Failure;
}

let latest = 0;

globalThis.addEventListener('message', ({ data }: MessageEvent<Request>) => {
  latest = data.id;
  void answer(data);
});

async function answer({ id, settings, seed }: Request): Promise<void> {
  const tell = (progress: Told['progress']) => globalThis.postMessage({ id, progress } satisfies Told);
  try {
    for await (const progress of respond(settings, seed)) {
      if (id !== latest) return;
      tell(progress);
    }
  } catch (error) {
    tell({ type: 'failure', message: error instanceof Error ? error.message : String(error) });
  }
}
