/** Law: whatever a template writes around the values of each type, and in which notation, is found. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { ValueFrame } from '../../src/format/chat-format.ts';

/** A template that writes arguments as `<k>key</k>`, the value as given, and `<end>`. */
function analyzed(value: string, entry = (text: string) => text, macro = '') {
  const written = entry(`<k>{{ key }}</k>${value}<end>`);
  const entries = `{% for key, value in call.function.arguments.items() %}${written}{% endfor %}`;
  const calls = `{% for call in message.tool_calls %}<call {{ call.function.name }}>${entries}</call>{% endfor %}`;
  const { format, evidence, warnings } = analyzeTemplate(
    [
      macro,
      '{% for message in messages %}<|turn|>{{ message.role }}{{ "\\n" }}{{ message.content }}',
      `{% if message.tool_calls %}${calls}{% endif %}<|end|>{% endfor %}`,
      '{% if add_generation_prompt %}<|turn|>assistant{{ "\\n" }}{% endif %}',
    ].join(''),
  );
  const input = format.calls?.arguments;
  if (input?.kind !== 'entries') throw new TypeError('the arguments are entries');
  const { unshown = [] } = format.calls ?? {};
  const assumed = evidence.filter(({ basis }) => basis === 'convention').map(({ field }) => field);
  const shown = new Map(
    evidence.map(({ field, slice }) => [field.replace('calls.arguments.frames.', ''), slice]),
  );
  return { input, unshown, assumed, shown, warnings: warnings.map(({ field, kind }) => [field, kind]) };
}

const types = {
  string: 'string',
  null: 'none',
  boolean: 'boolean',
  integer: 'integer',
  number: 'number',
  object: 'mapping',
  array: 'iterable',
} as const;
type Type = keyof typeof types;
const names = Object.keys(types) as readonly Type[];

/** How a type is written: within a tag, or without one; as JSON, or as Python prints it. */
const kind = fc.record({ tag: fc.constantFrom('', 'v', 'w', 'x y="z"'), isPython: fc.boolean() });
const kinds = fc.record(Object.fromEntries(names.map((name) => [name, kind])) as Record<Type, typeof kind>);

function around(tag: string): readonly [string, string] {
  return tag === '' ? ['', ''] : [`<${tag}>`, `</${tag.slice(0, 1)}>`];
}

