/** From a conversation to the tokens of its prompt. */
import type { Token } from 'node-llama-cpp';
import type { ChatFormat } from '../../format/chat-format.ts';
import { type PromptRequest, renderPieces } from '../chat/sewn-prompt.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A prompt as the model gets it. */
export interface PromptTokens {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** Tokens before what the prompt wrote of the assistant's turn. */
  readonly turnStart: number;
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
  const tokens = vocabulary.encodePrompt(pieces);
  const turnStart = tokens.length - tokensOf(Buffer.byteLength(generationPrompt), tokens, vocabulary);
  return { text: pieces.join(''), tokens, turnStart, generationPrompt };
}

/** How many of the last `tokens` hold the last `length` bytes. */
function tokensOf(length: number, tokens: readonly Token[], vocabulary: Vocabulary): number {
  let held = 0;
  let count = 0;
  for (; held < length && count < tokens.length; count++) {
    held += vocabulary.bytesOf(tokens[tokens.length - 1 - count] ?? vocabulary.token(0)).length;
  }
  return count;
}
