/** Conversations as token ids, with the tokens that the model is to learn marked. */
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { Message } from '../../src/format/messages.ts';
import { renderPrompt } from '../../src/template/prompt/render-prompt.ts';
import { type ToyFormat, toyTemplates } from '../../src/testing/toy/templates.ts';
import type { Conversation } from './conversations.ts';
import type { Header } from './offers.ts';
import type { Tokenizer } from './tokenizer.ts';

export interface ToyTemplate {
  readonly source: string;
  readonly format: ChatFormat;
}

export function learnTemplate(name: ToyFormat): ToyTemplate {
  const source = toyTemplates[name];
  return { source, format: analyzeTemplate(source).format };
}

/** The text before the first message. */
export function headerText(
  { source, format }: ToyTemplate,
  header: Pick<Header, 'system' | 'tools'>,
): string {
  const messages = [...systemOf(header), { role: 'user', content: 'QUESTION' } as const];
  const text = renderPrompt(source, {
    messages,
    tools: header.tools,
    input: format.input,
    addGenerationPrompt: false,
  });
  const question = renderPrompt(source, {
    messages: messages.slice(-1),
    input: format.input,
    addGenerationPrompt: false,
  });
  if (!text.endsWith(question)) throw new Error('the header is not what stands before the question');
  return text.slice(0, -question.length);
}

export function systemOf({ system }: Pick<Header, 'system'>): Message[] {
  return system === null ? [] : [{ role: 'system', content: system }];
}

/** What the prompts give, and what the model is to write, in turns. */
export interface Part {
  readonly text: string;
  readonly learned: boolean;
}

/** The text after the header, cut into what is given and what is to be learned. */
export function conversationParts(
  template: ToyTemplate,
  { messages, thinking }: Omit<Conversation, 'theme'>,
): Part[] {
  const { source, format } = template;
  const parts: Part[] = [];
  let done = '';
  messages.forEach((message, index) => {
    if (message.role !== 'assistant') return;
    const prompt = renderPrompt(source, {
      messages: messages.slice(0, index),
      input: format.input,
      thinking,
    });
    const whole = renderPrompt(source, {
      messages: messages.slice(0, index + 1),
      input: format.input,
      addGenerationPrompt: false,
    });
    const end = lastMarker(whole);
    if (!prompt.startsWith(done) || !whole.startsWith(prompt))
      throw new Error(`a turn does not continue:\n${done}\n---\n${prompt}\n---\n${whole}`);
    parts.push(
      { text: prompt.slice(done.length), learned: false },
      { text: whole.slice(prompt.length, end), learned: true },
    );
    done = whole.slice(0, end).replace(/<\|return\|>$/, '');
  });
  return parts;
}

/** Where the turn's last marker ends; a line break after it is the prompt's. */
function lastMarker(text: string): number {
  return text.lastIndexOf('|>') + 2;
}

/** The bit that marks a token to be learned. */
export const learnedBit = 0x8000;

export function encodeParts(tokenizer: Tokenizer, parts: readonly Part[]): number[] {
  return parts.flatMap(({ text, learned }) =>
    tokenizer.encode(text).map((id) => (learned ? id | learnedBit : id)),
  );
}
