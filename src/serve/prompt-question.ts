/** Questions about a request without generating: its prompt, and its number of tokens. */
import { chatCompletions } from './chat-completions/endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { RequestError } from './errors.ts';
import { messages } from './messages/endpoint.ts';
import { type Body, isLarge, readJsonBody } from './read-body.ts';
import type { ServerState } from './request-run.ts';
import { responses } from './responses/endpoint.ts';
import type { PromptPreview } from './servable-model.ts';

/** One kind of question; its body is a request of the API. */
export interface PromptQuestion {
  readonly path: string;
  readonly endpoint: Endpoint;
  /** Fields that the question may omit although the request requires them. */
  readonly given: Body;
  readonly answer: (preview: PromptPreview) => object;
}

const inputTokens = (preview: PromptPreview): object => ({
  object: 'response.input_tokens',
  input_tokens: countOf(preview),
});

/** The questions of OpenAI's, Anthropic's and llama-server's APIs. */
export const promptQuestions: readonly PromptQuestion[] = [
  {
    path: '/v1/chat/completions/input_tokens',
    endpoint: chatCompletions,
    given: {},
    answer: inputTokens,
  },
  { path: '/v1/responses/input_tokens', endpoint: responses, given: {}, answer: inputTokens },
  {
    path: '/v1/messages/count_tokens',
    endpoint: messages,
    given: { max_tokens: 1 },
    answer: (preview) => ({ input_tokens: countOf(preview) }),
  },
  { path: '/apply-template', endpoint: chatCompletions, given: {}, answer: ({ prompt }) => ({ prompt }) },
];

/** The answer, when it is the turn of `caller`. Throws `RequestError`, and the errors of previews. */
export async function answerQuestion(
  { endpoint, given, answer }: PromptQuestion,
  request: Request,
  caller: string,
  { options, pool, items, questions, large }: ServerState,
): Promise<Response> {
  const { signal } = request;
  const leave = isLarge(request) ? [await large.enter(caller, signal)] : [];
  try {
    const body = await readJsonBody(request, options);
    const asked = endpoint.read({ ...given, ...body }, items);
    leave.push(await questions.enter(caller, signal));
    const { model, release } = await pool.borrow(asked.model, signal);
    leave.push(release);
    if (model.preview === undefined) throw unanswerable('shows no prompt');
    const chat = { ...asked.wishes, ...options.defaults, policy: options.policy, ...asked.chat };
    return Response.json(answer(await model.preview(chat)));
  } finally {
    for (const each of leave) each();
  }
}

function countOf({ promptTokens }: PromptPreview): number {
  if (promptTokens === undefined) throw unanswerable('cannot count tokens without a request');
  return promptTokens;
}

function unanswerable(what: string): RequestError {
  const reason = `the engine of this model ${what}`;
  return new RequestError({ status: 501, reasonCode: 'unsupported_question', param: null, reason });
}
