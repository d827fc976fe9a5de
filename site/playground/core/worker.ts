/** The Worker: answers the latest request, and gives up the one before. What may be asked next is read meanwhile. */
import { LateEnforcement } from '../../../src/runtime/chat/enforcement/late-enforcement.ts';
import { type Progress, prepare, respond } from './respond.ts';
import { firstSettings, formats, type Settings } from './settings.ts';
import type { Failure } from './told.ts';
import { toyOf } from './toys.ts';

/** A request. */
export interface Request {
  readonly id: number;
  readonly settings: Settings;
  readonly seed: number;
}

/** What the page is told: what has happened since it was told last. */
export interface Told {
  readonly id: number;
  readonly progress: readonly (Progress | Failure)[];
}

/** Milliseconds between two messages: the page shows them one by one, which takes it longer than the toy for a token. */
const pause = 30;

// What any answer needs is loaded together, before it is asked for; what fails is told then.
void Promise.all([toyOf(firstSettings.format), new LateEnforcement().load()]).catch(() => undefined);

let latest = new AbortController();

globalThis.addEventListener('message', ({ data }: MessageEvent<Request>) => {
  latest.abort();
  latest = new AbortController();
  void answer(data, latest.signal);
});

async function answer({ id, settings, seed }: Request, signal: AbortSignal): Promise<void> {
  const progress: Progress[] = [];
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (...last: readonly Failure[]) => {
    globalThis.postMessage({ id, progress: [...progress.splice(0), ...last] } satisfies Told);
    toldAt = performance.now();
  };
  try {
    for await (const each of respond(settings, seed)) {
      if (signal.aborted) return;
      progress.push(each);
      if (performance.now() - toldAt >= pause) tell();
    }
    tell();
  } catch (error) {
    tell({ type: 'failure', message: error instanceof Error ? error.message : String(error) });
    return;
  }
  await readAhead(settings, signal);
}

/** The same question in the other formats. What goes wrong is told when it is asked. */
async function readAhead(settings: Settings, signal: AbortSignal): Promise<void> {
  try {
    for (const format of formats) {
      if (format !== settings.format) await prepare({ ...settings, format }, signal);
    }
  } catch {
    // Given up for the next question, or it cannot be asked so.
  }
}
