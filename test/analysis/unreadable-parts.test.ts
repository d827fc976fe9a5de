/** What a template shows in a way that no format says: it is told of, and never left out in silence. */
import { describe, expect, test } from 'vitest';
import type { Analysis } from '../../src/analysis/analysis.ts';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { verifyTemplate } from '../../src/generate/verify/verify-template.ts';

const call = '<call>{{ call.function.name }} {{ call.function.arguments | tojson }}</call>';
const eachCall = (body: string) => `{% for call in message.tool_calls or [] %}${body}{% endfor %}`;
const thoughts = (open: string, close: string) =>
  `{% if message.reasoning_content %}${open}{{ message.reasoning_content }}${close}{% endif %}`;
const text = '{{ message.content }}';

/** A template whose assistant's turn is `turn`, and whose prompt ends with `prompt`. */
function templateOf(turn: string, prompt = ''): string {
  return [
    `{% for message in messages %}<|{{ message.role }}|>{% if message.role == "assistant" %}${turn}`,
    `{% else %}${text}{% endif %}<|end|>{% endfor %}`,
    `{% if add_generation_prompt %}<|assistant|>${prompt}{% endif %}`,
  ].join('');
}

const warned = ({ warnings }: Analysis) => warnings.map(({ field, kind }) => `${kind} ${field}`);

describe('calls', () => {
  test.each([
    [
      'an argument of a tool of its own',
      '<run>{{ "" + call.function.arguments.code }}</run>',
      'assumed calls',
    ],
    ['nothing but a marker', '<call></call>', 'self-check calls'],
    ['the number of arguments', '<call of="{{ call.function.arguments | length }}"/>', 'self-check calls'],
  ])('of which a template shows %s', (_, body, warning) => {
    const analysis = analyzeTemplate(templateOf(text + eachCall(body)));
    expect(analysis.format.calls).toBeNull();
    expect(warned(analysis)).toEqual([warning]);
  });

  test.each([
    ['that a template does not look at', ''],
    ['that a template refuses', "{{ raise_exception('no calls') }}"],
  ])('%s are no warning', (_, body) => {
    const analysis = analyzeTemplate(templateOf(body === '' ? text : text + eachCall(body)));
    expect(analysis.format.calls).toBeNull();
    expect(warned(analysis)).toEqual([]);
  });
});

describe('reasoning', () => {
  test('after the answer is not read, and a warning says so', () => {
    const analysis = analyzeTemplate(templateOf(text + eachCall(call) + thoughts('<muse>', '</muse>')));
    expect(analysis.format.reasoning).toBeNull();
    expect(warned(analysis)).toEqual(['self-check reasoning']);
  });

  test('that the prompt opens with another marker than finished turns', () => {
    const analysis = analyzeTemplate(
      templateOf(thoughts('<muse deep>', '</muse>') + text + eachCall(call), '<muse shallow>'),
    );
    expect(warned(analysis)).toEqual(['assumed reasoning']);
    expect(analysis.warnings[0]?.message).toContain('<muse shallow>');
  });

  test('that the prompt opens, or skips, as finished turns do is no warning', () => {
    for (const prompt of ['<muse>', '<muse></muse>', '{{ "<muse>" if enable_thinking else "</muse>" }}']) {
      const turn = thoughts('<muse>', '</muse>') + text + eachCall(call);
      expect(warned(analyzeTemplate(templateOf(turn, prompt)))).toEqual([]);
    }
  });
});

describe('reasoning that only the next region ends', () => {
  const regions = (think: string, say: string, act: string) =>
    templateOf(
      thoughts(think, '') +
        `{% if message.content %}${say}${text}{% endif %}` +
        eachCall(`${act}{{ call.function.name }} {{ call.function.arguments | tojson }}`),
    );

  test('is read where markers open what follows', () => {
    const template = regions('<|think|>', '<|say|>', '<|do|>');
    expect(warned(analyzeTemplate(template))).toEqual([]);
    expect(verifyTemplate(template)).toMatchObject({ refused: 0, breaches: [], holds: true });
  });

  test('is a warning where words do, or nothing does', () => {
    expect(warned(analyzeTemplate(regions('Thought: ', 'Answer: ', 'Action: ')))).toEqual([
      'assumed reasoning.end',
    ]);
    expect(warned(analyzeTemplate(regions('<|think|>', '', '<|do|>')))).toEqual(['assumed reasoning.end']);
  });
});

/** One side writes until the other's turn; what ends its transmission is written before the answer begins. */
test('an end of the text that prompts lack is no part of prompts or turns', () => {
  const template = [
    '{% set side = namespace(model=false) %}',
    '{% for message in messages %}{% set model = message.role == "assistant" %}',
    '{% if model != side.model %}<|over|>{% endif %}{% set side.model = model %}',
    `{% if model %}${thoughts('<|think|>', '')}{% if message.content %}<|say|>${text}{% endif %}`,
    `${eachCall('<|do|>{{ call.function.name }} {{ call.function.arguments | tojson }}')}`,
    `{% else %}<|{{ message.role }}|>${text}{% endif %}{% endfor %}`,
    '<|over|>{{ eos_token if not add_generation_prompt }}',
  ].join('');
  const analysis = analyzeTemplate(template, { eosToken: '</s>' });
  expect(analysis.format.turn).toMatchObject({ start: '', prompt: { unset: '', on: '', off: '' } });
  expect(warned(analysis)).toEqual([]);
  expect(verifyTemplate(template)).toMatchObject({ refused: 0, breaches: [], holds: true });
});
