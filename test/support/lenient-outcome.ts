/** Reading with leniency: what comes out at every cut, and by which laws. */
import { expect } from 'vitest';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { JsonObject, Tool } from '../../src/format/messages.ts';
import type { ResponseParserOptions } from '../../src/parser/response-parser.ts';
import { everyPosition, type Parsed, parsePieces } from './parse-pieces.ts';

function tool(name: string, properties: JsonObject): Tool {
  return {
    type: 'function',
    function: { name, description: '', parameters: { type: 'object', properties } },
  };
}

/** Tools with an argument of each kind. */
export const lenientTools = [
  tool('add', { a: { type: 'number' }, b: { type: 'number' } }),
  tool('pick', { items: { type: 'array' } }),
  tool('ask', { input: { type: 'string' }, deep: { type: 'boolean' } }),
];

/** What comes out in one piece, and the same at every cut: each alone, and all together. */
export function readEverywhere(
  format: ChatFormat,
  text: string,
  options: ResponseParserOptions = {},
): Parsed {
  const all = { tools: lenientTools, markers: true, ...options };
  const whole = parsePieces(format, text, [], all);
  for (const cuts of [...everyPosition(text).map((at) => [at]), everyPosition(text)]) {
    expect(parsePieces(format, text, cuts, all)).toEqual(whole);
  }
  let reached = Math.min(0, whole.events[0]?.start ?? 0);
  for (const { start, end } of whole.events) {
    expect(start).toBe(reached);
    reached = end;
  }
  expect(reached).toBe(text.length);
  return whole;
}

/** Calls as `name(arguments)`, and the laws that were applied. */
export function outcome(format: ChatFormat, text: string, options: ResponseParserOptions = {}) {
  const { message } = readEverywhere(format, text, options);
  return {
    calls: (message.tool_calls ?? []).map(({ function: f }) => [f.name, JSON.parse(f.arguments)]),
    laws: (message.repaired ?? []).map(({ law }) => law),
    malformed: (message.malformed ?? []).length,
  };
}
