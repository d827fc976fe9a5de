/** Limits of what models write. */
import { createResponseParser } from '../../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import type { JsonSchema } from '../../../src/format/messages.ts';
import type { ResponseMessage } from '../../../src/parser/events.ts';
import { endOfMarker } from '../../../src/parser/notations/around-calls.ts';
import { jsonCallPaths } from '../../../src/parser/open-call.ts';
import { findPossibleCall } from '../../../src/parser/possible-calls.ts';
import { allowedTypes } from '../../../src/parser/steps/schema-place.ts';
import { ToolTable } from '../../../src/parser/tool-table.ts';
import { customQuotes, jsonInTags, tagged } from '../../support/sample-formats.ts';
import type { Rows } from '../source-limits.ts';

const parameters = { type: 'object', properties: { a: {} } } as const;
const tools = [{ type: 'function', function: { name: 'find', parameters } }] as const;

/** The message of a text that comes in these pieces. */
function messageOf(format: ChatFormat, ...pieces: readonly string[]): ResponseMessage {
  const parser = createResponseParser(format, { tools });
  for (const piece of pieces) parser.feed(piece);
  return parser.finish().message;
}

const isCall = (format: ChatFormat, text: string) => messageOf(format, text).tool_calls?.length === 1;

export const writtenRows: Rows = {
  // The opening ends with the bracket of the call.
  'parser/steps/steps-json.ts maxFence': (size) => {
    const fence = `${'```'.padEnd(size - '\n{'.length, 'a')}\n`;
    return isCall(jsonInTags, `<use>\n${fence}{"name": "find", "arguments": {}}\n</use>`);
  },
  'parser/notations/foreign-calls.ts maxAnswer': (size) => {
    const [begin, end] = ['{"name": "find", "arguments": {"a": "', '"}}'];
    return isCall(tagged, begin + 'a'.repeat(size - begin.length - end.length) + end);
  },
  'parser/steps/values/value-closer.ts maxRepeats': (size) => {
    const text = `<use>\n<fn=find>\n<arg=a>\nx\n</arg>${'\n</arg>'.repeat(size)}\n</fn>\n</use>`;
    const [call] = messageOf(tagged, text).tool_calls ?? [];
    return call?.function.arguments === '{"a": "x"}';
  },
  'parser/steps/schema-place.ts maxDepth': (size) => {
    let schema: JsonSchema = { type: 'string' };
    for (let at = 0; at < size; at += 1) schema = { anyOf: [schema] };
    return allowedTypes({ schema, root: schema }).size === 1;
  },
  'parser/steps/values/value-stack.ts maxNesting': (size) =>
    isCall(customQuotes, `<call>find{a:${'['.repeat(size)}${']'.repeat(size)}}</call>`),
  'parser/open-call.ts maxHead': (size) => {
    const [begin, end] = ['{"id":"', '","name":"find","arguments":'];
    return jsonCallPaths(begin + 'a'.repeat(size - begin.length - end.length) + end) !== null;
  },
  'parser/possible-calls.ts maxOpening': (size) => {
    const opened = `<x>${' find<'.padStart(size, 'a')}`;
    return (
      findPossibleCall(new ToolTable(tools), opened, { openers: new Set(['<x>']), closers: [] }) !== null
    );
  },
  'parser/notations/around-calls.ts maxBeginning': (size) => endOfMarker('<abc>'.padStart(size), 0) === size,
  'parser/writer/kept-message.ts maxSearched': (size) => {
    const call = '\nfind({"a": 1})';
    // What tells it is its name with the bracket.
    const text = 'a'.repeat(size - call.indexOf('{'));
    const told = [[text + call], [text, call]].map(
      (pieces) => messageOf(jsonInTags, ...pieces).possible_calls !== undefined,
    );
    // However much arrives together.
    if (told[0] !== told[1]) throw new Error('the cut matters');
    return told[0] === true;
  },
};
