/** `/api/chat` and `/api/generate`, Ollama's API. */
import type { Endpoint } from '../endpoint.ts';
import type { KnownFields } from '../fields/known-fields.ts';
import {
  chatFields,
  generateFields,
  type OllamaRequest,
  readOllamaChat,
  readOllamaGenerate,
} from './read-request.ts';
import {
  completeOllama,
  inMessage,
  inText,
  ollamaError,
  ollamaErrorFrames,
  openedOllama,
  type Shape,
  streamOllama,
} from './write-response.ts';

function endpoint(
  path: string,
  fields: KnownFields,
  read: Endpoint<OllamaRequest>['read'],
  shape: Shape,
): Endpoint<OllamaRequest> {
  return {
    path,
    fields,
    framing: 'lines',
    read,
    opened: (asked, model) => (asked.onlyOpens ? openedOllama(asked, model, shape) : null),
    complete: (answer) => completeOllama(answer, shape),
    stream: (answer) => streamOllama(answer, shape),
    errorBody: ollamaError,
    errorFrames: ollamaErrorFrames,
  };
}

/** A conversation. */
export const ollamaChat = endpoint('/api/chat', chatFields, readOllamaChat, inMessage);

/** One question. */
export const ollamaGenerate = endpoint('/api/generate', generateFields, readOllamaGenerate, inText);
