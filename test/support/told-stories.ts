/** Conversations of several turns, each of which begins in its own words. */
import type { Message } from '../../src/format/messages.ts';

/** So many conversations, each as it stands at each of its turns, all of which are known. */
export function toldStories({
  conversations,
  turns,
  repeats,
}: {
  readonly conversations: number;
  readonly turns: number;
  /** How often a conversation's first question repeats itself. */
  readonly repeats: number;
}): readonly (readonly (readonly Message[])[])[] {
  return Array.from({ length: conversations }, (_, conversation) =>
    Array.from({ length: turns }, (__, turn) => toldStory(conversation, turn, repeats)),
  );
}

/** Everything that is said in a conversation up to one of its turns. */
function toldStory(conversation: number, turn: number, repeats: number): readonly Message[] {
  const first = {
    role: 'user',
    content: `Story ${conversation}: ${`tell ${conversation} `.repeat(repeats)}`,
  } as const;
  const later = Array.from({ length: turn }, (_, at): readonly Message[] => [
    { role: 'assistant', content: `Answer ${at} of ${conversation}. ${'And so on. '.repeat(20)}` },
    { role: 'user', content: `Question ${at} of ${conversation}?` },
  ]);
  return [first, ...later.flat()];
}
