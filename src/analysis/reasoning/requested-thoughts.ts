/**
 * Thoughts that only the prompt's words ask for: a switch, or the template's own system message, tells the model
 * to think between two markers or after a phrase.
 *
 *     Write your thoughts between <think></think> and write your response between <response></response>
 *     Write your thoughts after 'Here is my thought process:' and your response after 'Here is my response:'
 */

import { askedThoughts } from '../../template/prompt/asked-thoughts.ts';
import { namesThoughts } from '../../template/prompt/names-thoughts.ts';
import { mirror } from '../literals/mirror.ts';
import type { Probing } from '../probes/probing.ts';
import type { TemplateProber, ThinkingSetting } from '../probes/template-prober.ts';

/** The markers around the thoughts, and before the answer after them. */
interface RequestedThoughts {
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
const maxRequestLength = 60;

const markerPair = /(<[^<>/\s]{1,30}>)[^<>]{0,80}?(<\/[^<>\s]{1,31}>)/gu;

function betweenMarkers(words: string): RequestedThoughts | null {
  const pairs = [...words.matchAll(markerPair)].filter(([, open = '', close]) => mirror(open) === close);
  const at = pairs.findIndex(({ 0: pair, index }) =>
    namesThoughts.test(words.slice(Math.max(0, index - maxRequestLength), index) + pair),
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

/** More variables than this are not tried; templates have one or two. */
const maxVariables = 4;

/** A prober under which finished turns show thoughts, and the variable that it sets. */
interface OptionalThoughts {
  readonly prober: TemplateProber;
  readonly variable: string;
}

/**
 * Thoughts that finished turns show only if a template variable asks for them: `{% if add_thoughts %}<thinking>…`.
 * Finds the variable, and the field of messages whose text it shows; `null` if there is none.
 */
export function findOptionalThoughts({ template, prober, probes }: Probing): OptionalThoughts | null {
  const known = new Set(prober.thinkingVariables);
  const names = [...template.names].filter((name) => namesThoughts.test(name) && !known.has(name)).sort();
  for (const variable of names.slice(0, maxVariables)) {
    const variables = { [variable]: true };
    const message = { role: 'assistant', content: prober.sentinels.content };
    for (const reasoningField of askedThoughts(template, [message], variables)) {
      const asked = prober.inForm({ ...prober.form, reasoningField }, variables);
      const turns = [probes.reasoningContent, probes.reasoningCall].map((probe) => asked.turn(probe));
      if (turns.some((turn) => turn?.includes(prober.sentinels.reasoning)))
        return { prober: asked, variable };
    }
  }
  return null;
}
