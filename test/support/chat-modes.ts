/** Modes of chats in which engines are compared, for the questions that the toy was trained on. */
import type { JsonSchema, Message, Tool } from '../../src/format/messages.ts';
import type { ChatOptions } from '../../src/runtime/engine/index.ts';

function toolOf(name: string, properties: Readonly<Record<string, JsonSchema>>): Tool {
  const parameters = { type: 'object', properties, required: Object.keys(properties) };
  return { type: 'function', function: { name, parameters: { ...parameters, additionalProperties: false } } };
}

export const tools: readonly Tool[] = [
  toolOf('get_weather', {
    city: { type: 'string', maxLength: 20 },
    days: { type: 'integer', minimum: 1, maximum: 7 },
  }),
  toolOf('set_timer', { minutes: { type: 'integer', minimum: 5, maximum: 60 } }),
];
const schema = {
  type: 'object',
  properties: {
    city: { type: 'string', maxLength: 12 },
    kind: { enum: ['sunny', 'rainy'] },
    sure: { type: 'boolean' },
  },
  required: ['city', 'kind', 'sure'],
  additionalProperties: false,
} as const;

/** Options of chats, each a mode of its own. */
export const modes: Readonly<Record<string, Partial<ChatOptions>>> = {
  auto: {},
  required: { toolChoice: 'required' },
  'a named tool': { toolChoice: { type: 'function', function: { name: 'set_timer' } } },
  none: { toolChoice: 'none' },
  'no tools': { tools: [] },
  'one call at most': { parallelToolCalls: false },
  'an answer with a schema': {
    tools: [],
    responseFormat: { type: 'json_schema', json_schema: { schema } },
  },
  'any JSON': { tools: [], responseFormat: { type: 'json_object' }, maxTokens: 60 },
  'nothing injected': { injectForcedText: false },
  'required, nothing injected': { toolChoice: 'required', injectForcedText: false },
  'thinking off': { thinking: false },
  'a budget of nothing': { thinkingBudget: 0, maxTokens: 120 },
  'a budget of a few tokens': { thinkingBudget: 5, toolChoice: 'required' },
  'thoughts in the content': { reasoningFormat: 'none' },
  'a stop in thoughts': { stop: ['weather', 'timer'] },
  'cut in thoughts': { maxTokens: 7 },
  'cut in a call': { maxTokens: 48 },
  'token probabilities': { logprobs: 2, toolChoice: 'none', temperature: 0 },
  'tokens forbidden': {
    toolChoice: 'none',
    logitBias: [
      [' ', -3],
      ['the', false],
    ],
  },
  penalties: {
    toolChoice: 'none',
    repeatPenalty: 1.2,
    frequencyPenalty: 0.5,
    presencePenalty: 0.3,
    maxTokens: 60,
  },
  DRY: { toolChoice: 'none', dry: { multiplier: 2, allowedLength: 1 }, maxTokens: 60 },
  XTC: { toolChoice: 'none', xtc: { probability: 1, threshold: 0.1 }, maxTokens: 60 },
};

export const asked: readonly string[] = [
  'What is the weather in Paris for 3 days?',
  'Set a timer for 90 minutes',
  'Hello!',
];
export const conversation: readonly Message[] = [
  { role: 'system', content: 'You are brief.' },
  { role: 'user', content: 'How is the weather in Bern?' },
  {
    role: 'assistant',
    content: '',
    tool_calls: [
      {
        id: 'a',
        type: 'function',
        function: { name: 'get_weather', arguments: '{"city": "Bern", "days": 1}' },
      },
    ],
  },
  { role: 'tool', tool_call_id: 'a', content: '{"sky": "sunny", "degrees": 21}' },
];
