/**
 * Lowers a format to the states of its parser.
 *
 * A parser is more lenient than the format: it accepts other white space at markers, missing openers before a known
 * name, missing closers, and calls before and after text. It is therefore lowered from the format itself, not from the
 * grammar.
 */
import type { ChatFormat } from '../format/chat-format.ts';
import { turnLayout } from '../layout/turn-layout.ts';
import { moduleContractVersion } from '../parser/module-contract.ts';
import { isTransitions, linkState } from '../parser/named-states.ts';
import { callStates } from './lower-calls.ts';
import { contentStates } from './lower-content.ts';
import { reasoningStates } from './lower-reasoning.ts';
import { endStates, turnStates } from './lower-turn.ts';
import { markerPlan } from './marker-plan.ts';
import { malformed, type ParserProgram, type StateName, type StateSpec } from './states.ts';

const start: StateName = 'atTurnStart';

/** The states of a format's parser, in reading order; only reachable ones. */
export function lowerToStates(format: ChatFormat): ParserProgram {
  const layout = turnLayout(format);
  const plan = markerPlan(layout);
  const { calls } = plan;
  const { start: turnStart, lead, prompt, reasoning } = layout;
  return {
    contract: moduleContractVersion,
    start,
    ...(calls === null ? {} : { recover: malformed }),
    templateSha256: format.templateSha256,
    turnStart: turnStart.text,
    ...(lead.text === '' ? {} : { lead: lead.text }),
    ...(reasoning?.endMarked && !prompt.on.isBlank ? { thoughtPrompt: prompt.on.text } : {}),
    states: reachable(
      [
        ...turnStates(plan),
        ...reasoningStates(plan),
        ...contentStates(plan),
        ...(calls === null ? [] : callStates(plan, calls)),
        ...endStates(plan),
      ],
      start,
    ),
  };
}

/** The states that can be reached from one of them. */
export function reachable(states: readonly StateSpec[], from: StateName): readonly StateSpec[] {
  const byName = new Map(states.map((state) => [state.name, state]));
  const found = new Set<StateName>();
  const queue = [from];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const state = byName.get(name);
    if (state !== undefined) queue.push(...references(state));
  }
  return states.filter(({ name }) => found.has(name));
}

/** The states that a state refers to. */
export function references({ step }: StateSpec): readonly StateName[] {
  const names: StateName[] = [];
  const state = (name: StateName): void => {
    names.push(name);
  };
  linkState(step, {
    state,
    choices: (choices) => {
      for (const { next } of isTransitions(choices) ? choices : []) state(next);
    },
    recover: (name = malformed) => state(name),
  });
  return names;
}
