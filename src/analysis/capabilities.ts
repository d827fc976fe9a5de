/**
 * What a template accepts and really reads: small conversations with sentinels are rendered, and it is observed which
 * sentinels are read and which are printed. No template or model name decides anything, nor does the source text.
 */

import type { Capabilities } from '../format/capabilities.ts';
import type { InputShape } from '../format/chat-format.ts';
import { memoize } from '../format/memoize.ts';
import type { AssistantMessage, Message, Tool, ToolCall } from '../format/messages.ts';
import type { ObservedRender, Template, TemplateVariables } from '../template/parsed-template.ts';
import { observeInputShape, shapeMessages } from '../template/prompt/input-shape.ts';
import { tryObserve } from '../template/prompt/render-attempt.ts';
import { anySentinels, type Sentinels, sentinelTool } from '../template/prompt/sentinels.ts';
import { effortVariable, thinkingSwitches } from '../template/prompt/thinking-switches.ts';
import type { Evidence } from './evidence.ts';
import type { Probing } from './probes/probing.ts';

/** The flags, and the evidence for each. */
interface ObservedCapabilities {
  readonly capabilities: Capabilities;
  readonly evidence: readonly Evidence[];
}

/** The result of one observation. */
interface Observation {
  readonly holds: boolean;
  readonly probe: string;
  readonly slice: string;
  readonly reason: string;
}

function around(text: string, word: string): string {
  const at = text.indexOf(word);
  return at < 0 ? '' : text.slice(Math.max(0, at - 40), at + word.length + 40);
}

/** Looks for a sentinel in a render. */
function observed(probe: string, render: ObservedRender | null, word: string, what: string): Observation {
  if (render === null) return { holds: false, probe, slice: '', reason: `the template refuses ${what}` };
  const holds = render.text.includes(word);
  const reason = holds ? `${what} is rendered` : `${what} is not rendered`;
  return { holds, probe, slice: around(render.text, word), reason };
}

/** The observation, if the template also read this path of its input. */
function read(observation: Observation, render: ObservedRender | null, path: string): Observation {
  if (!observation.holds || render?.reads.get(path)?.has('value') === true) return observation;
  return { ...observation, holds: false, reason: `${path} is never read` };
}

/** The observation, unless the word was printed as part of a Python list or dict, which the template did not interpret. */
function notPrinted(observation: Observation, key: string, word: string): Observation {
  if (!observation.slice.includes(`'${key}': '${word}'`)) return observation;
  return {
    ...observation,
    holds: false,
    reason: "Python's notation is printed: the template does not look inside",
  };
}

/** Renders conversations in the form that the template expects. */
class Observer {
  readonly sentinels: Sentinels;
  readonly tool: Tool;
  readonly user: Message;
  readonly shape: InputShape;
  /** Variables that turn thinking on. */
  readonly thinking: TemplateVariables;

  constructor(readonly template: Template) {
    this.sentinels = anySentinels(template.source);
    this.tool = sentinelTool(this.sentinels);
    this.user = { role: 'user', content: this.sentinels.user };
    this.shape = observeInputShape(template);
    this.thinking = Object.fromEntries(thinkingSwitches(template).map(({ name, on }) => [name, on]));
  }

  observe(messages: readonly Message[], variables: TemplateVariables = {}): ObservedRender | null {
    return tryObserve(this.template, { messages: shapeMessages(messages, this.shape), ...variables });
  }

  /** Renders with a tool; without one if the template refuses it, because it may expect tools in another form. */
  observeWithTool(messages: readonly Message[]): ObservedRender | null {
    return this.observe(messages, { tools: [this.tool] }) ?? this.observe(messages);
  }

  /** A message with one call for each value. */
  callMessage(values: readonly string[]): AssistantMessage {
    const { names, keys, ids } = this.sentinels;
    const calls = values.map((value, index): ToolCall => {
      const call = { name: names[0], arguments: JSON.stringify({ [keys[0]]: value }) };
      return { id: ids[index] ?? ids[0], type: 'function', function: call };
    });
    return { role: 'assistant', content: null, tool_calls: calls };
  }
}

function seeTools(observer: Observer): Observation {
  const { tool, user } = observer;
  const [name] = observer.sentinels.names;
  const variables = { tools: [tool], add_generation_prompt: true };
  const render = observer.observe([user], variables);
  const seen = read(observed('tools', render, name, "the tool's name"), render, 'tools[0].function.name');
  if (seen.holds) return seen;
  const functions = JSON.stringify([tool.function]);
  const other = observer.observe([user], { ...variables, functions });
  const asText = observed('tools-as-text', other, name, 'the variable `functions` with the tool in it');
  return asText.holds ? asText : seen;
}

/** Where a template reads the first call's name and arguments. */
const calledAt = {
  function: 'messages[1].tool_calls[0].function',
  flat: 'messages[1].tool_calls[0]',
  single: 'messages[1].function_call',
} as const;

function seeCalls(observer: Observer): { call: Observation; object: Observation } {
  const { user, sentinels } = observer;
  const [key, text] = [sentinels.keys[0], sentinels.values[0]];
  const render = observer.observeWithTool([user, observer.callMessage([text])]);
  const call = 'messages[1].tool_calls[0]';
  const path = calledAt[observer.shape.calls ?? 'function'];
  const value = observed('one-call', render, text, "the call's argument");
  const named = read(value, render, observer.shape.callIds === 'composed' ? `${call}.id` : `${path}.name`);
  const inside = read(named, render, `${path}.arguments.${key}`);
  const object = notPrinted(inside, key, text);
  return { call: named, object };
}

