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

/** Judges the answer in `finished`, unless it was cut off, there is none, or none was requested. */
export function guardAnswer(
  { judgeAnswer, enforced }: CallGuard,
  answer: WrittenAnswer | null,
  finished: Finished,
): Finished {
  const { events, message } = finished;
  const finish = events.findLast((event) => event.type === 'finish');
  const content = message.content ?? '';
  const isAnswer = content.trim() !== '' || message.tool_calls === undefined;
  if (judgeAnswer === null || answer === null || finish?.reason === 'length' || !isAnswer) return finished;
  // What the prompt has begun of an answer stands at negative offsets. It is the beginning of the JSON, or text before it.
  const begun = Math.max(0, 0 - answer.start);
  // Where the text holds markers, in a string or in thoughts, the parser may read as the answer what the grammar does not.
  const isAsWritten = message.malformed === undefined && message.repaired === undefined;
  const isEnforced = isAsWritten && enforced.covers(answer.start + begun, answer.end);
  const whole = judgeAnswer(content, isEnforced);
  const { problems, assurance } =
    begun > 0 && whole.problems.length > 0 ? judgeAnswer(content.slice(begun), isEnforced) : whole;
  if (problems.length === 0) return withAssurance(finished, assurance);
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

function withAssurance({ events, message }: Finished, assurance: ResponseMessage['assurance']): Finished {
  const known = assurance === undefined ? {} : { assurance };
  return {
    events: events.map((event) => (event.type === 'finish' ? { ...event, ...known } : event)),
    message: { ...message, ...known },
  };
}
