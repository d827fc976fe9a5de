/** Questions that training never saw, each with what a perfect toy would answer. */
import type { Message, Tool } from '../../src/format/messages.ts';
import type { ToyFormat } from '../../src/testing/toy/templates.ts';
import { makeConversation, type Setting, type Theme } from './conversations.ts';
import { type Header, makeHeader } from './offers.ts';
import { Random } from './random.ts';
import { systemOf } from './samples.ts';

/** A conversation as it should go: the user's turns, the tools' results, and the toy's own turns. */
export interface Question {
  readonly theme: Theme;
  readonly thinking: boolean;
  readonly tools: readonly Tool[];
  readonly messages: readonly Message[];
}

export interface QuestionOptions {
  readonly format: ToyFormat;
  readonly themes: readonly Theme[];
  readonly seed?: number;
  /** Takes the one phrasing of each kind that training leaves out. */
  readonly unseenPhrasings?: boolean;
}

/** A list of so many questions, the same each time. Names and made-up words are none of the training's. */
export function heldOutQuestions(
  count: number,
  { format, themes, seed = 2026, unseenPhrasings = false }: QuestionOptions,
): Question[] {
  const random = new Random(seed);
  const channels = format === 'channels';
  const setting: Setting = {
    random,
    split: 'held-out',
    parallel: !channels,
    switchable: !channels,
    unseenPhrasings,
  };
  return Array.from({ length: count }, () => {
    const header = headerWithTools(random);
    const { theme, thinking, messages } = makeConversation(setting, header, random.pick(themes));
    return { theme, thinking, tools: header.tools, messages: [...systemOf(header), ...messages] };
  });
}

function headerWithTools(random: Random): Header {
  for (;;) {
    const header = makeHeader(random, false);
    if (header.tools.length > 1) return header;
  }
}
