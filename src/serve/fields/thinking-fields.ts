/** The switches of thinking, under the names of all servers. */
import { withoutUndefined } from '../../format/option-rules.ts';
import type { ChatOptions } from '../../runtime/chat/chat-options.ts';
import { effortOptions } from '../../runtime/chat/reasoning-effort.ts';
import { variableProblem } from '../../template/prompt/template-variables.ts';
import { invalid } from '../errors.ts';
import type { Body } from '../read-body.ts';
import {
  anyRule,
  described,
  type FieldTable,
  flagRule,
  integerRule,
  objectRule,
  onlyRule,
  textRule,
} from './field-table.ts';
import { numberField, objectField, textField } from './request-fields.ts';

const budget = integerRule(0);
const effort = described(textRule, 'none, minimal, low, medium, high, xhigh, max, or a word of the template');

/** The fields read here: of OpenAI, OpenRouter, Ollama, Anthropic (DeepSeek, GLM, Kimi), Qwen, and vLLM. */
export const thinkingFields = {
  reasoning_effort: effort,
  reasoning: objectRule({ effort, max_tokens: budget, enabled: flagRule, exclude: flagRule }),
  think: anyRule(flagRule, effort),
  thinking: anyRule(
    flagRule,
    objectRule({
      type: onlyRule('enabled', 'adaptive', 'auto', 'disabled'),
      budget_tokens: integerRule(1),
      display: textRule,
    }),
  ),
  enable_thinking: flagRule,
  thinking_budget: budget,
  include_reasoning: flagRule,
  chat_template_kwargs: objectRule(),
} as const satisfies FieldTable;

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

/** Reads all switches. Throws `RequestError` if two of them contradict each other. */
export function readThinking(body: Body): AskedThinking {
  const variables = templateVariables(body);
  const switches = [
    ...readEffort(body),
    ...readReasoning(body),
    ...readThink(body),
    ...readAnthropic(body),
    ...readFlag(body, 'enable_thinking', ''),
    ...(variables === undefined ? [] : readVariables(variables)),
    { path: 'thinking_budget', budget: numberField(body, 'thinking_budget') },
    { path: 'include_reasoning', hides: body.include_reasoning === false },
  ];
  const asked = agreed(switches, 'effort');
  const words = asked === undefined ? {} : effortOptions(asked).templateVariables;
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

/** What a request adds for the template. */
function templateVariables(body: Body): Body | undefined {
  const field = 'chat_template_kwargs';
  const variables = objectField(body, field);
  const problem = variables === undefined ? null : variableProblem(variables);
  if (problem === null) return variables;
  const path = problem.name === null ? field : `${field}.${problem.name}`;
  throw invalid(path, `${path} ${problem.reason}`);
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

function effortSwitch(path: string, asked: string): Switch {
  return asked === 'none' ? { path, isOn: false } : { path, isOn: true, effort: asked };
}

function readEffort(body: Body): readonly Switch[] {
  const asked = textField(body, 'reasoning_effort');
  return asked === undefined ? [] : [effortSwitch('reasoning_effort', asked)];
}

function readReasoning(body: Body): readonly Switch[] {
  const reasoning = objectField(body, 'reasoning') ?? {};
  const asked = textField(reasoning, 'effort');
  const most = numberField(reasoning, 'max_tokens');
  const path = 'reasoning.max_tokens';
  return [
    ...(asked === undefined ? [] : [effortSwitch('reasoning.effort', asked)]),
    ...(most === undefined ? [] : [{ path, isOn: most > 0, budget: most }]),
    ...readFlag(reasoning, 'enabled', 'reasoning.'),
    { path: 'reasoning.exclude', hides: reasoning.exclude === true },
  ];
}

/** A boolean, or an effort. */
function readThink({ think }: Body): readonly Switch[] {
  if (think == null) return [];
  if (typeof think === 'boolean') return [{ path: 'think', isOn: think }];
  return typeof think === 'string' && think !== '' ? [effortSwitch('think', think)] : [];
}

/** `adaptive` and `auto` leave it to the model how long it thinks. */
function readAnthropic(body: Body): readonly Switch[] {
  if (typeof body.thinking === 'boolean') return readFlag(body, 'thinking', '');
  const thinking = objectField(body, 'thinking');
  if (thinking === undefined) return [];
  const { type, display } = thinking;
  if (type == null) throw invalid('thinking.type', 'thinking.type is missing', 'missing_required_parameter');
  const isOn = type !== 'disabled';
  const most = isOn ? numberField(thinking, 'budget_tokens') : undefined;
  return [{ path: 'thinking', isOn, budget: most, hides: display === 'omitted' }];
}

function readFlag(body: Body, name: string, prefix: string): readonly Switch[] {
  const value = body[name] ?? undefined;
  if (value === undefined) return [];
  return typeof value === 'boolean' ? [{ path: `${prefix}${name}`, isOn: value }] : [];
}

/** The names of most templates; they switch thinking in a template that has another name for it, too. */
function readVariables(variables: Body): readonly Switch[] {
  const prefix = 'chat_template_kwargs.';
  const { reasoning_effort: asked } = variables;
  return [
    ...['enable_thinking', 'thinking'].flatMap((name) => readFlag(variables, name, prefix)),
    ...(typeof asked === 'string' ? [effortSwitch(`${prefix}reasoning_effort`, asked)] : []),
  ];
}
