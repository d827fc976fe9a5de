/** Arguments that are withheld until they are complete, because only then is it known what they are. */
import type { ResponseEvent } from '../events.ts';

/** The arguments of one call, and the events held back meanwhile. */
export class WithheldInput {
  readonly events: ResponseEvent[] = [];
  json = '';
  private readonly finish: (json: string) => string;

  /** `finish` returns the final JSON of complete arguments. */
  constructor(finish: (json: string) => string) {
    this.finish = finish;
  }

  /**
   * Delivers the events in order; `delta` is the JSON of an event of the arguments, `null` for others. If the JSON was
   * changed, the first delta has all of it; the others are empty and only cover their stretches.
   */
  release(isComplete: boolean, emit: (event: ResponseEvent, delta: string | null) => void): void {
    const json = isComplete ? this.finish(this.json) : this.json;
    let rest = json;
    for (const event of this.events) {
      if (event.type !== 'tool-input-delta') {
        emit(event, null);
        continue;
      }
      emit(event, json === this.json ? event.delta : rest);
      rest = '';
    }
  }
}
