/** Everything that the server can be asked, for `/openapi.json`. */
import type { FieldTable } from '../fields/field-table.ts';
import { showFields } from '../ollama/probes.ts';
import { textQuestions } from '../texts/text-questions.ts';
import * as answers from './answer-schemas.ts';

/** One address and method. */
export interface Operation {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly summary: string;
  readonly answer: object;
  /** The API whose requests its body is; absent if it has none, or fields of its own. */
  readonly api?: string;
  readonly fields?: FieldTable;
  /** Fields that must be present. */
  readonly required?: readonly string[];
  /** Whether its answer may come as a stream. Default: false. */
  readonly streams?: boolean;
  /** The type of an answer that is no JSON. */
  readonly type?: string;
}

const messages = ['messages'];

/** The APIs that generate, by their addresses. */
const generating: readonly Operation[] = [
  generates('/v1/chat/completions', "OpenAI's Chat Completions", answers.chatCompletion, messages),
  generates('/v1/responses', "OpenAI's Responses", answers.response, ['input']),
  generates('/v1/messages', "Anthropic's Messages", answers.message, ['messages', 'max_tokens']),
  generates('/api/chat', "Ollama's conversations", answers.ollamaMessage, []),
  generates('/api/generate', "Ollama's questions", answers.ollamaText, []),
  generates('/v1/completions', 'A text continued', answers.textCompletion, ['prompt']),
  generates('/completion', "A text continued, in llama-server's shape", answers.nativeCompletion, ['prompt']),
  generates('/completions', "A text continued, in llama-server's shape", answers.nativeCompletion, [
    'prompt',
  ]),
];

const chat = '/v1/chat/completions';

/** What can be asked about a request without an answer to it. */
const aboutRequests: readonly Operation[] = [
  asks('/v1/chat/completions/input_tokens', chat, 'Number of prompt tokens', answers.tokenCount, messages),
  asks('/v1/responses/input_tokens', '/v1/responses', 'Number of prompt tokens', answers.tokenCount, [
    'input',
  ]),
  asks('/v1/messages/count_tokens', '/v1/messages', 'Number of prompt tokens', answers.tokenCount, messages),
  asks('/apply-template', chat, 'The prompt', answers.promptText, messages),
];

const probes: readonly Operation[] = [
  gets('/v1/models', 'The models', answers.modelList),
  gets('/v1/models/{name}', 'One model', answers.modelCard),
  gets('/health', 'Whether the server is up', answers.health),
  gets('/v1/health', 'Whether the server is up', answers.health),
  gets('/api/version', "The version of Ollama's API", answers.ollamaVersionText),
  gets('/api/tags', 'The models, as Ollama lists them', answers.ollamaModels),
  gets('/api/ps', 'The open models, as Ollama lists them', answers.ollamaModels),
  gets('/props', 'What llama-server says of its model', answers.properties),
  { ...gets('/metrics', 'Figures for Prometheus', { type: 'string' }), type: 'text/plain' },
  gets('/openapi.json', 'This document', { type: 'object' }),
  {
    method: 'post',
    path: '/api/show',
    summary: 'One model, as Ollama shows it',
    answer: answers.ollamaModel,
    fields: showFields,
  },
];

/** All of them. */
export const operations: readonly Operation[] = [
  ...generating,
  ...aboutRequests,
  ...textQuestions.map((question): Operation => ({ ...question, method: 'post', answer: question.answers })),
  ...probes,
];

function generates(path: string, summary: string, answer: object, required: readonly string[]): Operation {
  return { method: 'post', path, summary, answer, api: path, required, streams: true };
}

function asks(
  path: string,
  api: string,
  summary: string,
  answer: object,
  required: readonly string[],
): Operation {
  return { method: 'post', path, summary, answer, api, required };
}

function gets(path: string, summary: string, answer: object): Operation {
  return { method: 'get', path, summary, answer };
}
