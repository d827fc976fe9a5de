/** The end of a response with an answer to a schema: an answer that does not fit is malformed, not content. */
import type { Malformed, ResponseEvent, ResponseMessage } from '../../../parser/events.ts';
import type { CallGuard } from '../checks/call-guard.ts';

/** Offsets of the answer's text. */
export interface WrittenAnswer {
  readonly start: number;
  readonly end: number;
}

/** The last events and the message. */
interface Finished {
  readonly events: readonly ResponseEvent[];
  readonly message: ResponseMessage;
}

/**
 * Judges the answer in `finished`, unless it was cut off, there is none, or none was requested. `thoughtsEnd`: what ends
 * thoughts that are in the content; `null` if there are none.
 */
export function guardAnswer(
  { judgeAnswer, enforced }: CallGuard,
  answer: WrittenAnswer | null,
  finished: Finished,
  thoughtsEnd: string | null = null,
): Finished {
  const { events, message } = finished;
  const finish = events.findLast((event) => event.type === 'finish');
  const content = message.content ?? '';
  if (judgeAnswer === null || answer === null || finish?.reason === 'length') return finished;
  // What the prompt has begun of an answer stands at negative offsets. It is the beginning of the JSON, or text before it.
  const begun = Math.max(0, 0 - answer.start);
  const own = afterThoughts(content.slice(begun), thoughtsEnd);
  if (own.trim() === '' && message.tool_calls !== undefined) return finished;
  // Where the text holds markers, in a string or in thoughts, the parser may read as the answer what the grammar does not.
  const isAsWritten = message.malformed === undefined && message.repaired === undefined;
  const isEnforced = isAsWritten && enforced.covers(answer.start + begun, answer.end);
  // The grammar has not seen the one, and allows any of the other.
  const mayHoldMore = begun > 0 || thoughtsEnd !== null;
  const isWhole = !mayHoldMore || judgeAnswer(content, false).problems.length === 0;
  const { problems, assurance } = judgeAnswer(isWhole ? content : own, isEnforced);
  if (problems.length === 0) return isWhole ? withAssurance(finished, assurance) : finished;
  const malformed: Malformed = {
    type: 'malformed',
    raw: content,
    expected: ['an answer that fits its schema'],
    reason: problems.join('; '),
    ...answer,
  };
  return {
    events: [
      ...events.filter((event) => event !== finish),
      malformed,
      ...(finish === undefined ? [] : [finish]),
    ],
    message: { ...message, content: null, malformed: [...(message.malformed ?? []), malformed] },
  };
}

function afterThoughts(text: string, thoughtsEnd: string | null): string {
  const end = thoughtsEnd?.trim() ?? '';
  const at = end === '' ? -1 : text.indexOf(end);
  return at < 0 ? text : text.slice(at + end.length);
}

function withAssurance({ events, message }: Finished, assurance: ResponseMessage['assurance']): Finished {
  const known = assurance === undefined ? {} : { assurance };
  return {
    events: events.map((event) => (event.type === 'finish' ? { ...event, ...known } : event)),
    message: { ...message, ...known },
  };
}
