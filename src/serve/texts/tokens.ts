/** Texts as tokens, and back. */
import { finishInTurns, type Steps } from '../../language/expression/steps.ts';
import { invalid, unanswerable } from '../errors.ts';
import { flagRule, integerRule, listOf, textRule } from '../fields/field-table.ts';
import { flag, requiredField, textField } from '../fields/request-fields.ts';
import { contentText, tokenList } from '../openapi/answer-schemas.ts';
import type { ServableModel } from '../servable-model.ts';
import type { TextQuestion } from './text-question.ts';

/** `/tokenize`: the text is `content` in llama-server, and `prompt` in vLLM. */
export const tokenizeText: TextQuestion = {
  path: '/tokenize',
  summary: 'The tokens of a text',
  fields: { content: textRule, prompt: textRule, with_pieces: flagRule, model: textRule },
  required: [],
  answers: tokenList,
  async answer({ model, body }) {
    const text = textField(body, 'content') ?? textField(body, 'prompt');
    if (text === undefined) throw invalid('content', 'content is missing', 'missing_required_parameter');
    const { tokenize, detokenize } = tokenizerOf(model);
    const tokens = await tokenize(text);
    const shown = flag(body, 'with_pieces') ? await finishInTurns(piecesOf(tokens, detokenize)) : tokens;
    return { tokens: shown, count: tokens.length };
  },
};

/** `/detokenize`: the text of tokens. */
export const detokenizeText: TextQuestion = {
  path: '/detokenize',
  summary: 'The text of tokens',
  fields: { tokens: listOf(integerRule(0, 2 ** 31 - 1), 'a list of token ids'), model: textRule },
  required: ['tokens'],
  answers: contentText,
  async answer({ model, body }) {
    const tokens = requiredField(body, 'tokens') as readonly number[];
    const { detokenize } = tokenizerOf(model);
    const text = (await model.detokenizeInTurns?.(tokens)) ?? detokenize(tokens);
    return { content: text, prompt: text };
  },
};

/** Tokens whose texts are found in one step. */
const stepTokens = 500;

/** Tokens, each with its text. */
function* piecesOf(tokens: readonly number[], detokenize: Tokenizer['detokenize']): Steps<object[]> {
  const pieces: object[] = [];
  for (const id of tokens) {
    pieces.push({ id, piece: detokenize([id]) });
    if (pieces.length % stepTokens === 0) yield;
  }
  return pieces;
}

interface Tokenizer {
  tokenize(text: string): Promise<readonly number[]>;
  detokenize(tokens: readonly number[]): string;
}

function tokenizerOf(model: ServableModel): Tokenizer {
  const { tokenize, detokenize } = model;
  if (tokenize === undefined || detokenize === undefined)
    throw unanswerable('the engine of this model does not show its tokens');
  return {
    tokenize: async (text) => model.tokenizeInTurns?.(text) ?? tokenize.call(model, text),
    detokenize: (tokens) => detokenize.call(model, tokens),
  };
}
