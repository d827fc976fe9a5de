/** Converts the items of a request to `/v1/responses` to messages of a conversation. */
import { readMessages } from '../../format/check-messages.ts';
import type { AssistantMessage, Message, ToolCall } from '../../format/messages.ts';
import { isRecord } from '../../format/option-rules.ts';
import { earlierArguments } from '../content/earlier-arguments.ts';
import type { Notes } from '../content/notes.ts';
import { contentText } from '../content/part-text.ts';
import { invalid } from '../errors.ts';
import type { Body } from '../read-body.ts';
import { functionName, textArgument } from './read-tools.ts';

/** What reading items needs. */
export interface ItemReading {
  readonly notes: Notes;
  /** The item of an earlier answer; `undefined` if it is not known (any more). */
  readonly recall: (id: string) => Body | undefined;
}

/** Reads `input` and `instructions`. Throws `RequestError` and `MessageError`. */
export function readInput(body: Body, reading: ItemReading): readonly Message[] {
  const { input, instructions } = body;
  const conversation = new Conversation();
  if (typeof instructions === 'string') conversation.add({ role: 'system', content: instructions });
  else if (instructions != null) throw invalid('instructions', 'instructions must be a string');
  if (typeof input === 'string') conversation.add({ role: 'user', content: input });
  else if (Array.isArray(input))
    for (const [index, item] of input.entries())
      readItem(
        conversation,
        referredItem(item, `input[${index}]`, reading),
        `input[${index}]`,
        reading.notes,
      );
  else if (input == null) throw invalid('input', 'input is missing', 'missing_required_parameter');
  else throw invalid('input', 'input must be a string or a list of items');
  const messages = conversation.end();
  if (messages.length === 0) throw invalid('input', 'input must not be empty');
  return readMessages(messages);
}

interface AssistantDraft {
  reasoning: string | null;
  content: string | null;
  readonly calls: ToolCall[];
}

/** Merges the items of one answer (thoughts, text, calls) into one message. */
class Conversation {
  readonly #messages: Message[] = [];
  #draft: AssistantDraft | null = null;

  add(message: Message): void {
    this.#flush();
    this.#messages.push(message);
  }

  addReasoning(text: string): void {
    const draft = this.#draft;
    if (draft !== null && (draft.content !== null || draft.calls.length > 0)) this.#flush();
    const open = this.#open();
    open.reasoning = (open.reasoning ?? '') + text;
  }

  addAnswer(text: string): void {
    if (this.#draft !== null && this.#draft.calls.length > 0) this.#flush();
    const draft = this.#open();
    draft.content = (draft.content ?? '') + text;
  }

  addCall(call: ToolCall): void {
    this.#open().calls.push(call);
  }

  end(): readonly Message[] {
    this.#flush();
    return this.#messages;
  }

  #open(): AssistantDraft {
    this.#draft ??= { reasoning: null, content: null, calls: [] };
    return this.#draft;
  }

  #flush(): void {
    if (this.#draft === null) return;
    const { reasoning, content, calls } = this.#draft;
    this.#draft = null;
    const message: AssistantMessage = {
      role: 'assistant',
      content: content ?? (calls.length > 0 ? null : ''),
      ...(reasoning === null || reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    this.#messages.push(message);
  }
}

/** A client may name an item of an earlier answer in place of sending it again. */
function referredItem(item: unknown, path: string, { recall }: ItemReading): unknown {
  if (!isRecord(item) || item.type !== 'item_reference') return item;
  const id = textOf(item, 'id', path);
  const found = recall(id);
  if (found !== undefined) return found;
  const reason = `${path}: the item ${JSON.stringify(id)} is not known any more; send whole items: clients do with store: false`;
  throw invalid(path, reason, 'unknown_item');
}

function readItem(conversation: Conversation, item: unknown, path: string, notes: Notes): void {
  if (!isRecord(item)) throw invalid(path, `${path} must be an object`);
  const type = item.type ?? 'message';
  switch (type) {
    case 'message':
      readMessageItem(conversation, item, path, notes);
      break;
    case 'function_call':
      conversation.addCall(readCall(item, path, readArguments(item, path, notes)));
      break;
    case 'custom_tool_call':
      conversation.addCall(readTextCall(item, path));
      break;
    case 'function_call_output':
    case 'custom_tool_call_output':
      conversation.add(readOutput(item, path, notes));
      break;
    case 'reasoning':
      conversation.addReasoning(readThoughts(item, path, notes));
      break;
    default: {
      const reason = `${path}.type: items of type ${JSON.stringify(type)} are not supported, only messages, function calls, their outputs and reasoning`;
      throw invalid(`${path}.type`, reason, 'unsupported_content');
    }
  }
}

function readArguments(item: Body, path: string, notes: Notes): string {
  const read = earlierArguments(item.arguments, `${path}.arguments`, notes);
  return typeof read === 'string' ? read : textOf(item, 'arguments', path);
}

function readOutput(item: Body, path: string, notes: Notes): Message {
  const content = contentText(item.output, `${path}.output`, notes);
  return { role: 'tool', tool_call_id: textOf(item, 'call_id', path), content };
}

const roles = ['system', 'developer', 'user', 'assistant'] as const;

function readMessageItem(conversation: Conversation, item: Body, path: string, notes: Notes): void {
  const role = roles.find((each) => each === item.role);
  if (role === undefined) throw invalid(`${path}.role`, `${path}.role must be one of ${roles.join(', ')}`);
  const content = contentText(item.content, `${path}.content`, notes);
  if (role === 'assistant') conversation.addAnswer(content);
  else conversation.add({ role, content });
}

function readCall(item: Body, path: string, args: string): ToolCall {
  const { namespace } = item;
  const name = functionName(
    textOf(item, 'name', path),
    typeof namespace === 'string' ? namespace : undefined,
  );
  return { id: textOf(item, 'call_id', path), type: 'function', function: { name, arguments: args } };
}

/** A call with free text becomes the call that the model made: of a function with one argument. */
function readTextCall(item: Body, path: string): ToolCall {
  return readCall(item, path, JSON.stringify({ [textArgument]: textOf(item, 'input', path) }));
}

/** The full thoughts if given, otherwise their summary. */
function readThoughts(item: Body, path: string, notes: Notes): string {
  const { content, summary } = item;
  const parts = Array.isArray(content) && content.length > 0 ? content : (summary ?? []);
  return contentText(parts, `${path}.content`, notes);
}

function textOf(item: Body, name: string, path: string): string {
  const value = item[name];
  if (typeof value === 'string') return value;
  throw invalid(`${path}.${name}`, `${path}.${name} must be a string`);
}
