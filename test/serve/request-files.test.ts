/** Files in requests: text is read, anything else is described, and no conversation ends because of one. */
import { afterEach, describe, expect, it } from 'vitest';
import { answer, anyFormat, call, type Served, serveTurns } from './served-models.ts';

let served: Served | null = null;
afterEach(async () => {
  await served?.close();
  served = null;
});

const png = 'iVBORw0KGgo=';
const note = Buffer.from('Buy milk.').toString('base64');

/** A part, and what the model reads of it: a description, or its text. */
type Case = readonly [part: object, read: string | RegExp];

const described = /^\[file.*, image(\/png)?.*\]$/;

const openAiParts: readonly Case[] = [
  [{ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }, described],
  [{ type: 'image_url', image_url: `data:image/png;base64,${png}` }, described],
  [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }, /https:\/\/example.org\/a.png\]$/],
  [{ type: 'input_audio', input_audio: { data: png, format: 'wav' } }, /^\[file, audio\/wav, 1 kB\]$/],
  [
    { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${png}` } },
    /^\[file a.pdf, application\/pdf, /,
  ],
  [{ type: 'file', file: { file_id: 'file-7' } }, /file-7/],
  [
    { type: 'file', file: { filename: 'a.txt', file_data: `data:text/plain;base64,${note}` } },
    'a.txt\nBuy milk.',
  ],
  [{ type: 'file', file: { file_data: 'data:text/plain,Buy%20milk.' } }, 'Buy milk.'],
  [{ type: 'input_text', text: 'Buy milk.' }, 'Buy milk.'],
];
const responsesParts: readonly Case[] = [
  [{ type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'auto' }, described],
  [{ type: 'input_image', file_id: 'file-7' }, /file-7/],
  [
    { type: 'input_file', filename: 'a.txt', file_data: `data:text/plain;base64,${note}` },
    'a.txt\nBuy milk.',
  ],
  [{ type: 'input_file', filename: 'a.pdf', file_url: 'https://example.org/a.pdf' }, /a.pdf, file, https/],
];
const anthropicParts: readonly Case[] = [
  [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }, described],
  [{ type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } }, /example.org/],
  [
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: png } },
    /application\/pdf/,
  ],
  [
    {
      type: 'document',
      title: 'List',
      source: { type: 'text', media_type: 'text/plain', data: 'Buy milk.' },
    },
    'List\nBuy milk.',
  ],
  [
    { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Buy milk.' }] } },
    'Buy milk.',
  ],
  [
    { type: 'search_result', source: 'a', title: 'List', content: [{ type: 'text', text: 'Buy milk.' }] },
    'List\na\nBuy milk.',
  ],
];

const apis = {
  '/v1/chat/completions': {
    asked: (part: object) => ({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'See:' }, part] }],
    }),
    told: (part: object) => ({
      messages: [
        { role: 'user', content: 'See?' },
        { role: 'assistant', content: null, tool_calls: [call('Bern')] },
        { role: 'tool', tool_call_id: 'abcdefghi', content: [part] },
      ],
    }),
    places: { asked: 'messages[0].content[1]', told: 'messages[2].content[0]' },
    parts: openAiParts,
  },
  '/v1/responses': {
    asked: (part: object) => ({
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'See:' }, part] }],
    }),
    told: (part: object) => ({
      input: [
        { role: 'user', content: 'See?' },
        { type: 'function_call', call_id: 'abcdefghi', name: 'get_weather', arguments: '{"city":"Bern"}' },
        { type: 'function_call_output', call_id: 'abcdefghi', output: [part] },
      ],
    }),
    places: { asked: 'input[0].content[1]', told: 'input[2].output[0]' },
    parts: responsesParts,
  },
  '/v1/messages': {
    asked: (part: object) => ({
      max_tokens: 50,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'See:' }, part] }],
    }),
    told: (part: object) => ({
      max_tokens: 50,
      messages: [
        { role: 'user', content: 'See?' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'a', name: 'get_weather', input: { city: 'Bern' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [part] }] },
      ],
    }),
    places: { asked: 'messages[0].content[1]', told: 'messages[2].content[0].content[0]' },
    parts: anthropicParts,
  },
} as const;

async function post(path: string, body: object): Promise<Response> {
  served = await serveTurns(anyFormat, [answer]);
  return fetch(`${served.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** The text of the last message that the model got. */
function lastText(): string {
  const content = served?.model.asked[0]?.messages.at(-1)?.content;
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => String(text)).join('\n');
}

describe.each(Object.entries(apis))('%s', (path, { parts, places, ...requests }) => {
  describe.each(['asked', 'told'] as const)('in what is %s', (where) => {
    it.each(parts)('%j', async (part, read) => {
      const response = await post(path, requests[where](part));
      expect(response.status, await response.clone().text()).toBe(200);
      const before = where === 'asked' ? 'See:\n' : '';
      const ignored = response.headers.get('idiolect-ignored');
      expect(lastText().startsWith(before)).toBe(true);
      const text = lastText().slice(before.length);
      if (typeof read === 'string') expect([text, ignored]).toEqual([read, null]);
      else expect([text, ignored]).toEqual([expect.stringMatching(read), places[where]]);
    });

    it('a file of the server’s own machine is refused', async () => {
      const url = 'file:///etc/hosts';
      const parts = {
        '/v1/chat/completions': { type: 'image_url', image_url: { url } },
        '/v1/responses': { type: 'input_image', image_url: url },
        '/v1/messages': { type: 'image', source: { type: 'url', url } },
      };
      expect((await post(path, requests[where](parts[path as keyof typeof parts]))).status).toBe(400);
    });

    it('a part of no kind is refused, and named', async () => {
      const response = await post(path, requests[where]({ type: 'hologram' }));
      const body = await response.text();
      expect(response.status).toBe(400);
      expect(body).toContain(places[where]);
    });
  });
});

describe('arguments that a limit cut, in the history', () => {
  const broken = '{"city": "Be';
  it.each<[string, object, string]>([
    [
      '/v1/chat/completions',
      {
        messages: [
          { role: 'user', content: 'See?' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'get_weather', arguments: broken } }],
          },
          { role: 'tool', tool_call_id: 'a', content: 'invalid arguments' },
        ],
      },
      'messages[1].tool_calls[0].function.arguments',
    ],
    [
      '/v1/responses',
      {
        input: [
          { role: 'user', content: 'See?' },
          { type: 'function_call', call_id: 'a', name: 'get_weather', arguments: broken },
          { type: 'function_call_output', call_id: 'a', output: 'invalid arguments' },
        ],
      },
      'input[1].arguments',
    ],
    [
      '/v1/messages',
      {
        max_tokens: 50,
        messages: [
          { role: 'user', content: 'See?' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'get_weather', input: broken }] },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'a', content: 'invalid arguments' }],
          },
        ],
      },
      'messages[1].content[0].input',
    ],
  ])('%s: what can be read is passed on, and noted', async (path, body, place) => {
    const response = await post(path, body);
    expect([response.status, response.headers.get('idiolect-ignored')]).toEqual([200, place.slice(0, 60)]);
    expect(served?.model.asked[0]?.messages[1]).toMatchObject({
      tool_calls: [{ function: { name: 'get_weather', arguments: '{"city": "Be"}' } }],
    });
  });
});
