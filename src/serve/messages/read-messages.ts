/** Converts the blocks of a request to `/v1/messages` to messages of a conversation. */
import { readMessages } from '../../format/check-messages.ts';
import type { Message, ToolCall } from '../../format/messages.ts';
import { isRecord } from '../../format/option-rules.ts';
import { earlierArguments } from '../content/earlier-arguments.ts';
import type { Notes } from '../content/notes.ts';
import { contentText, partText } from '../content/part-text.ts';
import { invalid } from '../errors.ts';
import { objectList } from '../fields/request-fields.ts';
import type { Body } from '../read-body.ts';

interface Block {
  readonly block: Body;
  /** Its path: `messages[2].content[0]`. */
  readonly path: string;
}

interface Turn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly blocks: readonly Block[];
}

/** Reads `system` and `messages`. Throws `RequestError` and `MessageError`. */
export function readConversation(body: Body, notes: Notes): readonly Message[] {
  const given = objectList(body, 'messages');
  if (given === undefined) throw invalid('messages', 'messages is missing', 'missing_required_parameter');
  const system = body.system == null ? '' : readSystem(body.system, notes);
  const turns = joined(given.map((message, index) => readTurn(message, `messages[${index}]`)));
  const messages = turns.flatMap((turn) => messagesOf(turn, notes));
  return readMessages(system === '' ? messages : [{ role: 'system', content: system }, ...messages]);
}

/** A header that a client writes into a separate block, different in every request. */
const headerBlock = /^x-anthropic-[\w-]+:.*$/;

/**
 * Headers are no instructions; if they were part of the prompt, everything after them would have to be evaluated again.
 */
function readSystem(system: unknown, notes: Notes): string {
  const texts = blocksOf(system, 'system').map((block) => textOf(block, notes));
  return texts.filter((text) => !headerBlock.test(text.trim())).join('\n');
}

function readTurn({ role, content }: Body, path: string): Turn {
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    throw invalid(`${path}.role`, `${path}.role must be user or assistant`);
  return { role, blocks: blocksOf(content, `${path}.content`) };
}

/** Consecutive turns of one side are merged, as in that API. */
function joined(turns: readonly Turn[]): readonly Turn[] {
  const all: (Turn & { readonly blocks: Block[] })[] = [];
  for (const { role, blocks } of turns) {
    const last = all.at(-1);
    if (last?.role === role) for (const block of blocks) last.blocks.push(block);
    else all.push({ role, blocks: [...blocks] });
  }
  return all;
}

function messagesOf({ role, blocks }: Turn, notes: Notes): readonly Message[] {
  if (role === 'system') return [{ role, content: blocks.map((block) => textOf(block, notes)).join('\n') }];
  return role === 'user' ? readUser(blocks, notes) : [readAssistant(blocks, notes)];
}

function blocksOf(content: unknown, path: string): readonly Block[] {
  if (typeof content === 'string') return [{ block: { type: 'text', text: content }, path }];
  if (!Array.isArray(content)) throw invalid(path, `${path} must be a string or a list of blocks`);
  return content.map((block: unknown, index) => {
    const at = `${path}[${index}]`;
    if (isRecord(block) && typeof block.type === 'string') return { block, path: at };
    throw invalid(at, `${at} must be a block with a type`);
  });
}

/** Results become separate messages, before the text next to them. */
function readUser(blocks: readonly Block[], notes: Notes): readonly Message[] {
  const results: Message[] = [];
  const texts: string[] = [];
  for (const each of blocks) {
    if (each.block.type === 'tool_result') results.push(readResult(each, notes));
    else texts.push(textOf(each, notes));
  }
  if (texts.length === 0 && results.length > 0) return results;
  return [...results, { role: 'user', content: texts.join('\n') }];
}

function readResult({ block, path }: Block, notes: Notes): Message {
  const text = contentText(block.content, `${path}.content`, notes);
  const told = block.is_error === true ? `Error: ${text}` : text;
  return { role: 'tool', tool_call_id: stringOf({ block, path }, 'tool_use_id'), content: told };
}

function readAssistant(blocks: readonly Block[], notes: Notes): Message {
  let text = '';
  let thoughts = '';
  const calls: ToolCall[] = [];
  for (const each of blocks) {
    const { type } = each.block;
    if (type === 'thinking') thoughts += stringOf(each, 'thinking');
    else if (type === 'tool_use') calls.push(readCall(each, notes));
    else if (type !== 'redacted_thinking') text += textOf(each, notes);
  }
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(thoughts === '' ? {} : { reasoning_content: thoughts }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function readCall(given: Block, notes: Notes): ToolCall {
  const { block, path } = given;
  const input = earlierArguments(block.input, `${path}.input`, notes);
  if (typeof input !== 'string') throw invalid(`${path}.input`, `${path}.input must be an object`);
  const called = { name: stringOf(given, 'name'), arguments: input };
  return { id: stringOf(given, 'id'), type: 'function', function: called };
}

function textOf({ block, path }: Block, notes: Notes): string {
  return partText(block, path, notes);
}

function stringOf({ block, path }: Block, name: string): string {
  const value = block[name];
  if (typeof value === 'string') return value;
  throw invalid(`${path}.${name}`, `${path}.${name} must be a string`);
}
