/** Every switch of thinking has one meaning in the three APIs, or is refused: none is ignored. */
import { afterEach, describe, expect, it } from 'vitest';
import { answer, anyFormat, question, type Served, serveTurns } from './served-models.ts';

let served: Served | null = null;
afterEach(async () => {
  await served?.close();
  served = null;
});

const thoughts = 'They ask for the weather.';
const bodies = {
  '/v1/chat/completions': { messages: [question] },
  '/v1/responses': { input: question.content },
  '/v1/messages': { messages: [question], max_tokens: 500 },
};

async function post(path: string, body: object): Promise<Response> {
  served = await serveTurns(anyFormat, [{ ...answer, reasoning_content: thoughts }]);
  return fetch(`${served.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const meanings: readonly [fields: object, meaning: object][] = [
  [{ think: false }, { thinking: false }],
  [{ think: true }, { thinking: true }],
  [{ think: 'low' }, { thinking: true, templateVariables: { reasoning_effort: 'low' } }],
  [{ enable_thinking: false }, { thinking: false }],
  [
    { enable_thinking: true, thinking_budget: 9 },
    { thinking: true, thinkingBudget: 9 },
  ],
  [{ thinking: { type: 'disabled' } }, { thinking: false }],
  [{ thinking: { type: 'enabled', budget_tokens: 9 } }, { thinking: true, thinkingBudget: 9 }],
  [{ thinking: { type: 'auto' } }, { thinking: true }],
  [{ thinking: false }, { thinking: false }],
  [{ reasoning_effort: 'none' }, { thinking: false }],
  [{ reasoning_effort: 'minimal' }, { thinking: true, templateVariables: { reasoning_effort: 'low' } }],
  [{ reasoning: { effort: 'none' } }, { thinking: false }],
  [{ reasoning: { effort: 'high' } }, { thinking: true, templateVariables: { reasoning_effort: 'high' } }],
  [{ reasoning: { enabled: false } }, { thinking: false }],
  [{ reasoning: { max_tokens: 9 } }, { thinking: true, thinkingBudget: 9 }],
  [
    { chat_template_kwargs: { enable_thinking: false, a: 1 } },
    { thinking: false, templateVariables: { a: 1 } },
  ],
  [{ chat_template_kwargs: { thinking: true } }, { thinking: true }],
  [{ chat_template_kwargs: { reasoning_effort: 'none' } }, { thinking: false }],
  [
    { chat_template_kwargs: { reasoning_effort: 'minimal' } },
    { thinking: true, templateVariables: { reasoning_effort: 'minimal' } },
  ],
  [{ extra_body: {}, think: false }, { thinking: false }],
  [{ reasoning_effort: 'none', think: false, reasoning: { enabled: false } }, { thinking: false }],
];

const refused: readonly [fields: object, param: string][] = [
  [{ extra_body: { enable_thinking: false } }, 'extra_body'],
  [{ think: true, enable_thinking: false }, 'enable_thinking'],
  [{ reasoning_effort: 'low', reasoning: { effort: 'high' } }, 'reasoning.effort'],
  [
    { reasoning_effort: 'none', chat_template_kwargs: { enable_thinking: true } },
    'chat_template_kwargs.enable_thinking',
  ],
  ...['messages', 'tools', 'add_generation_prompt', 'bos_token', 'eos_token'].map(
    (name): [object, string] => [
      { chat_template_kwargs: { a: 1, [name]: [] } },
      `chat_template_kwargs.${name}`,
    ],
  ),
  [{ chat_template_kwargs: { a: Array(5_001).fill(1) } }, 'chat_template_kwargs must have at most 5000'],
  [{ think: 5 }, 'think'],
  [{ enable_thinking: 'no' }, 'enable_thinking'],
  [{ thinking: { type: 'wild' } }, 'thinking.type'],
  [{ thinking: { type: 'enabled', budget_tokens: 0 } }, 'thinking.budget_tokens'],
  [{ reasoning: { enabled: 1 } }, 'reasoning.enabled'],
  [{ reasoning: { max_tokens: 'all' } }, 'reasoning.max_tokens'],
];

describe.each(Object.entries(bodies))('%s', (path, body) => {
  it.each(meanings)('%j means %j', async (fields, meaning) => {
    const response = await post(path, { ...body, ...fields });
    expect([response.status, response.headers.get('idiolect-ignored')]).toEqual([200, null]);
    expect(served?.model.asked[0]).toMatchObject(meaning);
  });

  it.each(refused)('%j is refused', async (fields, param) => {
    const response = await post(path, { ...body, ...fields });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(param)]);
  });

  it.each([false, true])('thoughts are left out where that is asked, streamed: %s', async (stream) => {
    for (const fields of [{ reasoning: { exclude: true } }, { include_reasoning: false }]) {
      const response = await post(path, { ...body, ...fields, stream });
      const text = await response.text();
      await served?.close();
      expect(text).not.toContain('They');
      expect(text).toMatch(/"(?:content|delta|text)":"[^"]/);
    }
  });
});

it.each([false, true])('who asks Messages for no thoughts gets none, streamed: %s', async (stream) => {
  const ask = async (fields: object) => {
    const text = await (await post('/v1/messages', { ...bodies['/v1/messages'], stream, ...fields })).text();
    await served?.close();
    return text;
  };
  expect(await ask({})).not.toContain('thinking');
  expect(await ask({ thinking: { type: 'adaptive', display: 'omitted' } })).not.toContain('"thinking"');
  expect(await ask({ thinking: { type: 'adaptive' } })).toContain('"type":"thinking"');
});
