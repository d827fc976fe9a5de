/**
 * Finds the form of messages that a template expects, by rendering small conversations in every form until their
 * contents appear, and converts OpenAI's messages to that form.
 */
import type { InputShape } from '../../format/chat-format.ts';
import { type ExactObject, exactJsonSteps, isExactObject } from '../../format/exact-json.ts';
import { memoize } from '../../format/memoize.ts';
import type { Message, Tool, ToolCall } from '../../format/messages.ts';
import { writePython, writePythonString } from '../../format/write-values.ts';
import { finish, type Steps } from '../../language/expression/steps.ts';
import type { Template, TemplateVariables } from '../parsed-template.ts';
import { askedThoughts } from './asked-thoughts.ts';
import { composeIds } from './composed-ids.ts';
import { tryRender } from './render-attempt.ts';
import { anySentinels, type Sentinels, sentinelTool } from './sentinels.ts';
import { nameResults, resultRoles, separateCalls } from './single-calls.ts';
import { thinkingSwitches } from './thinking-switches.ts';

type CallShape = Pick<InputShape, 'arguments' | 'emptyContent' | 'callIds' | 'calls'>;
type ContentShape = Pick<InputShape, 'contentParts'>;
type ReasoningField = InputShape['reasoningField'];
type ContentRole = NonNullable<InputShape['contentParts']>[number];

/** The parts of the shape that are not being tried. */
const plainShape = { reasoningField: null, thinkingVariables: [] } as const;

/** A message in the form that a template reads, as plain data. */
export type ShapedMessage = Readonly<Record<string, unknown>>;

/** Forms of messages with calls, in the order in which they are tried. */
export const callShapes: readonly [CallShape, ...CallShape[]] = [
  { arguments: 'object', emptyContent: 'empty' },
  { arguments: 'string', emptyContent: 'empty' },
  { arguments: 'string', emptyContent: 'null' },
  { arguments: 'object', emptyContent: 'null' },
  { arguments: 'object', emptyContent: 'absent' },
  { arguments: 'string', emptyContent: 'absent' },
  { arguments: 'object', emptyContent: 'empty', calls: 'flat' },
  { arguments: 'string', emptyContent: 'empty', calls: 'flat' },
  { arguments: 'string', emptyContent: 'empty', calls: 'single' },
  { arguments: 'string', emptyContent: 'null', calls: 'single' },
  { arguments: 'object', emptyContent: 'empty', calls: 'single' },
  { arguments: 'object', emptyContent: 'null', calls: 'single' },
];

/** Message fields that may carry reasoning, in the order in which they are tried. */
const reasoningFields = ['reasoning_content', 'reasoning', 'thinking', 'thinking-part'] as const;

/** A call, with reasoning if requested. */
function callMessage({ names, keys, values, ids, reasoning }: Sentinels, reasons: boolean): Message {
  const call = { name: names[0], arguments: JSON.stringify({ [keys[0]]: values[0] }) };
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: ids[0], type: 'function', function: call }],
    ...(reasons ? { reasoning_content: reasoning } : {}),
  };
}

function resultMessage({ names, ids, toolResult }: Sentinels): Message {
  return { role: 'tool', tool_call_id: ids[0], name: names[0], content: toolResult };
}

/** Renders a message in different forms, after a user's message. */
class ShapeProbe {
  readonly sentinels: Sentinels;
  readonly template: Template;
  readonly #tools: readonly Tool[];

  constructor(template: Template) {
    this.template = template;
    this.sentinels = anySentinels(template.source);
    const tools = [sentinelTool(this.sentinels)];
    const messages = [{ role: 'user', content: this.sentinels.user }];
    // If the template refuses tools in this form, it may still render the rest.
    this.#tools = tryRender(template, { messages, tools }) === null ? [] : tools;
  }

  /** With these messages after the user's. */
  render(messages: readonly Message[], shape: InputShape, variables: TemplateVariables): string | null {
    const user: Message = { role: 'user', content: this.sentinels.user };
    return this.renderAll([user, ...messages], shape, variables);
  }

  renderAll(messages: readonly Message[], shape: InputShape, variables: TemplateVariables): string | null {
    const tools = this.#tools.length === 0 ? {} : { tools: this.#tools };
    return tryRender(this.template, { messages: shapeMessages(messages, shape), ...tools, ...variables });
  }
}

