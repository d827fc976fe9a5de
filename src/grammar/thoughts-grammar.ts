/** What comes before an answer: thoughts as the prompt has left them, or what a template writes in their place. */
import type { ChatFormat, ReasoningFormat } from '../format/chat-format.ts';
import { UnsupportedOptionError } from '../format/errors.ts';
import { alternatives } from './expression/alternatives.ts';
import { type Expression, literal, sequence, until } from './expression/expression.ts';
import type { RuleSet } from './expression/rule-set.ts';
import type { PromptPosition } from './prompt-position.ts';

/** An answer, and what may come before it. */
export interface ThoughtsAndAnswer {
  readonly format: ChatFormat;
  readonly prompt: PromptPosition;
  readonly answer: Expression;
  /** What may stand for thoughts that are empty. */
  readonly empty: readonly string[];
}

/**
 * Thoughts, then the answer. Throws `UnsupportedOptionError` where the prompt opened thoughts whose end cannot be
 * told from a gap in them.
 */
export function withThoughts(
  { format: { reasoning }, prompt, answer, empty }: ThoughtsAndAnswer,
  rules: RuleSet,
): Expression {
  const { place } = prompt;
  if (reasoning === null) return answer;
  if (place === 'answer') return afterClosedThoughts(reasoning, prompt, answer, empty);
  if (!['start', 'reasoning', 'between-turns'].includes(place)) return answer;
  const { start, end } = reasoning;
  if (end.trim() === '') return place === 'reasoning' ? refuseUnterminatedThoughts() : answer;
  const rest = rules.add(
    'reasoning',
    until({ delimiter: end.trim(), next: sequence(literal(blankEnd(end)), answer) }),
  );
  if (place === 'reasoning') return rest;
  const opened = start.trim();
  // Empty thoughts that begin as others do are among them.
  const none = empty.filter((text) => text.trim() !== '' && (opened === '' || !text.includes(opened)));
  const starts = opened === '' ? [] : [...new Set([start.trimEnd(), opened])];
  return alternatives(
    ...starts.map((text) => sequence(literal(text), rest)),
    ...none.map((text) => sequence(literal(text), answer)),
    answer,
  );
}

/** The prompt may close thoughts and leave it to the model to write the white space that follows them. */
function afterClosedThoughts(
  { end }: ReasoningFormat,
  { written, begun }: PromptPosition,
  answer: Expression,
  empty: readonly string[],
): Expression {
  const closes = empty.length === 0 ? [] : [...empty, end];
  const left = closes.flatMap((close) => {
    const marker = close.trim();
    const space = written.slice(written.trimEnd().length);
    const isClosed = marker !== '' && written.trimEnd().endsWith(marker);
    return isClosed && blankEnd(close).startsWith(space) ? [blankEnd(close).slice(space.length)] : [];
  });
  const gaps = begun ? [] : [...new Set(left)];
  return gaps.length === 0 ? answer : sequence(alternatives(...gaps.map(literal)), answer);
}

function blankEnd(text: string): string {
  return text.slice(text.trimEnd().length);
}

/** White space does not tell the end of thoughts from a gap in them. */
function refuseUnterminatedThoughts(): never {
  throw new UnsupportedOptionError({
    option: 'thinking',
    reason:
      'the prompt opens thoughts that end in nothing but white space in this format, so nothing can be ' +
      'demanded of what follows them; decline thinking, or let toolChoice be `auto`',
  });
}
