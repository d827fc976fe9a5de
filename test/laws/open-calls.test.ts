/**
 * Enforcement follows the reader: whatever is read as a call, in any notation and cut anywhere, was written under its
 * tool's grammar or has passed its validator. Runs over all generated formats, without an engine: a writer that insists
 * on its text until the grammar refuses.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { ownJsonCall } from '../../src/grammar/call-grammar.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import type { OpenCall } from '../../src/parser/response-parser.ts';
import { normalizeTools } from '../../src/tools/tools.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { InsistingWriter, type WriteOptions, type Written } from '../support/insisting-writer.ts';
import { sampled } from '../support/sample.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 7 } },
  required: ['city', 'days'],
  additionalProperties: false,
} as const;
const ours = normalizeTools([{ name: 'get_weather', parameters }]);
const writer = new InsistingWriter();

function write(
  format: ChatFormat,
  text: string,
  lengths: readonly number[],
  options: Partial<WriteOptions> = {},
): Written {
  return writer.write(format, text, lengths, { tools: ours, ...options });
}

const json = (days: number) => `{"city": "Bern", "days": ${days}}`;

/** Ways in which models write calls, whatever their format is. */
const notations: Readonly<Record<string, (days: number, format: ChatFormat) => string>> = {
  bare: (days) => `{"name": "get_weather", "arguments": ${json(days)}}`,
  compact: (days) => `{"name":"get_weather","parameters":{"city":"Bern","days":${days}}}`,
  fenced: (days) =>
    `\`\`\`json\n{\n  "name": "get_weather",\n  "arguments": {\n    "city": "Bern",\n    "days": ${days}\n  }\n}\n\`\`\``,
  list: (days) =>
    `[{"name": "get_weather", "arguments": ${json(3)}}, {"name": "get_weather", "arguments": ${json(days)}}]`,
  'a foreign tag': (days) => `<tools>\n{"name": "get_weather", "arguments": ${json(days)}}\n</tools>`,
  'as in APIs': (days) =>
    `{"id": "a1", "type": "function", "function": {"name": "get_weather", "arguments": ${json(days)}}}`,
  'arguments first': (days) => `{"arguments": ${json(days)}, "name": "get_weather"}`,
  'tagged, without its first marker': (days) =>
    `<function=get_weather>\n<parameter=city>\nBern\n</parameter>\n<parameter=days>\n${days}\n</parameter>\n</function>\n</tool_call>`,
  'the format': (days, format) => ownCall(format, days),
  'the format, with spaces for line breaks': (days, format) => ownCall(format, days).replace(/\n/g, ' '),
  'the format, without white space in markers': (days, format) =>
    ownCall(format, days).replace(/([>\]])\s+(?=[<[{])/g, '$1'),
};

function ownCall(format: ChatFormat, days: number, thoughts?: string): string {
  const call = { name: 'get_weather', arguments: json(days) };
  return writeResponse(format, {
    role: 'assistant',
    content: null,
    ...(thoughts === undefined ? {} : { reasoning_content: thoughts }),
    tool_calls: [{ id: 'abcdefgh1', type: 'function', function: call }],
  });
}

const formats = generatedFormats().filter(({ format }) => format.calls !== null);
const cuts = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 });

describe.each(sampled(formats, 8))('$name', ({ format }) => {
  it.each(Object.entries(notations))('a call is enforced or validated, however it is cut: %s', (_, text) => {
    fc.assert(
      fc.property(cuts, (lengths) => {
        const right = write(format, text(3, format), lengths);
        for (const call of right.message.tool_calls ?? []) expect(call.assurance).toBeDefined();
        const wrong = write(format, text(14, format), lengths);
        for (const { function: called, assurance } of wrong.message.tool_calls ?? []) {
          expect([assurance, JSON.parse(called.arguments).days]).toEqual([
            expect.any(String),
            expect.not.toSatisfy(isTooMany),
          ]);
        }
      }),
      { numRuns: 4 },
    );
  });
});

function isTooMany(days: unknown): boolean {
  return typeof days !== 'number' || days > 7;
}

/** Where an answer begins with a marker, or thoughts without one, such text is read only when the response ends. */
const unmarked = formats.filter(
  ({ format }) => format.content.open.trim() === '' && format.reasoning?.start !== '',
);
const enforced = ['bare', 'compact', 'fenced', 'list', 'a foreign tag', 'as in APIs'];

function textOf(notation: string, format: ChatFormat): string {
  return notations[notation]?.(3, format) ?? '';
}

/** Those of them that begin otherwise than the format's own calls, of which its grammar allows one spelling. */
function strangeTo(format: ChatFormat): readonly string[] {
  return enforced.filter((notation) => {
    const { isRefused, message } = write(format, textOf(notation, format), [1]);
    return !isRefused && message.repaired?.[0]?.law === 'bare-calls';
  });
}

it('what models write most is enforced, not only validated', () => {
  expect(unmarked.length).toBeGreaterThan(50);
  const formatsWithout = unmarked.filter(({ format }) => {
    return !enforced.every((notation) => {
      const { message } = write(format, textOf(notation, format), [1]);
      return (message.tool_calls ?? []).every(({ assurance }) => assurance === 'enforced');
    });
  });
  expect(formatsWithout.map(({ name }) => name)).toEqual([]);
});

