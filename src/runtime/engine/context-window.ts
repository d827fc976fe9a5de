/**
 * Conversations that do not fit into the context: which messages are dropped. Whole turns are dropped, oldest first,
 * then whole steps of calls and results in the last turn; the template renders the rest. System messages, tools and
 * the last question are kept.
 */
import { isInstruction } from '../../format/check-messages.ts';
import { ContextOverflowError } from '../../format/errors.ts';
import type { Message } from '../../format/messages.ts';

/** The remaining conversation. */
export interface FittedPrompt<Prompt> {
  readonly prompt: Prompt;
  /** How many messages were dropped. */
  readonly dropped: number;
}

/**
 * A quarter of the context is dropped at a time; with smaller steps, every turn would be evaluated from the beginning.
 */
const parts = 4;

/** Number of tokens dropped at once, for which room is made before a response. */
export function stepOf(contextSize: number): number {
  return Math.ceil(contextSize / parts);
}

/**
 * Renders as much of the conversation as leaves room for `wanted` tokens, or for fewer if that is impossible. The
 * amount dropped depends only on the length, in steps, so that successive prompts of a growing conversation usually
 * begin alike. Throws `ContextOverflowError` if not even the last turn fits, and the errors of `render`.
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
  const sizeAt = (index: number): number => sizeOf(() => promptAt(index));
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
  // It may be impossible to drop a whole step.
  for (const enough of [target, most, contextSize - 1]) {
    if (sizeAt(last) <= enough) return fitted(firstWhere(last, (index) => sizeAt(index) <= enough));
  }
  throw new ContextOverflowError({ needed: sizeAt(last) + 1, available: contextSize });
}

/** Tokens of a prompt; at least so many, if it is too long to be tokenised. */
function sizeOf(prompt: () => { readonly tokens: readonly unknown[] }): number {
  try {
    return prompt().tokens.length;
  } catch (error) {
    if (error instanceof ContextOverflowError) return error.needed;
    throw error;
  }
}

/** The first number up to `last` for which `holds` is true. It must be true for `last`, and from the first one on. */
function firstWhere(last: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, last];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The conversation, then ever shorter versions without its oldest messages. */
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
