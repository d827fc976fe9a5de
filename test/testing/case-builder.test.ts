/** The case builder: what it accepts, and that it notices whatever is wrong. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Tool } from '../../src/format/messages.ts';
import type { ResponseEvent } from '../../src/parser/events.ts';
import type { ResponseParser } from '../../src/parser/response-parser.ts';
import { cutDifference, gapDifference } from '../../src/testing/compare-readings.ts';
import {
  type ExpectedResponse,
  eventLog,
  mergeEvents,
  ResponseCaseError,
  readAtEveryCut,
  responseCase,
} from '../../src/testing/index.ts';
import * as samples from '../support/sample-formats.ts';

const getWeather: Tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    },
  },
};
const response =
  '<muse>\nHmm.\n</muse>\n\nLet me look.\n<use>\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}}\n</use><over>\n';
const expected: ExpectedResponse = {
  reasoning: 'Hmm.',
  content: 'Let me look.',
  calls: [{ name: 'get_weather', arguments: { days: 3, city: 'Oslo' } }],
  finish: 'tool-calls',
};
const weatherCase = responseCase(samples.jsonInTags).withTools([getWeather]).reads(response);

/** The error that a check throws. */
function failure(wrong: ExpectedResponse): ResponseCaseError {
  try {
    weatherCase.as(wrong).check();
  } catch (error) {
    if (error instanceof ResponseCaseError) return error;
    throw error;
  }
  throw new Error('the case passed');
}

describe('responseCase', () => {
  it('passes where the message is the expected one', () => {
    weatherCase.as(expected).check();
  });

  it.each<[string, ExpectedResponse]>([
    ['reasoning', { ...expected, reasoning: 'Hmm' }],
    ['content', { ...expected, content: 'Let me look.\n' }],
    ['calls', { ...expected, calls: [] }],
    ['calls', { ...expected, calls: [{ name: 'get_wind', arguments: {} }] }],
    [
      'calls[0].arguments',
      { ...expected, calls: [{ name: 'get_weather', arguments: { city: 'Oslo', days: '3' } }] },
    ],
    [
      'calls[0].id',
      { ...expected, calls: [{ name: 'get_weather', arguments: { city: 'Oslo', days: 3 }, id: 'x' }] },
    ],
    ['malformed', { ...expected, malformed: ['?'] }],
    ['finish', { ...expected, finish: 'length' }],
  ])('reports a difference in %s', (field, wrong) => {
    const error = failure(wrong);
    expect(error.differences.map((each) => each.field)).toEqual([field]);
    expect(error.response).toBe(response);
    expect(error.message).toContain(error.log.at(-1));
  });

  it('reports all differences together, with what came', () => {
    const error = failure({ reasoning: 'Hm', content: 'Let me look.' });
    expect(error.differences).toEqual([
      { field: 'reasoning', expected: '"Hm"', actual: '"Hmm."' },
      { field: 'calls', expected: '[]', actual: '["get_weather"]' },
    ]);
  });

  it('takes the source of a template', () => {
    const template =
      '{% for message in messages %}<{{ message.role }}>{{ message.content }}</end>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}';
    responseCase(template).reads('Hello.</end>').as({ content: 'Hello.', finish: 'stop' }).check();
  });

  it('continues a turn that the prompt began', () => {
    const continued = responseCase(samples.jsonInTags).withOptions({
      generationPrompt: '<turn>bot\n<muse>\nSo',
    });
    continued.reads(' far.\n</muse>\n\nYes.').as({ reasoning: 'So far.', content: 'Yes.' }).check();
    expect(continued.reads('').log()[0]).toBe('-9..-2 marker "<muse>\\n"');
  });

  it('tells special tokens from text', () => {
    const strict = weatherCase.withOptions({ specialTokens: ['<use>', '</use>'] });
    strict.reads('Write <use>.').as({ content: 'Write <use>.' }).check();
    const call = '\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n';
    const pieces = [{ text: '<use>', special: true }, { text: call }, { text: '</use>', special: true }];
    strict
      .reads(pieces)
      .as({ calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] })
      .check();
  });

  it('leaves the case that it began with as it was', () => {
    const base = responseCase(samples.plain).reads('a');
    base.reads('b').as({ content: 'b' }).check();
    base.as({ content: 'a' }).check();
  });

  it('demands without expectations what holds for any response', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40, unit: 'binary' }), (text) => {
        weatherCase.reads(text).check();
      }),
      { numRuns: 60 },
    );
  });
});

