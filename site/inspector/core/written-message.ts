/** One message as a model writes it, and the prompt before it. */
import { type SampleSpan, sampleSpans } from '../../../src/cli/sample-response.ts';
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import { readGenerationPrompt } from '../../../src/template/prompt/generation-prompt.ts';
import { renderPrompt, renderPromptSpans } from '../../../src/template/prompt/render-prompt.ts';
import type { Conversation, TemplateInput } from './inspect-template.ts';
import { type PromptSpan, promptSpans } from './prompt-spans.ts';

/** A conversation as a template and its model write it. */
export interface WrittenConversation {
  /** What the model writes, by parts, with the end of the turn. */
  readonly answer: readonly SampleSpan[];
  /** The prompt by origin, without the generation prompt. */
  readonly prompt: readonly PromptSpan[];
  /** What the prompt already wrote of the coming turn. */
  readonly generationPrompt: string;
}

/** Throws the errors of messages, tools and templates. */
export function writeConversation(
  input: TemplateInput,
  format: ChatFormat,
  { messages, tools, answer }: Conversation,
): WrittenConversation {
  const { templateSource, bosToken = '', eosToken = '' } = input;
  const options = { messages, tools, bosToken, eosToken, input: format.input };
  const text = renderPrompt(templateSource, options);
  const generationPrompt = readGenerationPrompt({ templateSource, options, text }, format.turn);
  const opened = text.endsWith(generationPrompt) ? generationPrompt : '';
  return {
    answer: sampleSpans(format, { message: answer, tools }),
    prompt: promptSpans(renderPromptSpans(templateSource, options), text.length - opened.length, {
      messages,
      tools,
    }),
    generationPrompt: opened,
  };
}
