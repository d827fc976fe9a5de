/** Reads messages in Ollama's shape, whose calls and results have no ids. */
import { readMessages } from '../../format/check-messages.ts';
import type { Message } from '../../format/messages.ts';
import { isRecord } from '../../format/option-rules.ts';
import { earlierArguments } from '../content/earlier-arguments.ts';
import type { Notes } from '../content/notes.ts';
import { contentText, partText } from '../content/part-text.ts';
import type { Body } from '../read-body.ts';

/** Reads the conversation. Throws `MessageError`, and `RequestError` for content that cannot be read. */
export function readOllamaMessages(given: unknown, notes: Notes): readonly Message[] {
  if (!Array.isArray(given)) return readMessages(given);
  const ids = new CallIds();
  return readMessages(
    given.map((message: unknown, index) => readMessage(message, `messages[${index}]`, ids, notes)),
  );
}

function readMessage(message: unknown, path: string, ids: CallIds, notes: Notes): unknown {
  if (!isRecord(message)) return message;
  const { role, thinking, tool_calls: calls, tool_name: name, tool_call_id: id } = message;
  const content = textWithImages(message, path, notes);
  if (role === 'tool') return { role, content, tool_call_id: ids.answered(id, name) };
  if (role !== 'assistant') return { role, content };
  return {
    role,
    content,
    ...(typeof thinking === 'string' && thinking !== '' ? { reasoning_content: thinking } : {}),
    ...(calls == null ? {} : { tool_calls: readCalls(calls, `${path}.tool_calls`, ids, notes) }),
  };
}

/** The text of a message, and a line for each of its pictures, which this API has as plain Base64. */
export function textWithImages({ content, images }: Body, path: string, notes: Notes): string {
  const text = contentText(content, `${path}.content`, notes);
  if (!Array.isArray(images)) return text;
  const lines = images.map((image: unknown, index) =>
    partText({ type: 'image_url', image_url: image }, `${path}.images[${index}]`, notes),
  );
  return [text, ...lines].join('\n');
}

function readCalls(calls: unknown, path: string, ids: CallIds, notes: Notes): unknown {
  if (!Array.isArray(calls)) return calls;
  return calls.map((call: unknown, index) => {
    if (!isRecord(call) || !isRecord(call.function)) return call;
    const { name, arguments: input = {} } = call.function;
    const args = earlierArguments(input, `${path}[${index}].function.arguments`, notes);
    return { id: ids.called(call.id, name), type: 'function', function: { name, arguments: args } };
  });
}

/** A call of an earlier message. */
interface EarlierCall {
  readonly id: string;
  /** Whether it has a result. */
  isAnswered: boolean;
}

/** Calls in order, of which the first without a result is asked for: each is passed over once. */
class CallLine {
  readonly #calls: EarlierCall[] = [];
  #at = 0;

  push(call: EarlierCall): void {
    this.#calls.push(call);
  }

  first(): EarlierCall | undefined {
    while (this.#calls[this.#at]?.isAnswered === true) this.#at += 1;
    return this.#calls[this.#at];
  }
}

/** Gives ids to calls, the same in every request of a conversation, and finds the call of a result. */
class CallIds {
  #count = 0;
  readonly #all = new CallLine();
  readonly #byId = new Map<unknown, CallLine>();
  readonly #byName = new Map<unknown, CallLine>();

  called(given: unknown, name: unknown): string {
    const id = typeof given === 'string' && given !== '' ? given : this.#next();
    const call = { id, isAnswered: false };
    this.#all.push(call);
    lineOf(this.#byId, id).push(call);
    lineOf(this.#byName, name).push(call);
    return id;
  }

  /** The call that a result says, or the first one without a result, of that name if there is one. */
  answered(given: unknown, name: unknown): string {
    const call = this.#byId.get(given)?.first() ?? this.#byName.get(name)?.first() ?? this.#all.first();
    if (call === undefined) return typeof given === 'string' ? given : this.#next();
    call.isAnswered = true;
    return call.id;
  }

  /** Nine letters and digits, as some templates require. */
  #next(): string {
    this.#count += 1;
    return `call${String(this.#count).padStart(5, '0')}`;
  }
}

function lineOf(lines: Map<unknown, CallLine>, key: unknown): CallLine {
  const line = lines.get(key) ?? new CallLine();
  lines.set(key, line);
  return line;
}
