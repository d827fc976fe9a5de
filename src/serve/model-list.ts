/** `/v1/models`: the models, and what is known about them. */
import { snakeCase } from '../format/json-values.ts';
import { RequestError } from './errors.ts';
import type { ModelPool } from './model-pool.ts';
import type { ServableModel } from './servable-model.ts';

/** The list, in a shape that fits both OpenAI's and Anthropic's API. */
export async function listModels(pool: ModelPool): Promise<object> {
  const models = await pool.list();
  const data = models.map(({ name, model }) => modelCard(name, model));
  return {
    object: 'list',
    data,
    has_more: false,
    first_id: models[0]?.name ?? null,
    last_id: models.at(-1)?.name ?? null,
  };
}

/** One model. Throws `RequestError` (404). */
export async function describeModel(pool: ModelPool, name: string): Promise<object> {
  const found = (await pool.list()).find((each) => each.name === name);
  if (found !== undefined) return modelCard(found.name, found.model);
  const reason = `there is no model ${JSON.stringify(name)}`;
  throw new RequestError({ status: 404, reasonCode: 'model_not_found', param: 'model', reason });
}

/** The creation date of a model is unknown; 1970 stands for that. */
function modelCard(name: string, model: ServableModel | null): object {
  return {
    id: name,
    object: 'model',
    type: 'model',
    display_name: name,
    created: 0,
    created_at: '1970-01-01T00:00:00Z',
    owned_by: 'idiolect',
    loaded: model !== null,
    ...contextOf(model),
    ...learned(model),
  };
}

/** The context length under the names of other servers: vLLM, OpenRouter, Anthropic, llama-server. */
function contextOf(model: ServableModel | null): object {
  const { contextSize, trainedContextSize } = model ?? {};
  if (contextSize === undefined) return {};
  const trained = trainedContextSize === undefined ? {} : { n_ctx_train: trainedContextSize };
  return {
    max_model_len: contextSize,
    context_length: contextSize,
    max_input_tokens: contextSize,
    meta: { n_ctx: contextSize, ...trained },
  };
}

/** What was learned from its template; the same as `idiolect info` shows. */
function learned(model: ServableModel | null): object {
  const format = model?.templates?.toolUse.format;
  if (format === undefined) return {};
  const { capabilities, labels } = format;
  const { toolFormat, reasoningMode } = labels;
  return {
    capabilities: snakeCase(capabilities),
    labels: { tool_format: toolFormat, reasoning_mode: reasoningMode },
  };
}
