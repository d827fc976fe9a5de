/** The grammar of reasoning: the rest of what the prompt opened, or what a template writes instead of it. */
import type { ChatFormat, ReasoningFormat } from '../format/chat-format.ts';
import { UnsupportedOptionError } from '../format/errors.ts';
import { alternatives } from '../language/expression/alternatives.ts';
import { type Expression, literal, sequence, until } from '../language/expression/expression.ts';
import type { RuleSet } from '../language/expression/rule-set.ts';
import type { PromptPosition } from './prompt-position.ts';

/** An answer, and what may precede it. */
export interface ReasoningAndAnswer {
  readonly format: ChatFormat;
  readonly prompt: PromptPosition;
  readonly answer: Expression;
  /** Texts that may replace empty reasoning. */
  readonly empty: readonly string[];
}

/**
 * Reasoning, then the answer. Throws `UnsupportedOptionError` if the prompt opened reasoning whose end looks like a
 * gap inside it.
 */
export function withReasoning(
  { format: { reasoning }, prompt, answer, empty }: ReasoningAndAnswer,
  rules: RuleSet,
): Expression {
  const { place } = prompt;
  if (reasoning === null) return answer;
  if (place === 'answer') return afterClosedReasoning(reasoning, prompt, answer, empty);
  if (!['start', 'reasoning', 'between-turns'].includes(place)) return answer;
  const { start, end } = reasoning;
  if (end.trim() === '') return place === 'reasoning' ? refuseUnterminatedReasoning() : answer;
  const rest = rules.add(
    'reasoning',
    until({ delimiter: end.trim(), next: sequence(literal(trailingSpace(end)), answer) }),
  );
  if (place === 'reasoning') return rest;
  const opened = start.trim();
  // Drop texts that contain the reasoning opener: ordinary reasoning already matches them.
  const none = empty.filter((text) => text.trim() !== '' && (opened === '' || !text.includes(opened)));
  const starts = opened === '' ? [] : [...new Set([start.trimEnd(), opened])];
  return alternatives(
    ...starts.map((text) => sequence(literal(text), rest)),
    ...none.map((text) => sequence(literal(text), answer)),
    answer,
  );
}

/** The prompt may close the reasoning and leave the white space after it to the model. */
function afterClosedReasoning(
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
    return isClosed && trailingSpace(close).startsWith(space)
      ? [trailingSpace(close).slice(space.length)]
      : [];
  });
  const gaps = begun ? [] : [...new Set(left)];
  return gaps.length === 0 ? answer : sequence(alternatives(...gaps.map(literal)), answer);
}

function trailingSpace(text: string): string {
  return text.slice(text.trimEnd().length);
}

/** An end of only white space cannot be told from a gap in the reasoning. */
function refuseUnterminatedReasoning(): never {
  throw new UnsupportedOptionError({
    option: 'thinking',
    reason:
      'the prompt opens thoughts that end in nothing but white space in this format, so nothing can be ' +
      'demanded of what follows them; decline thinking, or let toolChoice be `auto`',
  });
}
