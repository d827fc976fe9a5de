/** Answers in plain text that a choice or a regular expression allows, from random weights. */
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { StringContents } from '../../src/serve/content/string-contents.ts';
import { createHandler } from '../../src/serve/index.ts';
import { shownEvents } from '../../src/serve/shown-answer.ts';
import { openTiny } from '../support/small-chats.ts';
import { question } from './served-models.ts';

const model = await openTiny({ contextSize: 2048 });
const handler = createHandler(model, {
  defaults: { temperature: 1, seed: 5, maxTokens: 200, thinking: false },
});
afterAll(async () => {
  await handler.close();
  await model.dispose();
});

async function ask(fields: object): Promise<Response> {
  return handler(
    new Request('http://localhost/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [question], ...fields }),
    }),
  );
}

async function answerTo(fields: object): Promise<string> {
  const { choices } = JSON.parse(await (await ask(fields)).text());
  return choices[0].message.content;
}

async function streamedAnswerTo(fields: object): Promise<string> {
  const text = await (await ask({ ...fields, stream: true })).text();
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice(6)).choices[0]?.delta.content ?? '').join('');
}

const choices = ['very good', 'bad', 'say "neither"', 'ä\n😀'];

describe('structured outputs', () => {
  it.each([
    [{ structured_outputs: { choice: choices } }, (text: string) => choices.includes(text)],
    [{ guided_choice: choices }, (text: string) => choices.includes(text)],
    [
      { structured_outputs: { regex: '[a-c]{3}-\\d{2}|x' } },
      (text: string) => /^([a-c]{3}-\d{2}|x)$/.test(text),
    ],
    [{ regex: '(Bern|Oslo)' }, (text: string) => ['Bern', 'Oslo'].includes(text)],
    [{ guided_regex: '"[a-c]{3}"' }, (text: string) => /^"[a-c]{3}"$/.test(text)],
    [{ structured_outputs: { json: { enum: [1, 2] } } }, (text: string) => ['1', '2'].includes(text)],
    [{ structured_outputs: { json: '{"enum": [1, 2]}' } }, (text: string) => ['1', '2'].includes(text)],
  ] as const)('%j are kept, whole and streamed', async (fields, isRight) => {
    const whole = await answerTo(fields);
    expect(whole).toSatisfy(isRight);
    expect(await streamedAnswerTo(fields)).toBe(whole);
  });

  it.each([
    [{ structured_outputs: { choice: [], regex: 'a' } }, 'structured_outputs.regex'],
    [{ structured_outputs: { grammar: 'root ::= "a"' } }, 'structured_outputs.grammar'],
    [{ ebnf: '?start: value' }, 'ebnf'],
    [{ regex: 'a', guided_regex: 'a' }, 'regex'],
    [{ structured_outputs: { choice: 'a' } }, 'structured_outputs.choice'],
    [{ structured_outputs: { json: 'city' } }, 'structured_outputs.json'],
    [{ guided_regex: '(a' }, 'response_format'],
    [{ guided_json: {}, response_format: { type: 'json_object' } }, 'guided_json'],
  ])('%j is refused for %s', async (fields, param) => {
    const response = await ask(fields);
    expect([response.status, JSON.parse(await response.text()).error.param]).toEqual([400, param]);
  });

  it('a JSON string arrives as its contents, however it is cut into pieces', async () => {
    const cut = fc.array(fc.nat(200), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), cut, async (text, places) => {
        const quoted = JSON.stringify(text);
        const at = [
          0,
          ...places.filter((place) => place < quoted.length).sort((a, b) => a - b),
          quoted.length,
        ];
        async function* pieces() {
          for (const [index, start] of at.entries()) {
            const delta = quoted.slice(start, at[index + 1]);
            yield { type: 'text-delta', id: 'text-0', delta, start: 0, end: 0 } as const;
          }
        }
        let shown = '';
        for await (const event of shownEvents(pieces(), {
          hidesThoughts: false,
          unquotes: true,
          begun: { content: '', thoughts: '' },
        }))
          if (event.type === 'text-delta') shown += event.delta;
        expect(shown).toBe(text);
      }),
    );
  });
});

it('the contents of a string are those of its JSON, however many pieces it has', () => {
  const cuts = fc.array(fc.nat(), { maxLength: 8 });
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.boolean(), cuts, (text, isEscaped, places) => {
      const json = JSON.stringify(text);
      const written = isEscaped
        ? json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        : json;
      const ends = [...places.map((place) => place % (written.length + 1)), written.length];
      ends.sort((one, other) => one - other);
      const contents = new StringContents();
      const pieces = ends.map((end, index) => contents.add(written.slice(ends[index - 1] ?? 0, end)));
      expect(pieces.join('')).toBe(JSON.parse(json));
    }),
  );
  const contents = new StringContents();
  contents.add('"');
  // Had each piece to do with those before it, these would take hours.
  const pieces = Array.from({ length: 300_000 }, () => contents.add('ten letters'));
  expect(new Set(pieces)).toEqual(new Set(['ten letters']));
});
