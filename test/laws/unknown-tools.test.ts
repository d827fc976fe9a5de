/**
 * Law: a parser that is not told which tools there are reads the calls that the format writes, whatever their names; and
 * no call in prose that only has the opener, or the opener and a word.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { analyzeTemplate } from '../../src/index.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { sampled } from '../support/sample.ts';

const seed = Number(process.env.SEED);
const long = process.env.LAWS === 'long';

/** Templates with openers and closers of calls that no model has. */
const openers = [
  ['~~>', ' <~~'],
  ['>>> ', '<<<'],
  ['-->CALL ', ' <--'],
  ['Action: ', ' End'],
  ['<call>', '</call>'],
  ['[CALL]', '[/CALL]'],
  ['@@call ', '@@'],
  ['{call}', '{/call}'],
] as const;

const invented = ([open, close]: readonly [string, string]): string => `{%- for m in messages -%}
{%- if m.role == 'assistant' -%}
⟦A⟧{{ m.content or '' }}{% for c in m.tool_calls or [] %}
${open}{{ c.function.name }} :: {{ c.function.arguments | tojson }}${close}{% endfor %}⟦/A⟧
{% else -%}
⟦{{ m.role }}⟧{{ m.content }}⟦/{{ m.role }}⟧
{% endif -%}
{%- endfor -%}
{%- if tools %}⟦T⟧{% for t in tools %}{{ t.function | tojson }}
{% endfor %}⟦/T⟧
{% endif -%}
{%- if add_generation_prompt -%}⟦A⟧{%- endif -%}`;

/** What a parser without tools makes of it, in pieces of this size. */
function read(format: ChatFormat, text: string, size: number): ResponseMessage {
  const parser = createResponseParser(format);
  for (let at = 0; at < text.length; at += size) parser.feed(text.slice(at, at + size));
  return parser.finish().message;
}

const names = fc
  .stringMatching(/^[a-z][a-z0-9_]{2,20}$/)
  .filter((name) => !/^(all|self|null|true|false)$/.test(name));
const inputs = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.stringMatching(/^[A-Z][a-z]{0,8}$/), {
  minKeys: 1,
  maxKeys: 3,
});

async function holds(format: ChatFormat): Promise<void> {
  const law = fc.property(names, inputs, fc.integer({ min: 1, max: 40 }), (name, input, size) => {
    const call = {
      id: 'call00001',
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    } as const;
    const text = writeResponse(format, { role: 'assistant', content: '', tool_calls: [call] });
    const { tool_calls: calls = [], malformed } = read(format, text, size);
    expect(malformed).toBeUndefined();
    expect(calls.map((each) => each.function.name)).toEqual([name]);
    expect(JSON.parse(calls[0]?.function.arguments ?? '')).toEqual(input);
  });
  await fc.assert(law, { seed, numRuns: long ? 60 : 8 });
}

describe('a parser without tools reads calls of any name', () => {
  const formats = generatedFormats().filter(({ format }) => format.calls !== null);
  it.each(sampled(formats, 8))('$name', ({ format }) => holds(format));
  it.each(openers)('%s … %s', (...pair) => holds(analyzeTemplate(invented(pair)).format));
});

describe('prose with an opener', () => {
  const formats = openers.map((pair) => ({ open: pair[0], format: analyzeTemplate(invented(pair)).format }));

  it.each(formats.filter(({ open }) => !/[<[{@]/.test(open)))('$open is no call', ({ open, format }) => {
    for (const prose of [`I write ${open}in text.`, `${open}x\n${open}y = 1`, `${open}x`, `See ${open}`])
      for (const size of [1, 100]) {
        const text = writeResponse(format, { role: 'assistant', content: prose });
        const message = read(format, text, size);
        expect(message.tool_calls ?? []).toEqual([]);
        expect(message.content).toBe(prose);
      }
  });
});