/** A conversation for each role whose content is tested, beginning with the user's, which the others contain, too. */
function contentConversations(sentinels: Sentinels): readonly {
  readonly role: ContentRole;
  readonly planted: string;
  readonly messages: readonly Message[];
}[] {
  const { user, system, content, toolResult, ids, names } = sentinels;
  const question: Message = { role: 'user', content: user };
  const call = { id: ids[0], type: 'function', function: { name: names[0], arguments: '{}' } } as const;
  const calling: Message = { role: 'assistant', content: null, tool_calls: [call] };
  const result = resultMessage(sentinels);
  return [
    { role: 'user', planted: user, messages: [question] },
    { role: 'assistant', planted: content, messages: [question, { role: 'assistant', content }] },
    { role: 'system', planted: system, messages: [{ role: 'system', content: system }, question] },
    { role: 'tool', planted: toolResult, messages: [question, calling, result] },
  ];
}

/** Roles whose content is only rendered if given in parts, and not by printing the list. */
function findContentShape(probe: ShapeProbe): ContentShape {
  let roles: readonly ContentRole[] = [];
  for (const { role, planted, messages } of contentConversations(probe.sentinels)) {
    const render = (contentParts: readonly ContentRole[]) =>
      probe.renderAll(messages, { ...callShapes[0], ...plainShape, contentParts }, {});
    if (render(roles)?.includes(planted) === true) continue;
    const inParts = render([...roles, role]);
    const printed = [`'text': '${planted}'`, `"text": "${planted}"`].some((each) => inParts?.includes(each));
    if (inParts?.includes(planted) === true && !printed) roles = [...roles, role];
  }
  return roles.length === 0 ? {} : { contentParts: roles };
}

function findCallShape(probe: ShapeProbe, content: ContentShape): CallShape {
  const { sentinels } = probe;
  const given = { [sentinels.keys[0]]: sentinels.values[0] };
  // Python's notation in the text: the template printed what it should have written as JSON.
  const printedArguments = [writePython(given), writePythonString(JSON.stringify(given))];
  let printed: CallShape | null = null;
  for (const shape of callShapes) {
    const full = { ...shape, ...content, ...plainShape };
    const text = probe.render([callMessage(sentinels, false)], full, {});
    if (text?.includes(sentinels.values[0]) !== true) continue;
    const found = withCallIds(shape, text, sentinels);
    if (!printedArguments.some((each) => text.includes(each))) return found;
    printed ??= found;
  }
  return printed ?? callShapes[0];
}

/** The role under which results are rendered, if it is not `tool`. */
function findResultRole(probe: ShapeProbe, shape: CallShape & ContentShape): Pick<InputShape, 'resultRole'> {
  const { sentinels } = probe;
  const planted = contentConversations(sentinels).find(({ role }) => role === 'tool');
  if (planted === undefined) return {};
  const shows = (role: { readonly resultRole?: string }) =>
    probe.renderAll(planted.messages, { ...shape, ...plainShape, ...role }, {})?.includes(planted.planted) ===
    true;
  if (shows({})) return {};
  const resultRole = resultRoles.find((each) => shows({ resultRole: each }));
  return resultRole === undefined ? {} : { resultRole };
}

/** If a call is rendered with its id but without its name, only the id can say which tool is called. */
function withCallIds(shape: CallShape, text: string, { user, names, ids }: Sentinels): CallShape {
  const turn = text.slice(text.lastIndexOf(user));
  const holdsName = turn.toLowerCase().includes(names[0]);
  return turn.includes(ids[0]) && !holdsName ? { ...shape, callIds: 'composed' } : shape;
}

/** Whether the reasoning was rendered, and not by printing the message or the list of parts. */
function showsReasoning(text: string | null, field: ReasoningField, { reasoning }: Sentinels): boolean {
  if (text?.includes(reasoning) !== true) return false;
  const key = field === 'thinking-part' ? 'thinking' : field;
  return !text.includes(`'${key}': '${reasoning}'`) && !text.includes(`"${key}": "${reasoning}"`);
}

function findReasoningField(
  probe: ShapeProbe,
  shape: CallShape & ContentShape,
  asked: TemplateVariables,
): ReasoningField {
  const { sentinels } = probe;
  const { content, reasoning } = sentinels;
  const answer: Message = { role: 'assistant', content, reasoning_content: reasoning };
  const call = callMessage(sentinels, true);
  // Some templates keep the thoughts of a call only when its result is there.
  const conversations = [[answer], [call], [call, resultMessage(sentinels)]];
  const shows = (reasoningField: string, variables: TemplateVariables) => {
    const full = { ...shape, reasoningField, thinkingVariables: [] };
    return conversations.some((each) =>
      showsReasoning(probe.render(each, full, variables), reasoningField, sentinels),
    );
  };
  for (const variables of [{}, asked]) {
    const found = reasoningFields.find((field) => shows(field, variables));
    if (found !== undefined) return found;
  }
  const bare = [answer, call].flatMap((message) => shapeMessages([message], { ...shape, ...plainShape }));
  return askedThoughts(probe.template, bare).find((field) => shows(field, {}) || shows(field, asked)) ?? null;
}

