import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { IdiolectError, TemplateError, TemplateLimitError } from '../../src/format/errors.ts';
import { parseTemplate } from '../../src/template/template.ts';
import { allTemplates, type CorpusTemplate } from '../support/corpora.ts';
import { countedWork } from '../support/counted-work.ts';

const long = process.env.LAWS === 'long';

let corpus: CorpusTemplate[] = [];
beforeAll(async () => {
  corpus = await allTemplates();
}, 60_000);

/** The text, or the typed error that came instead; anything else is thrown on. */
function attempt(source: string, variables: Record<string, unknown>, limits = {}): string | IdiolectError {
  try {
    return parseTemplate(source, { limits }).render(variables);
  } catch (error) {
    if (error instanceof IdiolectError) return error;
    throw error;
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

const conversation = () => ({
  messages: [
    { role: 'system', content: 'Be nice.' },
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: '',
      reasoning_content: 'Hm.',
      tool_calls: [
        {
          id: 'call00001',
          type: 'function',
          function: { name: 'f', arguments: { a: [1, null], b: { c: 'd' } } },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'call00001', name: 'f', content: 'ok' },
  ],
  tools: [
    {
      type: 'function',
      function: {
        name: 'f',
        description: 'about',
        parameters: {
          type: 'object',
          properties: { a: { type: 'array', description: 'x' } },
          required: ['a'],
        },
      },
    },
  ],
  add_generation_prompt: true,
});

describe('a render never escapes its limits', () => {
  const hostile: readonly (readonly [what: string, source: string])[] = [
    ['a macro that calls itself', '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}'],
    [
      'macros that call each other',
      '{% macro f() %}{{ g() }}{% endmacro %}{% macro g() %}{{ f() }}{% endmacro %}{{ g() }}',
    ],
    ['nested loops', '{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}'],
    [
      'text that doubles',
      '{% set n = namespace(t="ab") %}{% for i in range(99) %}{% set n.t = n.t ~ n.t %}{% endfor %}',
    ],
    [
      'text that doubles by +',
      '{% set n = namespace(t="ab") %}{% for i in range(99) %}{% set n.t = n.t + n.t %}{% endfor %}',
    ],
    [
      'lists that double',
      '{% set n = namespace(t=[1]) %}{% for i in range(99) %}{% set n.t = n.t + n.t %}{% endfor %}',
    ],
    [
      'printing shared lists',
      '{% set n = namespace(t=[1]) %}{% for i in range(99) %}{% set n.t = [n.t, n.t] %}{% endfor %}{{ n.t }}',
    ],
    [
      'JSON of shared lists',
      '{% set n = namespace(t=[1]) %}{% for i in range(99) %}{% set n.t = [n.t, n.t] %}{% endfor %}{{ n.t|tojson }}',
    ],
    [
      'comparing shared lists',
      '{% set n = namespace(t=[1], u=[1]) %}{% for i in range(99) %}{% set n.t = [n.t, n.t] %}{% set n.u = [n.u, n.u] %}{% endfor %}{{ n.t == n.u }}',
    ],
    ['printing a list that holds itself', '{% set x = [] %}{% set _ = x.append(x) %}{{ x }}'],
    ['JSON of a list that holds itself', '{% set x = [] %}{% set _ = x.append(x) %}{{ x|tojson }}'],
    [
      'comparing lists that hold themselves',
      '{% set x = [] %}{% set _ = x.append(x) %}{% set y = [] %}{% set _ = y.append(y) %}{{ x == y }}',
    ],
    ['a huge repetition', '{{ "ab" * 9999999999 }}'],
    ['a huge list', '{{ [1] * 9999999999 }}'],
    ['a huge width', '{{ "a".center(9999999999) }}'],
    ['a huge format width', '{{ "%999999999d" % 1 }}'],
    ['a huge brace width', '{{ "{:999999999}".format(1) }}'],
    ['a huge indent', '{{ "a\\nb"|indent(9999999999) }}'],
    ['a replacement that explodes', '{% set t = "a" * 100000 %}{{ t|replace("a", t) }}'],
    ['a join that explodes', '{% set t = "a" * 100000 %}{{ t|join(t) }}'],
    ['a power tower', '{{ 9 ** 9 ** 9 ** 9 }}'],
    [
      'a growing loop',
      '{% set x = [1] %}{% for i in x %}{% set _ = x.append(i) %}{{ x|length }}{% endfor %}{{ "ab" * 99999999 }}',
    ],
    ['a batch of fillers', '{{ [1]|batch(9999999999, 0)|list }}'],
    ['many slices', '{{ [1]|slice(9999999999)|list }}'],
  ];
  // A step is charged for each value, however long its text is in JSON; so many may be written.
  const maxUnits = 32 * 5_000_000;
  it.each(hostile)('and ends in a typed error for %s', (_what, source) => {
    let result: unknown;
    const units = countedWork(() => {
      result = attempt(source, {});
    });
    expect(result).toBeInstanceOf(IdiolectError);
    expect(units).toBeLessThan(maxUnits);
  });

  it.each([
    ['parentheses', `{{ ${'('.repeat(100_000)}1${')'.repeat(100_000)} }}`],
    ['brackets', `{{ ${'['.repeat(100_000)}${']'.repeat(100_000)} }}`],
    ['negations', `{{ ${'not '.repeat(100_000)}1 }}`],
    ['conditions', '{% if 1 %}'.repeat(20_000) + '{% endif %}'.repeat(20_000)],
  ])('deeply nested %s', (_what, source) => {
    expect(attempt(source, {})).toBeInstanceOf(TemplateLimitError);
  });

  it('long stretches of white space cost linear work', () => {
    const workOf = (length: number): number => {
      const blank = ' '.repeat(length);
      const source = `a${blank}{%${blank}if 1${blank}%}{{ "${blank}"|length }}${blank}{%-${blank}endif %}`;
      return countedWork(() => expect(attempt(source, {})).toBe(`a${blank}${length}`));
    };
    expect(workOf(300_000)).toBeLessThan(11 * workOf(30_000));
  });

  const piece = fc.constantFrom(
    '{% for i in range(50) %}',
    '{% for c in t %}',
    '{% endfor %}',
    '{% set t = t ~ t %}',
    '{% set n.t = n.t ~ t %}',
    '{% set n.l = n.l + [n.l] %}',
    '{{ n.l }}',
    '{{ n.l|tojson }}',
    '{{ t * 100 }}',
    '{{ f() }}',
    '{% macro f() %}',
    '{% endmacro %}',
    '{% if t|length > 20 %}',
    '{% endif %}',
    'text',
  );
  it('random programs end with bounded text or a typed error', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const source = `{% set t = "ab" %}{% set n = namespace(t="x", l=[1]) %}${pieces.join('')}`;
        const result = attempt(source, {}, { steps: 20_000, output: 2_000, depth: 20 });
        expect(result instanceof IdiolectError || result.length <= 2_000).toBe(true);
      }),
      { numRuns: long ? 20_000 : 60 },
    );
  });
});

