/** The judges by themselves: their questions, ratings and texts, without a trained model. */
import { describe, expect, it } from 'vitest';
import { callsText, openerVariants } from '../../scripts/judge-models/insisting/other-spellings.ts';
import { beyondQuestions, ownQuestions } from '../../scripts/judge-models/questions/asked.ts';
import { drawQuestions } from '../../scripts/judge-models/questions/drawn.ts';
import { call, has, one, rate } from '../../src/cli/try/question.ts';
import { generatedFormats } from '../support/generated-formats.ts';

const sets = [ownQuestions, beyondQuestions, ...[1, 2, 3].map((seed) => drawQuestions(seed))];

describe.each(sets)('questions $name', ({ tools, questions }) => {
  it('differ, and expect what the tools can be called with', () => {
    expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
    expect(new Set(questions.map(({ text }) => text)).size).toBe(questions.length);
    const properties = new Map(
      tools.map(({ function: { name, parameters } }) => [
        name,
        Reflect.get(Object(parameters), 'properties'),
      ]),
    );
    for (const expected of questions.flatMap(({ calls }) => calls)) {
      expect(Object.keys(properties.get(expected.name))).toEqual(
        expect.arrayContaining(Object.keys(expected.checks)),
      );
    }
  });
});

it('the judge draws the same questions for a seed, and others for another one', () => {
  const texts = (seed: number) => drawQuestions(seed).questions.map(({ text }) => text);
  expect(texts(7)).toHaveLength(30);
  expect(texts(7)).toEqual(texts(7));
  expect(texts(7)).not.toEqual(texts(8));
});

it('the judge rates decisions, tools and values', () => {
  const calls = [call('a', { x: one(1), y: has('Z') }), call('b', {})];
  const question = { id: 'q', text: '', calls };
  const [right, wrong] = [
    { x: 1, y: 'a z', more: true },
    { x: 2, y: 'z' },
  ];
  const rated = (...made: readonly (readonly [string, object])[]) =>
    rate(
      question,
      made.map(([name, input]) => ({ name, arguments: input })),
    );
  expect(rated()).toEqual({ decision: false, tool: false, values: false, all: false });
  expect(rated(['b', right])).toEqual({ decision: true, tool: false, values: false, all: false });
  expect(rated(['a', wrong])).toEqual({ decision: true, tool: true, values: false, all: false });
  expect(rated(['a', right])).toEqual({ decision: true, tool: true, values: true, all: false });
  expect(rated(['a', right], ['b', {}])).toEqual({ decision: true, tool: true, values: true, all: true });
  const plain = { id: 'p', text: '', calls: [] };
  expect(rate(plain, []).decision).toBe(true);
  expect(rate(plain, [{ name: 'a', arguments: {} }]).decision).toBe(false);
});

it('the drawing of openers varies nothing but white space in openers', () => {
  const black = (text: string) => text.replaceAll(/\s/g, '');
  let variants = 0;
  for (const { format } of generatedFormats()) {
    if (format.calls === null) continue;
    const text = callsText(format, [['f', { a: 1 }]]);
    const varied = openerVariants(format, text).map((variant) => variant.text);
    expect(varied[0]).toBe(text);
    expect(new Set(varied).size).toBe(varied.length);
    expect(new Set(varied.map(black))).toEqual(new Set([black(text)]));
    variants += varied.length;
  }
  expect(variants).toBeGreaterThan(300);
});
