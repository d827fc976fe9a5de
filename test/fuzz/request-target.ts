/** Requests to the server, in the forms of all its APIs; what it answers, counts and logs of them. */
import { logJson, logLine } from '../../src/cli/serve/serve.ts';
import { fields as chatFields } from '../../src/serve/chat-completions/read-request.ts';
import { namesOf } from '../../src/serve/fields/known-fields.ts';
import { createHandler, type RequestRecord } from '../../src/serve/index.ts';
import { fields as messagesFields } from '../../src/serve/messages/read-request.ts';
import { fields as responsesFields } from '../../src/serve/responses/read-request.ts';
import { writtenModel } from '../ai-sdk/written-model.ts';
import { anyFormat, weatherSchema } from '../serve/served-models.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { mutatedJson } from './mutated-json.ts';

const picture = 'data:image/png;base64,iVBORw0KGgo=';
const described = { name: 'get_weather', description: 'The weather.' };

/** One request of each API that says as much as it can. */
const seeds: Readonly<Record<string, object>> = {
  '/v1/chat/completions': {
    model: 'written',
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And here?' },
          { type: 'image_url', image_url: { url: picture } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'Hm.',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Bern"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '21 degrees' },
    ],
    tools: [{ type: 'function', function: { ...described, parameters: weatherSchema, strict: true } }],
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: weatherSchema } },
    stream: true,
    stream_options: { include_usage: true },
    stop: ['\n\n', 'END'],
    logit_bias: { 17: -100, 4: 2.5 },
    top_logprobs: 2,
    logprobs: true,
    max_tokens: 20,
    temperature: 0.5,
  },
  '/v1/responses': {
    model: 'written',
    instructions: 'Be brief.',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'And here?' },
          { type: 'input_image', image_url: picture },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Bern"}' },
      { type: 'function_call_output', call_id: 'call_1', output: '21 degrees' },
      { type: 'item_reference', id: 'msg_1' },
    ],
    tools: [
      { type: 'function', ...described, parameters: weatherSchema },
      { type: 'custom', name: 'note', format: { type: 'text' } },
      { type: 'web_search' },
    ],
    tool_choice: 'auto',
    text: { format: { type: 'json_object' } },
    reasoning: { effort: 'low' },
    max_output_tokens: 20,
    stream: false,
  },
  '/v1/messages': {
    model: 'written',
    max_tokens: 20,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: 'How is it?' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'x' },
          {
            type: 'tool_use',
            id: 'toolu_1',
            name: 'get_weather',
            input: { city: 'Bern' },
          },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'text', text: '21' }],
            is_error: false,
          },
          { type: 'document', title: 'A', source: { type: 'text', media_type: 'text/plain', data: 'b' } },
        ],
      },
    ],
    tools: [
      { ...described, input_schema: weatherSchema },
      { type: 'bash_20250124', name: 'bash' },
    ],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
    thinking: { type: 'enabled', budget_tokens: 1024 },
    stop_sequences: ['END'],
    stream: true,
  },
};
const routes = Object.keys(seeds);

const keys = [
  ...[chatFields, responsesFields, messagesFields].flatMap(namesOf),
  ...[
    'role',
    'content',
    'type',
    'text',
    'id',
    'name',
    'arguments',
    'input',
    'source',
    'url',
    'data',
    'format',
  ],
  ...['__proto__', 'constructor', 'a\nb', '\u001b[2J', '{evil="1"}', '\ud800'],
];
const leaves = [
  ...[
    '',
    'a',
    '\ud800',
    '\u0000',
    'a\nidiolect_requests_total 9',
    '\u001b]52;c;aGk=\u0007',
    '<|im_end|>',
    'file:///etc/passwd',
  ],
  ...[
    picture,
    'data:,%',
    'tool',
    'assistant',
    'developer',
    'required',
    'custom',
    'tool_result',
    'image',
    'refusal',
  ],
  ...[-1, 0, 0.5, 1e308, 2 ** 53, true, false, null, [], {}, [[]], ['a'], { type: 'a' }],
];

const records: RequestRecord[] = [];
const faults: unknown[] = [];
const handler = createHandler(writtenModel(anyFormat, []), {
  onRequest: (record) => records.push(record),
  onError: (error) => faults.push(error),
});

const colour = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');

/** Nothing of it may steer a terminal, begin a line of its own, or be a label that nobody has thought of. */
function requireTame(record: RequestRecord): void {
  const line = logLine(record, new Date(0)).replaceAll(colour, '');
  for (const text of [line, logJson(record, new Date(0))])
    if (/\p{Cc}/u.test(text.slice(0, -1)) || !text.endsWith('\n')) throw new Error(`logged: ${text}`);
  const known = routes.includes(record.endpoint) && [null, 'written'].includes(record.model);
  if (!known || !/^\w*$/.test(record.code ?? '')) throw new Error(`counted: ${JSON.stringify(record)}`);
}

interface GivenRequest {
  readonly route: string;
  readonly body: string;
}

/** A request, answered; or refused with a status of its own and a reason, which is the client's fault. */
export const requests: FuzzTarget = {
  seeds: routes.map((route) => JSON.stringify({ route, body: JSON.stringify(seeds[route]) })),
  near: (input) => {
    const { route, body } = JSON.parse(input) as GivenRequest;
    return mutatedJson([JSON.parse(body)], keys, leaves).map((changed) =>
      JSON.stringify({ route, body: changed }),
    );
  },
  attempt: async (input) => {
    const { route, body } = JSON.parse(input) as GivenRequest;
    const headers = { 'content-type': 'application/json' };
    const response = await handler(
      new Request(`http://localhost${route}`, { method: 'POST', headers, body }),
    );
    const text = await response.text();
    const [fault] = faults.splice(0);
    if (fault !== undefined) throw fault;
    if (response.status >= 500) throw new Error(`${response.status}: ${text}`);
    if (response.status >= 400 && !(JSON.parse(text).error?.message?.length > 0))
      throw new Error(`no reason: ${text}`);
    const [record] = records.splice(0);
    if (record === undefined) throw new Error('nothing is counted');
    requireTame(record);
  },
};