/** Finds the shape by about ten to thirty small renders; cached for the template. */
export const observeInputShape = memoize((template: Template): InputShape => {
  const switches = thinkingSwitches(template);
  const asked = Object.fromEntries(switches.map(({ name, on }) => [name, on]));
  const probe = new ShapeProbe(template);
  const content = findContentShape(probe);
  const calls = { ...findCallShape(probe, content), ...content };
  return {
    ...calls,
    ...findResultRole(probe, calls),
    reasoningField: findReasoningField(probe, calls, asked),
    thinkingVariables: switches.map(({ name }) => name),
  };
});

/** The objects of arguments, by their JSON text; null for a text that is not the JSON of one. */
export type ReadArguments = ReadonlyMap<unknown, ExactObject | null>;

/** Reads the arguments of all calls, in steps: those of an earlier call may have a million numbers. */
export function* readArguments(messages: readonly Message[], shape: InputShape): Steps<ReadArguments> {
  const read = new Map<unknown, ExactObject | null>();
  if (shape.arguments === 'string') return read;
  for (const message of messages) {
    for (const call of callsOf(message)) {
      const text: unknown = call.function.arguments;
      if (typeof text !== 'string' || read.has(text)) continue;
      const value = yield* exactJsonSteps(text);
      read.set(text, isExactObject(value) ? value : null);
      yield;
    }
  }
  return read;
}

function callsOf(message: Message): readonly ToolCall[] {
  return message.role === 'assistant' ? (message.tool_calls ?? []) : [];
}

function shapeCalls(message: Message, shape: InputShape, read: ReadArguments): ShapedMessage {
  const calls = callsOf(message).map((call) => shapeCall(call, shape, read));
  if (calls.length === 0) return {};
  return shape.calls === 'single' ? { function_call: calls[0] } : { tool_calls: calls };
}

function shapeCall(call: ToolCall, shape: InputShape, read: ReadArguments): unknown {
  const { arguments: text } = call.function;
  const object = shape.arguments === 'string' ? null : read.get(text);
  const shaped = { ...call.function, arguments: object ?? text };
  if (shape.calls === 'single') return shaped;
  const { function: _, ...others } = call;
  return shape.calls === 'flat' ? { ...others, ...shaped } : { ...call, function: shaped };
}

function isEmpty(content: unknown): boolean {
  return content === undefined || content === null || content === '';
}

function shapeContent(message: Message, shape: InputShape): ShapedMessage {
  const calls = message.role === 'assistant' && (message.tool_calls?.length ?? 0) > 0;
  const inParts = shape.contentParts?.some((role) => role === message.role) === true;
  if (!isEmpty(message.content)) return { content: inParts ? asParts(message.content) : message.content };
  if (!calls || shape.emptyContent === 'empty') return { content: inParts ? [] : '' };
  return shape.emptyContent === 'null' ? { content: null } : {};
}

function asParts(content: unknown): readonly unknown[] {
  if (isEmpty(content)) return [];
  return Array.isArray(content) ? content : [{ type: 'text', text: content }];
}

function shapeReasoning(message: Message, shape: InputShape): ShapedMessage {
  if (message.role !== 'assistant' || isEmpty(message.reasoning_content)) return {};
  const reasoning = message.reasoning_content;
  if (shape.reasoningField !== 'thinking-part')
    return { [shape.reasoningField ?? 'reasoning_content']: reasoning };
  return { content: [{ type: 'thinking', thinking: reasoning }, ...asParts(message.content)] };
}

/**
 * Converts OpenAI's messages (arguments as JSON text, `reasoning_content`) to a template's form. `read` holds the
 * arguments of their calls, as `readArguments` returns them; without it they are read at once.
 */
export function shapeMessages(
  messages: readonly Message[],
  shape: InputShape,
  read: ReadArguments = finish(readArguments(messages, shape)),
): readonly ShapedMessage[] {
  const withIds = shape.callIds === 'composed' ? composeIds(messages) : messages;
  const named = shape.resultRole === undefined ? withIds : nameResults(withIds);
  return (shape.calls === 'single' ? separateCalls(named) : named).map((message) => {
    const { content, tool_calls, reasoning_content, ...others }: Record<string, unknown> = { ...message };
    return {
      ...others,
      ...(message.role === 'tool' && shape.resultRole !== undefined ? { role: shape.resultRole } : {}),
      ...shapeContent(message, shape),
      ...shapeReasoning(message, shape),
      ...shapeCalls(message, shape, read),
    };
  });
}
