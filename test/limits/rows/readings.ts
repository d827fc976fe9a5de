/** Limits of what the parser reads ahead, and of what it remembers. */
import { createResponseParser } from '../../../src/codegen/create-response-parser.ts';
import type { JsonSchema } from '../../../src/format/messages.ts';
import { FastPath } from '../../../src/parser/fast-path.ts';
import { MarkerTable } from '../../../src/parser/markers/markers.ts';
import { WrittenText } from '../../../src/parser/markers/written-text.ts';
import { QuotedText } from '../../../src/parser/quoting/quoted-text.ts';
import type { ResponseParserOptions } from '../../../src/parser/response-parser.ts';
import { propertyPlace } from '../../../src/parser/steps/schema-place.ts';
import { valueCloser } from '../../../src/parser/steps/values/value-closer.ts';
import { everyPosition, parsePieces } from '../../support/parse-pieces.ts';
import { channels, jsonInTags, noMarkerList, tagged } from '../../support/sample-formats.ts';
import type { Rows } from '../source-limits.ts';

const properties = { a: { type: 'string' }, b: { type: 'object' } };
const parameters: JsonSchema = { type: 'object', properties };
const tools = [{ type: 'function', function: { name: 'find', parameters } }] as const;

/** The message of a text, which is the same unit by unit. */
function read(
  format: Parameters<typeof parsePieces>[0],
  text: string,
  options: ResponseParserOptions = { tools },
) {
  const { message } = parsePieces(format, text, [], options);
  const cut = parsePieces(format, text, everyPosition(text), options).message;
  if (JSON.stringify(cut) !== JSON.stringify(message)) throw new Error('a text reads otherwise in pieces');
  return message;
}

const numbered = new MarkerTable([{ marker: '<x>', next: null, nameFollows: ['>'], afterNumber: ':' }]);
const anyContext = {
  ...{ ended: true, callsAllowed: true, wroteMarker: false },
  ...{
    isWrittenAsTokens: () => true,
    inPrompt: () => false,
    allows: () => true,
    nameEnd: (_: string, at: number) => at,
  },
};

export const readingRows: Rows = {
  // Text at the end of a piece that may begin a marker.
  'parser/fast-path.ts maxTail': (size) => {
    const writer = { target: {}, calls: { inputFlows: true } };
    const path = new FastPath({ text: 'a'.repeat(size), at: 0 } as never, writer as never, true);
    path.open({} as never, 'text');
    return path.isOpen;
  },
  'parser/markers/markers.ts maxNumber': (size) =>
    numbered.matchAt(anyContext as never, `<x>${'1'.repeat(size)}:find>`, 0) !== null,
  // Room for so many bytes, whatever has been written.
  'parser/markers/written-text.ts maxBytes': (size) => {
    const text = new WrittenText(true);
    return Array.from({ length: 10_000 }).every(() => {
      text.append('a');
      text.makeRoom();
      return text.bytes.length - text.used >= size;
    });
  },
  // A line of so many backticks closes a block, if its head is all of it; in one piece and unit by unit.
  'parser/quoting/quoted-text.ts maxHead': (size) => {
    const line = '`'.repeat(size);
    const [whole, cut] = [[line], [...line]].map((pieces) => {
      const quoted = new QuotedText();
      for (const text of ['```\n', ...pieces, '\n']) quoted.read(text);
      return quoted.quotation;
    });
    if (whole !== cut) throw new Error('a line reads otherwise in pieces');
    return whole === null;
  },
  'parser/quoting/quoted-text.ts maxTail': (size) => {
    const quoted = new QuotedText();
    quoted.read('a'.repeat(size));
    return quoted.lineEnd.length === size && quoted.end.length === size;
  },
  'parser/steps/quoted-markers.ts maxRest': (size) =>
    read(jsonInTags, `<muse>\nso \`</muse>${'a'.repeat(size - 1)}\` it is\n</muse>\n\nyes`).content === 'yes',
  'parser/steps/schema-place.ts maxProperties': (size) => {
    const place = { schema: parameters, root: parameters };
    const keys = Array.from({ length: size }, (_, at) => `k${at}`);
    const places = keys.map((key) => propertyPlace(place, key));
    return keys.every((key, at) => propertyPlace(place, key) === places[at]);
  },
  // With the marker that it begins with.
  'parser/steps/steps-header.ts maxHeader': (size) =>
    read(channels, `|chan|${'x'.repeat(size - '|chan|'.length)}|text|hm|done|`).content === 'hm',
  // None of it is emitted before its last unit, even if all others have come.
  'parser/steps/values/tentative-container.ts maxTentative': (size) => {
    const parser = createResponseParser(tagged, { tools });
    const begun = parser.feed('<use>\n<fn=find>\n<arg=b>\n{');
    const more = parser.feed(`"c": "${'a'.repeat(size - '{"c": ""}'.length)}"`);
    return [...begun, ...more].every((event) => !('delta' in event) || !event.delta.includes('c'));
  },
  'parser/steps/steps-speculative.ts maxSpeculation': (size) => {
    const [begin, end] = ['[{"name": "find", "arguments": {"a": "', '"}, "id": "x"}]'];
    const text = begin + 'a'.repeat(size - begin.length - end.length) + end;
    return parsePieces(noMarkerList, `so\n${text}`, [], { tools }).message.tool_calls?.length === 1;
  },
  // Its text, as far as it has come before the token that closes it.
  'parser/quoting/call-in-span.ts maxCall': (size) => {
    const [begin, end] = ['\n{"name": "find", "arguments": {"a": "', '"}}\n'];
    const parser = createResponseParser(jsonInTags, { tools, specialTokens: ['<use>', '</use>'] });
    parser.feed('so `');
    parser.feed([{ text: '<use>', special: true }]);
    parser.feed(begin + 'a'.repeat(size - begin.length - end.length) + end);
    parser.feed([{ text: '</use>', special: true }]);
    return parser.finish().message.tool_calls?.length === 1;
  },
  // Closers whose texts have keys in them.
  'parser/steps/values/value-closer.ts maxClosers': (size) => {
    const place = { kind: 'entry', close: ['</arg>'], next: null } as const;
    const closer = (at: number) => valueCloser({ place, key: '' } as never, `</${at}>`);
    const first = closer(0);
    for (let at = 1; at < size; at += 1) closer(at);
    return closer(0) === first;
  },
};
