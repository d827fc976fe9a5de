/** Calls as JSON whose opener is missing, or in the markers of a format that has another notation: at every cut. */
import { describe, expect, test } from 'vitest';
import { outcome, readEverywhere } from '../support/lenient-outcome.ts';
import { jsonInTags, tagged } from '../support/sample-formats.ts';

const call = '{"name": "add", "arguments": {"a": 3}}';
const other = '{"name": "pick", "arguments": {"items": [1]}}';
const add = ['add', { a: 3 }];
const pick = ['pick', { items: [1] }];

describe('a call as JSON', () => {
  test.each([
    ['without its opener', jsonInTags, `${call}\n</use>`, '', [add]],
    ['without it, after text', jsonInTags, `See:\n${call}\n</use>`, 'See:', [add]],
    ['two without it', jsonInTags, `See:\n${call}\n</use>\n${other}\n</use>`, 'See:', [add, pick]],
    ['without it, after a call', jsonInTags, `<use>\n${call}\n</use>\n${other}\n</use>`, '', [add, pick]],
    ['in the markers of tagged calls', tagged, `See:\n<use>\n${call}\n</use>`, 'See:', [add]],
    ['in them, and not closed', tagged, `See:\n<use>\n${call}`, 'See:', [add]],
  ])('is read: %s', (_, format, text, content, calls) => {
    expect(outcome(format, text)).toEqual({ calls, laws: ['bare-calls'], malformed: 0 });
    expect(readEverywhere(format, text).message.content ?? '').toBe(content);
    expect(outcome(format, text, { leniency: 'strict' }).calls).not.toEqual(calls);
  });

  test.each([
    ['nothing opens or closes it', `See:\n${call}`],
    ['text follows', `See:\n${call}\n</use> ends it.`],
    ['nobody offers the tool', `See:\n${call.replace('add', 'sub')}\n</use>`],
    ['another object follows', `See:\n${call}\n{"a": 3}\n</use>`],
    ['it stands in a fence', `See:\n\`\`\`json\n${call}\n\`\`\`\n</use>`],
  ])('is text where %s', (_, text) => {
    for (const format of [jsonInTags, tagged]) {
      expect(outcome(format, text)).toEqual({ calls: [], laws: [], malformed: 0 });
      expect(readEverywhere(format, text).message.content).toBe(text);
    }
  });

  test('is none after one where only one may be made', () => {
    const text = `<use>\n${call}\n</use>\n${other}\n</use>`;
    expect(outcome(jsonInTags, text, { parallelToolCalls: false })).toEqual({
      calls: [add],
      laws: [],
      malformed: 0,
    });
  });
});
