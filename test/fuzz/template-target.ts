/** Chat templates: rendered, analysed, and held to the laws where the analysis had to assume nothing. */
import { analyzeTemplate, renderPrompt, verifyTemplate } from '../../src/index.ts';
import { lawTools } from '../support/law-tools.ts';
import { spineTemplates } from '../support/spine-templates.ts';
import { type FuzzTarget, typed } from './fuzz-target.ts';
import { mutatedText } from './mutated-text.ts';

const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hello' },
] as const;

const tokens = { bosToken: '<s>', eosToken: '</s>' } as const;

const parts = [
  ...[
    '{{ ',
    ' }}',
    '{%- ',
    ' -%}',
    '{% if m %}',
    '{% endif %}',
    '{% else %}',
    '{% break %}',
    '%}',
    '{# ',
    ' #}',
  ],
  ...['{% for x in messages recursive %}', '{% for k, v in messages[0]|items %}', '{% endfor %}'],
  ...['{% macro f(a) %}', '{% endmacro %}', '{% call f(1) %}', '{% endcall %}', '{% filter upper %}'],
  ...['{% set x = ', '{% set x %}', '{% endset %}', '{% generation %}', '{{ caller() }}', 'namespace(a=1)'],
  ...[
    ' | tojson',
    ' | trim',
    ' | length',
    ' | items',
    ' | map("upper")',
    ' | groupby("role")',
    ' | join("")',
  ],
  ...[' | batch(2)', ' | replace("a", "")', ' | safe', ' | sort(attribute="role")', ' | selectattr("x")'],
  ...['.split("<")', '.format(1)', '.strip()', '[-1:]', '[::-1]', '[0]', '.items()', '.get("role")'],
  ...[' ~ ', ' not in ', ' is mapping', ' is defined', ' if true else ', 'none', '1e9', '-1', '**', '//'],
  ...['{{ raise_exception("no") }}', '{{ [[1] * 9] * 9 }}', 'loop.index0', 'loop.cycle(1)', 'range(9)'],
  ...['strftime_now("%Y")', '__class__', 'constructor', '{{ lipsum }}', '"%s" % 1'],
];

/** See the top of this file. */
export const template: FuzzTarget = {
  seeds: (await spineTemplates()).map(({ source }) => source),
  near: (source) => mutatedText([source], parts),
  attempt: async (source) => {
    await typed(() => renderPrompt(source, { messages, tools: lawTools }));
    await typed(() => {
      const { format, warnings } = analyzeTemplate(source, { ...tokens, budget: 1_000_000 });
      if (warnings.length > 0) return;
      const [breach] = verifyTemplate(source, { ...tokens, format }).breaches;
      if (breach !== undefined) throw new Error(JSON.stringify(breach));
    });
  },
};
