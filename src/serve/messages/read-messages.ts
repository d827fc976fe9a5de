/** The blocks of a request to `/v1/messages` as messages of a conversation. */
import { readMessages } from '../../format/check-messages.ts';
import type { Message, ToolCall } from '../../format/messages.ts';
import { isRecord } from '../../format/option-rules.ts';
import { invalid } from '../errors.ts';
import type { Body } from '../read-body.ts';
import { objectList } from '../request-fields.ts';

/** Reads `system` and `messages`. Throws `RequestError` and `MessageError`. */
export function readConversation(body: Body): readonly Message[] {
  const given = objectList(body, 'messages');
  if (given === undefined) throw invalid('messages', 'messages is missing', 'missing_required_parameter');
  const system = body.system == null ? '' : textOf(body.system, 'system');
  const messages = given.flatMap((message, index) => readTurn(message, `messages[${index}]`));
  if (messages.at(-1)?.role === 'assistant') throw begunAnswer(given.length - 1);
  return readMessages(system === '' ? messages : [{ role: 'system', content: system }, ...messages]);
}

function readTurn({ role, content }: Body, path: string): readonly Message[] {
  if (role === 'system') return [{ role, content: textOf(content, `${path}.content`) }];
  if (role !== 'user' && role !== 'assistant')
    throw invalid(`${path}.role`, `${path}.role must be user or assistant`);
  const blocks = blocksOf(content, `${path}.content`);
  return role === 'user' ? readUser(blocks, `${path}.content`) : [readAssistant(blocks, `${path}.content`)];
}

function blocksOf(content: unknown, path: string): readonly Body[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw invalid(path, `${path} must be a string or a list of blocks`);
  return content.map((block: unknown, index) => {
    if (isRecord(block) && typeof block.type === 'string') return block;
    throw invalid(`${path}[${index}]`, `${path}[${index}] must be a block with a type`);
  });
}

/** Results are messages of their own, and come before what is said next to them. */
function readUser(blocks: readonly Body[], path: string): readonly Message[] {
  const results: Message[] = [];
  const texts: string[] = [];
  blocks.forEach((block, index) => {
    const at = `${path}[${index}]`;
    if (block.type === 'tool_result') results.push(readResult(block, at));
    else if (block.type === 'text') texts.push(stringOf(block, 'text', at));
    else throw unsupported(block, at);
  });
  return texts.length === 0 ? results : [...results, { role: 'user', content: texts.join('\n') }];
}

function readResult(block: Body, path: string): Message {
  const text = block.content == null ? '' : textOf(block.content, `${path}.content`);
  const content = block.is_error === true ? `Error: ${text}` : text;
  return { role: 'tool', tool_call_id: stringOf(block, 'tool_use_id', path), content };
}

function readAssistant(blocks: readonly Body[], path: string): Message {
  let text = '';
  let thoughts = '';
  const calls: ToolCall[] = [];
  blocks.forEach((block, index) => {
    const at = `${path}[${index}]`;
    if (block.type === 'text') text += stringOf(block, 'text', at);
    else if (block.type === 'thinking') thoughts += stringOf(block, 'thinking', at);
    else if (block.type === 'tool_use') calls.push(readCall(block, at));
    else if (block.type !== 'redacted_thinking') throw unsupported(block, at);
  });
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(thoughts === '' ? {} : { reasoning_content: thoughts }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function readCall(block: Body, path: string): ToolCall {
  const { input } = block;
  if (!isRecord(input)) throw invalid(`${path}.input`, `${path}.input must be an object`);
  const called = { name: stringOf(block, 'name', path), arguments: JSON.stringify(input) };
  return { id: stringOf(block, 'id', path), type: 'function', function: called };
}

/** A text, or blocks that are texts. */
function textOf(content: unknown, path: string): string {
  const texts = blocksOf(content, path).map((block, index) => {
    if (block.type !== 'text') throw unsupported(block, `${path}[${index}]`);
    return stringOf(block, 'text', `${path}[${index}]`);
  });
  return texts.join('\n');
}

function stringOf(block: Body, name: string, path: string): string {
  const value = block[name];
  if (typeof value === 'string') return value;
  throw invalid(`${path}.${name}`, `${path}.${name} must be a string`);
}

function begunAnswer(index: number): Error {
  const path = `messages[${index}]`;
  const reason = `${path}: an answer that was begun is not continued here; the last message has to be the user's`;
  return invalid(path, reason, 'unsupported_content');
}

function unsupported({ type }: Body, path: string): Error {
  const reason = `${path}: models are given text, calls and results, and no block of type ${JSON.stringify(type)} here`;
  return invalid(path, reason, 'unsupported_content');
}
