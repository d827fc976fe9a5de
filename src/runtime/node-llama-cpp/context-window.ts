/**
 * Conversations that are longer than the context: which of their messages are left out. Whole turns go, the oldest
 * first, and within the last turn whole steps of calls and results; the template renders what is left. System messages
 * and tools stay, and so does the last question.
 */
import { ContextOverflowError } from '../../format/errors.ts';
import { isInstruction, type Message } from '../../format/messages.ts';

/** What is left of a conversation. */
export interface FittedPrompt<Prompt> {
  readonly prompt: Prompt;
  /** How many messages were left out. */
  readonly dropped: number;
}

/** A quarter of the context is dropped at a time: with less, every turn would be evaluated from the beginning. */
const parts = 4;

/** Tokens of a context that are dropped at once, and for which room is made before a response. */
export function stepOf(contextSize: number): number {
  return Math.ceil(contextSize / parts);
}

/**
 * Renders as much of the conversation as leaves room for `wanted` tokens, or for fewer where not so many can be had.
 * How much is dropped depends on the length alone, in steps, so that successive prompts of a growing conversation
 * mostly begin alike. Throws `ContextOverflowError` where not even the last turn fits, and what `render` throws.
 */
export function fitPrompt<Prompt extends { readonly tokens: readonly unknown[] }>(
  messages: readonly Message[],
  render: (messages: readonly Message[]) => Prompt,
  { contextSize, wanted }: { readonly contextSize: number; readonly wanted: number },
): FittedPrompt<Prompt> {
  const choices = shortenings(messages);
  const prompts = new Map<number, Prompt>();
  const promptAt = (index: number): Prompt => {
    const prompt = prompts.get(index) ?? render(choices[index] ?? messages);
    prompts.set(index, prompt);
    return prompt;
  };
  const sizeAt = (index: number): number => promptAt(index).tokens.length;
  const fitted = (index: number): FittedPrompt<Prompt> => ({
    prompt: promptAt(index),
    dropped: messages.length - (choices[index] ?? messages).length,
  });
  const step = stepOf(contextSize);
  const most = contextSize - Math.max(1, wanted);
  const excess = sizeAt(0) - most;
  if (excess <= 0) return fitted(0);
  const target = sizeAt(0) - Math.ceil(excess / step) * step;
  const last = choices.length - 1;
  // A whole step may be more than can be dropped.
  for (const enough of [target, most, contextSize - 1]) {
    if (sizeAt(last) <= enough) return fitted(firstWhere(last, (index) => sizeAt(index) <= enough));
  }
  throw new ContextOverflowError({ needed: sizeAt(last) + 1, available: contextSize });
}

/** The first number from 0 to `last` for which `holds` is true: it is for `last`, and stays true once it is. */
function firstWhere(last: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, last];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The conversation, then shorter and shorter versions without its oldest messages. */
function shortenings(messages: readonly Message[]): readonly (readonly Message[])[] {
  const starts = messages.flatMap(({ role }, index) =>
    role === 'user' && messages[index - 1]?.role !== 'user' ? [index] : [],
  );
  const lastTurn = starts.at(-1) ?? 0;
  const answers = messages.flatMap(({ role }, index) =>
    role === 'assistant' && index > lastTurn ? [index] : [],
  );
  const withoutTurns = starts.map((start) =>
    messages.filter((message, index) => index >= start || isInstruction(message)),
  );
  const [firstAnswer = messages.length, ...laterAnswers] = answers;
  const withoutSteps = laterAnswers.map((start) =>
    messages.filter(
      (message, index) =>
        (index >= lastTurn && index < firstAnswer) || index >= start || isInstruction(message),
    ),
  );
  const shorter = [...withoutTurns, ...withoutSteps].filter(({ length }) => length < messages.length);
  return [messages, ...shorter];
}