describe('the frame of each type', () => {
  it('is what the template writes between the key and the end of the entry', () => {
    fc.assert(
      fc.property(kinds, (written) => {
        const branches = names.map((name, at) => {
          const { tag, isPython } = written[name];
          const [open, close] = around(tag);
          const value = isPython || name === 'string' ? '{{ value }}' : '{{ value | tojson }}';
          return `{% ${at === 0 ? 'if' : 'elif'} value is ${types[name]} %}${open}${value}${close}`;
        });
        const { input, unshown, shown, warnings } = analyzed(`${branches.join('')}{% endif %}`);
        expect(warnings).toEqual([]);
        expect(unshown).not.toContain('types');
        const found = (frame: ValueFrame) => [
          input.entry.key + frame.open,
          frame.close + input.entry.close.join(''),
        ];
        for (const name of names) {
          const { tag, isPython } = written[name];
          const [open, close] = around(tag);
          const frame = name === 'integer' ? (input.integer ?? input.frames.number) : input.frames[name];
          expect(found(frame), name).toEqual([`</k>${open}`, `${close}<end>`]);
          const isOne = name === 'number' || name === 'integer';
          expect(frame.codec, name).toBe(name === 'string' ? 'raw' : isPython && !isOne ? 'python' : 'json');
        }
        // The evidence is the text from the key on, and there is some for each type but strings, which have their own.
        for (const name of names) {
          if (name === 'string' || name === 'integer') continue;
          const evidence = shown.get(name) ?? '';
          const [open, close] = around(written[name].tag);
          const others = name === 'number' ? [around(written.integer.tag)] : [];
          const isWhole = [[open, close], ...others].some(
            ([begin = '', end = '']) =>
              evidence.startsWith(`</k>${begin}`) && evidence.endsWith(`${end}<end>`),
          );
          expect([name, evidence, isWhole]).toEqual([name, evidence, true]);
        }
        // What all types have in common is no part of any of them.
        expect([input.entry.key.slice(0, 4), input.entry.close.join('').slice(-5)]).toEqual([
          '</k>',
          '<end>',
        ]);
        expect(input.integer === undefined).toBe(written.integer.tag === written.number.tag);
      }),
      { numRuns: 15 },
    );
  });

  it('of containers that the template takes apart is their own notation', () => {
    const macro = [
      '{% macro put(value) %}{% if value is mapping %}',
      '{% for k, v in value.items() %}<m={{ k }}>{{ put(v) }}</m>{% endfor %}',
      '{% elif value is iterable and value is not string %}',
      '{% for v in value %}<item>{{ put(v) }}</item>{% endfor %}',
      '{% elif value is string %}{{ value }}{% else %}{{ value | tojson }}{% endif %}{% endmacro %}',
    ].join('');
    const { input } = analyzed('{{ put(value) }}', (text) => text, macro);
    const { frames, nested } = input;
    expect(nested).not.toBeNull();
    expect([frames.object.codec, frames.array.codec]).toEqual(['nested', 'nested']);
    expect([frames.number.codec, frames.null.codec, frames.string.codec]).toEqual(['json', 'json', 'raw']);
    // What no render shows is no container of that notation, either.
    const unshown = analyzed('{% if value is not none %}{{ put(value) }}{% endif %}', undefined, macro);
    expect(unshown.input.frames).toEqual({ ...frames, null: frames.number });
  });

  it('has the style of its JSON', () => {
    const styles = [
      ['{{ value | tojson }}', { itemSeparator: ', ', keySeparator: ': ', indent: null }],
      ['{{ value | tojson(indent=2) }}', { keySeparator: ': ', indent: 2 }],
      [
        "{{ value | tojson(separators=(',', ':')) }}",
        { itemSeparator: ',', keySeparator: ':', indent: null },
      ],
    ] as const;
    for (const [json, style] of styles)
      expect(
        analyzed(`{% if value is string %}{{ value }}{% else %}${json}{% endif %}`).input.style,
      ).toMatchObject(style);
    expect(analyzed('{{ value }}').input.style).toMatchObject(styles[0][1]);
  });

  it('is that of a number where containers are written in a way that nobody could read', () => {
    const written = '{% if value is mapping or value is string or value is not iterable %}{{ value }}';
    const { input, warnings } = analyzed(`${written}{% else %}{{ value | length }}{% endif %}`);
    expect(input.frames.array).toEqual(input.frames.number);
    expect(input.nested).toBeNull();
    expect(warnings).toContainEqual(['calls.arguments.frames.array', 'assumed']);
  });

  it('is found where objects are JSON only if all that they hold is text', () => {
    const member = '"{{ k }}": "{{ v }}"{% if not loop.last %}, {% endif %}';
    const object = `{{ "{" }}{% for k, v in value.items() %}${member}{% endfor %}{{ "}" }}`;
    const others = '{% elif value is string %}{{ value }}{% else %}{{ value | tojson }}{% endif %}';
    const { frames } = analyzed(`{% if value is mapping %}<o>${object}</o>${others}`).input;
    expect(frames.object).toMatchObject({ codec: 'json' });
    expect([frames.object.open, frames.object.close].map((text) => text.includes('o>'))).toEqual([
      true,
      true,
    ]);
  });

  it('has an end of its own where the ends of types have nothing in common', () => {
    const value = '{% if value is string %}|{{ value }}|{% else %}{{ value | tojson }}{% endif %}';
    const { frames, entry } = analyzed(value, (text) => text.replace('<end>', '')).input;
    const found = (frame: ValueFrame) => [entry.key + frame.open, frame.close + entry.close.join('')];
    expect(found(frames.string)).toEqual(['</k>|', '|']);
    for (const name of ['number', 'boolean', 'null', 'array', 'object'] as const)
      expect([name, ...found(frames[name])]).toEqual([name, '</k>', '']);
  });

  it('is absent where values of the type are dropped with their key', () => {
    const dropped = (text: string) => `{% if value is not none %}${text}{% endif %}`;
    const { input, shown } = analyzed('{{ value }}', dropped);
    expect([shown.has('boolean'), shown.has('null')]).toEqual([true, false]);
    expect(input.frames.null).toEqual({ open: '', close: '', codec: 'absent' });
    expect(input.frames.boolean.codec).toBe('python');
  });

  it('is that of a number, which a warning tells, where no render shows it', () => {
    const { input, warnings } = analyzed('{% if value is not none %}{{ value }}{% endif %}');
    expect(input.frames.null).toEqual(input.frames.number);
    expect(warnings).toContainEqual(['calls.arguments.frames.null', 'assumed']);
  });
});

describe('strings that are pasted into quotes', () => {
  const pasted = (quote: string, other: string) =>
    analyzed(`{% if value is string %}${quote}{{ value }}${quote}{% else %}${other}{% endif %}`);

  it.each([
    ['"', 'json'],
    ["'", 'python'],
  ])('are literals where nothing else is quoted: %s', (quote, codec) => {
    const { input, assumed } = pasted(quote, '{{ value | tojson }}');
    const { frames, entry } = input;
    expect(assumed).toContain('calls.arguments.frames.string');
    expect(frames.string).toMatchObject({ codec, pasted: quote });
    expect([entry.key + frames.string.open, frames.string.close + entry.close.join('')]).toEqual([
      '</k>',
      '<end>',
    ]);
  });

  it('are texts between other signs', () => {
    const { frames } = pasted('|', '{{ value | tojson }}').input;
    expect(frames.string.codec).toBe('raw');
    expect(frames.string.pasted).toBeUndefined();
  });

  it.each(['"', "'"])('are texts within quotes where everything is quoted: %s', (quote) => {
    const { frames, entry } = pasted(quote, `${quote}{{ value | tojson }}${quote}`).input;
    expect(frames.string.codec).toBe('raw');
    expect(frames.string.pasted).toBeUndefined();
    expect(entry.key + frames.string.open).toBe(`</k>${quote}`);
    expect(entry.key + frames.number.open).toBe(`</k>${quote}`);
  });
});
