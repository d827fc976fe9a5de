/** What llama-server says of its model. */
import type { ListedModel } from './model-pool.ts';

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
