/**
 * Prompts for servers, as tokens of the server's own vocabulary: no text of a request becomes a special token, and a prompt whose texts hold none has the tokens of the plain render. The server's vocabulary is
 * the judge: it says what is a special token, and the encoder has to find that out.
 */

import type { LlamaModel, Token } from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { interpretedModule } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { IdiolectError } from '../../src/format/errors.ts';
import { finish } from '../../src/language/expression/steps.ts';
import { renderOpenTurn } from '../../src/runtime/chat/open-turn.ts';
import type { PromptEncoder } from '../../src/servers/prompt-encoder.ts';
import { generatedInputs } from '../support/generated-corpus.ts';
import { sampled } from '../support/sample.ts';
import { smallVocabulary, tinyModelFile } from '../support/small-vocabulary.ts';
import {
  type AttackedRequest,
  attackedPositions,
  attackedRequest,
  attacksWith,
  literalsOf,
} from '../support/smuggled-texts.ts';
import { spineTemplates } from '../support/spine-templates.ts';
import { testLlama } from '../support/test-models.ts';
import { encoderFor, serverDialects } from '../support/tokenizing-server.ts';

const long = process.env.LAWS === 'long';
const templates = long
  ? (await generatedInputs()).map(({ name, templateSource: source }) => ({ name, source }))
  : await spineTemplates();
/** Which template stands where, so that each has a dialect of its own. */
const places = new Map(templates.map(({ name }, index) => [name, index]));
const learned = sampled(templates, 6, 1).map(({ name, source }) => {
  const { format } = analyzeTemplate(source);
  const markers = [...new Set([...format.preservedTokens, ...format.stops])];
  return { name, source, format, markers: markers.filter((text) => text.length > 2) };
});

const controls = [...new Set(learned.flatMap(({ markers }) => markers))];

let model: LlamaModel;
beforeAll(async () => {
  const modelPath = await tinyModelFile({ vocabulary: long ? 'llama-spm' : smallVocabulary, controls });
  model = await (await testLlama()).loadModel({ modelPath, vocabOnly: true });
});
/** Told by the long form. */
let attacks = 0;
afterAll(() => {
  if (long) console.log(`attacks on prompts for servers: ${attacks}`);
  return model.dispose();
});

/** The prompt's tokens, and its text; `null` where the template refuses the conversation. */
async function encode(
  encoder: PromptEncoder,
  source: string,
  format: ChatFormat,
  request: AttackedRequest,
): Promise<{ readonly tokens: readonly number[]; readonly text: string } | null> {
  try {
    const wanted = { ...request, input: format.input, now: new Date(0) };
    const prompt = finish(renderOpenTurn(source, wanted, { format, reader: interpretedModule(format) }));
    return { tokens: await encoder.encode(prompt, undefined), text: prompt.text };
  } catch (error) {
    if (error instanceof IdiolectError) return null;
    throw error;
  }
}

function countSpecials(tokens: readonly number[]): number {
  return tokens.filter((token) => model.getTokenAttributes(token as Token).control).length;
}

describe.each(learned)('$name', ({ name, source, format, markers }) => {
  const literals = literalsOf(source).slice(0, long ? undefined : 4);
  const kinds = Object.keys(serverDialects);
  const place = places.get(name) ?? 0;
  const chosen =
    long && process.env.KIND === undefined
      ? kinds
      : kinds.filter((_, index) => index === place % kinds.length);

  it.each(chosen)('%s: no text of a request becomes a special token', async (kind) => {
    const dialect = serverDialects[kind];
    if (dialect === undefined) throw new RangeError(kind);
    const encoder = encoderFor(model, dialect);
    const smuggled: string[] = [];
    for (const position of sampled(attackedPositions, 6, place)) {
      for (const [attack, twin] of markers.flatMap((marker) => attacksWith(marker, literals))) {
        const found = await encode(encoder, source, format, attackedRequest(position, attack, source));
        const expected = await encode(encoder, source, format, attackedRequest(position, twin, source));
        if (found === null || expected === null) continue;
        attacks += 1;
        if (countSpecials(found.tokens) > countSpecials(expected.tokens))
          smuggled.push(`${position}: ${attack}`);
        // A literal of the template between the halves may itself be a marker.
        if (controls.some((marker) => twin.includes(marker))) continue;
        expect(expected.tokens).toEqual(model.tokenize(expected.text, true));
      }
    }
    expect(smuggled).toEqual([]);
  });
});
