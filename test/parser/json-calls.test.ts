/**
 * Calls that are one JSON object: whatever the order of their members, the white space and the cuts, they are the same,
 * and each unit of the text belongs to one event.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { exampleTools, read } from '../support/example-calls.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';
import { jsonInTags, nameAsKey, wrappedContent } from '../support/sample-formats.ts';

const { calls } = jsonInTags;
if (calls === null) throw new TypeError('the format has calls');
const flat: ChatFormat = {
  ...jsonInTags,
  calls: {
    ...calls,
    tail: [', "id": "', { hole: 'id' }, '"}'],
    envelope: { name: ['name'], arguments: ['arguments'], id: ['id'], index: null },
    id: { style: 'free', position: 'after-arguments' },
  },
};
const nested: ChatFormat = {
  ...jsonInTags,
  calls: {
    ...calls,
    head: ['{"id": "', { hole: 'id' }, '", "function": {"name": "', { hole: 'name' }, '", "arguments": '],
    tail: ['}}'],
    envelope: { name: ['function', 'name'], arguments: ['function', 'arguments'], id: ['id'], index: null },
    id: { style: 'free', position: 'before-name' },
  },
};

/** Events and message, the same in one piece and unit by unit; the events stand next to each other. */
function eventsOf(format: ChatFormat, text: string, cuts: readonly number[] = []) {
  const options = { tools: exampleTools, markers: true };
  const whole = parsePieces(format, text, [], options);
  expect(parsePieces(format, text, everyPosition(text), options)).toEqual(whole);
  expect(parsePieces(format, text, cuts, options)).toEqual(whole);
  const ends = whole.events.map(({ end }) => end);
  expect(whole.events.map(({ start }) => start)).toEqual([0, ...ends.slice(0, -1)]);
  expect(ends.at(-1)).toBe(text.length);
  const markers = whole.events.filter((event) => event.type === 'marker');
  for (const { start, end, text: written } of markers) expect(written).toBe(text.slice(start, end));
  return whole;
}

/** The message of a text, of which the events are in order. */
function readWhole(...given: Parameters<typeof eventsOf>) {
  return eventsOf(...given).message;
}

const values = fc.record(
  {
    s: fc.constantFrom('', 'a', '"', '\\', '}', '{"name": "f"}', '\n', 'é', '</use', "'"),
    n: fc.integer({ min: -9, max: 99 }),
    d: fc.record({ a: fc.constantFrom('b', '}}'), b: fc.nat(9) }),
  },
  { requiredKeys: [] },
);
const space = fc.constantFrom('', ' ', '\n', ' \n ');
const spaces = fc.array(space, { minLength: 30, maxLength: 30 });
const plainMembers = fc.subarray(['"type": "function"', '"index": 0', '"call_id": null']);
const cuts = fc.array(fc.nat(150), { maxLength: 4 });

/** An object of these members, with white space between all of its tokens. */
function spell(members: readonly string[], blanks: readonly string[]): string {
  const [a = '', b = '', c = ''] = blanks;
  return `{${a}${members.map((member) => member.replace(': ', `${b}:${c}`)).join(`${c},${a}`)}${b}}`;
}

function inAnyOrder(members: readonly string[]): fc.Arbitrary<readonly string[]> {
  return fc.shuffledSubarray([...members], { minLength: members.length, maxLength: members.length });
}

/** One call of `f`, and the texts that it may have in each format. */
const written = fc.tuple(values, plainMembers, fc.boolean()).chain(([input, plain, isString]) => {
  const json = JSON.stringify(input);
  const own = ['"name": "f"', `"arguments": ${isString ? JSON.stringify(json) : json}`] as const;
  return fc.record({
    input: fc.constant(input),
    isString: fc.constant(isString),
    flat: inAnyOrder([...own, '"id": "call00001"', ...plain]),
    inner: inAnyOrder([...own, ...plain]),
  });
});

