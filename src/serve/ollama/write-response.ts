/** Writes responses of `/api/chat` and `/api/generate`: one object, or one on each line. */
import { parseExactJson } from '../../format/exact-json.ts';
import { withoutUndefined } from '../../format/option-rules.ts';
import type { Finish, ResponseEvent, ToolCallEvent } from '../../parser/events.ts';
import { DeviationLog } from '../deviations.ts';
import type { BegunAnswer, BrokenStream } from '../endpoint.ts';
import type { Failure } from '../errors.ts';
import type { Frame } from '../event-stream.ts';
import type { OllamaRequest } from './read-request.ts';

type Answer = BegunAnswer<OllamaRequest>;

/** Something that the model wrote. */
interface Written {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly object[];
}

/** How one of the two addresses holds what was written. */
export type Shape = (written: Written) => object;

/** A message, as `/api/chat` has it. */
export const inMessage: Shape = ({ text = '', thinking, calls }) => ({
  message: { role: 'assistant', content: text, ...withoutUndefined({ thinking, tool_calls: calls }) },
});

/** A text, as `/api/generate` has it. */
export const inText: Shape = ({ text = '', thinking }) => ({
  response: text,
  ...withoutUndefined({ thinking }),
});

/** The whole response. */
export async function completeOllama(answer: Answer, shape: Shape): Promise<object> {
  let text = '';
  let thinking = '';
  const calls: object[] = [];
  const end = new AnswerEnd();
  for await (const event of answer.events) {
    end.note(event);
    const written = writtenIn(event, calls.length);
    text += written?.text ?? '';
    thinking += written?.thinking ?? '';
    calls.push(...(written?.calls ?? []));
  }
  const all = {
    text,
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { calls }),
  };
  return { ...headOf(answer), ...shape(all), ...end.fields };
}

/** The response as it arrives. A call is sent when it is complete. */
export async function* streamOllama(answer: Answer, shape: Shape): AsyncGenerator<Frame, void> {
  const end = new AnswerEnd();
  let calls = 0;
  for await (const event of answer.events) {
    end.note(event);
    const written = writtenIn(event, calls);
    if (written === null) continue;
    calls += written.calls?.length ?? 0;
    yield { data: { ...headOf(answer), ...shape(written), done: false } };
  }
  yield { data: { ...headOf(answer), ...shape({}), ...end.fields } };
}

/** The answer to a request that has no question: the model is open, or closed. */
export function openedOllama({ keepAliveMs }: OllamaRequest, model: string, shape: Shape): object {
  const reason = keepAliveMs === 0 ? 'unload' : 'load';
  return { ...headOf({ model }), ...shape({}), done: true, done_reason: reason };
}

/** The body of an error. */
export function ollamaError({ message }: Failure): object {
  return { error: message };
}

/** The last line of a stream that failed. */
export function ollamaErrorFrames({ failure }: BrokenStream<OllamaRequest>): readonly Frame[] {
  return [{ data: ollamaError(failure) }];
}

function headOf({ model }: Pick<Answer, 'model'>): object {
  return { model, created_at: new Date().toISOString() };
}

/** What an event adds to the response; `index`: the number of calls before it. */
function writtenIn(event: ResponseEvent, index: number): Written | null {
  if (event.type === 'text-delta') return { text: event.delta };
  if (event.type === 'reasoning-delta') return { thinking: event.delta };
  return event.type === 'tool-call' ? { calls: [shownCall(event, index)] } : null;
}

function shownCall({ toolCallId: id, toolName: name, input }: ToolCallEvent, index: number): object {
  return { id, function: { index, name, arguments: parseExactJson(input) } };
}

/** What the last object says: why the response ended, and its figures; times are in nanoseconds. */
class AnswerEnd {
  readonly #deviations = new DeviationLog();
  readonly #begun = performance.now();
  #first: number | null = null;
  #finish: Finish | null = null;

  note(event: ResponseEvent): void {
    this.#first ??= performance.now();
    this.#deviations.note(event);
    if (event.type === 'finish') this.#finish = event;
  }

  get fields(): object {
    const now = performance.now();
    const first = this.#first ?? now;
    const { promptTokens = 0, completionTokens = 0 } = this.#finish?.usage ?? {};
    return {
      done: true,
      done_reason: this.#finish?.reason === 'length' ? 'length' : 'stop',
      total_duration: nanoseconds(now - this.#begun),
      load_duration: 0,
      prompt_eval_count: promptTokens,
      prompt_eval_duration: nanoseconds(first - this.#begun),
      eval_count: completionTokens,
      eval_duration: nanoseconds(now - first),
      ...this.#deviations.found,
    };
  }
}

function nanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e6);
}
