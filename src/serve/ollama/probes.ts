/** What Ollama's clients ask about the server and its models. */
import { checkFields, type FieldTable, textRule } from '../fields/field-table.ts';
import { textField } from '../fields/request-fields.ts';
import type { LearnedModel, ListedModel, ModelPool } from '../model-pool.ts';
import type { Body } from '../read-body.ts';

/**
 * The version of Ollama whose API is spoken. Clients refuse older ones, or leave features out, so it is not the
 * version of this package.
 */
export const ollamaVersion = '0.12.6';

const unknownDate = '1970-01-01T00:00:00Z';

/** `/api/tags`: all models. */
export async function listTags(pool: ModelPool): Promise<object> {
  return { models: pool.list().map(tagOf) };
}

/** `/api/ps`: the open ones. */
export async function listOpen(pool: ModelPool): Promise<object> {
  const open = pool.list().filter(({ model }) => model !== null);
  const models = open.map((listed) => ({
    ...tagOf(listed),
    expires_at: '9999-12-31T23:59:59Z',
    size_vram: 0,
    context_length: listed.model?.contextSize ?? 0,
  }));
  return { models };
}

/** Fields of `/api/show`; the second is an older name of the first. */
export const showFields = { model: textRule, name: textRule } as const satisfies FieldTable;

/** `/api/show`: one model. Throws `RequestError` (404 for an unknown one). */
export async function showModel(pool: ModelPool, body: Body): Promise<object> {
  checkFields(body, showFields);
  const known = pool.nameOf(textField(body, 'model') ?? textField(body, 'name') ?? '');
  const { model = null, templates } = (await pool.learned()).find((each) => each.name === known) ?? {};
  const context = model?.contextSize;
  return {
    modelfile: '',
    parameters: '',
    template: templates?.toolUse.source ?? '',
    details,
    model_info: {
      'general.architecture': 'gguf',
      ...(context === undefined ? {} : { 'gguf.context_length': context }),
    },
    capabilities: capabilitiesOf(model, templates),
    modified_at: unknownDate,
  };
}

const details = {
  parent_model: '',
  format: 'gguf',
  family: '',
  families: [],
  parameter_size: '',
  quantization_level: '',
} as const;

function tagOf({ name, bytes }: ListedModel): object {
  return { name, model: name, modified_at: unknownDate, size: bytes, digest: '', details };
}

/** A model that is not open yet can call tools: others are not served unless its operator says so. */
function capabilitiesOf(
  model: LearnedModel['model'],
  templates: LearnedModel['templates'],
): readonly string[] {
  const format = templates?.toolUse.format;
  if (format === undefined) return ['completion', 'tools'];
  return [
    'completion',
    ...(format.calls === null ? [] : ['tools']),
    ...(format.reasoning === null ? [] : ['thinking']),
    ...(model?.vision === true ? ['vision'] : []),
  ];
}
