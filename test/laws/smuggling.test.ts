/**
 * No text of a request becomes a special token, wherever it stands and however a template cuts and joins it.
 * The judge knows nothing of origins: a prompt must have as many special tokens as the same prompt with characters
 * that look alike in place of those of the attack's marker.
 */

import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { interpretedModule } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { IdiolectError } from '../../src/format/errors.ts';
import { finish } from '../../src/language/expression/steps.ts';
import { SpecialFinder } from '../../src/language/matcher/special-finder.ts';
import { renderOpenTurn } from '../../src/runtime/chat/open-turn.ts';
import { cutPrompt } from '../../src/runtime/chat/prompt-pieces.ts';
import { renderPrompt } from '../../src/template/prompt/render-prompt.ts';
import { toolFormats, wrapTemplate } from '../../src/template/tool-format/wrap-template.ts';
import { allTemplates, type CorpusTemplate } from '../support/corpora.ts';
import { generatedInputs } from '../support/generated-corpus.ts';
import { sampled } from '../support/sample.ts';
import {
  type AttackedRequest,
  attackedPositions,
  attackedRequest,
  attacksWith,
  literalsOf,
} from '../support/smuggled-texts.ts';
import { spineTemplates } from '../support/spine-templates.ts';

const long = process.env.LAWS === 'long';
const corpus = await allTemplates();
const templates = long
  ? (await generatedInputs()).map(({ name, templateSource: source }) => ({ name, source }))
  : [
      ...sampled(await spineTemplates(), 6),
      ...sampled(corpus, 80).filter(hasFormat),
      ...sampled(corpus, 160, 7).filter(hasFormat).map(inToolFormat),
    ];

function inToolFormat({ name, source }: CorpusTemplate, index: number) {
  const format = toolFormats[index % toolFormats.length]?.name ?? '';
  return { name: `${name} in ${format}`, source: wrapTemplate(source, format) };
}

/** Classifiers have none. */
function hasFormat({ source }: CorpusTemplate): boolean {
  try {
    return analyzeTemplate(source).format.turn.start !== '';
  } catch (error) {
    if (error instanceof IdiolectError) return false;
    throw error;
  }
}

function countSpecials(
  source: string,
  format: ChatFormat,
  finder: SpecialFinder,
  request: AttackedRequest,
): number | null {
  try {
    const prompt = finish(
      renderOpenTurn(
        source,
        { ...request, input: format.input, now: new Date(0) },
        { format, reader: interpretedModule(format) },
      ),
    );
    const pieces = cutPrompt(prompt, finder);
    expect(pieces.map(({ text }) => text).join('')).toBe(prompt.text);
    return pieces.reduce((sum, piece) => sum + [...finder.find(piece.text)].length, 0);
  } catch (error) {
    if (error instanceof IdiolectError) return null;
    throw error;
  }
}

describe.each(templates)('$name', ({ source }) => {
  const { format } = analyzeTemplate(source);
  const literals = literalsOf(source);
  const markers = [...new Set([...format.preservedTokens, ...format.stops])].filter(
    (text) => text.length > 2,
  );
  const finder = new SpecialFinder(markers.map((text) => ({ text })));

  it.each(attackedPositions)('keeps special tokens out of the text of a place: %s', (position) => {
    const smuggled: string[] = [];
    for (const marker of markers) {
      for (const [attack, harmless] of attacksWith(marker, literals.slice(0, long ? undefined : 12))) {
        const found = countSpecials(source, format, finder, attackedRequest(position, attack, source));
        const expected = countSpecials(source, format, finder, attackedRequest(position, harmless, source));
        if (found === null || expected === null) continue;
        if (found > expected) smuggled.push(attack);
      }
    }
    expect(smuggled).toEqual([]);
  });
});

it.each(attackedPositions)('there are prompts with a text of this place: %s', (position) => {
  const word = 'Lighthouse';
  const isPrinted = ({ source }: CorpusTemplate): boolean => {
    try {
      return renderPrompt(source, attackedRequest(position, word, source)).includes(word);
    } catch (error) {
      if (error instanceof IdiolectError) return false;
      throw error;
    }
  };
  expect(corpus.some(isPrinted)).toBe(true);
});
