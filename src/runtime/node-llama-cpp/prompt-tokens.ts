/** From a conversation to the tokens of its prompt. */
import type { Token } from 'node-llama-cpp';
import type { ChatFormat } from '../../format/chat-format.ts';
import { type PromptRequest, renderPieces } from '../chat/sewn-prompt.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A prompt as the model gets it. */
export interface PromptTokens {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** What the prompt already wrote of the assistant's turn, its start included. */
  readonly generationPrompt: string;
}

/** Renders and tokenises. Throws `TemplateError`. */
export function encodePrompt(
  templateSource: string,
  options: PromptRequest,
  vocabulary: Vocabulary,
  format: ChatFormat,
): PromptTokens {
  const { pieces, generationPrompt } = renderPieces(templateSource, options, vocabulary.finder, format);
  return { text: pieces.join(''), tokens: vocabulary.encodePrompt(pieces), generationPrompt };
}
