/** `/v1/models` and `/props`: the models, and what is known about them. */
import { snakeCase } from '../format/json-values.ts';
import type { Filled } from '../format/option-rules.ts';
import { RequestError } from './errors.ts';
import type { HandlerOptions } from './handler-options.ts';
import type { LearnedModel, ModelPool } from './model-pool.ts';
import type { ServableModel } from './servable-model.ts';

/** Writes what is known of a model. */
type Card = (listed: LearnedModel) => object;

/** Whether Anthropic's client asks, whose models have other fields. */
function cardFor({ headers }: Request): Card {
  return headers.has('anthropic-version') ? anthropicCard : openAiCard;
}

/** The list, in the shape of the client's API. */
export async function listModels(pool: ModelPool, request: Request): Promise<object> {
  const models = await pool.learned();
  const page = { has_more: false, first_id: models[0]?.name ?? null, last_id: models.at(-1)?.name ?? null };
  return { object: 'list', data: models.map(cardFor(request)), ...page };
}

/** The model that answers to a name. Throws `RequestError` (404). */
export async function describeModel(pool: ModelPool, name: string, request: Request): Promise<object> {
  const known = pool.nameOf(name);
  const found = (await pool.learned()).find((each) => each.name === known);
  if (found !== undefined) return cardFor(request)(found);
  const reason = `there is no model ${JSON.stringify(name)}`;
  throw new RequestError({ status: 404, reasonCode: 'model_not_found', param: 'model', reason });
}

/** The creation date of a model is unknown; 1970 stands for that. */
const created = { created: 0, created_at: '1970-01-01T00:00:00Z' } as const;

/** The fields of OpenAI's API, and those that other servers add. */
function openAiCard({ name, model, templates }: LearnedModel): object {
  return {
    id: name,
    object: 'model',
    type: 'model',
    display_name: name,
    ...created,
    owned_by: 'idiolect',
    loaded: model !== null,
    state: model === null ? 'not-loaded' : 'loaded',
    ...contextOf(model),
    ...learned(model, templates),
  };
}

/** Only fields that Anthropic's API has: its clients check them. What it has no word for is `null`. */
function anthropicCard({ name, model }: LearnedModel): object {
  return {
    type: 'model',
    id: name,
    display_name: name,
    created_at: created.created_at,
    capabilities: null,
    lifecycle: 'active',
    line: null,
    deprecated_at: null,
    retires_at: null,
    max_input_tokens: model?.contextSize ?? null,
    max_tokens: model?.contextSize ?? null,
  };
}

/** The context length under the names of other servers: vLLM, OpenRouter, Anthropic, LM Studio, llama-server. */
function contextOf(model: ServableModel | null): object {
  const { contextSize, trainedContextSize } = model ?? {};
  if (contextSize === undefined) return {};
  const trained = trainedContextSize === undefined ? {} : { n_ctx_train: trainedContextSize };
  return {
    max_model_len: contextSize,
    context_length: contextSize,
    max_input_tokens: contextSize,
    loaded_context_length: contextSize,
    max_context_length: trainedContextSize ?? contextSize,
    meta: { n_ctx: contextSize, ...trained },
  };
}

/** What was learned from its template; the same as `idiolect info` shows. */
function learned(model: ServableModel | null, templates: LearnedModel['templates']): object {
  const format = templates?.toolUse.format;
  if (format === undefined) return {};
  const { capabilities, labels } = format;
  const { toolFormat, reasoningMode } = labels;
  return {
    capabilities: { ...snakeCase(capabilities), vision: model?.vision === true },
    labels: { tool_format: toolFormat, reasoning_mode: reasoningMode },
  };
}

/** `/props`: of the first model, as llama-server shows its only one. */
export function propertiesOf(
  { name, model, templates }: LearnedModel,
  { concurrency: slots, defaults }: Pick<Filled<HandlerOptions>, 'concurrency' | 'defaults'>,
): object {
  const context = model?.contextSize;
  return {
    model_alias: name,
    model_path: model?.name ?? name,
    build_info: 'idiolect',
    total_slots: model?.sequences ?? slots,
    chat_template: templates?.toolUse.source ?? '',
    default_generation_settings: {
      ...(context === undefined ? {} : { n_ctx: context }),
      params: snakeCase(defaults),
    },
    modalities: { vision: model?.vision === true, audio: false },
    is_sleeping: model === null,
  };
}
