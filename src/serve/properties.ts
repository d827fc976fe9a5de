/** What llama-server says of its model. */
import { snakeCase } from '../format/json-values.ts';
import type { Filled } from '../format/option-rules.ts';
import type { HandlerOptions } from './handler-options.ts';
import type { ListedModel } from './model-pool.ts';

/** `/props`: of the first model, as llama-server shows its only one. */
export function propertiesOf(
  { name, model }: ListedModel,
  { concurrency: slots, defaults }: Pick<Filled<HandlerOptions>, 'concurrency' | 'defaults'>,
): object {
  const context = model?.contextSize;
  return {
    model_alias: name,
    model_path: model?.name ?? name,
    total_slots: slots,
    chat_template: model?.templates?.toolUse.source ?? '',
    default_generation_settings: {
      ...(context === undefined ? {} : { n_ctx: context }),
      params: snakeCase(defaults),
    },
    modalities: { vision: model?.vision === true, audio: false },
    is_sleeping: model === null,
  };
}
