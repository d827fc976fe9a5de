/**
 * Law: whoever sends the beginning of an answer gets the rest, in every API, whole or streamed: what is put behind what was
 * sent is the answer.
 */
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { connectEngine } from '../../src/runtime/engine/index.ts';
import { AddedText } from '../../src/serve/continued-text.ts';
import { createHandler } from '../../src/serve/index.ts';
import { scriptedEngine } from '../../src/testing/index.ts';

const begun = 'In Bern it is';
const rest = ' sunny, 21 degrees.';
const model = await connectEngine(
  scriptedEngine({
    turns: [
      { after: begun, script: rest },
      { after: '', script: `${begun}${rest}` },
    ],
  }),
);
const handler = createHandler(model);
afterAll(async () => {
  await handler.close();
  await model.dispose();
});

async function post(path: string, body: object): Promise<string> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await handler(new Request(`http://localhost${path}`, request));
  expect(response.status).toBe(200);
  return response.text();
}

/** The objects of a stream of events, or of lines. */
function framesOf(text: string): readonly Frame[] {
  const lines = text.split('\n').map((line) => line.replace(/^data: /, ''));
  return lines.filter((line) => line.startsWith('{')).map((line): Frame => JSON.parse(line));
}

interface Frame {
  readonly type?: string;
  readonly delta?: string & { readonly text?: string };
  readonly choices?: readonly { readonly delta?: { readonly content?: string } }[];
  readonly message?: { readonly content?: string };
}

interface Api {
  readonly path: string;
  readonly fields: object;
  readonly whole: (body: never) => string | undefined;
  readonly streamed: (frame: Frame) => string | undefined;
}

const apis: readonly Api[] = [
  {
    path: '/v1/chat/completions',
    fields: {},
    whole: (body: { choices: { message: { content: string } }[] }) => body.choices[0]?.message.content,
    streamed: ({ choices }) => choices?.[0]?.delta?.content,
  },
  {
    path: '/v1/responses',
    fields: {},
    whole: (body: { output: { content: { text: string }[] }[] }) => body.output.at(-1)?.content[0]?.text,
    streamed: ({ type, delta }) => (type === 'response.output_text.delta' ? delta : undefined),
  },
  {
    path: '/v1/messages',
    fields: { max_tokens: 99 },
    whole: (body: { content: { text: string }[] }) => body.content[0]?.text,
    streamed: ({ type, delta }) => (type === 'content_block_delta' ? delta?.text : undefined),
  },
  {
    path: '/api/chat',
    fields: {},
    whole: (body: { message: { content: string } }) => body.message.content,
    streamed: ({ message }) => message?.content,
  },
];

describe.each(apis)('$path', ({ path, fields, whole, streamed }) => {
  const asked = (content: string | null, stream: boolean) => {
    const answer = content === null ? [] : [{ role: 'assistant', content }];
    const messages = [{ role: 'user', content: 'How is the weather in Bern?' }, ...answer];
    return {
      model: 'scripted',
      stream,
      ...fields,
      ...(path === '/v1/responses' ? { input: messages } : { messages }),
    };
  };

  it.each([
    ['the rest of an answer that was begun', begun, rest],
    ['a whole answer', null, begun + rest],
  ])('%s', async (_, content, expected) => {
    expect(whole(JSON.parse(await post(path, asked(content, false))) as never)).toBe(expected);
    const frames = framesOf(await post(path, asked(content, true)));
    expect(frames.map((frame) => streamed(frame) ?? '').join('')).toBe(expected);
  });
});

describe('what is new of a text', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', ' ', '\n', '😀'), maxLength: 40 });
  const sizes = fc.integer({ min: 1, max: 50 });

  function added(begunText: string, written: string, size: number): string {
    const pieces = written.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    const news = new AddedText(begunText);
    return pieces.map((piece) => news.add(piece)).join('');
  }

  it('is what stands behind the beginning, however it is cut and however long', () => {
    fc.assert(
      fc.property(text, text, fc.nat(3000), sizes, (start, end, padding, size) => {
        const long = `${'x y'.repeat(padding)}${start}`;
        expect(added(long, long + end, size)).toBe(end);
      }),
    );
  });

  it('does not depend on white space at the edges, which templates trim', () => {
    fc.assert(
      fc.property(text, text, sizes, (start, end, size) => {
        const expected = end.trimStart();
        expect(added(start, start.trim() + expected, size)).toBe(expected);
      }),
    );
  });

  it('is all that is written after something else', () => {
    for (const size of [1, 3, 99]) expect(added('In Bern', 'It rains', size)).toBe('It rains');
    expect(added('Bern', 'It rains', 3)).toBe('It rains');
  });
});
