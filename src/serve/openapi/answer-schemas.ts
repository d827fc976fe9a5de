/** The shapes of answers: what clients may rely on. */
import { orNull } from '../fields/field-table.ts';

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const flag = { type: 'boolean' };

/** An object with these properties, of which those in `optional` may be missing. */
export function objectOf(
  properties: Readonly<Record<string, object>>,
  optional: readonly string[] = [],
): object {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}

/** A list. */
function listOfItems(items: object): object {
  return { type: 'array', items };
}

const completionUsage = objectOf({ prompt_tokens: count, completion_tokens: count, total_tokens: count });
const tokenUsage = objectOf({ input_tokens: count, output_tokens: count });
const call = objectOf({
  id: text,
  type: { const: 'function' },
  function: objectOf({ name: text, arguments: text }),
});

/** The answer of Chat Completions. */
export const chatCompletion = objectOf(
  {
    id: text,
    object: { const: 'chat.completion' },
    created: count,
    model: text,
    choices: listOfItems(
      objectOf(
        {
          index: count,
          message: objectOf(
            {
              role: { const: 'assistant' },
              content: orNull(text),
              reasoning_content: text,
              tool_calls: listOfItems(call),
            },
            ['reasoning_content', 'tool_calls'],
          ),
          finish_reason: { enum: ['stop', 'length', 'tool_calls'] },
          stop_reason: text,
        },
        ['stop_reason'],
      ),
    ),
    usage: completionUsage,
  },
  ['usage'],
);

/** The answer of Responses. */
export const response = objectOf({
  id: text,
  object: { const: 'response' },
  created_at: count,
  status: { enum: ['completed', 'incomplete'] },
  model: text,
  output: listOfItems(
    objectOf({ id: text, type: { enum: ['reasoning', 'message', 'function_call', 'custom_tool_call'] } }),
  ),
  usage: orNull(tokenUsage),
});

/** The answer of Messages. */
export const message = objectOf({
  id: text,
  type: { const: 'message' },
  role: { const: 'assistant' },
  model: text,
  content: listOfItems(objectOf({ type: { enum: ['thinking', 'text', 'tool_use'] } })),
  stop_reason: { enum: ['end_turn', 'max_tokens', 'stop_sequence', 'tool_use'] },
  stop_sequence: orNull(text),
  usage: tokenUsage,
});

const ollamaHead = { model: text, created_at: text, done: flag };
const ollamaCall = objectOf({ function: objectOf({ name: text, arguments: { type: 'object' } }) });

/** The answer of Ollama's `/api/chat`. */
export const ollamaMessage = objectOf({
  ...ollamaHead,
  message: objectOf(
    { role: { const: 'assistant' }, content: text, thinking: text, tool_calls: listOfItems(ollamaCall) },
    ['thinking', 'tool_calls'],
  ),
});

/** The answer of Ollama's `/api/generate`. */
export const ollamaText = objectOf({ ...ollamaHead, response: text });

/** The answer of `/v1/completions`. */
export const textCompletion = objectOf({
  id: text,
  object: { const: 'text_completion' },
  created: count,
  model: text,
  choices: listOfItems(objectOf({ index: count, text, finish_reason: orNull(text) })),
  usage: completionUsage,
});

/** The answer of llama-server's `/completion`. */
export const nativeCompletion = objectOf({
  content: text,
  stop: flag,
  tokens_predicted: count,
  tokens_evaluated: count,
});

/** Number of prompt tokens. */
export const tokenCount = objectOf({ input_tokens: count });

/** The prompt of a request. */
export const promptText = objectOf({ prompt: text });

/** The list of models. */
export const modelList = objectOf({ data: listOfItems(objectOf({ id: text })) });

/** One model. */
export const modelCard = objectOf({ id: text });

/** Ollama's list of models. */
export const ollamaModels = objectOf({ models: listOfItems(objectOf({ name: text })) });

/** What Ollama says of one model. */
export const ollamaModel = objectOf({ template: text, capabilities: listOfItems(text) });

/** Ollama's version. */
export const ollamaVersionText = objectOf({ version: text });

/** What llama-server says of its model. */
export const properties = objectOf({ model_alias: text, chat_template: text }, [
  'model_alias',
  'chat_template',
]);

/** The tokens of a text. */
export const tokenList = objectOf({ tokens: listOfItems({}), count });

const numbers = listOfItems({ type: 'number' });
const promptUsage = objectOf({ prompt_tokens: count, total_tokens: count });

/** The answer of `/v1/embeddings`. */
export const vectorList = objectOf({
  object: { const: 'list' },
  data: listOfItems(
    objectOf({ object: { const: 'embedding' }, index: count, embedding: { anyOf: [numbers, text] } }),
  ),
  model: text,
  usage: promptUsage,
});

/** The answers of Ollama's `/api/embed` and `/api/embeddings`. */
export const ollamaVectors = objectOf({
  model: text,
  embeddings: listOfItems(numbers),
  prompt_eval_count: count,
});
export const ollamaVector = objectOf({ embedding: numbers });

/** The answer of `/v1/rerank`; a list where texts were given as `texts`. */
export const ranking = {
  anyOf: [
    objectOf({
      model: text,
      results: listOfItems(objectOf({ index: count, relevance_score: { type: 'number' } })),
      usage: promptUsage,
    }),
    listOfItems(objectOf({ index: count, score: { type: 'number' } })),
  ],
};

/** The text of tokens. */
export const contentText = objectOf({ content: text });

/** Whether the server is up. */
export const health = objectOf({ status: { const: 'ok' } });

/** Errors of any API: OpenAI's, Anthropic's and Ollama's. */
export const anyErrorBody = objectOf({ error: { anyOf: [text, objectOf({ message: text })] } });
