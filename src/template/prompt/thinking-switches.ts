/** Finds the template variables that switch thinking, and their values, by trying them. */

import { memoize } from '../../format/memoize.ts';
import type { Template } from '../parsed-template.ts';
import { tryRender } from './render-attempt.ts';

/** A variable that switches thinking. For one that turns it off (`no_think`), `on` is false. */
interface ThinkingSwitch {
  /** `enable_thinking`, `thinking`, `thinking_mode`, `reasoning_effort`. */
  readonly name: string;
  /** `null` for a level if the template thinks unless told otherwise. */
  readonly on: SwitchValue;
  readonly off: SwitchValue;
}

/** A value of such a variable. */
export type SwitchValue = boolean | string | number | null;

/** Names that may turn thinking on, not those about its length, its tokens or its place in the history. */
const candidate = /^(?:\w+_)?(?:think|thinking|reasoning)(?:_enabled|_mode|_option)?$/;
const otherPurpose =
  /preserve|keep|clear|drop|strip|skip|print|include|truncate|past|history|render|disable|interleave|(?:^|_)no_/;

/** Names that turn thinking off: `no_think`, `disable_thinking`, `skip_reasoning`. */
const declining = /^(?:no|disable|skip)_(?:think|thinking|reasoning)$/;

/** Names of variables that set the effort of thinking. */
export const effortVariable = /^(?:reasoning|thinking)_(?:effort|strength)$/;
const budgetVariable = /^(?:reasoning|thinking)_(?:token_)?budget$/;

/** A variable for how much to think, of which one level may mean: not at all. */
interface Levels {
  readonly off: string | number;
  /** A value that no template knows. */
  readonly unknown: string | number;
  /** Values that ask for thoughts, in the order in which they are tried. */
  readonly on: readonly SwitchValue[];
}

const efforts: Levels = { off: 'none', unknown: 'qzxzqx', on: [null, 'medium', 'high'] };
/** A template without a budget in its prompt means no limit, so nothing else may turn its thoughts on. */
const budgets: Levels = { off: 0, unknown: 97_531, on: [null, -1] };

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

/** Renders a short prompt with one variable set to a value. */
type RenderWith = (value: SwitchValue) => string | null;

function trySwitch(template: Template, name: string): ThinkingSwitch | null {
  const prompt = { messages: [{ role: 'user', content: 'Hello' }], add_generation_prompt: true };
  const render: RenderWith = (value) => tryRender(template, { ...prompt, [name]: value });
  for (const { on, off } of valuesOf(name)) {
    const [rendered, other] = [render(on), render(off)];
    if (rendered === null || other === null || rendered === other) continue;
    return { name, on, off };
  }
  if (effortVariable.test(name)) return tryLevels(name, efforts, render, tryRender(template, prompt));
  return budgetVariable.test(name) ? tryLevels(name, budgets, render, tryRender(template, prompt)) : null;
}

/** A level is a switch if the template treats the one for no thoughts as no other value, instead of only printing it. */
function tryLevels(
  name: string,
  levels: Levels,
  render: RenderWith,
  unset: string | null,
): ThinkingSwitch | null {
  const { off, unknown } = levels;
  const [without, other] = [render(off), render(unknown)];
  const values = [off, unknown];
  if (without === null || (other !== null && maskAll(without, values) === maskAll(other, values)))
    return null;
  for (const on of levels.on) {
    const rendered = render(on);
    const isDefault = typeof on === 'string' || rendered === unset;
    if (rendered !== null && rendered !== without && isDefault) return { name, on, off };
  }
  return null;
}

function maskAll(text: string, values: readonly (string | number)[]): string {
  return values.reduce<string>((masked, value) => masked.split(String(value)).join('\0'), text);
}

/** The switches of a template: setting one to `on` or `off` changes a prompt, and both values are accepted. */
export const thinkingSwitches = memoize((template: Template): readonly ThinkingSwitch[] =>
  [...template.names].sort().flatMap((name) => trySwitch(template, name) ?? []),
);

/** The variable for which a template without a switch accepts one setting and raises at the other; `null` if none. */
export function refusedSwitch(template: Template, thinking: boolean): string | null {
  if (thinkingSwitches(template).length > 0) return null;
  return refusedSettings(template).get(thinking) ?? null;
}

const refusedSettings = memoize((template: Template): ReadonlyMap<boolean, string> => {
  const prompt = { messages: [{ role: 'user', content: 'Hello' }], add_generation_prompt: true };
  const refused = [...template.names].sort().flatMap((name): readonly (readonly [boolean, string])[] => {
    const [first] = valuesOf(name);
    if (first === undefined) return [];
    const accepts = (value: SwitchValue) => tryRender(template, { ...prompt, [name]: value }) !== null;
    const [on, off] = [accepts(first.on), accepts(first.off)];
    return on === off ? [] : [[!on, name]];
  });
  return new Map(refused);
});
