/** JSON of calls with something around it, or with something missing at its end: at every cut. */
import { describe, expect, test } from 'vitest';
import { outcome, readEverywhere } from '../support/lenient-outcome.ts';
import { jsonArray, jsonInTags, nameInTag, tagged } from '../support/sample-formats.ts';

const call = '{"name": "add", "arguments": {"a": 3}}';
const add = ['add', { a: 3 }];

describe('JSON in a code fence', () => {
  test.each([
    ['a call', jsonInTags, `<use>\n\`\`\`json\n${call}\n\`\`\`\n</use>`],
    ['a call, in a fence without a language', jsonInTags, `<use>\`\`\`\n${call}\n\`\`\`</use>`],
    ['arguments', nameInTag, '<fn=add>```json\n{"a": 3}\n```</fn>'],
    ['a list of calls', jsonArray, `[CALLS]\`\`\`json\n[${call}]\n\`\`\``],
  ])('is read: %s', (_, format, text) => {
    expect(outcome(format, text)).toEqual({ calls: [add], laws: ['fence', 'fence'], malformed: 0 });
    expect(readEverywhere(format, text).message.content ?? '').toBe('');
    expect(outcome(format, text, { leniency: 'strict' }).calls).toEqual([]);
  });

  test('is text with a tool that nobody offers', () => {
    const text = `<use>\n\`\`\`json\n${call.replace('add', 'sub')}\n\`\`\`\n</use>`;
    expect(outcome(jsonInTags, text)).toEqual({ calls: [], laws: [], malformed: 0 });
    expect(readEverywhere(jsonInTags, text).message.content).toBe(text);
  });
});

describe('braces', () => {
  test.each([
    ['twice', `{${call}}`, ['wrapped-call']],
    ['twice, the last one missing', `{${call}`, ['wrapped-call', 'unclosed']],
    ['missing at the end of the arguments', call.slice(0, -2), ['unclosed']],
    ['missing in them', '{"name": "add", "arguments": {"a": [3, {"b": 1', ['unclosed']],
  ])('are read: %s', (_, written, laws) => {
    const { calls, ...told } = outcome(jsonInTags, `<use>\n${written}\n</use>`);
    expect(told).toEqual({ laws, malformed: 0 });
    expect(calls).toEqual([written.includes('[3') ? ['add', { a: [3, { b: 1 }] }] : add]);
    expect(outcome(jsonInTags, `<use>\n${written}\n</use>`, { leniency: 'strict' }).malformed).toBe(1);
  });

  test('of arguments after a name are read', () => {
    expect(outcome(nameInTag, '<fn=add>{"a": 3</fn>')).toEqual({
      calls: [add],
      laws: ['unclosed'],
      malformed: 0,
    });
  });

  test.each([
    ['a value', '{"name": "add", "arguments": {"a":'],
    ['the end of a string', '{"name": "ask", "arguments": {"input": "who?'],
  ])('are not all that is missing: %s', (_, written) => {
    expect(outcome(jsonInTags, `<use>\n${written}\n</use>`).calls).toEqual([]);
  });
});

test('a name in quotes is that of a tool on offer', () => {
  const text = (name: string) => `<use>\n<fn=${name}>\n<arg=a>\n3\n</arg>\n</fn>\n</use>`;
  expect(outcome(tagged, text('"add"'))).toEqual({ calls: [add], laws: ['literal'], malformed: 0 });
  expect(outcome(tagged, text('"sub"'))).toMatchObject({ calls: [], laws: [], malformed: 1 });
});

test('arguments that stand under the key of a schema are unwrapped', () => {
  const { calls, laws } = outcome(
    tagged,
    '<use>\n<fn=add>\n<arg=properties>\n{"a": 3}\n</arg>\n</fn>\n</use>',
  );
  expect([calls, laws]).toEqual([[add], ['wrapped-arguments']]);
});
