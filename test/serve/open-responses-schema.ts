/**
 * The shapes of Open Responses (https://github.com/openresponses/openresponses, `public/openapi/openapi.json`, version
 * 2026-04-24) as JSON Schema: required fields, types and enumerations of what a server without hosted tools sends.
 * `docs/deviations.md` says where this server differs.
 */
import { Ajv, type SchemaObject, type ValidateFunction } from 'ajv';

const text = { type: 'string' };
const integer = { type: 'integer' };
const number = { type: 'number' };
const flag = { type: 'boolean' };
const anyObject = { type: 'object' };

const orNull = (schema: SchemaObject): SchemaObject => ({ anyOf: [schema, { type: 'null' }] });
const list = (items: SchemaObject): SchemaObject => ({ type: 'array', items });
const choice = (...values: readonly string[]): SchemaObject => ({ type: 'string', enum: values });
const oneOf = (...schemas: readonly SchemaObject[]): SchemaObject => ({ oneOf: schemas });

/** An object of these fields, those of `optional` left out or not. */
function fields(required: Record<string, SchemaObject>, optional: Record<string, SchemaObject> = {}) {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } };
}

/** One with a `type`. */
function typed(
  type: string,
  required: Record<string, SchemaObject>,
  optional: Record<string, SchemaObject> = {},
) {
  return fields({ type: choice(type), ...required }, optional);
}

const status = choice('in_progress', 'completed', 'incomplete');
const logprob = fields({ token: text, logprob: number, bytes: list(integer), top_logprobs: list(anyObject) });
const citation = typed('url_citation', { url: text, start_index: integer, end_index: integer, title: text });

const part = oneOf(
  typed('input_text', { text }),
  typed('output_text', { text, annotations: list(citation) }, { logprobs: list(logprob) }),
  typed('text', { text }),
  typed('summary_text', { text }),
  typed('reasoning_text', { text }),
  typed('refusal', { refusal: text }),
);

const item = oneOf(
  typed(
    'message',
    {
      id: text,
      status,
      role: choice('user', 'assistant', 'system', 'developer'),
      content: list(part),
    },
    { phase: choice('commentary', 'final_answer') },
  ),
  typed('function_call', { id: text, call_id: text, name: text, arguments: text, status }),
  typed('reasoning', { id: text, summary: list(part) }, { content: list(part), encrypted_content: text }),
);

const toolChoice = choice('none', 'auto', 'required');
const namedFunction = typed('function', {}, { name: text });

const response = fields({
  id: text,
  object: choice('response'),
  created_at: integer,
  completed_at: orNull(integer),
  status: text,
  incomplete_details: orNull(fields({ reason: text })),
  model: text,
  previous_response_id: orNull(text),
  instructions: orNull(text),
  output: list(item),
  error: orNull(fields({ code: text, message: text })),
  tools: list(
    typed('function', {
      name: text,
      description: orNull(text),
      parameters: orNull(anyObject),
      strict: orNull(flag),
    }),
  ),
  tool_choice: oneOf(
    namedFunction,
    toolChoice,
    typed('allowed_tools', { tools: list(namedFunction), mode: toolChoice }),
  ),
  truncation: choice('auto', 'disabled'),
  parallel_tool_calls: flag,
  text: fields(
    {
      format: oneOf(
        typed('text', {}),
        typed('json_object', {}),
        typed('json_schema', {
          name: text,
          description: orNull(text),
          schema: orNull(anyObject),
          strict: flag,
        }),
      ),
    },
    { verbosity: choice('low', 'medium', 'high') },
  ),
  top_p: number,
  presence_penalty: number,
  frequency_penalty: number,
  top_logprobs: integer,
  temperature: number,
  reasoning: orNull(
    fields({
      effort: orNull(choice('none', 'low', 'medium', 'high', 'xhigh')),
      summary: orNull(choice('concise', 'detailed', 'auto')),
    }),
  ),
  usage: orNull(
    fields({
      input_tokens: integer,
      output_tokens: integer,
      total_tokens: integer,
      input_tokens_details: fields({ cached_tokens: integer }),
      output_tokens_details: fields({ reasoning_tokens: integer }),
    }),
  ),
  max_output_tokens: orNull(integer),
  max_tool_calls: orNull(integer),
  store: flag,
  background: flag,
  service_tier: text,
  metadata: {},
  safety_identifier: orNull(text),
  prompt_cache_key: orNull(text),
});

const numbered = { sequence_number: integer };
const snapshot = { ...numbered, response };
const ofItem = { ...numbered, item_id: text, output_index: integer };
const ofPart = { ...ofItem, content_index: integer };
const padded = { obfuscation: text };
const withLogprobs = { logprobs: list(logprob) };

const event = {
  oneOf: [
    typed('response.created', snapshot),
    typed('response.queued', snapshot),
    typed('response.in_progress', snapshot),
    typed('response.completed', snapshot),
    typed('response.failed', snapshot),
    typed('response.incomplete', snapshot),
    typed('response.output_item.added', { ...numbered, output_index: integer, item: orNull(item) }),
    typed('response.output_item.done', { ...numbered, output_index: integer, item: orNull(item) }),
    typed('response.content_part.added', { ...ofPart, part }),
    typed('response.content_part.done', { ...ofPart, part }),
    typed('response.output_text.delta', { ...ofPart, delta: text }, { ...withLogprobs, ...padded }),
    typed('response.output_text.done', { ...ofPart, text }, withLogprobs),
    typed('response.function_call_arguments.delta', { ...ofItem, delta: text }, padded),
    typed('response.function_call_arguments.done', { ...ofItem, arguments: text }),
    // In the description without `_text`; OpenAI's own name, which every client reads, is this one.
    typed('response.reasoning_text.delta', { ...ofPart, delta: text }, padded),
    typed('response.reasoning_text.done', { ...ofPart, text }),
    typed('error', {
      ...numbered,
      error: fields(
        { type: text, code: orNull(text), message: text, param: orNull(text) },
        { headers: { type: 'object', additionalProperties: text } },
      ),
    }),
  ],
};

const ajv = new Ajv({ allErrors: true, strict: false });

/** Throws, with what is wrong, for a value that is no response. */
export const requireResponse = checker(ajv.compile(response));

/** Throws, with what is wrong, for a value that is no event of a stream. */
export const requireEvent = checker(ajv.compile(event));

function checker(validate: ValidateFunction): (value: unknown) => void {
  return (value) => {
    if (validate(value)) return;
    // A union complains of each of its branches; those of another type are no news.
    const errors = validate.errors?.filter(({ keyword }) => keyword !== 'enum' && keyword !== 'oneOf') ?? [];
    throw new Error(`${ajv.errorsText(errors.slice(0, 5))}\n${JSON.stringify(value).slice(0, 2000)}`);
  };
}

/** `fetch`, each of whose answers is checked before anybody reads it. */
export async function checkedFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  const answer = await fetch(...request);
  if (!answer.ok) return answer;
  const body = await answer.text();
  if (answer.headers.get('content-type')?.startsWith('application/json') === true)
    requireResponse(JSON.parse(body));
  else for (const each of eventsOf(body)) requireEvent(each);
  return new Response(body, answer);
}

/** The data of a stream's events. */
export function eventsOf(
  stream: string,
): readonly { readonly type: string; readonly [field: string]: unknown }[] {
  return Array.from(stream.matchAll(/^data: (.*)$/gm), ([, data = '']) => JSON.parse(data));
}
