/** Thoughts that are opened or closed twice, and answers in markers that calls end: at every cut. */
import { describe, expect, test } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { outcome, readEverywhere } from '../support/lenient-outcome.ts';
import { sampled } from '../support/sample.ts';
import { jsonInTags, tagged, wrappedContent } from '../support/sample-formats.ts';

const opened = { generationPrompt: '<muse>\n' };
const reopened = '<muse>\nSo.\n</muse>\nHi.';

function laws({ message }: ReturnType<typeof readEverywhere>) {
  return (message.repaired ?? []).map(({ law }) => law);
}

describe('an opener of thoughts', () => {
  test.each([
    ['after the prompt', reopened, opened],
    ['after white space', `\n ${reopened}`, opened],
    ['after itself', `<muse>\n${reopened}`, {}],
  ])('counts once where it stands twice: %s', (_, text, options) => {
    const parsed = readEverywhere(tagged, text, options);
    expect([parsed.message.reasoning_content, parsed.message.content]).toEqual(['So.', 'Hi.']);
    expect(laws(parsed)).toEqual(['thoughts-again']);
    expect(
      readEverywhere(tagged, text, { ...options, leniency: 'strict' }).message.reasoning_content,
    ).not.toBe('So.');
  });

  test('is all that was thought where the thoughts end after it', () => {
    const parsed = readEverywhere(tagged, '<muse>\n\n</muse>\nHi.', opened);
    expect([parsed.message.reasoning_content?.trim(), parsed.message.content]).toEqual(['<muse>', 'Hi.']);
    expect(laws(parsed)).toEqual([]);
  });

  test('is a thought later on, and stays where thoughts stay in the text', () => {
    const later = readEverywhere(tagged, 'So <muse>\nand so.\n</muse>\nHi.', opened);
    expect([later.message.reasoning_content, laws(later)]).toEqual(['So <muse>\nand so.', []]);
    const kept = readEverywhere(tagged, reopened, { ...opened, reasoningFormat: 'none' });
    expect(kept.message.content).toContain('<muse>\nSo.');
  });

  test('that may still come leaves the parser in thoughts', () => {
    const parser = createResponseParser(tagged, opened);
    expect(parser.position).toMatchObject({ region: 'reasoning', thinking: true });
    parser.feed('<muse>');
    expect(parser.position).toMatchObject({ region: 'reasoning', thinking: true });
  });
});

describe('an end of thoughts', () => {
  test.each([
    ['after itself', '<muse>\nSo.\n</muse>\n</muse>\nHi.', {}],
    ['in one line', '<muse>\nSo.\n</muse></muse>Hi.', {}],
    ['three times', '<muse>\nSo.\n</muse>\n\n</muse>\n</muse>\nHi.', {}],
    ['after the prompt', '</muse>\nHi.', { generationPrompt: '<muse>\nSo.\n</muse>\n' }],
  ])('counts once where it stands twice: %s', (_, text, options) => {
    const parsed = readEverywhere(tagged, text, options);
    expect(parsed.message.content).toBe('Hi.');
    expect([...new Set(laws(parsed))]).toEqual(['thoughts-again']);
    expect(parsed.message.repaired?.[0]?.detail).toBe('"</muse>" stands twice');
    expect(readEverywhere(tagged, text, { ...options, leniency: 'strict' }).message.content).toContain(
      '</muse>',
    );
  });

  test('is text where an answer quotes it first', () => {
    const parsed = readEverywhere(tagged, '<muse>\nSo.\n</muse>\n`</muse>` ends thoughts.');
    expect(parsed.message.content).toBe('`</muse>` ends thoughts.');
    expect(laws(parsed)).toEqual(['quoted']);
  });
});

describe.each(sampled(generatedFormats(), 4))('thoughts of $name', ({ format }) => {
  const { reasoning, turn, content } = format;
  const { headed, reasoning: region } = turnLayout(format);

  test.runIf(region !== null && !region.open.isBlank && region.end.isSignificant && !headed)(
    'may be closed again',
    () => {
      const answer = `${content.afterReasoning ?? ''}${content.open}Hi.${content.close}`;
      const parser = createResponseParser(format, { tools: [] });
      parser.feed(`${reasoning?.start}So.${reasoning?.end}${reasoning?.end}${answer}`);
      const { message } = parser.finish();
      expect([message.reasoning_content?.trim(), message.content?.trim()]).toEqual(['So.', 'Hi.']);
      expect(message.repaired?.map(({ law }) => law)).toEqual(['thoughts-again']);
    },
  );

  test.runIf(reasoning !== null && reasoning.start.trim() !== '')('may be opened again', () => {
    const start = reasoning?.start ?? '';
    const answer = `${reasoning?.end}${content.afterReasoning ?? ''}${content.open}Hi.${content.close}`;
    const generationPrompt = turn.start + (turn.lead ?? '') + start;
    const parser = createResponseParser(format, { tools: [], generationPrompt });
    parser.feed(`${start}So.${answer}`);
    const { message } = parser.finish();
    expect([message.reasoning_content?.trim(), message.content?.trim()]).toEqual(['So.', 'Hi.']);
    expect(message.repaired).toHaveLength(1);
  });
});

describe('an answer in markers', () => {
  const calls = '<act>[\n    {"n": "0", "name": "add", "arguments": {"a": 3}}\n]</act>';

  test('ends where calls begin, if a tool on offer is named', () => {
    expect(outcome(wrappedContent, `<say>Look.${calls}`)).toEqual({
      calls: [['add', { a: 3 }]],
      laws: ['unclosed'],
      malformed: 0,
    });
    expect(readEverywhere(wrappedContent, `<say>Look.${calls}`).message.content).toBe('Look.');
  });

  test('holds what looks like calls otherwise', () => {
    const quoted = calls.replace('add', 'sub');
    expect(readEverywhere(wrappedContent, `<say>Look. ${quoted}</say>`).message.content).toBe(
      `Look. ${quoted}`,
    );
    expect(outcome(jsonInTags, 'Look.').calls).toEqual([]);
  });
});
