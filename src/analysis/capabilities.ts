/**
 * What a template accepts and really reads: observed by rendering small conversations with planted
 * words, and looking which of them were read and which came out. No name of a template or a model is
 * looked at, and no text of its source.
 */
import type { Capabilities, InputShape } from '../format/chat-format.ts';
import type { AssistantMessage, Message, Tool, ToolCall } from '../format/messages.ts';
import { observeInputShape, shapeMessages } from '../template/prompt/input-shape.ts';
import { tryObserve } from '../template/prompt/render-attempt.ts';
import { thinkingSwitches } from '../template/prompt/thinking-switches.ts';
import type { ObservedRender, Template, TemplateVariables } from '../template/template.ts';
import type { Evidence } from './evidence.ts';

/** The nine flags, and why each says what it says. */
export interface ObservedCapabilities {
  readonly capabilities: Capabilities;
  readonly evidence: readonly Evidence[];
}

/** Words that no template holds, so that finding them in a render proves where they came from. */
const planted = {
  question: 'zq question',
  later: 'zq later',
  answer: 'zq answer',
  system: 'zq rules',
  thought: 'zq thought',
  tool: 'zq_tool',
  key: 'zq_key',
  first: 'zq first',
  second: 'zq second',
  part: 'zq part',
} as const;

/** What one look at the template found. */
interface Sighting {
  readonly holds: boolean;
  readonly probe: string;
  readonly slice: string;
  readonly reason: string;
}

const tool: Tool = {
  type: 'function',
  function: {
    name: planted.tool,
    description: 'about',
    parameters: {
      type: 'object',
      properties: { [planted.key]: { type: 'string', description: 'about' } },
      required: [planted.key],
    },
  },
};

const user: Message = { role: 'user', content: planted.question };

function call(id: string, value: string): ToolCall {
  return {
    id,
    type: 'function',
    function: { name: planted.tool, arguments: JSON.stringify({ [planted.key]: value }) },
  };
}

function callMessage(values: readonly string[]): AssistantMessage {
  const calls = values.map((value, index) => call(`call0000${index + 1}`, value));
  return { role: 'assistant', content: null, tool_calls: calls };
}

function around(text: string, word: string): string {
  const at = text.indexOf(word);
  return at < 0 ? '' : text.slice(Math.max(0, at - 40), at + word.length + 40);
}

/** Looks for a planted word in a render. */
function sight(probe: string, render: ObservedRender | null, word: string, what: string): Sighting {
  if (render === null) return { holds: false, probe, slice: '', reason: `the template refuses ${what}` };
  const holds = render.text.includes(word);
  const reason = holds ? `${what} is rendered` : `${what} is not rendered`;
  return { holds, probe, slice: around(render.text, word), reason };
}

/** A sighting that also needs the template to have read a path of its input. */
function read(sighting: Sighting, render: ObservedRender | null, path: string): Sighting {
  if (!sighting.holds || render?.reads.get(path)?.has('value') === true) return sighting;
  return { ...sighting, holds: false, reason: `${path} is never read` };
}

/** The word was printed as part of a Python list or dict: the template does not know what it is. */
function notPrinted(sighting: Sighting, key: string, word: string): Sighting {
  if (!sighting.slice.includes(`'${key}': '${word}'`)) return sighting;
  return {
    ...sighting,
    holds: false,
    reason: "Python's notation is printed: the template does not look inside",
  };
}

/** Renders conversations in the shape that the template wants. */
class Observer {
  readonly shape: InputShape;
  /** Variables that ask for thinking. */
  readonly thinking: TemplateVariables;

  constructor(readonly template: Template) {
    this.shape = observeInputShape(template);
    this.thinking = Object.fromEntries(thinkingSwitches(template).map(({ name, on }) => [name, on]));
  }

  observe(messages: readonly Message[], variables: TemplateVariables = {}): ObservedRender | null {
    return tryObserve(this.template, { messages: shapeMessages(messages, this.shape), ...variables });
  }
}

function seeTools(observer: Observer): Sighting {
  const variables = { tools: [tool], add_generation_prompt: true };
  const render = observer.observe([user], variables);
  const seen = read(
    sight('tools', render, planted.tool, "the tool's name"),
    render,
    'tools[0].function.name',
  );
  if (seen.holds) return seen;
  const functions = JSON.stringify([tool.function]);
  const other = observer.observe([user], { ...variables, functions });
  const asText = sight('tools-as-text', other, planted.tool, 'the variable `functions` with the tool in it');
  return asText.holds ? asText : seen;
}

