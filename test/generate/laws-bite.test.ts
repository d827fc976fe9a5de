/** Law: each law of a format holds for what the format writes, and is broken by what it is there to find. */
import { describe, expect, it } from 'vitest';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import {
  anyCutLaw,
  completeLaw,
  exactLaw,
  nothingLostLaw,
  quotationLaw,
  type RenderedCase,
  roundTripLaw,
  shownMessage,
  showsAnything,
} from '../../src/generate/verify/laws.ts';
import type { Matcher } from '../../src/language/matcher/matcher.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { writeCalls, writeResponse } from '../../src/layout/write-response.ts';
import { generatedFormats } from '../support/generated-formats.ts';

const formats = generatedFormats().filter(({ name }) =>
  ['qwen-qwen3-0.6b', 'qwen3-coder', 'glm-4.6'].includes(name),
);

function call(id: string, values: object): NonNullable<AssistantMessage['tool_calls']>[number] {
  return { id, type: 'function', function: { name: 'find', arguments: JSON.stringify(values) } };
}
const tools = [
  {
    type: 'function',
    function: {
      name: 'find',
      parameters: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'object' } } },
    },
  },
] as const;
const called: AssistantMessage = {
  role: 'assistant',
  content: '',
  tool_calls: [call('call00001', { a: 'x', b: { c: 'd', e: ['f'] } })],
};
const answered: AssistantMessage = { role: 'assistant', content: 'It is so.', reasoning_content: 'Hm.' };

function caseOf(format: ChatFormat, message: AssistantMessage): RenderedCase {
  const [end] = turnLayout(format).ends;
  return { format, tools, message, turn: writeResponse(format, message) + (end?.text ?? '') };
}

const everyLaw = { exactLaw, roundTripLaw, quotationLaw, anyCutLaw, nothingLostLaw };

describe.each(formats)('the laws of $name', ({ format }) => {
  it.each(Object.entries(everyLaw))('hold for what it writes: %s', (_, law) => {
    for (const message of [called, answered, { ...answered, ...called, content: 'So:' }])
      expect(law(caseOf(format, message))).toBe(null);
  });

  it('are broken by a turn with a character more, one less, or another end', () => {
    for (const message of [called, answered]) {
      const rendered = caseOf(format, message);
      const { turn } = rendered;
      const middle = turn.indexOf(message === called ? 'find' : 'so.') + 1;
      for (const other of [`${turn.slice(0, middle)}!${turn.slice(middle)}`, `${turn}!`])
        expect(exactLaw({ ...rendered, turn: other })).not.toBe(null);
    }
  });

  it('are broken by another message, and not by the order of keys', () => {
    const rendered = caseOf(format, called);
    const with_ = (values: object): RenderedCase => ({
      ...rendered,
      message: { ...called, tool_calls: [call('call00001', values)] },
    });
    expect(roundTripLaw(with_({ b: { e: ['f'], c: 'd' }, a: 'x' }))).toBe(null);
    for (const values of [
      { a: 'y', b: { c: 'd', e: ['f'] } },
      { a: 'x', b: { c: 'D', e: ['f'] } },
      { a: 'x' },
      { a: 'x', b: { c: 'd', e: [] } },
    ]) {
      const breach = roundTripLaw(with_(values));
      expect(breach?.expected).not.toBe(breach?.actual);
      expect(breach).not.toBe(null);
      expect(quotationLaw(with_(values))).not.toBe(null);
    }
    const answer = caseOf(format, answered);
    // What the turn does not show is not looked for; what it shows in another place is.
    expect(roundTripLaw({ ...answer, message: { ...answered, reasoning_content: 'It is' } })).not.toBe(null);
    expect(roundTripLaw({ ...answer, message: { ...answered, content: 'is so' } })).not.toBe(null);
    expect(roundTripLaw({ ...answer, message: { ...answered, content: 'Not shown' } })).not.toBe(null);
  });

  it('tell whether a turn shows anything', () => {
    for (const message of [called, answered, { ...answered, reasoning_content: '' }])
      expect(showsAnything(caseOf(format, message))).toBe(true);
    expect(showsAnything(caseOf(format, { role: 'assistant', content: '' }))).toBe(false);
    const { reasoning } = turnLayout(format);
    if (reasoning === null || reasoning.open.isBlank) return;
    const open = {
      format,
      tools,
      message: { ...answered, reasoning_content: '' },
      turn: `\n${reasoning.open.core}\nIt is so.`,
    };
    expect(showsAnything(open)).toBe(false);
    expect(showsAnything({ ...open, turn: `${open.turn}${reasoning.close.core}` })).toBe(true);
    expect(showsAnything({ ...open, turn: 'It is so.' })).toBe(true);
  });

  it('keep the first call alone where a format has one', () => {
    const two = { ...called, tool_calls: [call('call00001', { a: 'x' }), call('call00002', { a: 'y' })] };
    const calls = format.calls;
    if (calls === null) throw new TypeError('no calls');
    for (const parallel of [true, false]) {
      const other = { ...format, calls: { ...calls, parallel } };
      const shown = shownMessage(other, two, writeResponse(format, two));
      expect(shown.tool_calls?.map(({ id }) => id)).toEqual(
        two.tool_calls.slice(0, parallel ? 2 : 1).map(({ id }) => id),
      );
    }
    expect(shownMessage({ ...format, calls: null }, two, 'find')).not.toHaveProperty('tool_calls');
    expect(shownMessage(format, two, 'nothing')).not.toHaveProperty('tool_calls');
  });

  it('say where a grammar stops, and whether it asks for more', () => {
    const rendered = caseOf(format, called);
    const { calls } = turnLayout(format);
    if (calls === null) throw new TypeError('no calls');
    const text = writeCalls(calls, called.tool_calls ?? []).trim();
    const matcher = (accepted: string, complete: boolean): Matcher => {
      const self = {
        clone: () => self,
        accept: (given: string) => accepted.startsWith(given),
        complete,
        allowedLength: (given: string) => (accepted.startsWith(given) ? given.length : accepted.length),
      };
      return self as unknown as Matcher;
    };
    expect(completeLaw(rendered, matcher(text, true))).toBe(null);
    expect(completeLaw(rendered, matcher(text, false))).toEqual({
      expected: text,
      actual: 'more is asked for',
    });
    const half = text.slice(0, 5);
    expect(completeLaw(rendered, matcher(half, true))?.actual).toBe(`stops after ${JSON.stringify(half)}`);
    expect(completeLaw(caseOf(format, answered), matcher('', false))).toBe(null);
  });
});
