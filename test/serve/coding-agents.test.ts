/** What coding agents send: all of it works, and what there is none of here is left out and named. */
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import type { Turn } from '../ai-sdk/written-model.ts';
import { answer, anyFormat, type Served, serveTurns, weatherSchema } from './served-models.ts';

let served: Served | null = null;
afterEach(async () => {
  await served?.close(AbortSignal.abort());
  served = null;
});

async function post(path: string, body: object, turn: Turn = answer): Promise<Response> {
  served = await serveTurns(anyFormat, [turn]);
  const response = await fetch(`${served.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-beta': 'some-2026-01-01' },
    body: JSON.stringify(body),
  });
  expect(response.status, await response.clone().text()).toBe(200);
  return response;
}

function asked(): { readonly messages: readonly object[]; readonly tools?: unknown } {
  const [options] = served?.model.asked ?? [];
  return { messages: options?.messages ?? [], tools: options?.tools };
}

const cached = { cache_control: { type: 'ephemeral' } };

describe('an agent of /v1/messages', () => {
  const request = (header: string) => ({
    model: 'written',
    max_tokens: 32_000,
    stream: true,
    system: [
      { type: 'text', text: `x-anthropic-billing-header: version=2.1; hash=${header};` },
      { type: 'text', text: 'You write code.', ...cached },
      { type: 'text', text: '# Tone\nBe brief.', ...cached },
    ],
    tools: [
      {
        name: 'read',
        description: 'Reads a file.',
        input_schema: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          properties: { path: { type: 'string' }, limit: { type: 'number', exclusiveMinimum: 0 } },
          required: ['path'],
          additionalProperties: false,
        },
        strict: true,
        defer_loading: true,
        ...cached,
      },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 8 },
    ],
    thinking: { type: 'enabled' },
    metadata: { user_id: 'user_1_session_2' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    output_config: { effort: 'medium' },
    messages: [
      { role: 'user', content: [{ type: 'text', text: '<system-reminder>Today.</system-reminder>' }] },
      { role: 'user', content: [{ type: 'text', text: 'Read a and b.', ...cached }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Both.', signature: 'EqQB' },
          { type: 'redacted_thinking', data: 'x' },
          { type: 'text', text: 'Reading.' },
          {
            type: 'tool_use',
            id: 'toolu_01',
            name: 'read',
            input: { path: 'a' },
            caller: { type: 'direct' },
          },
          { type: 'tool_use', id: 'toolu_02', name: 'read', input: { path: 'b' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_01', content: [{ type: 'text', text: '1' }], ...cached },
          { type: 'tool_result', tool_use_id: 'toolu_02', content: 'no such file', is_error: true },
          { type: 'text', text: '<system-reminder>Go on.</system-reminder>' },
        ],
      },
    ],
  });

  it('is understood: blocks, results, errors, thoughts of another model', async () => {
    const response = await post('/v1/messages?beta=true', request('a'));
    expect(response.headers.get('idiolect-ignored')).toBe('tools.web_search_20250305');
    await response.text();
    expect(asked()).toMatchObject({
      messages: [
        { role: 'system', content: 'You write code.\n# Tone\nBe brief.' },
        { role: 'user', content: '<system-reminder>Today.</system-reminder>\nRead a and b.' },
        {
          role: 'assistant',
          content: 'Reading.',
          reasoning_content: 'Both.',
          tool_calls: [{ id: 'toolu_01' }, { id: 'toolu_02' }],
        },
        { role: 'tool', tool_call_id: 'toolu_01', content: '1' },
        { role: 'tool', tool_call_id: 'toolu_02', content: 'Error: no such file' },
        { role: 'user', content: '<system-reminder>Go on.</system-reminder>' },
      ],
      tools: [{ function: { name: 'read' } }],
    });
  });

  it('whose header is another one each time is told the same', async () => {
    await (await post('/v1/messages', request('a'))).text();
    const first = asked();
    await served?.close();
    await (await post('/v1/messages', request('b'))).text();
    expect(asked()).toEqual(first);
  });
});

const patch = '*** Begin Patch\n*** Add File: a\n+"1"\n*** End Patch';

/** As an agent of `/v1/responses` offers them. */
const tools = [
  { type: 'function', name: 'get_weather', parameters: weatherSchema, strict: false },
  {
    type: 'custom',
    name: 'apply_patch',
    description: 'Changes files.',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' },
  },
  {
    type: 'namespace',
    name: 'mcp__files',
    description: 'Files.',
    tools: [{ type: 'function', name: 'read', parameters: weatherSchema }],
  },
  { type: 'web_search', external_web_access: false },
  { type: 'tool_search', execution: 'client' },
];

function called(name: string, args: object): Turn {
  const call = { id: 'abcdefghi', type: 'function', function: { name, arguments: JSON.stringify(args) } };
  return { role: 'assistant', content: null, tool_calls: [call as never] };
}

describe('an agent of /v1/responses', () => {
  const request = {
    model: 'written',
    instructions: 'You write code.',
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'No network.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Add a.' }] },
      { type: 'reasoning', id: 'rs_1', summary: [], content: null, encrypted_content: 'gAAAA' },
      {
        type: 'message',
        role: 'assistant',
        phase: 'commentary',
        content: [{ type: 'output_text', text: 'Adding.', annotations: [] }],
      },
      { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: patch, status: 'completed' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'Done' },
      {
        type: 'function_call',
        call_id: 'c2',
        namespace: 'mcp__files',
        name: 'read',
        arguments: '{"city":"a"}',
      },
      { type: 'function_call_output', call_id: 'c2', output: [{ type: 'input_text', text: '"1"' }] },
    ],
    tools,
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { effort: 'medium', summary: 'auto' },
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'key',
    client_metadata: { session: '1' },
    text: { verbosity: 'low' },
  };

  it('is understood: free texts and namespaces are functions for the model', async () => {
    const response = await post('/v1/responses', request);
    expect(response.headers.get('idiolect-ignored')).toBe(
      'client_metadata, tools.web_search, tools.tool_search',
    );
    expect(asked().messages).toMatchObject([
      { role: 'system', content: 'You write code.' },
      { role: 'developer', content: 'No network.' },
      { role: 'user', content: 'Add a.' },
      {
        role: 'assistant',
        content: 'Adding.',
        tool_calls: [{ function: { name: 'apply_patch', arguments: JSON.stringify({ input: patch }) } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'Done' },
      { role: 'assistant', tool_calls: [{ function: { name: 'mcp__files__read' } }] },
      { role: 'tool', tool_call_id: 'c2', content: '"1"' },
    ]);
    expect(asked().tools).toMatchObject([
      { function: { name: 'get_weather' } },
      {
        function: { name: 'apply_patch', description: expect.stringContaining('lark grammar:\nstart: /.+/') },
      },
      { function: { name: 'mcp__files__read' } },
    ]);
  });

  it.each<[string, Turn, object]>([
    [
      'a free text',
      called('apply_patch', { input: patch }),
      { type: 'custom_tool_call', name: 'apply_patch', input: patch, call_id: expect.any(String) },
    ],
    [
      'a tool in a namespace',
      called('mcp__files__read', { city: 'a' }),
      {
        type: 'function_call',
        namespace: 'mcp__files',
        name: 'read',
        arguments: expect.stringContaining('"a"'),
      },
    ],
  ])('is answered with %s as it offered it, streamed and not', async (_, turn, item) => {
    served = await serveTurns(anyFormat, [turn, turn]);
    const client = new OpenAI({ baseURL: `${served.url}/v1`, apiKey: 'any', maxRetries: 0 });
    const whole = await client.responses.create(request as never);
    expect((whole as OpenAI.Responses.Response).output).toEqual([expect.objectContaining(item)]);
    const stream = client.responses.stream(request as never);
    const types: string[] = [];
    let text = '';
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'response.custom_tool_call_input.delta') text += event.delta;
    }
    expect((await stream.finalResponse()).output).toEqual([expect.objectContaining(item)]);
    const isText = 'input' in item;
    expect(text).toBe(isText ? patch : '');
    const kind = isText ? 'custom_tool_call_input' : 'function_call_arguments';
    expect(types.slice(-4)).toEqual([
      `response.${kind}.delta`,
      `response.${kind}.done`,
      'response.output_item.done',
      'response.completed',
    ]);
  });

  it.each<[object, object]>([
    [
      { type: 'custom', name: 'apply_patch' },
      { type: 'function', function: { name: 'apply_patch' } },
    ],
    [
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'function', namespace: 'mcp__files', name: 'read' }],
      },
      { allowed_tools: { tools: [{ function: { name: 'mcp__files__read' } }] } },
    ],
  ])('may choose %j', async (choice, toolChoice) => {
    await (await post('/v1/responses', { ...request, tool_choice: choice })).text();
    expect(served?.model.asked[0]).toMatchObject({ toolChoice });
  });
});

describe('a client of /v1/chat/completions', () => {
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'get_weather', arguments: '{"city":"Bern"}' },
  };
  const weather = { type: 'function', function: { name: 'get_weather', parameters: weatherSchema } };

  it.each<[string, object, object]>([
    [
      '−1 for as much as there is room for',
      { max_tokens: -1, top_k: -1, seed: -1 },
      { topK: 0, maxTokens: Number.MAX_SAFE_INTEGER },
    ],
    ['fields without a value', { stop: null, tools: null, n: null, stream_options: null, top_p: null }, {}],
    ['an empty list of tools', { tools: [], tool_choice: 'auto', parallel_tool_calls: true }, {}],
    [
      'strict tools without a description',
      { tools: [{ ...weather, function: { ...weather.function, strict: true, description: null } }] },
      { tools: [{ function: { name: 'get_weather' } }] },
    ],
  ])('may send %s', async (_, fields, options) => {
    await post('/v1/chat/completions', {
      model: 'written',
      messages: [{ role: 'user', content: 'Hi' }],
      ...fields,
    });
    expect(served?.model.asked[0]).toMatchObject(options);
  });

  it.each<[string, readonly object[]]>([
    [
      'an empty answer with calls, and results in parts',
      [
        { role: 'developer', content: [{ type: 'text', text: 'Be brief.', ...cached }] },
        { role: 'user', content: 'Hi', name: 'me' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ ...call, index: 0 }],
          function_call: null,
          refusal: null,
        },
        {
          role: 'tool',
          tool_call_id: 'call_1',
          name: 'get_weather',
          content: [{ type: 'text', text: '21' }],
        },
      ],
    ],
    [
      'the same id twice',
      [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', tool_calls: [call, call] },
        { role: 'tool', tool_call_id: 'call_1', content: '21' },
        { role: 'tool', tool_call_id: 'call_1', content: '22' },
      ],
    ],
    [
      'calls without ids',
      [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: null, tool_calls: [{ function: call.function }] },
        { role: 'tool', content: '21' },
      ],
    ],
  ])('may send %s', async (_, messages) => {
    await post('/v1/chat/completions', { model: 'written', messages, tools: [weather] });
    expect(asked().messages).toHaveLength(messages.length);
  });
});
