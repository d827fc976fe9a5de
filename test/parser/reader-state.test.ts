/** What the reader knows while it reads: where a marker stands, what it opened, and what was repaired. */
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { lenientTools, outcome, readEverywhere } from '../support/lenient-outcome.ts';
import { jsonInTags, tagged } from '../support/sample-formats.ts';

const add = '{"name": "add", "arguments": {"a": 1}}';
const sum = ['add', { a: 1 }];
const thinking = { generationPrompt: '<muse>\n' };

/** The message of a text, the same at every cut, and the laws by which it was read. */
function read(text: string, options = {}, format = jsonInTags) {
  const { message } = readEverywhere(format, text, options);
  return {
    content: message.content ?? '',
    thoughts: message.reasoning_content ?? '',
    calls: message.tool_calls?.length ?? 0,
    laws: (message.repaired ?? []).map(({ law }) => law),
  };
}

describe('the first marker of a response', () => {
  it('may end the thoughts that the prompt opened, and be repeated', () => {
    const once = read('</muse>\n\nHi.', thinking);
    const twice = read('</muse>\n\n</muse>\n\nHi.', thinking);
    expect([once.content, once.laws]).toEqual(['Hi.', []]);
    expect(twice).toEqual({ ...once, laws: ['thoughts-again'] });
  });

  it.each(['', 'See '])('is text where no call follows it, after %j', (before) => {
    expect(read(`${before}<use> is a tag.`)).toMatchObject({ content: `${before}<use> is a tag.`, calls: 0 });
  });

  it.each(['', 'x '])('is text in an answer that the prompt began, after %j', (before) => {
    const text = `${before}<muse> is a tag.`;
    const { content, thoughts } = read(text, { generationPrompt: '<muse>\n\n</muse>\n\nIn HTML, ' });
    expect(content.endsWith(text)).toBe(true);
    expect(thoughts.trim()).toBe('');
  });
});

it('the white space of a marker is no text, in whichever piece it comes', () => {
  for (const pieces of [
    ['<muse>\nSo', '.\n</muse>\n\nHi.'],
    ['<muse>', '\nSo', '.\n</muse>\n\n', 'Hi.'],
    ['<muse>', '\nSo.', '\n</muse>', '\n\nHi', '.'],
    ['<muse>', '\nS', 'o.\n</muse>\n', '\nHi.'],
  ]) {
    const parser = createResponseParser(tagged);
    for (const piece of pieces) parser.feed(piece);
    expect(parser.finish().message).toMatchObject({ reasoning_content: 'So.', content: 'Hi.' });
  }
});

describe('a position', () => {
  it('is in thoughts from their opener on, before its white space has come', () => {
    const parser = createResponseParser(tagged);
    expect(parser.position.thinking).toBe(false);
    parser.feed('<muse>');
    expect(parser.position.thinking).toBe(true);
    parser.feed('\nSo.\n</muse>\n\nHi.');
    expect(parser.position.thinking).toBe(false);
  });

  it('is in thoughts from an opener in an answer on', () => {
    const options = { specialTokens: ['<muse>', '</muse>'] };
    const parser = createResponseParser(tagged, options);
    parser.feed('Hi. ');
    expect(parser.position.thinking).toBe(false);
    parser.feed([{ text: '<muse>', special: true }]);
    expect(parser.position.thinking).toBe(true);
    parser.feed('\nSo.');
    expect(parser.position.thinking).toBe(true);
  });

  it.each([
    ['the whole opener', `<use>\n<fn=ask>\n`, tagged, true],
    ['the opener and a fence', '<use>\n```json\n{"name": "add", "arguments": {', jsonInTags, true],
    ['a part of the opener', '<fn=ask>\n<arg=input>\n', tagged, false],
  ])('in a call knows whether the format opened it: %s', (_, text, format, opened) => {
    const parser = createResponseParser(format, { tools: lenientTools });
    parser.feed(text);
    expect(parser.openCall?.notation).toEqual({ kind: 'format', opened });
  });
});

describe('what is repaired', () => {
  it.each([
    ['nothing', `<use>\n${add}\n</use>`, []],
    ['the beginning and the end of a fence', `<use>\n\`\`\`json\n${add}\n\`\`\`\n</use>`, ['fence', 'fence']],
    ['a comma too many', '<use>\n{"name": "add", "arguments": {"a": 1,}}\n</use>', ['json']],
    ['two commas too many', '<use>\n{"name": "add", "arguments": {"a": 1,},}\n</use>', ['json']],
  ])('is reported, and is no call for a strict parser: %s', (_, text, laws) => {
    expect(outcome(jsonInTags, text)).toEqual({ calls: [sum], laws, malformed: 0 });
    const { calls, laws: applied } = outcome(jsonInTags, text, { leniency: 'strict' });
    expect({ calls, applied }).toEqual({ calls: laws.length === 0 ? [sum] : [], applied: [] });
  });

  it('is no call in thoughts, and one in the answer', () => {
    const thoughts = read(`<muse>\n${add}\n</muse>\n\nHi.`);
    expect(thoughts).toEqual({ content: 'Hi.', thoughts: add, calls: 0, laws: [] });
    expect(read(add)).toMatchObject({ content: '', calls: 1, laws: ['bare-calls'] });
  });

  it('is no call without its opener in thoughts, and one in the answer', () => {
    const call = '<fn=ask>\n<arg=input>\nwho?\n</arg>\n</fn>\n</use>';
    const thoughts = read(`<muse>\nSo.\n${call}\n</muse>\n\nHi.`, {}, tagged);
    expect(thoughts).toEqual({ content: 'Hi.', thoughts: `So.\n${call}`, calls: 0, laws: [] });
    expect(read(`So.\n${call}`, {}, tagged)).toMatchObject({ calls: 1, laws: ['opener'] });
  });

  it('is an opener of thoughts that stands twice', () => {
    const again = read('<muse>\n<muse>\nSo.\n</muse>\n\nHi.');
    expect(again).toEqual({ content: 'Hi.', thoughts: 'So.', calls: 0, laws: ['thoughts-again'] });
  });
});
