/** What clients of llama-server and vLLM ask about texts and models: tokens, properties. */

import { invalid, RequestError } from './errors.ts';
import {
  checkFields,
  type FieldTable,
  flagRule,
  integerRule,
  listOf,
  textRule,
} from './fields/field-table.ts';
import { flag, requiredField, textField } from './fields/request-fields.ts';
import type { ListedModel } from './model-pool.ts';
import type { Body } from './read-body.ts';
import type { ServableModel } from './servable-model.ts';

/** Fields of `/tokenize`: the text is `content` in llama-server, and `prompt` in vLLM. */
export const tokenizeFields = {
  content: textRule,
  prompt: textRule,
  with_pieces: flagRule,
  model: textRule,
} as const satisfies FieldTable;

/** Fields of `/detokenize`. */
export const detokenizeFields = {
  tokens: listOf(integerRule(0, 2 ** 31 - 1), 'a list of token ids'),
  model: textRule,
} as const satisfies FieldTable;

/** `/tokenize`: the tokens of `content` (llama-server) or `prompt` (vLLM). Throws `RequestError`. */
export function tokenizeText(model: ServableModel, body: Body): object {
  checkFields(body, tokenizeFields);
  const text = textField(body, 'content') ?? textField(body, 'prompt');
  if (text === undefined) throw invalid('content', 'content is missing', 'missing_required_parameter');
  const { tokenize, detokenize } = tokenizerOf(model);
  const tokens = tokenize(text);
  const shown = flag(body, 'with_pieces') ? tokens.map((id) => ({ id, piece: detokenize([id]) })) : tokens;
  return { tokens: shown, count: tokens.length };
}

/** `/detokenize`: the text of `tokens`. Throws `RequestError`, and `UnsupportedOptionError` for other tokens. */
export function detokenizeText(model: ServableModel, body: Body): object {
  checkFields(body, detokenizeFields);
  const tokens = requiredField(body, 'tokens') as readonly number[];
  const text = tokenizerOf(model).detokenize(tokens);
  return { content: text, prompt: text };
}

function tokenizerOf(model: ServableModel): Required<Pick<ServableModel, 'tokenize' | 'detokenize'>> {
  const { tokenize, detokenize } = model;
  if (tokenize === undefined || detokenize === undefined) {
    const reason = 'the engine of this model does not show its tokens';
    throw new RequestError({ status: 501, reasonCode: 'unsupported_question', param: null, reason });
  }
  return {
    tokenize: (text) => tokenize.call(model, text),
    detokenize: (tokens) => detokenize.call(model, tokens),
  };
}

/** `/props`: of the first model, as llama-server shows its only one. */
export function propertiesOf({ name, model }: ListedModel, slots: number): object {
  const context = model?.contextSize;
  return {
    model_alias: name,
    model_path: name,
    total_slots: slots,
    chat_template: model?.templates?.toolUse.source ?? '',
    default_generation_settings: { ...(context === undefined ? {} : { n_ctx: context }), params: {} },
    modalities: { vision: model?.vision === true, audio: false },
    is_sleeping: model === null,
  };
}
