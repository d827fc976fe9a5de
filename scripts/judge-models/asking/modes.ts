/** The ways in which a question is asked. Each mode is asked with the same prompt as its free counterpart. */

import type { Question } from '../../../src/cli/try/question.ts';
import type { JsonSchema, Tool } from '../../../src/format/messages.ts';
import type { ChatOptions } from '../../../src/runtime/node-llama-cpp/index.ts';

/**
 * The names of the modes. `free-answer` is the free counterpart of `answer`, `free` that of all others; `auto-sampled` is
 * `auto` without forced text: what the grammar alone costs.
 */
export const modeNames = [
  'free',
  'auto',
  'auto-sampled',
  'auto-or-answer',
  'required',
  'named',
  'free-answer',
  'answer',
] as const;
/** The name of a mode. */
export type ModeName = (typeof modeNames)[number];

/** A request, and whether a grammar is in force. */
export interface AskedRequest {
  readonly options: ChatOptions;
  readonly free: boolean;
  /** The schema that the answer must fit; `null` where tools are offered. */
  readonly schema: JsonSchema | null;
  /** The schema of an answer next to tools. Default: none. */
  readonly otherwise?: JsonSchema;
}

/** A sentence, in JSON. */
const sentence: JsonSchema = {
  type: 'object',
  properties: { answer: { type: 'string', maxLength: 200 } },
  required: ['answer'],
  additionalProperties: false,
};

/** The free counterpart of a mode. */
export function freeOf(mode: ModeName): ModeName {
  return mode === 'answer' || mode === 'free-answer' ? 'free-answer' : 'free';
}

/** The request of a question in a mode; `null` where the question does not suit it. */
export function requestOf(
  mode: ModeName,
  { text, calls }: Question,
  tools: readonly Tool[],
): AskedRequest | null {
  const messages = [{ role: 'user', content: text }] as const;
  const [first] = calls;
  if (mode === 'free' || mode === 'auto')
    return { options: { messages, tools, toolChoice: 'auto' }, free: mode === 'free', schema: null };
  if (mode === 'auto-sampled') {
    const options: ChatOptions = { messages, tools, toolChoice: 'auto', injectForcedText: false };
    return { options, free: false, schema: null };
  }
  if (mode === 'auto-or-answer') {
    const responseFormat = { type: 'json_schema', json_schema: { schema: sentence } } as const;
    const options: ChatOptions = { messages, tools, toolChoice: 'auto', responseFormat };
    return { options, free: false, schema: null, otherwise: sentence };
  }
  if (first === undefined) return null;
  if (mode === 'required')
    return { options: { messages, tools, toolChoice: 'required' }, free: false, schema: null };
  // One tool or one schema can answer only what needs one call.
  if (calls.length > 1) return null;
  if (mode === 'named') {
    const toolChoice = { type: 'function', function: { name: first.name } } as const;
    return { options: { messages, tools, toolChoice }, free: false, schema: null };
  }
  return answerRequest(mode === 'free-answer', text, schemaOf(tools, first.name));
}

/** The arguments of the tool as the schema of an answer. */
function answerRequest(free: boolean, text: string, schema: JsonSchema): AskedRequest {
  const content = `${text}\n\nAnswer with nothing but a JSON object that fits this JSON Schema: ${JSON.stringify(schema)}`;
  const options: ChatOptions = { messages: [{ role: 'user', content }] };
  if (free) return { options, free, schema };
  return {
    options: { ...options, responseFormat: { type: 'json_schema', json_schema: { schema } } },
    free,
    schema,
  };
}

function schemaOf(tools: readonly Tool[], name: string): JsonSchema {
  return tools.find((tool) => tool.function.name === name)?.function.parameters ?? true;
}
