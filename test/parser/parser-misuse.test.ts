/** What a caller can do wrong with a parser, and what it is told. */
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { ResponseOverError, UnsupportedOptionError } from '../../src/format/errors.ts';
import { jsonInTags } from '../support/sample-formats.ts';

describe('a parser', () => {
  it('takes no text after the end, and takes it again after a reset', () => {
    const parser = createResponseParser(jsonInTags);
    parser.feed('one');
    parser.finish();
    expect(() => parser.feed('two')).toThrow(ResponseOverError);
    expect(() => parser.feed([{ text: 'two' }])).toThrow(ResponseOverError);
    expect(parser.finish().message.content).toBe('one');
    parser.reset();
    parser.feed('two');
    expect(parser.finish().message.content).toBe('two');
  });

  it.each([undefined, null, 'a template', {}, { format: jsonInTags }])('is not made of %j', (given) => {
    expect(() => createResponseParser(given as never)).toThrow(UnsupportedOptionError);
  });

  it.each([
    [null, 'null'],
    [undefined, 'undefined'],
    [{}, 'an object'],
    [[5], 'an array'],
  ])('is not fed with %j, and says with what it was', (given, called) => {
    const parser = createResponseParser(jsonInTags);
    expect(() => parser.feed(given as never)).toThrow(
      `feed must be a string or an array of pieces ({ text, special }), got ${called}`,
    );
  });
});
