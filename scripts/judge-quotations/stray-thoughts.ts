/** Thoughts where the format has none: closers without an opener, second blocks, and closers that thoughts quote. */
import type { JudgedFormat } from './judged-format.ts';
import type { Asked } from './reading.ts';

/** A response with thoughts in an unusual place. */
export interface StrayThoughts {
  readonly change: string;
  readonly text: string;
  readonly prompt: NonNullable<Asked['prompt']>;
}

/** All of a format; none if its thoughts have no markers of their own. */
export function strayThoughts({ format, layout }: JudgedFormat): readonly StrayThoughts[] {
  const { reasoning, headed, content } = layout;
  if (reasoning === null || headed || reasoning.open.isBlank || reasoning.close.isBlank) return [];
  const { open, close, end } = reasoning;
  const answer = (text: string) => content.open.text + text + content.close.text;
  const block = `${open.text}Second.${close.text}`;
  const on = format.turn.prompt.on ?? '';
  const opened = on.includes(open.core) && !on.includes(close.core) ? '' : open.text;
  return [
    {
      change: 'a closer with thinking off',
      text: `First I count.${end.text}${answer('Noon.')}`,
      prompt: 'off',
    },
    {
      change: 'a second block',
      text: `${opened}First.${close.text}${block}${answer('Noon.')}`,
      prompt: 'on',
    },
    { change: 'a block after empty thoughts', text: block + answer('Noon.'), prompt: 'off' },
    {
      change: 'thoughts that quote their closer',
      text: `${opened}I write \`${close.core}\` with care.${close.text}${answer('Noon.')}`,
      prompt: 'on',
    },
  ];
}
