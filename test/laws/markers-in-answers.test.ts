/** In the strings of an answer in JSON, every marker of the format is text: spelled, or as a special token. */
import { describe, expect, it } from 'vitest';
import { writeResponse } from '../../src/layout/write-response.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { lawTools } from '../support/law-tools.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';
import { sampled } from '../support/sample.ts';

const responseFormat = { type: 'json_object' } as const;
/** Quotes and backslashes around a marker, which is in a key, too. */
const around = ['', '"', '\\', '\\"', '\n'];

describe.each(sampled(generatedFormats(), 3))('$name', ({ format }) => {
  const { content, reasoning, calls, stops, turn, preservedTokens } = format;
  // Where thoughts begin without a marker, what comes before their end are thoughts.
  const ofThoughts = reasoning === null || reasoning.start === '' ? [] : [reasoning.start, reasoning.end];
  const markers = [
    ...[content.open, content.close, content.withCalls?.close, ...ofThoughts],
    ...[calls?.section.open, calls?.call.open, ...turn.ends, ...stops, ...preservedTokens],
  ].flatMap((marker) => (marker === undefined || marker.trim() === '' ? [] : [marker.trim()]));

  it.each([...new Set(markers)])('takes %j for text', (marker) => {
    for (const sign of around) {
      const answer = JSON.stringify({ [`a${marker}`]: `x${sign}${marker}${sign}y`, b: [marker, ''] });
      const written = writeResponse(format, { role: 'assistant', content: answer });
      for (const tools of [[], lawTools]) {
        const options = { tools, responseFormat };
        for (const cuts of [[], everyPosition(written)]) {
          const { message } = parsePieces(format, written, cuts, options);
          expect({ sign, content: message.content?.trim(), malformed: message.malformed }).toEqual({
            sign,
            content: answer,
            malformed: undefined,
          });
        }
      }
    }
  });

  it('knows where a string begins: after thoughts in the text, and in what the prompt has begun', () => {
    const marker = content.close.trim() || (turn.ends[0] ?? preservedTokens[0] ?? '').trim();
    const answer = JSON.stringify({ a: `x${marker}y` });
    const thoughts = reasoning === null || reasoning.start === '' ? {} : { reasoning_content: 'Say "hi.' };
    const written = writeResponse(format, { role: 'assistant', content: answer, ...thoughts });
    const options = { tools: [], responseFormat, reasoningFormat: 'none' } as const;
    const { message } = parsePieces(format, written, [], options);
    expect(message.content?.trim().endsWith(answer)).toBe(true);

    const cut = written.indexOf(answer) + 8;
    const generationPrompt = turn.start + written.slice(0, cut);
    const continued = parsePieces(format, written.slice(cut), [], { ...options, generationPrompt });
    expect(continued.message.content?.trim().endsWith(answer)).toBe(true);
  });
});
