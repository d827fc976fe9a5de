/**
 * Conversations that do not fit into the context: which messages are dropped. Whole turns are dropped, oldest first,
 * then whole steps of calls and results in the last turn; the template renders the rest. System messages, tools and
 * the last question are kept.
 */
import { isInstruction } from '../../format/check-messages.ts';
import { ContextOverflowError } from '../../format/errors.ts';
import type { Message } from '../../format/messages.ts';
import type { Steps } from '../../language/expression/steps.ts';

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
export function* fitPrompt<Prompt extends { readonly tokens: readonly unknown[] }>(
  messages: readonly Message[],
  render: (messages: readonly Message[]) => Steps<Prompt>,
  { contextSize, wanted }: { readonly contextSize: number; readonly wanted: number },
): Steps<FittedPrompt<Prompt>> {
  const choices = shortenings(messages);
  const prompts = new Map<number, Prompt>();
  function* promptAt(index: number): Steps<Prompt> {
    const prompt = prompts.get(index) ?? (yield* render(without(messages, choices[index] ?? [])));
    prompts.set(index, prompt);
    return prompt;
  }
  const sizeAt = (index: number): Steps<number> => sizeOf(promptAt(index));
  function* fitted(index: number): Steps<FittedPrompt<Prompt>> {
    const dropped = messages.length - without(messages, choices[index] ?? []).length;
    return { prompt: yield* promptAt(index), dropped };
  }
  const step = stepOf(contextSize);
  const most = contextSize - Math.max(1, wanted);
  const whole = yield* sizeAt(0);
  const excess = whole - most;
  if (excess <= 0) return yield* fitted(0);
  const target = whole - Math.ceil(excess / step) * step;
  const last = choices.length - 1;
  const least = yield* sizeAt(last);
  // It may be impossible to drop a whole step.
  const enough = [target, most, contextSize - 1].find((size) => least <= size);
  if (enough === undefined) throw new ContextOverflowError({ needed: least + 1, available: contextSize });
  let [low, high] = [0, last];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((yield* sizeAt(middle)) <= enough) high = middle;
    else low = middle + 1;
  }
  return yield* fitted(low);
}

/** Tokens of a prompt; at least so many, if it is too long to be tokenised. */
function* sizeOf(prompt: Steps<{ readonly tokens: readonly unknown[] }>): Steps<number> {
  try {
    return (yield* prompt).tokens.length;
  } catch (error) {
    if (error instanceof ContextOverflowError) return error.needed;
    throw error;
  }
}

/** Places from a first to before a last one, of which only instructions are kept. */
type Gap = readonly [start: number, end: number];

/** What is left out of the conversation: nothing, then ever more of its oldest messages. */
function shortenings(messages: readonly Message[]): readonly (readonly Gap[])[] {
  const starts = messages.flatMap(({ role }, index) =>
    role === 'user' && messages[index - 1]?.role !== 'user' ? [index] : [],
  );
  const lastTurn = starts.at(-1) ?? 0;
  const [firstAnswer = messages.length, ...laterAnswers] = messages.flatMap(({ role }, index) =>
    role === 'assistant' && index > lastTurn ? [index] : [],
  );
  const gaps: readonly (readonly Gap[])[] = [
    ...starts.map((start): readonly Gap[] => [[0, start]]),
    ...laterAnswers.map((start): readonly Gap[] => [
      [0, lastTurn],
      [firstAnswer, start],
    ]),
  ];
  // How many messages before each may be left out.
  const before = [0];
  for (const [index, message] of messages.entries())
    before.push((before[index] ?? 0) + (isInstruction(message) ? 0 : 1));
  const shorter = gaps.filter((each) => each.some(([start, end]) => before[start] !== before[end]));
  return [[], ...shorter];
}

function without(messages: readonly Message[], gaps: readonly Gap[]): readonly Message[] {
  return messages.filter(
    (message, index) => isInstruction(message) || !gaps.some(([start, end]) => start <= index && index < end),
  );
}
