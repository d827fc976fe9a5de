/** The grammar of reasoning: the rest of what the prompt opened, or what a template writes instead of it. */
import { UnsupportedOptionError } from '../format/errors.ts';
import { alternatives } from '../language/expression/alternatives.ts';
import { type Expression, literal, sequence, until } from '../language/expression/expression.ts';
import type { RuleSet } from '../language/expression/rule-set.ts';
import { coresOf, Marker } from '../layout/marker.ts';
import type { ReasoningRegion } from '../layout/regions.ts';
import type { TurnLayout } from '../layout/turn-layout.ts';
import type { PromptPosition } from './prompt-position.ts';

/** An answer, and what may precede it. */
interface ReasoningAndAnswer {
  /** `null` if the format has none. */
  readonly reasoning: ReasoningRegion | null;
  readonly prompt: PromptPosition;
  readonly answer: Expression;
  /** Texts that may replace empty reasoning. */
  readonly empty: readonly Marker[];
  /** The ends of the turn, if more must follow. */
  readonly ends: readonly Marker[];
}

/**
 * Reasoning, then the answer. Throws `UnsupportedOptionError` if the prompt opened reasoning whose end looks like a
 * gap inside it.
 */
export function withReasoning(
  { reasoning, prompt, answer, empty, ends }: ReasoningAndAnswer,
  rules: RuleSet,
): Expression {
  const { place } = prompt;
  if (reasoning === null) return answer;
  if (place === 'answer') return afterClosedReasoning(reasoning, prompt, answer, empty);
  if (!['start', 'reasoning', 'between-turns'].includes(place)) return answer;
  const { open, close } = reasoning;
  if (close.isBlank) return place === 'reasoning' ? refuseUnterminatedReasoning() : answer;
  const rest = rules.add('reasoning', upTo(close, ends, answer));
  if (place === 'reasoning') return rest;
  // Drop texts that contain the reasoning opener: ordinary reasoning already matches them.
  const none = empty.filter(({ isBlank, text }) => !isBlank && (open.isBlank || !text.includes(open.core)));
  const starts = open.isBlank ? [] : [...new Set([open.upToCore, open.core])];
  return alternatives(
    ...starts.map((text) => sequence(literal(text), rest)),
    ...none.map(({ text }) => sequence(literal(text), answer)),
    answer,
  );
}

/**
 * The rest of a region, and what follows it. An end of the turn would be one for the parser, whatever follows: where the
 * close begins with one, nothing but the rest of the close comes after it.
 */
function upTo(close: Marker, ends: readonly Marker[], next: Expression): Expression {
  const cores = coresOf(ends);
  const begun = cores.find((end) => close.core.startsWith(end)) ?? close.core;
  const others = cores.filter((end) => !end.includes(begun) && !close.core.includes(end));
  const shortest = others.filter((end) => !others.some((other) => other !== end && end.includes(other)));
  return until(
    { delimiter: begun, next: sequence(literal(close.core.slice(begun.length) + close.after), next) },
    ...shortest.map((delimiter) => ({ delimiter, next: null })),
  );
}

/** How many regions may precede demanded calls, after the first thoughts. */
const maxRegions = 2;

/** Calls after more thoughts and after a preamble, if each region has a header, so that one is not taken for another. */
export function afterOtherRegions(
  { headed, reasoning, content, ends }: TurnLayout,
  {
    moreThoughts,
    prompt: { place, begun },
  }: { readonly moreThoughts: boolean; readonly prompt: PromptPosition },
  calls: Expression,
  rules: RuleSet,
): Expression {
  const [, preamble = null] = content.wrappers;
  const regions = [moreThoughts ? reasoning : null, preamble].filter(
    (region) => region?.restarts === true && !region.open.isBlank,
  );
  if (!headed || begun || place === 'call' || regions.length === 0) return calls;
  let answer = rules.add('calls', calls);
  for (let count = 0; count < maxRegions; count += 1) {
    const next = answer;
    const others = regions.flatMap((region) => {
      if (region === null) return [];
      const { open, close } = region;
      return [sequence(literal(open.core), upTo(close, ends, next))];
    });
    answer = rules.add('calls', alternatives(next, ...others));
  }
  return answer;
}

/** The prompt may close the reasoning and leave the white space after it to the model. */
function afterClosedReasoning(
  { close }: ReasoningRegion,
  prompt: PromptPosition,
  answer: Expression,
  empty: readonly Marker[],
): Expression {
  const closes = empty.length === 0 ? [] : [...empty, close];
  const { upToCore: written, after: space } = new Marker(prompt.written);
  const left = closes
    .filter(({ isBlank, core, after }) => !isBlank && written.endsWith(core) && after.startsWith(space))
    .map(({ after }) => after.slice(space.length));
  const gaps = prompt.begun ? [] : [...new Set(left)];
  return gaps.length === 0 ? answer : sequence(alternatives(...gaps.map(literal)), answer);
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
