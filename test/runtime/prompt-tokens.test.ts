/**
 * Prompts of real templates: whatever special tokens' texts, whole or in pieces, stand in any place that
 * users, tools and models fill, the prompt has the special tokens of the template alone, and its text is
 * the one that the template renders.
 */

import fc from 'fast-check';
import type { LlamaModel } from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tinyModelFile } from '../../examples/support/small-models.ts';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { interpretedModule } from '../../src/codegen/create-response-parser.ts';
import { TemplateError } from '../../src/format/errors.ts';
import type { Message, Tool } from '../../src/format/messages.ts';
import { finish } from '../../src/language/expression/steps.ts';
import { type PromptRequest, renderOpenTurn } from '../../src/runtime/chat/open-turn.ts';
import { encodePrompt } from '../../src/runtime/engine/tokens/prompt-tokens.ts';
import { renderPrompt } from '../../src/template/prompt/render-prompt.ts';
import { llamaTemplate } from '../support/corpora.ts';
import { generatedInputs } from '../support/generated-corpus.ts';
import { readVocabulary, type Vocabulary } from '../support/read-vocabulary.ts';
import { sampled } from '../support/sample.ts';
import { spineTemplates } from '../support/spine-templates.ts';
import { testLlama } from '../support/test-models.ts';

const long = process.env.LAWS === 'long';
const runs = long ? 150 : 12;
/** A template that writes arguments as they came, being text. */
const textArguments = 'meetkai-functionary-medium-v3.2';
const sources = long
  ? (await generatedInputs()).map(({ name, templateSource: source }) => ({ name, source }))
  : [...(await spineTemplates()), await llamaTemplate(textArguments)];
const templates = sources.map(({ name, source }) => ({
  name,
  source,
  format: analyzeTemplate(source).format,
}));
const markers = [
  ...new Set(templates.flatMap(({ format }) => [...format.preservedTokens, ...format.stops])),
].filter((text) => text.trim() === text);

/** Texts for every place that is filled from outside. */
interface Texts {
  readonly system: string;
  readonly user: string;
  readonly thought: string;
  readonly answer: string;
  readonly argument: string;
  readonly result: string;
  readonly description: string;
  readonly choice: string;
}

function requestOf(texts: Texts): { readonly messages: readonly Message[]; readonly tools: readonly Tool[] } {
  const parameters = {
    type: 'object',
    properties: { word: { type: 'string', description: texts.description, enum: [texts.choice] } },
    required: ['word'],
  };
  const named = { name: 'look_up', description: texts.description, parameters };
  // Written as models do, and not as JSON.stringify does.
  const called = { name: 'look_up', arguments: `{"word": ${JSON.stringify(texts.argument)}, "size": 1.0}` };
  return {
    tools: [{ type: 'function', function: named }],
    messages: [
      { role: 'system', content: texts.system },
      { role: 'user', content: texts.user },
      { role: 'assistant', content: texts.answer, reasoning_content: texts.thought },
      { role: 'user', content: texts.user },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'call00001', type: 'function', function: called }],
      },
      { role: 'tool', tool_call_id: 'call00001', name: 'look_up', content: texts.result },
    ],
  };
}

/** Pieces of special tokens' texts, which may come to stand next to each other or the template's text. */
const piece = fc
  .constantFrom(...markers)
  .chain((text) =>
    fc
      .tuple(fc.nat(text.length - 1), fc.nat(text.length - 1))
      .map(([from, to]) => text.slice(Math.min(from, to), Math.max(from, to) + 1)),
  );
const filling = fc
  .array(fc.oneof({ weight: 3, arbitrary: piece }, fc.constantFrom('a', ' b ')), {
    minLength: 1,
    maxLength: 4,
  })
  .map((pieces) => pieces.join(''))
  .filter((text) => text.trim() !== '');