function seeParallel(observer: Observer): Observation {
  const [first, second] = observer.sentinels.values;
  if (observer.shape.calls === 'single')
    return { holds: false, probe: 'two-calls', slice: '', reason: 'a message has one call at most' };
  const messages = [observer.user, observer.callMessage([first, second])];
  const render = observer.observeWithTool(messages);
  return observed('two-calls', render, second, 'the second call');
}

function seeSystem(observer: Observer): Observation {
  const { system } = observer.sentinels;
  const messages: Message[] = [{ role: 'system', content: system }, observer.user];
  return observed('system', observer.observe(messages), system, 'the system message');
}

function seeStringContent(observer: Observer): Observation {
  const { template, user, sentinels } = observer;
  return observed('user', tryObserve(template, { messages: [user] }), sentinels.user, 'content that is text');
}

function seeTypedContent(observer: Observer): Observation {
  const { part } = observer.sentinels;
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: part }] }];
  const seen = observed('typed-content', observer.observe(messages), part, 'content in parts');
  return notPrinted(seen, 'text', part);
}

/** Names of variables that tell a template whether to keep earlier thoughts. */
const keeping = /(?:think|reason)/;
const keepingWord = /preserve|keep|clear|drop|strip|truncate|interleave/;

/** Settings under which earlier thoughts may be kept: none, thinking turned on, and both values of each switch. */
function keepingSettings(observer: Observer): TemplateVariables[] {
  const names = [...observer.template.names].filter((name) => keeping.test(name) && keepingWord.test(name));
  const switched = names.flatMap((name) =>
    [true, false].map((value) => ({ ...observer.thinking, [name]: value })),
  );
  return [{}, observer.thinking, ...switched];
}

function seePreservedReasoning(observer: Observer): Observation {
  const { content, reasoning, laterUser } = observer.sentinels;
  const messages: Message[] = [
    observer.user,
    { role: 'assistant', content, reasoning_content: reasoning },
    { role: 'user', content: laterUser },
  ];
  let seen = observed('earlier-reasoning', null, reasoning, 'the conversation');
  for (const variables of keepingSettings(observer)) {
    const render = observer.observe(messages, { ...variables, add_generation_prompt: true });
    const names = Object.keys(variables).join(', ');
    const what = `the reasoning of an earlier message${names === '' ? '' : ` (with ${names})`}`;
    const next = observed('earlier-reasoning', render, reasoning, what);
    const printed = next.slice.includes(`'${reasoning}'`);
    if (next.holds && !printed) return next;
    if (render !== null) seen = { ...next, holds: false };
  }
  return seen;
}

function seeEffort(observer: Observer): Observation {
  const probe = 'reasoning-effort';
  for (const name of observer.template.names) {
    if (!effortVariable.test(name)) continue;
    for (const thinking of [{}, observer.thinking]) {
      const render = observer.observe([observer.user], {
        ...thinking,
        [name]: 'low',
        add_generation_prompt: true,
      });
      if (render?.reads.get(name)?.has('value') !== true) continue;
      return { holds: true, probe, slice: around(render.text, 'low'), reason: `${name} is read` };
    }
  }
  return { holds: false, probe, slice: '', reason: 'the template reads no variable for reasoning effort' };
}

function observeAll(observer: Observer): Record<keyof Capabilities, Observation> {
  const { call: calls, object } = seeCalls(observer);
  return {
    supportsTools: seeTools(observer),
    supportsToolCalls: calls,
    supportsSystemRole: seeSystem(observer),
    supportsParallelToolCalls: calls.holds ? seeParallel(observer) : calls,
    supportsPreserveReasoning: seePreservedReasoning(observer),
    supportsReasoningEffort: seeEffort(observer),
    supportsStringContent: seeStringContent(observer),
    supportsTypedContent: seeTypedContent(observer),
    supportsObjectArguments: object,
  };
}

/** Observes the capabilities, and records the evidence. */
export function inferCapabilities({ template, log }: Pick<Probing, 'template' | 'log'>): {
  readonly capabilities: Capabilities;
} {
  const { capabilities, evidence } = observeCapabilities(template);
  for (const entry of evidence) log.add(entry);
  return { capabilities };
}

/** Observes a template's capabilities by about thirty small renders; the result is cached. */
export const observeCapabilities = memoize((template: Template): ObservedCapabilities => {
  const observations = observeAll(new Observer(template));
  const flag = (name: keyof Capabilities) => observations[name].holds;
  const capabilities: Capabilities = {
    supportsTools: flag('supportsTools'),
    supportsToolCalls: flag('supportsToolCalls'),
    supportsSystemRole: flag('supportsSystemRole'),
    supportsParallelToolCalls: flag('supportsParallelToolCalls'),
    supportsPreserveReasoning: flag('supportsPreserveReasoning'),
    supportsReasoningEffort: flag('supportsReasoningEffort'),
    supportsStringContent: flag('supportsStringContent'),
    supportsTypedContent: flag('supportsTypedContent'),
    supportsObjectArguments: flag('supportsObjectArguments'),
  };
  const evidence = Object.entries(observations).map(([name, { probe, slice, reason }]) => {
    return { field: `capabilities.${name}`, probe, slice, reason, basis: 'history' } as const;
  });
  return { capabilities, evidence };
});