describe('a JSON call', () => {
  it('is the same in any order of its members, with any white space, however it is cut', () => {
    fc.assert(
      fc.property(
        written,
        spaces,
        cuts,
        fc.boolean(),
        ({ input, isString, flat: members, inner }, blanks, at, isFirst) => {
          const [id, call] = ['"id": "call00001"', `"function": ${spell(inner, blanks)}`];
          const texts = [
            [flat, spell(members, blanks)],
            [nested, spell(isFirst ? [id, call] : [call, id], blanks.slice(3))],
          ] as const;
          for (const [format, text] of texts) {
            const whole = `<use>\n${text}\n</use>`;
            const { events, message } = eventsOf(format, whole, at);
            const { tool_calls = [], malformed } = message;
            expect(malformed).toBeUndefined();
            // Arguments stand where their events say, unless a string holds them.
            for (const event of events)
              if (event.type === 'tool-input-delta' && !isString)
                expect(event.delta).toBe(whole.slice(event.start, event.end));
            expect(tool_calls).toMatchObject([{ id: 'call00001', function: { name: 'f' } }]);
            expect(JSON.parse(tool_calls[0]?.function.arguments ?? '')).toEqual(input);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('whose name is its key holds the arguments under it', () => {
    fc.assert(
      fc.property(values, spaces, cuts, (input, blanks, at) => {
        const text = `<calls>[${spell([`"f": ${JSON.stringify(input)}`], blanks)}]</calls>`;
        const { tool_calls = [], malformed } = readWhole(nameAsKey, text, at);
        expect([tool_calls.length, malformed]).toEqual([1, undefined]);
        expect(JSON.parse(tool_calls[0]?.function.arguments ?? '')).toEqual(input);
      }),
      { numRuns: 30 },
    );
  });

  it('has the number that is its id, and no other member for one', () => {
    const texts = fc
      .tuple(fc.constantFrom('"n": "0"', null), plainMembers)
      .chain(([number, plain]) =>
        fc.tuple(
          fc.constant(number),
          inAnyOrder(['"name": "f"', '"arguments": {}', ...plain, ...(number === null ? [] : [number])]),
        ),
      );
    fc.assert(
      fc.property(texts, spaces, ([number, members], blanks) => {
        const { tool_calls: calls = [] } = readWhole(
          wrappedContent,
          `<act>[\n    ${spell(members, blanks)}\n]</act>`,
        );
        expect(calls.map(({ id }) => id)).toEqual([number === null ? 'call_0' : '0']);
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['{"name": "f", "n": 1}', { n: 1 }, 'flat-arguments'],
    ['{"n": 1, "name": "f", "s": "a"}', { n: 1, s: 'a' }, 'flat-arguments'],
    ['{"name": "f"}', {}, null],
    ['{"name": "f", "arguments": null}', {}, 'empty-arguments'],
    ['{"name": "f", "arguments": ""}', {}, 'empty-arguments'],
    ['{"name": "f", "parameters": {"n": 1}}', { n: 1 }, 'arguments-key'],
    ['{"parameters": {"n": 1}, "name": "f"}', { n: 1 }, 'arguments-key'],
    ['{"tool": "f", "arguments": {"n": 1}}', { n: 1 }, 'name-key'],
    ['{"arguments": {"n": 1}, "tool": "f"}', { n: 1 }, 'name-key'],
    ['{"function": {"name": "f", "arguments": {"n": 1}}}', { n: 1 }, 'wrapped-call'],
    ['{{"name": "f", "arguments": {"n": 1}}}', { n: 1 }, 'wrapped-call'],
    ["{'name': 'f', 'arguments': {'n': 1}}", { n: 1 }, 'json'],
    [`{"name": "f", "arguments": {'n': 1}}`, { n: 1 }, 'json'],
    ['{"name": "f", "arguments": {"arguments": {"n": 1}}}', { n: 1 }, 'wrapped-arguments'],
    ['{"arguments": {"arguments": {"n": 1}}, "name": "f"}', { n: 1 }, 'wrapped-arguments'],
    ['{"name": "f", "arguments": {"n": 1}', { n: 1 }, 'unclosed'],
    ['{"name": "f", "arguments": {"n": 1', { n: 1 }, 'unclosed'],
    ['{"name": "f", "arguments": {"d": {"a": "b"', { d: { a: 'b' } }, 'unclosed'],
    ['{"name": "f", "name": "f", "arguments": {"n": 1}}', { n: 1 }, null],
    ['{"\\u006eame": "\\u0066", "arguments": {"n": 1}}', { n: 1 }, null],
  ])('that is spelled otherwise is one event after the other, and told: %s', (json, input, law) => {
    const { tool_calls = [], malformed, repaired = [] } = readWhole(jsonInTags, `<use>\n${json}\n</use>`);
    expect(malformed).toBeUndefined();
    expect(repaired.map((each) => each.law)).toEqual(law === null ? [] : [law]);
    expect(tool_calls.map(({ function: called }) => [called.name, JSON.parse(called.arguments)])).toEqual([
      ['f', input],
    ]);
  });
});

it.each([
  '{"name": "f", "arguments": {"n": 1}}',
  '{"name": "f", "arguments": {"n": 1',
  '{"name": "f", "n": 1}',
])('a JSON call is complete as soon as its closer has come: %s', (json) => {
  const parser = createResponseParser(jsonInTags, { tools: exampleTools });
  const types = parser.feed(`<use>\n${json}\n</use>\n`).map(({ type }) => type);
  expect(types).toContain('tool-call');
});

it.each(['arguments', 'parameters', 'input'])(
  'arguments arrive as they are written, under the key %s',
  (key) => {
    const parser = createResponseParser(jsonInTags, { tools: exampleTools });
    const types = parser.feed(`<use>\n{"name": "f", "${key}": {"n": 1, "s": "a`).map(({ type }) => type);
    expect(types).toContain('tool-input-delta');
  },
);

it('arguments that have come are not replaced by others', () => {
  const text = '<use>\n{"name": "f", "arguments": {"n": 1}, "parameters": {"n": 2}}\n</use>';
  const { tool_calls, repaired } = readWhole(jsonInTags, text);
  expect(tool_calls).toMatchObject([{ function: { arguments: '{"n": 1}' } }]);
  expect(repaired?.map(({ law }) => law)).toEqual(['flat-arguments']);
});

it('what stands around a call is told by its key, or as braces', () => {
  const call = '{"name": "f", "arguments": {"n": 1}}';
  const details = [`{"function": ${call}}`, `{${call}}`].map((json) =>
    readWhole(jsonInTags, `<use>\n${json}\n</use>`).repaired?.map(({ detail }) => detail),
  );
  expect(details).toEqual([[expect.stringContaining('"function"')], [expect.stringMatching(/^[^"]*$/)]]);
});

it('the id of a call may be a number', () => {
  const text = '<use>\n{"name": "f", "arguments": {"n": 1}, "id": 7}\n</use>';
  expect(readWhole(flat, text).tool_calls).toMatchObject([{ id: '7' }]);
  // Also where the response ends with it, and nothing but the end shows that it is over.
  const unclosed = text.slice(0, text.indexOf('}\n'));
  expect(readWhole(flat, unclosed).tool_calls).toMatchObject([{ id: '7' }]);
});

it('a JSON call may have a comma after its last member, in the object within it, too', () => {
  const inner = '{"name": "f", "arguments": {"n": 1,},}';
  for (const json of [
    `{"id": "call00001", "function": ${inner},}`,
    `{"function": ${inner}, "id": "call00001",}`,
  ]) {
    const { tool_calls, malformed } = readWhole(nested, `<use>\n${json}\n</use>`);
    expect(malformed).toBeUndefined();
    expect(tool_calls).toMatchObject([{ id: 'call00001', function: { name: 'f' } }]);
  }
  const { malformed } = readWhole(nested, '<use>\n{"function": {}, "id": "call00001"}\n</use>');
  expect(malformed).toMatchObject([{ reason: 'the call names no tool' }]);
});

it('a call that lacks its arguments says that they were expected', () => {
  const { malformed } = read(jsonInTags, '<use>\n{"name": "f", "x": 2}\n</use>');
  expect(malformed).toMatchObject([{ expected: ['arguments'] }]);
  const unnamed = read(jsonInTags, '<use>\n{"n": 2}\n</use>');
  expect(unnamed.malformed).toMatchObject([{ expected: ['a tool name'] }]);
});

describe('a JSON call that is none', () => {
  const good = '<use>\n{"name": "f", "arguments": {"n": 1}}\n</use>';

  it.each([
    ['{}', 'the call names no tool'],
    ['{"arguments": {"n": 1}}', 'the call names no tool'],
    ['{"n": 1}', 'the call names no tool'],
    ['{"name": "f", "name": "forecast", "arguments": {}}', 'the call names two tools'],
    ['{"name": "f", "n": 1, "x": 2, "y": 3}', 'the call has no arguments, but n, x, y'],
    ['{"name": "", "arguments": {}}', 'the call is not a JSON object of the expected shape'],
    ['{"name": ["f"], "arguments": {}}', 'the call is not a JSON object of the expected shape'],
    ['{"name": "f" "arguments": {}}', 'the call is not a JSON object of the expected shape'],
    ['{"name" "f", "arguments": {}}', 'the call is not a JSON object of the expected shape'],
    ['{"name": "f", "arguments": [1]}', 'the call is not a JSON object of the expected shape'],
    ['{"name": "f", "arguments": {"n": }}', 'the call is not a JSON object of the expected shape'],
    ['{"name": "f", "arguments": "x"}', 'the call is not a JSON object of the expected shape'],
    ['{"name": "f", arguments: {}}', 'the call is not a JSON object of the expected shape'],
    ['{"name": "f", "arguments": {}, "note": [1', 'the call is not a JSON object of the expected shape'],
    ['{"name": "f", "note": {"n": 1', 'the call is not a JSON object of the expected shape'],
    ['{"arguments": {"n": 1', 'the call is not a JSON object of the expected shape'],
  ])('is reported with the reason, and the next call is found: %s', (json, reason) => {
    const { tool_calls, malformed } = readWhole(jsonInTags, `<use>\n${json}\n</use>\n${good}`);
    expect(malformed?.map((each) => each.reason)).toEqual([reason]);
    expect(tool_calls?.filter(({ function: called }) => called.arguments === '{"n": 1}')).toHaveLength(1);
  });

  it.each([
    ['{"name": "f", "arguments": {"n": 1}, "x": 2}', ['x']],
    ['{"name": "f", "arguments": {"n": 1}, "type": "function", "id": "1"}', []],
    ['{"name": "f", "arguments": {"n": 1}, "x": 2, "s": "a"}', ['x', 's']],
  ])('says which members a call has that are dropped: %s', (json, dropped) => {
    const { repaired = [], tool_calls } = read(jsonInTags, `<use>\n${json}\n</use>`);
    expect(tool_calls).toMatchObject([{ function: { arguments: '{"n": 1}' } }]);
    const details = repaired.filter(({ law }) => law === 'flat-arguments').map(({ detail }) => detail);
    expect(details).toHaveLength(dropped.length === 0 ? 0 : 1);
    for (const key of dropped) expect(details[0]).toContain(key);
  });
});
