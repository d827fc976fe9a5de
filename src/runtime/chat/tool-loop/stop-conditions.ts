/** Conditions under which a tool run ends, in the shape of the AI SDK's: its `stepCountIs(5)` is one. */
import type { ResponseMessage } from '../../../parser/events.ts';
import { callsOf } from '../chat-stream.ts';

/** One response of a run, as conditions see it. */
export interface RunStep {
  readonly text: string;
  /** Its calls, with their arguments parsed. */
  readonly toolCalls: readonly {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: unknown;
  }[];
}

/** Whether a run ends after these responses. Methods are compared both ways, so the AI SDK's conditions fit. */
export type StopCondition = {
  /** Gets all responses of the run so far, once the calls of the last one have their results. */
  check(run: { readonly steps: RunStep[] }): boolean | PromiseLike<boolean>;
}['check'];

/** Whether one of the conditions holds. */
export async function isMet(
  conditions: StopCondition | readonly StopCondition[] | undefined,
  steps: readonly RunStep[],
): Promise<boolean> {
  const all = typeof conditions === 'function' ? [conditions] : (conditions ?? []);
  for (const condition of all) if (await condition({ steps: [...steps] })) return true;
  return false;
}

/** A response as a step. */
export function stepOf(message: ResponseMessage): RunStep {
  const toolCalls = callsOf(message).map(({ id, name, arguments: input }) => ({
    toolCallId: id,
    toolName: name,
    input,
  }));
  return { text: message.content ?? '', toolCalls };
}
