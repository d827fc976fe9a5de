/** Markers of tools' results in a response: they end calls, and are no content. */
import { describe, expect, test } from 'vitest';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { lawTools } from '../support/law-tools.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';
import { jsonInTags } from '../support/sample-formats.ts';

const results = { open: ['<|out|>', '<result>'], close: ['<|/out|>', '</result>'] };
const format: ChatFormat = { ...jsonInTags, results };
const call = '<use>\n{"name": "list_files", "arguments": {}}\n</use>';

function outcome(text: string, leniency: 'lenient' | 'strict' = 'lenient') {
  const options = { tools: lawTools, leniency };
  const whole = parsePieces(format, text, [], options);
  for (const cuts of [...everyPosition(text).map((at) => [at]), everyPosition(text)]) {
    expect(parsePieces(format, text, cuts, options)).toEqual(whole);
  }
  const { content, tool_calls: calls = [], repaired = [], malformed = [] } = whole.message;
  return { content, calls: calls.length, laws: repaired.map(({ law }) => law), raw: malformed[0]?.raw };
}

describe('right after a call', () => {
  test.each([...results.open])('%s ends the turn', (open) => {
    const read = { content: null, calls: 1, laws: [], raw: 'a.txt' };
    expect(outcome(`${call}\n${open}a.txt`)).toEqual(read);
    expect(outcome(`${call}${open}a.txt`, 'strict')).toEqual(read);
  });

  test('a call that nothing closes is one', () => {
    expect(outcome(`${call.slice(0, -6)}<result>a.txt`)).toMatchObject({ calls: 1, raw: 'a.txt' });
  });
});

describe('in an answer', () => {
  test('those with bars are no content', () => {
    const text = 'It says: <|out|>a.txt<|/out|> and no more.';
    const laws = ['result-marker', 'result-marker'];
    expect(outcome(text)).toMatchObject({ content: 'It says: a.txt and no more.', laws });
    expect(outcome(text, 'strict')).toMatchObject({ content: text, laws: [] });
  });

  test('others are text', () => {
    const text = 'A result stands in <result> and </result>.';
    expect(outcome(text)).toMatchObject({ content: text, laws: [] });
  });
});
