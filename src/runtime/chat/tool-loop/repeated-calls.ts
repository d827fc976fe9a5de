/** Models that call the same again although the result is at hand: a loop that only a limit would end. */
import type { ToolCallOf, ToolList } from '../../../tools/tools.ts';
import type { CallOutcome } from './executor.ts';

/** Counts, over a run, how often the calls of a response are those of the one before, with the same results. */
export class RepeatedCalls {
  #before = '';
  #repeats = 0;

  /** Notes the calls of a response with what came of them. Returns how often in a row they were repeated. */
  note(calls: readonly ToolCallOf<ToolList>[], outcomes: readonly CallOutcome[]): number {
    // Ids differ from call to call.
    const now = JSON.stringify([
      calls.map(({ name, arguments: given }) => [name, given]),
      outcomes.map(({ content }) => content),
    ]);
    this.#repeats = calls.length > 0 && now === this.#before ? this.#repeats + 1 : 0;
    this.#before = now;
    return this.#repeats;
  }
}
