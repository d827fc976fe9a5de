/** Questions about a request without generating: its prompt, and its number of tokens. */
import { untilAborted } from '../format/on-abort.ts';
import { isRecord } from '../format/option-rules.ts';
import type { ChatOptions } from '../runtime/chat/chat-options.ts';
import { chatCompletions } from './chat-completions/endpoint.ts';
import { showPictures } from './content/shown-pictures.ts';
import type { Endpoint } from './endpoint.ts';
import { unanswerable } from './errors.ts';
import { messages } from './messages/endpoint.ts';
import { type Body, isLarge, readJsonBody } from './read-body.ts';
import type { Asking, ServerState } from './request-run.ts';
import { responses } from './responses/endpoint.ts';
import type { PromptPreview, ServableModel } from './servable-model.ts';
import { previewOf, startChat } from './shown-answer.ts';

/** One kind of question; its body is a request of the API. */
export interface PromptQuestion {
  readonly path: string;
  readonly endpoint: Endpoint;
  /** Fields that the question may omit although the request requires them. */
  readonly given: Body;
  /** Whether it may be asked for the prompt without the beginning of the answer. Default: false. */
  readonly mayClose?: boolean;
  readonly answer: (asked: AskedPrompt) => Promise<object>;
}

/** The model that is asked, and with which options. */
interface AskedPrompt {
  readonly model: ServableModel;
  readonly chat: ChatOptions;
  /** Whether its prompt is to end before the answer begins. */
  readonly isClosed: boolean;
}

const inputTokens = async (asked: AskedPrompt): Promise<object> => ({
  object: 'response.input_tokens',
  input_tokens: await countOf(asked),
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
    answer: async (asked) => ({ input_tokens: await countOf(asked) }),
  },
  {
    path: '/apply-template',
    endpoint: chatCompletions,
    given: {},
    mayClose: true,
    answer: async (asked) => ({ prompt: await shownPrompt(asked) }),
  },
];

/** The answer, when it is the turn of its caller. Throws `RequestError`, and the errors of previews. */
export async function answerQuestion(
  { endpoint, given, mayClose = false, answer }: PromptQuestion,
  request: Request,
  { caller, signal }: Asking,
  { options, pool, items, questions, large }: ServerState,
): Promise<Response> {
  const leave = isLarge(request) ? [await large.enter(caller, signal)] : [];
  try {
    const body = await untilAborted(readJsonBody(request, options, large), signal);
    const isClosed = mayClose && endsBeforeAnswer(body);
    const opened = isClosed ? { add_generation_prompt: true } : {};
    const asked = endpoint.read({ ...given, ...body, ...opened }, items);
    leave.push(await questions.enter(caller, signal));
    const { model, release } = await pool.borrow(asked.model, signal);
    leave.push(release);
    const messages = showPictures(asked.chat.messages, asked.pictures ?? [], model.vision === true);
    const fixed = { policy: options.policy, ...asked.chat, messages, signal };
    return Response.json(
      await answer({ model, isClosed, chat: { ...asked.wishes, ...options.defaults, ...fixed } }),
    );
  } finally {
    for (const each of leave) each();
  }
}

/** Whether the prompt is asked for without the beginning of an answer, and not because one is continued. */
function endsBeforeAnswer({
  add_generation_prompt: opens,
  continue_final_message: goesOn,
  messages: given,
}: Body): boolean {
  const last: unknown = Array.isArray(given) ? given.at(-1) : null;
  return opens === false && goesOn !== true && !(isRecord(last) && last.role === 'assistant');
}

async function shownPrompt(asked: AskedPrompt): Promise<string> {
  const { prompt, generationPrompt = '' } = await askedPreview(asked);
  const isEnd = asked.isClosed && prompt.endsWith(generationPrompt);
  return isEnd ? prompt.slice(0, prompt.length - generationPrompt.length) : prompt;
}

async function askedPreview({ model, chat }: AskedPrompt): Promise<PromptPreview> {
  if (model.preview === undefined) throw unanswerable('the engine of this model shows no prompt');
  // Schemas are compiled where nobody waits for them.
  if (model.previewInTurns === undefined) await startChat(model, chat).report;
  const preview = await previewOf(model, chat);
  if (preview === null) throw unanswerable('the engine of this model shows no prompt');
  return preview;
}

/** A server of the model is asked for tokens, but not for a response. */
async function countOf(asked: AskedPrompt): Promise<number> {
  const { promptTokens } = await askedPreview(asked);
  const counted = promptTokens ?? (await startChat(asked.model, asked.chat).promptTokens);
  if (counted === null) throw unanswerable('the engine of this model cannot count tokens without a request');
  return counted;
}
