/** Finds the template variables that switch thinking, and their values, by trying them. */

import { memoize } from '../../format/memoize.ts';
import type { Template } from '../template.ts';
import { tryRender } from './render-attempt.ts';

/** A variable that switches thinking. For one that turns it off (`no_think`), `on` is false. */
export interface ThinkingSwitch {
  /** `enable_thinking`, `thinking`, `thinking_mode`. */
  readonly name: string;
  readonly on: boolean | string;
  readonly off: boolean | string;
}

/** Names that may turn thinking on, not those about its length, its tokens or its place in the history. */
const candidate = /^(?:\w+_)?(?:think|thinking|reasoning)(?:_enabled|_mode|_option)?$/;
const otherPurpose =
  /preserve|keep|clear|drop|strip|skip|print|include|truncate|past|history|render|disable|interleave|(?:^|_)no_/;

/** Names that turn thinking off: `no_think`, `disable_thinking`, `skip_reasoning`. */
const declining = /^(?:no|disable|skip)_(?:think|thinking|reasoning)$/;

type SwitchValues = Pick<ThinkingSwitch, 'on' | 'off'>;

const values: readonly SwitchValues[] = [
  { on: true, off: false },
  { on: 'enabled', off: 'disabled' },
  { on: 'on', off: 'off' },
];

const decliningValues: readonly SwitchValues[] = [{ on: false, off: true }];

function valuesOf(name: string): readonly SwitchValues[] {
  if (declining.test(name)) return decliningValues;
  return candidate.test(name) && !otherPurpose.test(name) ? values : [];
}

function trySwitch(template: Template, name: string): ThinkingSwitch | null {
  const messages = [{ role: 'user', content: 'Hello' }];
  const render = (value: boolean | string) =>
    tryRender(template, { messages, add_generation_prompt: true, [name]: value });
  for (const { on, off } of valuesOf(name)) {
    const [rendered, other] = [render(on), render(off)];
    if (rendered === null || other === null || rendered === other) continue;
    return { name, on, off };
  }
  return null;
}

/** The switches of a template: setting one to `on` or `off` changes a prompt, and both values are accepted. */
export const thinkingSwitches = memoize((template: Template): readonly ThinkingSwitch[] =>
  [...template.names].sort().flatMap((name) => trySwitch(template, name) ?? []),
);
