/**
 * No text of a user, a tool or a system message becomes a special token, however a template cuts and joins it.
 * The judge knows nothing of origins: a prompt must have as many special tokens as the same prompt with characters
 * that look alike in place of those of the attack's marker.
 */
import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { IdiolectError } from '../../src/format/errors.ts';
import type { Message } from '../../src/format/messages.ts';
import { cutPrompt, renderTraced } from '../../src/runtime/chat/prompt-pieces.ts';
import { SpecialFinder } from '../../src/runtime/chat/special-finder.ts';
import { generatedInputs } from '../support/generated-corpus.ts';
import { sampled } from '../support/sample.ts';
import {
  attackedConversation,
  attackedPositions,
  attackedTools,
  attacksWith,
  literalsOf,
} from '../support/smuggled-texts.ts';
import { spineTemplates } from '../support/spine-templates.ts';

const long = process.env.LAWS === 'long';
const templates = long
  ? (await generatedInputs()).map(({ name, templateSource: source }) => ({ name, source }))
  : sampled(await spineTemplates(), 3);

function countSpecials(
  source: string,
  format: ChatFormat,
  finder: SpecialFinder,
  messages: readonly Message[],
): number | null {
  try {
    const prompt = renderTraced(
      source,
      { messages, tools: attackedTools, input: format.input, now: new Date(0) },
      format,
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

  it.each(attackedPositions)('keeps special tokens out of the text of a %s', (position) => {
    const smuggled: string[] = [];
    for (const marker of markers) {
      for (const [attack, harmless] of attacksWith(marker, literals.slice(0, long ? undefined : 12))) {
        const found = countSpecials(source, format, finder, attackedConversation(position, attack));
        const expected = countSpecials(source, format, finder, attackedConversation(position, harmless));
        if (found === null || expected === null) continue;
        if (found > expected) smuggled.push(attack);
      }
    }
    expect(smuggled).toEqual([]);
  });
});
