/**
 * Expressions drawn from every operation on text: whatever they make of a text of the input, its characters stay data.
 * Letters of an alphabet that no template is written in come from the input alone, so they need no other judge.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { IdiolectError } from '../../src/format/errors.ts';
import { OwnText, parseTemplate } from '../../src/template/template.ts';

const atoms = [
  ...['x', 'y', '"<|a|>"', '" "', '"b\\nc"', 'own', 'd', 'l', 'n', '[x, "<"]', '{"<": x}', '{x: "<"}'],
  ...['"%s>"', '"{}<{0}"', 'j', '(x, y)', 'x ~ "<"', '"<|" ~ x[:1]', '("<" ~ y) * 3', 'messages'],
];

/** What is made of one value. */
const changes = [
  ...['string', 'upper', 'lower', 'title', 'capitalize', 'trim', 'reverse', 'list', 'join', 'first', 'last'],
  ...['e', 'safe', 'forceescape', 'striptags', 'urlencode', 'tojson', 'pprint', 'length', 'sort', 'unique'],
  ...['items', 'dictsort', 'max', 'min', 'sum(start="")', 'indent(1)', 'center(9)', 'truncate(3, true, "<")'],
  ...['batch(2)', 'slice(2)', 'map("upper")', 'map("string")', 'map(attribute=0)', 'select', 'groupby(0)'],
  ...['replace("", "<")', 'replace("<", "|")', 'default("<")', 'from_json', 'join("|>")', 'wordcount', 'int'],
  ...['tojson(indent=2)', 'tojson(ensure_ascii=true)', 'format("<")', 'attr("a")', 'map("first") | list'],
].map((filter) => (value: string) => `(${value} | ${filter})`);
const methods = [
  ...[
    'upper()',
    'swapcase()',
    'title()',
    'strip()',
    'strip("<" ~ x[:1])',
    'split()',
    'split("у")',
    'rsplit("<", 1)',
  ],
  ...['partition("у")', 'rpartition("|")', 'splitlines()', 'splitlines(true)', 'center(9, "|")', 'zfill(9)'],
  ...[
    'ljust(9, "<")',
    'replace("у", "|>")',
    'replace("", "<", 2)',
    'removeprefix("<")',
    'removesuffix(x[2:3])',
  ],
  ...['format("<", "|")', 'items()', 'keys() | list', 'values() | list', 'get("к")', 'copy()', 'casefold()'],
].map((method) => (value: string) => `(${value}).${method}`);
const parts = ['[0]', '[-1]', '[1:]', '[:-1]', '[::-1]', '[::2]', '[-3:2]', '["к"]'].map(
  (part) => (value: string) => `(${value})${part}`,
);
/** What is made of two. */
const pairs = [
  (a: string, b: string) => `(${a} ~ ${b})`,
  (a: string, b: string) => `(${a} + ${b})`,
  (a: string, b: string) => `(${a} % ${b})`,
  (a: string, b: string) => `(${a}).join(${b})`,
  (a: string, b: string) => `(${b} | join(${a}))`,
  (a: string, b: string) => `(${a}).format(${b}, ${b})`,
  (a: string, b: string) => `(${a} | replace("<", ${b} | string))`,
  (a: string, b: string) => `(${b}).replace((${a} | string)[:1], ${b})`,
  (a: string, b: string) => `("{:|>9}{}").format(${a}, ${b})`,
  (a: string, b: string) => `{${a} | string: ${b}}`,
  (a: string, b: string) => `[${a}, ${b}]`,
  (a: string, b: string) => `dict([[${a} | string, ${b}]])`,
  (a: string, b: string) => `(${a} if ${b} else ${b})`,
  (a: string, b: string) => `f(${a}, k=${b})`,
  (a: string, b: string) => `cycler(${a}, ${b}).next()`,
  (a: string, b: string) => `strftime_now((${a} ~ "%Y" ~ ${b}) | string)`,
];
const single = [...changes, ...methods, ...parts];

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(...atoms),
    fc.tuple(fc.constantFrom(...single), tie('expression')).map(([change, value]) => change(value)),
    fc
      .tuple(fc.constantFrom(...pairs), tie('expression'), tie('expression'))
      .map(([pair, a, b]) => pair(a, b)),
  ),
}));

/** Where a value is written. */
const places = [
  (value: string) => `{{ ${value} }}`,
  (value: string) => `{% for k in ${value} %}<{{ k }}|{{ loop.previtem }}{% endfor %}`,
  (value: string) => `{% set t %}<{{ ${value} }}{% endset %}{{ t | trim }}`,
  (value: string) => `{% filter replace("<", "|") %}{{ ${value} }}{% endfilter %}`,
  (value: string) => `{% set ns = namespace(t=${value}) %}{{ ns.t }}{{ ns }}`,
  (value: string) => `{% call f("<") %}{{ ${value} }}{% endcall %}`,
];
const macro = '{% macro f(a, k="|") %}{{ a }}{{ k }}{{ kwargs }}{{ caller }}{% endmacro %}';

const variables = {
  ...{ x: 'жук<|im_start|>', y: ' ж  у\nк ', n: 7, l: ['ж', 'у', ['к', 1.5, null]] },
  ...{ d: { к: 'жук', '<': 'ж' }, j: '{"к": ["ж", 1]}', own: new OwnText('user') },
  messages: [{ role: new OwnText('user'), content: 'жук' }],
};
const foreign = /[\u0400-\u04ff]/;

it('no text of the input becomes the template’s own', () => {
  let rendered = 0;
  fc.assert(
    fc.property(fc.constantFrom(...places), expression, (place, value) => {
      const source = macro + place(value).replaceAll('"у"', 'y[3:4]').replaceAll('"к"', 'j[2:3]');
      // Letters in the source would be the template's.
      fc.pre(!foreign.test(source));
      try {
        const spans = parseTemplate(source, { limits: { output: 1 << 20 } }).renderSpans(variables);
        rendered += 1;
        expect(spans.filter(({ text, origin }) => origin === 'template' && foreign.test(text))).toEqual([]);
      } catch (error) {
        if (!(error instanceof IdiolectError)) throw error;
      }
    }),
    { numRuns: process.env.LAWS === 'long' ? 200_000 : 3000 },
  );
  expect(rendered).toBeGreaterThan(300);
});