it('only formats of JSON calls know such texts', () => {
  const own = unmarked.filter(({ format }) => strangeTo(format).length < enforced.length);
  expect(own.length).toBeLessThan(unmarked.length / 5);
});

describe.each(sampled(unmarked, 12))('a call that a grammar writes: $name', ({ format }) => {
  it.each(strangeTo(format))('arrives as it is written, and stays one: %s', (notation) => {
    const text = textOf(notation, format);
    const { message } = write(format, text, [1]);
    const count = message.tool_calls?.length ?? 0;
    expect(count).toBe(notation === 'list' ? 2 : 1);
    fc.assert(
      fc.property(cuts, fc.integer({ min: 1, max: text.length }), (lengths, end) => {
        const { message: cut, events } = write(format, text.slice(0, end), lengths, { cut: true });
        // Another token of the arguments has come after the one that opened them.
        const written =
          text.slice(0, end).match(/"(?:arguments|parameters)": ?\{\s*"city": "Bern/g)?.length ?? 0;
        const told =
          (cut.tool_calls?.length ?? 0) + (cut.malformed ?? []).filter((each) => each.brokenCall).length;
        expect(told).toBeGreaterThanOrEqual(written);
        const known = events.filter(({ type }) => type === 'tool-input-start').length;
        expect(known).toBeGreaterThanOrEqual(written);
      }),
      { numRuns: 12 },
    );
  });

  it.each(strangeTo(format))('is followed by text: %s', (notation) => {
    fc.assert(
      fc.property(cuts, (lengths) => {
        const { message } = write(format, `${textOf(notation, format)}\nThat is the weather.`, lengths);
        expect(message.tool_calls).toHaveLength(notation === 'list' ? 2 : 1);
        expect(message.content).toBe('That is the weather.');
        expect(message.repaired?.[0]?.law).toBe('bare-calls');
      }),
      { numRuns: 4 },
    );
  });

  it('is followed by no other one where only one may be made', () => {
    const { message, isRefused } = write(format, textOf('list', format), [3], { parallelToolCalls: false });
    if (isRefused) return;
    expect(message.tool_calls).toHaveLength(1);
    expect(message.malformed).toMatchObject([{ reason: expect.stringContaining('one more call') }]);
  });
});

describe('names under `auto`', () => {
  const own = (format: ChatFormat, name: string, input: string) =>
    writeResponse(format, {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'abcdefgh1', type: 'function', function: { name, arguments: input } }],
    });
  it.each(sampled(formats, 6))('a tool that is not on offer is refused, and told: $name', ({ format }) => {
    const names = fc.constantFrom('find_tree', 'get_wea', 'get_weathers', 'get_', 'x', 'web.search');
    fc.assert(
      fc.property(cuts, names, (lengths, name) => {
        const { message, isRefused } = write(format, own(format, name, '{"kind": "oak"}'), lengths);
        expect([isRefused, message.tool_calls]).toEqual([false, undefined]);
        const [broken] = message.malformed ?? [];
        // Where a call is told from text by its name, it is text.
        if (broken === undefined) expect(message.content).toContain(name);
        else {
          expect(broken.brokenCall).toMatchObject({ toolName: name, input: expect.stringContaining('oak') });
          expect(broken.reason).toContain('get_weather');
        }
      }),
      { numRuns: 6 },
    );
  });

  it.each(sampled(formats, 6, 1))('enforce nothing in the arguments of another tool: $name', ({ format }) => {
    for (const name of ['find_tree', '-']) {
      const [before = '', after = ''] = own(format, name, '{"kind": "oak"}').split('oak');
      for (const inner of Object.values(notations)) {
        for (const gap of ['', '\n']) {
          const text = before + gap + inner(14, format) + gap + after;
          for (const { function: called } of write(format, text, [3]).message.tool_calls ?? [])
            expect(JSON.parse(called.arguments).days).not.toSatisfy(isTooMany);
          // Nothing of the other call's arguments but the call.
          const bare = before.slice(0, before.indexOf(name) + name.length) + gap + inner(14, format);
          for (const { function: called } of write(format, bare, [1]).message.tool_calls ?? [])
            expect(JSON.parse(called.arguments).days).not.toSatisfy(isTooMany);
        }
      }
    }
  });

  it('are told in almost all formats', () => {
    const silent = formats.filter(({ format }) => {
      const { message } = write(format, own(format, 'find_tree', '{"kind": "oak"}'), [3]);
      return message.malformed === undefined;
    });
    expect(silent.length).toBeLessThan(formats.length / 8);
  });
});