/** A parser that says a piece for each feed, without joining them: what comes depends on the cut. */
function forgetfulParser(says: (piece: string) => string): ResponseParser {
  let at = 0;
  const event = (piece: string): ResponseEvent => {
    const start = at;
    at += piece.length;
    return { type: 'marker', text: says(piece), start, end: at };
  };
  return {
    feed: (input) => [event(typeof input === 'string' ? input : input.map(({ text }) => text).join(''))],
    finish: () => ({ events: [], message: { role: 'assistant', content: null } }),
    reset: () => {
      at = 0;
    },
    openCall: null,
    position: { region: 'between', callsOpenedAt: null, thinking: false, state: 'inAnswer' },
  };
}

describe('readAtEveryCut', () => {
  it('tries one piece, single units, some sizes, and every cut into two', () => {
    const cuts = Array.from(readAtEveryCut(forgetfulParser(String), 'abcde'), ({ cut }) => cut);
    expect(cuts).toEqual([
      'in one piece',
      'unit by unit',
      'in pieces of 2',
      'in pieces of 3',
      'in pieces of 4',
      'cut at 1',
      'cut at 2',
      'cut at 3',
      'cut at 4',
    ]);
  });

  it('never cuts a special token, and feeds every unit once and in order', () => {
    const pieces = [{ text: 'ab' }, { text: '<x>', special: true }, { text: 'cd' }];
    const fed: string[] = [];
    const parser = forgetfulParser((piece) => {
      fed.push(piece);
      return piece;
    });
    for (const { events } of readAtEveryCut(parser, pieces)) {
      expect(events.map((event) => (event.type === 'marker' ? event.text : '')).join('')).toBe('ab<x>cd');
    }
    expect(fed.filter((piece) => piece.includes('<') || piece.includes('x'))).toEqual(
      fed.filter((piece) => piece === '<x>'),
    );
  });

  it('shows a parser that depends on the cut', () => {
    const [whole, ...others] = readAtEveryCut(
      forgetfulParser((piece) => `[${piece}]`),
      'abc',
    );
    if (whole === undefined) throw new Error('nothing was read');
    expect(cutDifference(whole, others)).toEqual([
      {
        field: 'any cut',
        expected: '0..3 marker "[abc]"  (in one piece)',
        actual: '0..3 marker "[a][b][c]"  (unit by unit, and in 3 other ways)',
      },
    ]);
    expect(cutDifference(whole, [])).toEqual([]);
  });

  it('shows text that no event covers, or two do', () => {
    const message = { role: 'assistant' as const, content: null };
    const marker = (start: number, end: number) => ({ type: 'marker' as const, text: '', start, end });
    const fields = (...events: ResponseEvent[]) =>
      gapDifference({ cut: '', events, message }, 'abcd').map(({ actual }) => actual);
    expect(fields(marker(0, 2), marker(2, 4))).toEqual([]);
    expect(fields(marker(0, 2), marker(3, 4))).toHaveLength(1);
    expect(fields(marker(0, 3), marker(2, 4))).toHaveLength(1);
    expect(fields(marker(0, 3))).toEqual(['the last one ends at 3']);
  });
});

describe('eventLog', () => {
  it('prints events in the notation of the cases', () => {
    expect(weatherCase.log()).toEqual([
      '0..7 marker "<muse>\\n"',
      '7 reasoning-start',
      '7..11 reasoning-delta "Hmm."',
      '11 reasoning-end',
      '11..21 marker "\\n</muse>\\n\\n"',
      '21 text-start',
      '21..33 text-delta "Let me look."',
      '33 text-end',
      '33..49 marker `\\n<use>\\n{"name": `',
      '49..62 tool-input-start get_weather call_0',
      '62..77 marker `, "arguments": `',
      '77..104 tool-input-delta `{"city": "Oslo", "days": 3}`',
      // The call is complete where its JSON object is: an id could still have come.
      '104..105 marker "}"',
      '105 tool-input-end',
      '105 tool-call get_weather {"city":"Oslo","days":3}',
      '105..119 marker "\\n</use><over>\\n"',
      '119 finish tool-calls',
    ]);
  });

  it('joins only what belongs together', () => {
    const delta = (id: string, start: number): ResponseEvent => ({
      type: 'text-delta',
      id,
      delta: 'a',
      start,
      end: start + 1,
    });
    expect(eventLog(mergeEvents([delta('text-0', 0), delta('text-0', 1), delta('text-1', 2)]))).toEqual([
      '0..2 text-delta "aa"',
      '2..3 text-delta "a"',
    ]);
  });
});
