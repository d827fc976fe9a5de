/**
 * One answer to where a prompt has left the turn: the parser's. Whatever a prefilled answer says, markers of
 * the format included, what `required` derives from there is calls and nothing else, once what is open is closed.
 */

import { describe, expect, it } from 'vitest';
import { createResponseParser, interpretedModule } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import type { BuiltGrammar } from '../../src/grammar/built-grammar.ts';
import { readPromptPosition } from '../../src/grammar/read-prompt-position.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { lawTools } from '../support/law-tools.ts';
import { sampled } from '../support/sample.ts';
import { sampleGrammar, seededRandom } from '../support/sample-grammar.ts';

const samples = process.env.LAWS === 'long' ? 100 : 1;
const formats = sampled(
  generatedFormats().filter(({ format }) => format.calls !== null),
  8,
  3,
);

/** Ten beginnings of a turn: prose, prose that quotes each marker, markers that mean it, halves of markers. */
function prefills({ turn, reasoning, content, calls }: ChatFormat): readonly string[] {
  const opener = (calls?.section.open ?? '') + (calls?.call.open ?? '');
  const closer = (calls?.call.close ?? '') + (calls?.section.close ?? '');
  const think = reasoning?.start.trim() || '<think>';
  const end = reasoning?.end.trim() || '</think>';
  const inside = turn.prompt.off + content.open;
  return [
    'Well, ',
    `In the template, ${think} opens the thoughts.`,
    `Thoughts end with ${end}, as you know.`,
    `A call begins with ${opener.trim()} and ends with ${closer.trim()} here`,
    `${inside}Markers are ${content.open.trim()} and ${content.close.trim()} and "${turn.ends[0]?.trim() ?? ''}`,
    `${inside}Let me see ${opener.trim().slice(0, -2)}`,
    `${turn.prompt.on}Hm, ${end.slice(0, 3)}`,
    `${turn.prompt.on}${opener.trim()} might do, ${think}`,
    `${inside}${think}Is it ${end} or`,
    opener.trimEnd(),
  ];
}

/** `null` where the format refuses to be asked for calls here. */
function required(format: ChatFormat, generationPrompt: string): BuiltGrammar | null {
  try {
    return buildGrammar(format, { generationPrompt, tools: lawTools, toolChoice: 'required' });
  } catch (error) {
    if (error instanceof UnsupportedOptionError) return null;
    throw error;
  }
}

describe.each(formats)('$name', ({ format }) => {
  it.each(prefills(format))('after %j only calls follow', (prefill) => {
    const generationPrompt = format.turn.start + prefill;
    const built = required(format, generationPrompt);
    const { place } = readPromptPosition(format, interpretedModule(format), generationPrompt, lawTools);
    if (built === null) {
      // After the end of the turn, in an answer that allows no call, and in a header that is none.
      expect(place === 'ended' || place.startsWith('content') || format.turn.restart).toBe(true);
      return;
    }
    if (built.expression === null) throw new TypeError('`required` is enforced');
    for (let seed = 0; seed < samples; seed++) {
      const text = sampleGrammar(built.expression, seededRandom(seed));
      const parser = createResponseParser(format, { tools: lawTools, generationPrompt });
      const before = parser.feed('');
      expect(parser.position.thinking).toBe(place === 'reasoning');
      const events = [...parser.feed(text), ...parser.finish().events];
      const called = events.filter(({ type }) => type === 'tool-call').length;
      expect(called, JSON.stringify({ text, prefill, events: [...before, ...events] })).toBeGreaterThan(0);
      const said = events.filter((event) => event.type === 'text-delta' && event.start >= 0);
      expect(said.map((event) => ('delta' in event ? event.delta.trim() : '')).join(''), text).toBe('');
    }
  });
});
