/** Calls that are valid and perhaps not meant, because the grammar overruled the model in them: a run may ask again. */
import type { AnyResponseEvent, Overruled } from '../../../parser/events.ts';
import { refusal } from './execute-call.ts';
import type { ToolFailure } from './executor.ts';

/** Remembers, for one run, where calls were overruled, and which tools were asked about. */
export class OverruledCalls {
  /** From this probability on; infinite if nothing is asked. */
  readonly #from: number;
  readonly #places = new Map<string, Overruled>();
  readonly #asked = new Set<string>();

  constructor(askIfOverruled: number | undefined) {
    this.#from = askIfOverruled ?? Number.POSITIVE_INFINITY;
  }

  /** Takes note of an event of a response. */
  note(event: AnyResponseEvent): void {
    if (event.type !== 'tool-call') return;
    const place = event.overruled?.find(({ probability }) => probability >= this.#from);
    const id = event.writtenId ?? event.toolCallId;
    // Ids may come again in a later response.
    if (place === undefined) this.#places.delete(id);
    else this.#places.set(id, place);
  }

  /** The outcome of a call that the model is asked to make again; `null` if it is to be executed. */
  questioned({ id, name }: { readonly id: string; readonly name: string }): ToolFailure | null {
    const place = this.#places.get(id);
    if (place === undefined || this.#asked.has(name)) return null;
    this.#asked.add(name);
    const { before, wished } = place;
    const problem = `after ${JSON.stringify(before)} you would have written ${JSON.stringify(wished)}, which the schema of ${name} does not allow; call it again with arguments that you mean and that it allows, or answer without it`;
    return refusal(id, name, [problem]);
  }
}