describe('in thoughts that are open', () => {
  const thinking = formats.flatMap(({ name, format }) => {
    const text = (days: number) => ownCall(format, days, 'Let me see.');
    const { start = '', end = '' } = format.reasoning ?? {};
    const isPlain = start !== '' && end.trim() !== '' && text(3).split(end).length === 2;
    const open = (days: number, closer: string) => text(days).replace(end, '\n') + closer;
    const stays =
      isPlain &&
      write(format, open(3, ''), [1]).message.repaired?.[0]?.detail.includes('the thoughts') === true;
    return stays ? [{ name, format, open, end }] : [];
  });

  it('is known of many formats', () => {
    expect(thinking.length).toBeGreaterThan(30);
  });

  it.each(sampled(thinking, 3))(
    'a call is validated and told at the end, or a thought: $name',
    ({ format, open, end }) => {
      fc.assert(
        fc.property(cuts, (lengths) => {
          const { message: valid } = write(format, open(3, ''), lengths);
          expect(valid.tool_calls).toMatchObject([{ assurance: 'validated' }]);
          expect(valid.repaired).toMatchObject([
            { law: 'unclosed', detail: expect.stringContaining('thoughts') },
          ]);
          const { message: invalid } = write(format, open(14, ''), lengths);
          expect(invalid.tool_calls).toBeUndefined();
          expect(invalid.malformed).toMatchObject([
            { brokenCall: { problems: [expect.stringContaining('days')] } },
          ]);
          const { message: thought } = write(format, open(14, `${end}No.`), lengths);
          expect([thought.tool_calls, thought.malformed]).toEqual([undefined, undefined]);
          expect(thought.reasoning_content).toContain('14');
        }),
        { numRuns: 4 },
      );
    },
  );
});

describe('under `required`', () => {
  const several = formats.filter(({ format }) => format.calls?.parallel === true);

  it.each(sampled(several, 4))('a call may be followed by another, and by the end: $name', ({ format }) => {
    const options = { toolChoice: 'required' } as const;
    const one = { type: 'function', function: { name: 'get_weather', arguments: json(3) } } as const;
    const count = (message: ResponseMessage) => message.tool_calls?.length ?? 0;
    for (const ids of [['abcdefgh1'], ['abcdefgh1', 'abcdefgh2'], ['abcdefgh1', 'abcdefgh2', 'abcdefgh3']]) {
      const calls = ids.map((id) => ({ ...one, id }));
      const text = writeResponse(format, { role: 'assistant', content: null, tool_calls: calls });
      fc.assert(
        fc.property(cuts, (lengths) => {
          const { message, isRefused } = write(format, text, lengths, options);
          expect([isRefused, count(message)]).toEqual([false, ids.length]);
          for (const { assurance } of message.tool_calls ?? []) expect(assurance).toBe('enforced');
        }),
        { numRuns: 3 },
      );
    }
  });
});

describe('the layout of a call as JSON', () => {
  const indented = '{\n  "name": "get_weather",\n  "arguments":';

  /** The call that a parser reads after `head`, if that is JSON to it and not the format's own call. */
  function jsonCallAfter(format: ChatFormat, head: string): OpenCall | null {
    const parser = createResponseParser(format, { tools: ours });
    parser.feed(head);
    return parser.openCall?.notation.kind === 'json' ? parser.openCall : null;
  }

  const ownHead = (format: ChatFormat): string =>
    ownJsonCall(requireCalls(format), 'get_weather')?.head.trimEnd() ?? '';
  const marked = unmarked.filter(({ format }) => jsonCallAfter(format, ownHead(format)) !== null);
  const restAfter = (format: ChatFormat, head: string) => {
    const call = jsonCallAfter(format, head) ?? expect.fail('no call');
    return writer.grammars.restOf(format, { tools: ours, toolChoice: 'auto' }, call, '');
  };

  it('is the format’s own, and forced as far as that is, if the call begins in it', () => {
    expect(marked.length).toBeGreaterThan(10);
    for (const { name, format } of marked) {
      const forced = restAfter(format, ownHead(format))?.forced();
      // A free layout would allow white space here, or no brace at all yet.
      expect([name, forced]).toEqual([name, expect.stringMatching(/^ ?\{/)]);
    }
  });

  it('is free otherwise', () => {
    const texts = ['{"city":"Bern","days":3}}', ' {\n    "city": "Bern",\n    "days": 3\n  }\n}'];
    for (const { name, format } of sampled(marked, 3)) {
      const rest = restAfter(format, indented);
      expect([name, ...texts.map((text) => rest?.allows(text))]).toEqual([name, true, true]);
    }
  });
});

function requireCalls(format: ChatFormat) {
  const { calls } = turnLayout(format);
  if (calls === null) throw new TypeError('a format without calls');
  return calls;
}

it('`null` for an optional argument may be written in a call as JSON, and is read as absent', () => {
  const lax = normalizeTools([{ name: 'get_weather', parameters: { ...parameters, required: ['city'] } }]);
  const [first] = unmarked;
  const { format } = first ?? expect.fail('no formats');
  const text = '{\n"name": "get_weather", "arguments": {"city": "Bern", "days": null}}';
  const { message, isRefused } = write(format, text, [1], { tools: lax });
  expect([isRefused, message.tool_calls]).toMatchObject([
    false,
    [{ function: { arguments: '{"city": "Bern"}' }, assurance: expect.any(String) }],
  ]);
});
