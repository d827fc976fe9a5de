/**
 * Thoughts that only the prompt's words ask for: a switch, or the template's own system message, tells the model
 * to think between two markers or after a phrase.
 *
 *     Write your thoughts between <think></think> and write your response between <response></response>
 *     Write your thoughts after 'Here is my thought process:' and your response after 'Here is my response:'
 */

import { namesThoughts } from '../../template/prompt/names-thoughts.ts';
import { mirror } from '../literals/mirror.ts';
import type { Probing } from '../probes/probing.ts';
import type { ThinkingSetting } from '../probes/template-prober.ts';

/** The markers around the thoughts, and before the answer after them. */
export interface RequestedThoughts {
  readonly start: string;
  readonly end: string;
  /** Opens the answer; `null` if the end of the thoughts does. */
  readonly contentOpen: string | null;
  /** The sentence that asks for it. */
  readonly slice: string;
}

/** Reads the request from the prompt; `null` if there is none. */
export function findRequestedThoughts({ prober }: Probing): RequestedThoughts | null {
  // Some templates only mention thoughts if there are no tools.
  const render = (thinking: ThinkingSetting) => prober.render(null, thinking, { tools: undefined }) ?? '';
  const [on, off] = [render('on'), render('off')];
  const others = new Set(off.split('\n'));
  const asked =
    on === off
      ? on
      : on
          .split('\n')
          .filter((line) => !others.has(line))
          .join('\n');
  const words =
    asked.slice(0, Math.max(0, asked.lastIndexOf(prober.sentinels.user))) || (on === off ? '' : asked);
  return betweenMarkers(words) ?? afterPhrases(words);
}

/** The sentence before a pair of markers that asks for thoughts is at most this long. */
const longestRequest = 60;

const markerPair = /(<[^<>/\s]{1,30}>)[^<>]{0,80}?(<\/[^<>\s]{1,31}>)/gu;

function betweenMarkers(words: string): RequestedThoughts | null {
  const pairs = [...words.matchAll(markerPair)].filter(([, open = '', close]) => mirror(open) === close);
  const at = pairs.findIndex(({ 0: pair, index }) =>
    namesThoughts.test(words.slice(Math.max(0, index - longestRequest), index) + pair),
  );
  const [thoughts, answer] = [pairs[at], pairs[at + 1]];
  if (thoughts === undefined) return null;
  const [slice, start = '', end = ''] = thoughts;
  return { start, end, contentOpen: answer?.[1] ?? null, slice };
}

const quotedPhrase = /(["'`])([^"'`\n]{5,60}:)\1/gu;

function afterPhrases(words: string): RequestedThoughts | null {
  const phrases = [...words.matchAll(quotedPhrase)];
  const at = phrases.findIndex(([, , phrase = '']) => namesThoughts.test(phrase));
  const [thoughts, answer] = [phrases[at], phrases[at + 1]];
  if (thoughts === undefined || answer === undefined) return null;
  const slice = words.slice(thoughts.index, answer.index + answer[0].length);
  return { start: thoughts[2] ?? '', end: answer[2] ?? '', contentOpen: null, slice };
}