describe('a template reaches nothing but its data', () => {
  const names = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'valueOf',
    '__class__',
    '__defineGetter__',
  ];

  it('prototype names as keys are plain data', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.jsonValue(), (name, value) => {
        const data = JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(value)}}`);
        const template = parseTemplate('{{ d[k]|tojson }}|{{ k in d }}|{% for x in d %}{{ x }}{% endfor %}');
        const plain = parseTemplate('{{ v|tojson }}');
        const text = template.render({ d: data, k: name });
        expect(text).toBe(`${plain.render({ v: JSON.parse(JSON.stringify(value)) })}|True|${name}`);
      }),
      { numRuns: long ? 5_000 : 20 },
    );
  });

  it.each(names)('%s does not exist unless it is given', (name) => {
    const source = `{{ x.${name} is defined }}{{ x["${name}"] is defined }}{{ ${name} is defined }}`;
    for (const x of [{}, [], 'text', 1, 1.5, null, true]) {
      expect(parseTemplate(source).render({ x })).toBe('FalseFalseFalse');
    }
  });

  it('assigning such names pollutes nothing', () => {
    const source =
      '{% set n = namespace() %}{% set n.__proto__ = {"polluted": 1} %}{% set n.constructor = 1 %}{% set __proto__ = 1 %}{% set d = {} %}{% set _ = d.update({"__proto__": {"polluted": 1}}) %}{{ d }}';
    expect(parseTemplate(source).render({})).toBe("{'__proto__': {'polluted': 1}}");
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(Reflect.get({}, 'polluted')).toBe(undefined);
  });

  it.each([() => 1, Symbol('x'), 1n])('refuses input that is no data: %s', (value) => {
    expect(() => parseTemplate('{{ x }}').render({ x: value })).toThrow(TemplateError);
  });

  it('refuses input that holds itself', () => {
    const loop: unknown[] = [];
    loop.push(loop);
    expect(() => parseTemplate('x').render({ loop })).toThrow(TemplateError);
  });
});

describe('laws over the corpora', () => {
  it('rendering does not change its input', () => {
    const frozen = deepFreeze(conversation());
    for (const { source } of corpus) attempt(source, frozen);
    expect(frozen).toEqual(conversation());
  });

  it('changing methods change copies', () => {
    const source =
      '{% set _ = l.append(1) %}{% set _ = l[0].pop("a") %}{% set _ = l[0].update({"b": 1}) %}{% set _ = l.reverse() %}{{ l }}';
    const input = deepFreeze({ l: [{ a: 1 }] });
    expect(parseTemplate(source).render(input)).toBe("[1, {'b': 1}]");
    expect(input).toEqual({ l: [{ a: 1 }] });
  });

  it('rendering twice gives the same text, and observing reads changes none', () => {
    for (const { source } of corpus) {
      const template = parseTemplate(source);
      const now = new Date(0);
      const outcome = (render: () => string) => {
        try {
          return render();
        } catch (error) {
          return String(error);
        }
      };
      const first = outcome(() => template.render(conversation(), { now }));
      expect(outcome(() => template.render(conversation(), { now }))).toBe(first);
      expect(outcome(() => template.renderObserved(conversation(), { now }).text)).toBe(first);
    }
  });

  it.each([undefined, null, 7, ['{{ messages }}'], {}])(
    '%j is no template, and said to be none',
    (source) => {
      expect(() => parseTemplate(source as unknown as string)).toThrow(TemplateError);
    },
  );

  it('damaged templates give text or typed errors', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.nat(),
        fc.nat({ max: 40 }),
        fc.string({ maxLength: 6 }),
        (which, at, length, added) => {
          const { source } = corpus[which % corpus.length] ?? { source: '' };
          const cut = at % (source.length + 1);
          attempt(source.slice(0, cut) + added + source.slice(cut + length), conversation());
        },
      ),
      { numRuns: long ? 10_000 : 20 },
    );
  });
});

describe('tojson is JSON', () => {
  const value = fc.jsonValue({ maxDepth: 4 });
  it('reads back as the same value, under every style', () => {
    const template = parseTemplate('{{ v|tojson(indent=i, ensure_ascii=a, sort_keys=s) }}');
    fc.assert(
      fc.property(value, fc.option(fc.nat({ max: 5 })), fc.boolean(), fc.boolean(), (v, i, a, s) => {
        const text = template.render({ v, i, a, s });
        expect(JSON.stringify(sorted(JSON.parse(text)))).toBe(JSON.stringify(sorted(v)));
        if (a) expect(text).toMatch(/^[\n -~]*$/);
      }),
      { numRuns: long ? 20_000 : 60 },
    );
  });

  it('compact separators write what JSON.stringify writes', () => {
    const template = parseTemplate('{{ v|tojson(separators=(",", ":")) }}');
    const whole = fc.letrec((tie) => ({
      value: fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(whole, (v) => {
        expect(template.render({ v })).toBe(JSON.stringify(v));
      }),
      { numRuns: long ? 20_000 : 60 },
    );
  });
});

/** Keys in order, at every level; minus zero is zero. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (Object.is(value, -0)) return 0;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