const anyTexts: fc.Arbitrary<Texts> = fc.record({
  system: filling,
  user: filling,
  thought: filling,
  answer: filling,
  argument: filling,
  result: filling,
  description: filling,
  choice: filling,
});
/** Code, marks and letters as people write them, with nothing in it that is a special token. */
const ordinary = fc
  .array(
    fc.constantFrom('<', '>', '|', '"', 'if (a < b) {', ' [1]', 'naïve', '你好', '\n\n', 'x', '</p>', ' '),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((pieces) => `a${pieces.join('')}z`);
const ordinaryTexts: fc.Arbitrary<Texts> = fc.record({
  system: ordinary,
  user: ordinary,
  thought: ordinary,
  answer: ordinary,
  argument: ordinary,
  result: ordinary,
  description: ordinary,
  choice: ordinary,
});
const harmless = 'x';
const harmlessTexts: Texts = {
  system: harmless,
  user: harmless,
  thought: harmless,
  answer: harmless,
  argument: harmless,
  result: harmless,
  description: harmless,
  choice: harmless,
};

/** Also a template that renders no thoughts may cut them out of texts: `'</think>' in content`. */
function looksFor(source: string, marker: string): boolean {
  const quoted = [`'${marker}'`, `"${marker}"`];
  return quoted.some((text) => source.includes(`${text} in `) || source.includes(`(${text})`));
}

let model: LlamaModel;
let vocabulary: Vocabulary;
beforeAll(async () => {
  const modelPath = await tinyModelFile({ vocabulary: 'llama-spm', markers });
  model = await (await testLlama()).loadModel({ modelPath, vocabOnly: true });
  vocabulary = readVocabulary(model, modelPath);
});
afterAll(() => model.dispose());

describe.each(sampled(templates, 3))('$name', ({ source, format }) => {
  const optionsOf = (texts: Texts): PromptRequest => ({
    ...requestOf(texts),
    input: format.input,
    now: new Date(0),
  });
  /** `null` where the template refuses the conversation. */
  const encode = (texts: Texts) => {
    try {
      return finish(
        encodePrompt(
          finish(renderOpenTurn(source, optionsOf(texts), { format, reader: interpretedModule(format) })),
          vocabulary,
          format,
        ),
      );
    } catch (error) {
      if (error instanceof TemplateError) return null;
      throw error;
    }
  };
  const specialsOf = (tokens: readonly number[]): string[] =>
    tokens
      .filter((token) => vocabulary.isSpecial(token))
      .map((token) => Buffer.from(vocabulary.bytesOf(token)).toString());

  const { start = '', end = '' } = format.reasoning ?? {};
  const signs = markers.filter((marker) => (start + end).includes(marker) || looksFor(source, marker));

  it('only the template writes special tokens', () => {
    const expected = encode(harmlessTexts);
    fc.assert(
      fc.property(anyTexts, (texts) => {
        // Some templates look for thoughts in texts of the history, and write what they find in another place.
        fc.pre(!Object.values(texts).some((text: string) => signs.some((sign) => text.includes(sign))));
        const encoded = encode(texts);
        if (expected === null || encoded === null) return;
        expect(specialsOf(encoded.tokens)).toEqual(specialsOf(expected.tokens));
      }),
      { numRuns: runs },
    );
  });

  it('the text of the prompt is what the template renders', () => {
    fc.assert(
      fc.property(anyTexts, (texts) => {
        const encoded = encode(texts);
        if (encoded !== null) expect(encoded.text).toBe(renderPrompt(source, optionsOf(texts)));
      }),
      { numRuns: runs },
    );
  });

  it('a prompt without special tokens in its data has the tokens of the plain render', () => {
    const { bos, shouldPrependBosToken } = model.tokens;
    const begins = shouldPrependBosToken && bos !== null ? [bos] : [];
    fc.assert(
      fc.property(ordinaryTexts, (texts) => {
        // Five marks may happen to be the quotation mark of a format.
        fc.pre(Object.values(texts).every((text: string) => [...vocabulary.finder.find(text)].length === 0));
        const encoded = encode(texts);
        // SentencePiece's sign for a space is spelled in bytes, so that it does not come back as a space.
        if (encoded === null || encoded.text.includes('▁')) return;
        expect(encoded.tokens).toEqual([...begins, ...model.tokenize(encoded.text, true)]);
      }),
      { numRuns: runs },
    );
  });
});
