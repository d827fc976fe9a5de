/**
 * Thoughts whose opener ends in white space, written without it: Gemma 4 writes `<|channel>thought` and goes on.
 * They are the same thoughts, at every cut, and count as such from the opener on.
 */
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';
import { sampled } from '../support/sample.ts';
import { sampleFormats } from '../support/sample-formats.ts';

const thoughts = 'Let me see.';
const message = { role: 'assistant', content: 'Hello.', reasoning_content: thoughts } as const;

/** A response with its opener as it is, and the place at which the thoughts begin. */
function responsesOf(format: ChatFormat): readonly { readonly start: string; readonly text: string }[] {
  const start = format.reasoning?.start ?? '';
  const opener = start.trimEnd();
  const written = writeResponse(format, message);
  const place = written.indexOf(start + thoughts);
  // A word alone would be one of the answer's: no such format is known.
  if (opener === '' || opener === start || place < 0) return [];
  const before = written.slice(0, place);
  return [{ start: before + opener, text: written.slice(place + start.length) }];
}

const all = [
  ...sampleFormats,
  ...generatedFormats().map(({ name, format }) => [name, format] as const),
].filter(([, format]) => responsesOf(format).length > 0);
const formats = sampled(all, 2);

const read = (format: ChatFormat, text: string, cuts: readonly number[]) => {
  const { content, reasoning_content: reasoning, malformed } = parsePieces(format, text, cuts).message;
  return { content: content?.trim(), reasoning: reasoning?.trim(), malformed };
};

describe.each(formats)('%s', (_name, format) => {
  const responses = responsesOf(format);

  it('reads thoughts without white space before them', () => {
    for (const { start, text } of responses) {
      for (const space of ['', ' ', '\n', '\r\n', '\n\n']) {
        const whole = start + space + text;
        for (const cuts of [[], everyPosition(whole), ...everyPosition(whole).map((at) => [at])])
          expect(read(format, whole, cuts)).toEqual({ content: 'Hello.', reasoning: thoughts });
      }
    }
  });

  it('counts them as thoughts from their opener on', () => {
    for (const { start, text } of responses) {
      const parser = createResponseParser(format);
      parser.feed(start);
      for (const character of text.slice(0, thoughts.length)) {
        parser.feed(character);
        expect(parser.position.thinking).toBe(true);
      }
    }
  });

  it('calls an end of thoughts right after the opener no thoughts', () => {
    for (const { start, text } of responses) {
      const empty = start + text.slice(thoughts.length).trimStart();
      expect(read(format, empty, everyPosition(empty)).reasoning ?? '').toBe('');
    }
  });
});

it('the law tries formats whose opener ends in a word', () => {
  const openers = all.map(([, { reasoning }]) => reasoning?.start.trimEnd() ?? '');
  expect(openers.filter((opener) => /\w$/.test(opener)).length).toBeGreaterThan(0);
});
