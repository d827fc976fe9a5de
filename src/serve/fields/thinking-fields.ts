/** The switches of thinking, under the names of all servers. */
import {
  boolean,
  integerFrom,
  isRecord,
  jsonObject,
  oneOf,
  string,
  withoutUndefined,
} from '../../format/option-rules.ts';
import type { ChatOptions } from '../../runtime/chat/chat-options.ts';
import { effortOptions } from '../../runtime/chat/reasoning-effort.ts';
import { invalid } from '../errors.ts';
import type { Body } from '../read-body.ts';
import { field, numberField, objectField } from './request-fields.ts';

/** The fields read here: of OpenAI, OpenRouter, Ollama, Anthropic (DeepSeek, GLM, Kimi), Qwen, and vLLM. */
export const thinkingFields = [
  'reasoning_effort',
  'reasoning',
  'think',
  'thinking',
  'enable_thinking',
  'thinking_budget',
  'include_reasoning',
  'chat_template_kwargs',
] as const;

/** What a request asks about thinking. */
export interface AskedThinking {
  readonly chat: Pick<ChatOptions, 'thinking' | 'thinkingBudget' | 'templateVariables'>;
  /** Whether the answer has no thoughts, whatever the model thinks. */
  readonly hidesThoughts: boolean;
}

/** What one field asks. */
interface Switch {
  readonly path: string;
  readonly isOn?: boolean | undefined;
  readonly effort?: string | undefined;
  readonly budget?: number | undefined;
  readonly hides?: boolean | undefined;
}

const anyBudget = integerFrom(0, Number.POSITIVE_INFINITY);

/** Reads all switches. Throws `RequestError` if two of them contradict each other. */
export function readThinking(body: Body): AskedThinking {
  const variables = field(body, 'chat_template_kwargs', jsonObject) as Body | undefined;
  const switches = [
    ...readEffort(body),
    ...readReasoning(body),
    ...readThink(body),
    ...readAnthropic(body),
    ...readFlag(body, 'enable_thinking', ''),
    ...(variables === undefined ? [] : readVariables(variables)),
    { path: 'thinking_budget', budget: numberField(body, 'thinking_budget', anyBudget) },
    { path: 'include_reasoning', hides: field(body, 'include_reasoning', boolean) === false },
  ];
  const effort = agreed(switches, 'effort');
  const words = effort === undefined ? {} : effortOptions(effort).templateVariables;
  const told = { ...words, ...variables };
  return {
    chat: withoutUndefined({
      thinking: agreed(switches, 'isOn'),
      thinkingBudget: agreed(switches, 'budget'),
      templateVariables: Object.keys(told).length === 0 ? undefined : told,
    }),
    hidesThoughts: switches.some(({ hides }: Switch) => hides === true),
  };
}

/** The value of all switches that have one. */
function agreed<Name extends 'isOn' | 'effort' | 'budget'>(
  switches: readonly Switch[],
  name: Name,
): NonNullable<Switch[Name]> | undefined {
  const [first, ...others] = switches.filter((each) => each[name] !== undefined);
  const other = others.find((each) => each[name] !== first?.[name]);
  if (first === undefined || other === undefined) return first?.[name] ?? undefined;
  throw invalid(other.path, `${other.path} contradicts ${first.path}; leave one of them out`);
}

function effortSwitch(path: string, effort: string): Switch {
  return effort === 'none' ? { path, isOn: false } : { path, isOn: true, effort };
}

function readEffort(body: Body): readonly Switch[] {
  const effort = field(body, 'reasoning_effort', string);
  return typeof effort === 'string' ? [effortSwitch('reasoning_effort', effort)] : [];
}

function readReasoning(body: Body): readonly Switch[] {
  const reasoning = objectField(body, 'reasoning') ?? {};
  const { effort = null, max_tokens: most = null } = reasoning;
  if (effort !== null && typeof effort !== 'string')
    throw invalid('reasoning.effort', 'reasoning.effort must be a string');
  if (most !== null && !anyBudget.allows(most))
    throw invalid('reasoning.max_tokens', `reasoning.max_tokens must be ${anyBudget.expected}`);
  const path = 'reasoning.max_tokens';
  return [
    ...(effort === null ? [] : [effortSwitch('reasoning.effort', effort)]),
    ...(most === null ? [] : [{ path, isOn: Number(most) > 0, budget: Number(most) }]),
    ...readFlag(reasoning, 'enabled', 'reasoning.'),
    { path: 'reasoning.exclude', hides: reasoning.exclude === true },
  ];
}

/** A boolean, or an effort. */
function readThink({ think }: Body): readonly Switch[] {
  if (think == null) return [];
  if (typeof think === 'boolean') return [{ path: 'think', isOn: think }];
  if (typeof think === 'string' && think !== '') return [effortSwitch('think', think)];
  throw invalid('think', 'think must be true, false, or an effort');
}

/** `adaptive` and `auto` leave it to the model how long it thinks. */
function readAnthropic(body: Body): readonly Switch[] {
  if (typeof body.thinking === 'boolean') return readFlag(body, 'thinking', '');
  const thinking = objectField(body, 'thinking');
  if (thinking === undefined) return [];
  const { type, display } = thinking;
  const rule = oneOf('enabled', 'adaptive', 'auto', 'disabled');
  if (!rule.allows(type)) throw invalid('thinking.type', `thinking.type must be ${rule.expected}`);
  const given = thinking.budget_tokens ?? undefined;
  if (given !== undefined && !integerFrom(1, Number.POSITIVE_INFINITY).allows(given))
    throw invalid('thinking.budget_tokens', 'thinking.budget_tokens must be an integer >= 1');
  const isOn = type !== 'disabled';
  const budget = isOn && given !== undefined ? Number(given) : undefined;
  return [{ path: 'thinking', isOn, budget, hides: display === 'omitted' }];
}

function readFlag(body: Body, name: string, prefix: string): readonly Switch[] {
  const value = body[name] ?? undefined;
  if (value === undefined) return [];
  if (typeof value === 'boolean') return [{ path: `${prefix}${name}`, isOn: value }];
  throw invalid(`${prefix}${name}`, `${prefix}${name} must be true or false`);
}

/** The names of most templates; they switch thinking in a template that has another name for it, too. */
function readVariables(variables: Body): readonly Switch[] {
  return ['enable_thinking', 'thinking'].flatMap((name) => {
    const isOn = isRecord(variables) ? variables[name] : undefined;
    return typeof isOn === 'boolean' ? [{ path: `chat_template_kwargs.${name}`, isOn }] : [];
  });
}
