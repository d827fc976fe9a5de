/** A chat with pictures that the server's model sees. */
import { type SchemaIssue, UnsupportedOptionError } from '../format/errors.ts';
import type { Message, Tool } from '../format/messages.ts';
import { withoutUndefined } from '../format/option-rules.ts';
import type { SpecialFinder } from '../language/matcher/special-finder.ts';
import { cutPrompt, type TracedPrompt } from '../runtime/chat/prompt-pieces.ts';
import type { LearnedTemplate } from '../runtime/chat/template-reader.ts';
import { requestVariables } from '../template/prompt/render-prompt.ts';
import { promptTools } from '../tools/prompt-tools.ts';
import { breaker, type Conversation, type MarkedPrompt, shownConversation } from './pictures.ts';
import type { PromptEncoder } from './prompt-encoder.ts';
import type { ServerDialect } from './server-dialect.ts';
import type { ServerChatOptions } from './server-options.ts';
import type { ServerPool } from './server-pool.ts';

/** A chat whose messages and prompt have a mark for each of its pictures. */
interface PicturedChat {
  readonly options: Pick<ServerChatOptions, 'thinking' | 'templateVariables'> & {
    readonly messages: readonly Message[];
  };
  readonly tools: readonly Tool[];
  readonly template: LearnedTemplate;
  readonly prompt: TracedPrompt;
  readonly pictures: readonly string[];
}

/** Whether a response is one completion: the server renders a conversation with pictures itself. */
export function isAtOnce(
  { pictures }: Pick<PicturedChat, 'pictures'>,
  dialect: Pick<ServerDialect, 'pictures'>,
): boolean {
  return pictures.length > 0 && dialect.pictures === 'in-messages';
}

/**
 * What the server gets in place of tokens, after `written`. As text it would take every special token for the template's
 * own, so those of data are broken by a character without width.
 */
export function picturedPrompt(
  chat: PicturedChat,
  server: {
    readonly dialect: ServerDialect;
    readonly encoder: Pick<PromptEncoder, 'specials'>;
    readonly servers: Pick<ServerPool, 'error'>;
  },
  written: string,
): MarkedPrompt | Conversation {
  const { options, tools, template, prompt, pictures } = chat;
  const { specials } = server.encoder;
  if (!isAtOnce(chat, server.dialect)) {
    const pieces = cutPrompt(prompt, specials).map(({ text }) => text);
    return { text: pieces.join(breaker) + written, pictures };
  }
  if (written !== '') {
    const reason = 'a response to pictures is one completion, and this one would take a second';
    throw server.servers.error('/v1/chat/completions', reason);
  }
  const { thinking, templateVariables } = options;
  const { input } = template.format;
  const variables = requestVariables(template.source, {
    ...withoutUndefined({ thinking, templateVariables }),
    input,
  });
  return shownConversation({ ...options, pictures }, { tools: promptTools(tools), variables }, specials);
}

/** A line if `picturedPrompt` breaks a special token in the data. */
export function reportBroken(prompt: TracedPrompt, specials: SpecialFinder): readonly SchemaIssue[] {
  if (cutPrompt(prompt, specials).length === 1) return [];
  const reason =
    'texts of special tokens in messages, tools or variables are broken by a character without width (U+200B), because a prompt with pictures is text';
  return [{ tool: '', pointer: '', keyword: 'messages', effect: 'noted', reason }];
}

/** What takes a second completion. */
const ofSecond = [
  'thinkingBudget',
  'repeatPenalty',
  'frequencyPenalty',
  'presencePenalty',
  'logitBias',
] as const;

/** The options without what only a second completion could keep. Throws `UnsupportedOptionError`. */
export function inOneCompletion<Options extends ServerChatOptions>(
  options: Options,
): { readonly options: Options; readonly dropped: readonly SchemaIssue[] } {
  for (const option of ['continueFinalMessage', 'logprobs'] as const)
    if (options[option] !== undefined && options[option] !== false) {
      const reason = 'is not possible with pictures on vLLM and SGLang; leave it out';
      throw new UnsupportedOptionError({ option, reason });
    }
  const dropped = ofSecond.filter((option) => options[option] !== undefined);
  const left = Object.fromEntries(dropped.map((option) => [option, undefined]));
  const notes = dropped.map((option): SchemaIssue => {
    const reason = `${option} has no effect where vLLM and SGLang see pictures: it would take a second completion`;
    return { tool: '', pointer: '', keyword: option, effect: 'noted', reason };
  });
  return { options: { ...options, ...left }, dropped: notes };
}
