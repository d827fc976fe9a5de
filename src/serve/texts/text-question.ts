/** Questions about texts, which are answered without a conversation: tokens, vectors, ranks. */
import { randomUUID } from 'node:crypto';
import { untilAborted } from '../../format/on-abort.ts';
import { finishInTurns } from '../../language/expression/steps.ts';
import { failureOf } from '../errors.ts';
import { checkFields, type FieldTable } from '../fields/field-table.ts';
import { textField } from '../fields/request-fields.ts';
import { type Body, isLarge, readJsonBody } from '../read-body.ts';
import { RequestWatch } from '../request-record.ts';
import type { Asking, ServerState } from '../request-run.ts';
import type { ServableModel } from '../servable-model.ts';
import { writeJson } from '../write-json.ts';

/** One kind of question. */
export interface TextQuestion {
  readonly path: string;
  readonly summary: string;
  readonly fields: FieldTable;
  /** Fields that must be present. */
  readonly required: readonly string[];
  /** JSON Schema of the answer. */
  readonly answers: object;
  /** Throws `RequestError`, and the errors of the model. */
  readonly answer: (asked: AskedText) => Promise<object>;
}

/** A question that was asked. */
export interface AskedText {
  readonly model: ServableModel;
  readonly name: string;
  readonly body: Body;
  readonly signal: AbortSignal;
}

/** The answer, when it is the turn of its caller. Throws `RequestError`, and the errors of the model. */
export async function answerText(
  { path, fields, answer }: TextQuestion,
  request: Request,
  { caller, signal }: Asking,
  { options, pool, questions, large, report }: ServerState,
): Promise<Response> {
  const watch = new RequestWatch(randomUUID().replaceAll('-', ''), path, report);
  const leave: (() => void)[] = [];
  try {
    const leaveLarge = isLarge(request) ? await large.enter(caller, signal) : null;
    // Another may be read while this one is answered.
    const body = await untilAborted(readJsonBody(request, options, large), signal).finally(() =>
      leaveLarge?.(),
    );
    checkFields(body, fields);
    leave.push(await questions.enter(caller, signal));
    const { model, name, release } = await pool.borrow(textField(body, 'model') ?? null, signal);
    leave.push(release);
    watch.model = name;
    const answered = await answer({ model, name, body, signal });
    const text = await finishInTurns(writeJson(answered), signal);
    watch.end(200);
    return new Response(text, { headers: { 'content-type': 'application/json' } });
  } catch (error) {
    const { status, code } = failureOf(error);
    watch.end(status, code);
    throw error;
  } finally {
    for (const each of leave) each();
  }
}