function seeCalls(observer: Observer): { call: Sighting; object: Sighting } {
  const render = observer.observe([user, callMessage([planted.first])], { tools: [tool] });
  const path = 'messages[1].tool_calls[0].function';
  const value = sight('one-call', render, planted.first, "the call's argument");
  const named = read(value, render, `${path}.name`);
  const inside = read(named, render, `${path}.arguments.${planted.key}`);
  const object = notPrinted(inside, planted.key, planted.first);
  return { call: named, object };
}

function seeParallel(observer: Observer): Sighting {
  const messages = [user, callMessage([planted.first, planted.second])];
  return sight('two-calls', observer.observe(messages, { tools: [tool] }), planted.second, 'the second call');
}

function seeSystem(observer: Observer): Sighting {
  const messages: Message[] = [{ role: 'system', content: planted.system }, user];
  return sight('system', observer.observe(messages), planted.system, 'the system message');
}

function seeStringContent(observer: Observer): Sighting {
  return sight('user', observer.observe([user]), planted.question, 'content that is text');
}

function seeTypedContent(observer: Observer): Sighting {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: planted.part }] }];
  const seen = sight('typed-content', observer.observe(messages), planted.part, 'content in parts');
  return notPrinted(seen, 'text', planted.part);
}

/** Variables by which a template is told whether to keep earlier thoughts. */
const keeping = /(?:think|reason)/;
const keepingVerb = /preserve|keep|clear|drop|strip|truncate|interleave/;

/** The settings under which earlier thoughts might be kept: none, thinking asked for, and each switch both ways. */
function keepingSettings(observer: Observer): TemplateVariables[] {
  const names = [...observer.template.names].filter((name) => keeping.test(name) && keepingVerb.test(name));
  const switched = names.flatMap((name) =>
    [true, false].map((value) => ({ ...observer.thinking, [name]: value })),
  );
  return [{}, observer.thinking, ...switched];
}

function seePreservedReasoning(observer: Observer): Sighting {
  const messages: Message[] = [
    user,
    { role: 'assistant', content: planted.answer, reasoning_content: planted.thought },
    { role: 'user', content: planted.later },
  ];
  let seen = sight('earlier-reasoning', null, planted.thought, 'the conversation');
  for (const variables of keepingSettings(observer)) {
    const render = observer.observe(messages, { ...variables, add_generation_prompt: true });
    const names = Object.keys(variables).join(', ');
    const what = `the reasoning of an earlier message${names === '' ? '' : ` (with ${names})`}`;
    const next = sight('earlier-reasoning', render, planted.thought, what);
    const printed = next.slice.includes(`'${planted.thought}'`);
    if (next.holds && !printed) return next;
    if (render !== null) seen = { ...next, holds: false };
  }
  return seen;
}

/** Names under which templates take how much to think. */
const effort = /^(?:reasoning|thinking)_(?:effort|strength)$/;

function seeEffort(observer: Observer): Sighting {
  const probe = 'reasoning-effort';
  for (const name of observer.template.names) {
    if (!effort.test(name)) continue;
    for (const thinking of [{}, observer.thinking]) {
      const render = observer.observe([user], { ...thinking, [name]: 'low', add_generation_prompt: true });
      if (render?.reads.get(name)?.has('value') !== true) continue;
      return { holds: true, probe, slice: around(render.text, 'low'), reason: `${name} is read` };
    }
  }
  return { holds: false, probe, slice: '', reason: 'no variable for the effort of reasoning is read' };
}

function observeAll(observer: Observer): Record<keyof Capabilities, Sighting> {
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

const known = new WeakMap<Template, ObservedCapabilities>();

/** Observes a template's capabilities by some thirty small renders; the answer is remembered. */
export function observeCapabilities(template: Template): ObservedCapabilities {
  const found = known.get(template);
  if (found !== undefined) return found;
  const sightings = observeAll(new Observer(template));
  const flag = (name: keyof Capabilities) => sightings[name].holds;
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
  const evidence = Object.entries(sightings).map(([name, { probe, slice, reason }]) => {
    return { field: `capabilities.${name}`, probe, slice, reason };
  });
  const observed = { capabilities, evidence };
  known.set(template, observed);
  return observed;
}
