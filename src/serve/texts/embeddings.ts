/** Vectors of texts, in OpenAI's API and in Ollama's. */
import type { Embeddings } from '../../runtime/chat/search-answers.ts';
import { invalid, wrongModel } from '../errors.ts';
import { anyRule, type FieldTable, integerRule, listOf, onlyRule, textRule } from '../fields/field-table.ts';
import { requiredField } from '../fields/request-fields.ts';
import { ollamaVector, ollamaVectors, vectorList } from '../openapi/answer-schemas.ts';
import type { AskedText, TextQuestion } from './text-question.ts';

/** As in OpenAI's API. */
const maxTexts = 2048;
const textsRule = anyRule(textRule, listOf(textRule, `a list of up to ${maxTexts} texts`, maxTexts));

const openAiFields = {
  model: textRule,
  input: textsRule,
  encoding_format: onlyRule('float', 'base64'),
  dimensions: integerRule(1),
} as const satisfies FieldTable;

const ollamaFields = { model: textRule, input: textsRule, dimensions: integerRule(1) } as const;

/** `/v1/embeddings`. */
export const embeddings: TextQuestion = {
  path: '/v1/embeddings',
  summary: 'Vectors of texts',
  fields: openAiFields,
  required: ['input'],
  answers: vectorList,
  async answer(asked) {
    const { input } = asked.body;
    if (Array.isArray(input) && input.length === 0) throw invalid('input', 'input: there is no text');
    const { vectors, tokens } = await vectorsOf(asked, 'input');
    const write = asked.body.encoding_format === 'base64' ? base64Of : asNumbers;
    return {
      object: 'list',
      data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: write(vector) })),
      model: asked.name,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    };
  },
};

/** `/api/embed`. */
export const ollamaEmbed: TextQuestion = {
  path: '/api/embed',
  summary: "Vectors of texts, in Ollama's shape",
  fields: ollamaFields,
  required: ['input'],
  answers: ollamaVectors,
  async answer(asked) {
    const { vectors, tokens } = await vectorsOf(asked, 'input');
    return { model: asked.name, embeddings: vectors, prompt_eval_count: tokens };
  },
};

/** `/api/embeddings`, which is older: one text. */
export const ollamaEmbeddings: TextQuestion = {
  path: '/api/embeddings',
  summary: "The vector of a text, in Ollama's older shape",
  fields: { model: textRule, prompt: textRule },
  required: ['prompt'],
  answers: ollamaVector,
  answer: async (asked) => ({ embedding: (await vectorsOf(asked, 'prompt')).vectors[0] ?? [] }),
};

async function vectorsOf({ model, body, signal }: AskedText, field: string): Promise<Embeddings> {
  if (model.embed === undefined) throw wrongModel('this model has no vectors of texts');
  const texts = [requiredField(body, field)].flat().map(String);
  const empty = texts.indexOf('');
  if (empty >= 0) throw invalid(field, `${field}: text ${empty} is empty`);
  const answer = await model.embed(texts, { signal });
  const length = answer.vectors[0]?.length;
  const { dimensions = length } = body;
  if (dimensions === length || length === undefined) return answer;
  const reason = `vectors of this model have ${length} dimensions, and are not shortened`;
  throw invalid('dimensions', `dimensions: ${reason}`, 'unsupported_parameter');
}

function asNumbers(vector: readonly number[]): readonly number[] {
  return vector;
}

/** Numbers of 32 bits, the least byte first. */
function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
