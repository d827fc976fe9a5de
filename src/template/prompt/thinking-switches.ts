/** Which template variables switch thinking, and with which values: tried, not guessed. */

import type { Template } from '../template.ts';
import { tryRender } from './render-attempt.ts';

/** A variable that switches thinking. */
export interface ThinkingSwitch {
  /** `enable_thinking`, `thinking`, `thinking_mode`. */
  readonly name: string;
  readonly on: boolean | string;
  readonly off: boolean | string;
}

/** Names that could ask for thinking itself, and not for its length, its tokens or its place in history. */
const candidate = /^(?:\w+_)?(?:think|thinking|reasoning)(?:_enabled|_mode|_option)?$/;
const otherPurpose =
  /preserve|keep|clear|drop|strip|skip|print|include|truncate|past|history|render|disable|interleave|(?:^|_)no_/;

const values: readonly Pick<ThinkingSwitch, 'on' | 'off'>[] = [
  { on: true, off: false },
  { on: 'enabled', off: 'disabled' },
  { on: 'on', off: 'off' },
];

const known = new WeakMap<Template, readonly ThinkingSwitch[]>();

function trySwitch(template: Template, name: string): ThinkingSwitch | null {
  const messages = [{ role: 'user', content: 'Hello' }];
  const render = (value: boolean | string) =>
    tryRender(template, { messages, add_generation_prompt: true, [name]: value });
  for (const { on, off } of values) {
    const [rendered, other] = [render(on), render(off)];
    if (rendered === null || other === null || rendered === other) continue;
    return { name, on, off };
  }
  return null;
}

/** The switches of a template: setting one to `on` or `off` changes a prompt, and both are accepted. */
export function thinkingSwitches(template: Template): readonly ThinkingSwitch[] {
  const found = known.get(template);
  if (found !== undefined) return found;
  const names = [...template.names].filter((name) => candidate.test(name) && !otherPurpose.test(name));
  const switches = names.sort().flatMap((name) => trySwitch(template, name) ?? []);
  known.set(template, switches);
  return switches;
}
