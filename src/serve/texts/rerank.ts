/** Documents by how well they answer a query, in the shape of Jina, Cohere and vLLM, and in that of Hugging Face's TEI. */
import { isRecord } from '../../format/option-rules.ts';
import { invalid, wrongModel } from '../errors.ts';
import {
  type FieldRule,
  type FieldTable,
  flagRule,
  integerRule,
  listOf,
  textRule,
} from '../fields/field-table.ts';
import { flag, numberField, requiredField } from '../fields/request-fields.ts';
import { ranking } from '../openapi/answer-schemas.ts';
import type { TextQuestion } from './text-question.ts';

const maxDocuments = 2048;

/** A text, also in an object. */
const documentRule: FieldRule = {
  expected: 'a text, or an object with a text',
  allows: (value) => textOf(value) !== null,
  schema: { anyOf: [{ type: 'string' }, { type: 'object', properties: { text: { type: 'string' } } }] },
};
const expected = `a list of 1 to ${maxDocuments} texts`;

const fields = {
  model: textRule,
  query: textRule,
  documents: listOf(documentRule, expected, maxDocuments),
  texts: listOf(textRule, expected, maxDocuments),
  top_n: integerRule(1),
  return_documents: flagRule,
  return_text: flagRule,
} as const satisfies FieldTable;

/** `/v1/rerank`. */
export const rerank: TextQuestion = {
  path: '/v1/rerank',
  summary: 'Documents by how well they answer a query',
  fields,
  required: ['query'],
  answers: ranking,
  async answer({ model, name, body, signal }) {
    if (model.rank === undefined) throw wrongModel('this model does not rank documents');
    // TEI has `texts`, and a list as the answer.
    const isShort = body.texts != null;
    const given = requiredField(body, isShort ? 'texts' : 'documents');
    const documents = [given].flat().map((each) => textOf(each) ?? '');
    if (documents.length === 0) throw invalid(isShort ? 'texts' : 'documents', 'there is nothing to rank');
    const { scores, tokens } = await model.rank(String(requiredField(body, 'query')), documents, { signal });
    const best = scores
      .map((score, index) => ({ score, index, text: documents[index] ?? '' }))
      .sort((one, other) => other.score - one.score)
      .slice(0, numberField(body, 'top_n') ?? scores.length);
    if (isShort) {
      const showsText = flag(body, 'return_text');
      return best.map(({ score, index, text }) => ({ index, score, ...(showsText ? { text } : {}) }));
    }
    const showsText = flag(body, 'return_documents');
    return {
      model: name,
      object: 'list',
      usage: { prompt_tokens: tokens, total_tokens: tokens },
      results: best.map(({ score, index, text }) => ({
        index,
        relevance_score: score,
        ...(showsText ? { document: { text } } : {}),
      })),
    };
  },
};

/** `/rerank` is the short form; llama-server has these, too. */
export const reranking: TextQuestion = { ...rerank, path: '/v1/reranking' };

function textOf(document: unknown): string | null {
  const text = isRecord(document) ? document.text : document;
  return typeof text === 'string' ? text : null;
}
