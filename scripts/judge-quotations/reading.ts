/** How a response is read: in ordinary pieces, or with special tokens as an engine in this process delivers them. */
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { Tool } from '../../src/format/messages.ts';
import type { ResponsePiece } from '../../src/parser/response-parser.ts';
import type { JudgedFormat } from './judged-format.ts';

/** A tool with two arguments. */
export function toolNamed(name: string): Tool {
  const parameters = { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } };
  return { type: 'function', function: { name, description: name, parameters } };
}

/** The tool that is called. */
export const toolName = 'get_weather';
export const offered: readonly Tool[] = [toolNamed(toolName)];

/** `spelled`: the vocabulary's special tokens are known, and those of the text are spelled out. */
export type Marking = 'plain' | 'spelled' | 'special';

/** How to read: with the tool on offer, thinking off, in ordinary pieces, in one piece, if nothing else is said. */
export interface Asked {
  readonly tools?: readonly Tool[];
  readonly marking?: Marking;
  readonly prompt?: 'on' | 'off' | 'unset';
  /** The text in which special tokens are spelled out, whatever the marking. */
  readonly ordinary?: { readonly from: number; readonly to: number };
  /** Where the text is cut, if in order of ascending positions. */
  readonly cuts?: readonly number[];
}

/** What was read. */
export interface Reading {
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly malformed: readonly string[];
  /** A note says that something was repaired, is malformed, or may be a call. */
  readonly told: boolean;
  /** The whole message as JSON. */
  readonly message: string;
}

/** Reads `text` as a response. */
export function read({ format, special }: JudgedFormat, text: string, asked: Asked = {}): Reading {
  const { tools = offered, marking = 'plain', prompt = 'off', cuts = [], ordinary } = asked;
  const parser = createResponseParser(format, {
    tools,
    generationPrompt: format.turn.start + (format.turn.prompt[prompt] ?? ''),
    specialTokens: marking === 'plain' ? [] : special,
  });
  const tokens = marking === 'special' ? special : [];
  let from = 0;
  for (const cut of [...cuts, ...(ordinary === undefined ? [] : [ordinary.from, ordinary.to]), text.length]) {
    const isOrdinary = ordinary !== undefined && from >= ordinary.from && cut <= ordinary.to;
    if (cut > from) parser.feed(pieces(text.slice(from, cut), isOrdinary ? [] : tokens));
    from = Math.max(from, cut);
  }
  const { message } = parser.finish('stop');
  const { tool_calls: calls = [], malformed = [], repaired, possible_calls: possible } = message;
  return {
    content: message.content ?? '',
    reasoning: message.reasoning_content ?? '',
    calls: calls.map((call) => call.function),
    malformed: malformed.map(({ raw }) => raw),
    told: malformed.length > 0 || repaired !== undefined || possible !== undefined,
    message: JSON.stringify(message),
  };
}

/** The text in pieces, of which the special tokens are marked. */
export function pieces(text: string, special: readonly string[]): readonly ResponsePiece[] {
  if (special.length === 0) return [{ text, special: false }];
  const escaped = special.map((each) => each.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return text
    .split(new RegExp(`(${escaped.join('|')})`))
    .map((part, at) => ({ text: part, special: at % 2 === 1 }))
    .filter((part) => part.text !== '');
}
