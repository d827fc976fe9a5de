/** Laws of what a model reads of the results of MCP tools, whatever JSON servers put into them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentText, McpToolError, resultContent } from '../../src/mcp/result-content.ts';

const numRuns = process.env.LAWS === 'long' ? 5_000 : 100;
const noText = fc.jsonValue().filter((value) => typeof value !== 'string' && value !== null);

describe('a piece of content', () => {
  it('of text is the text, or the JSON that stands in its place', () => {
    fc.assert(
      fc.property(fc.string(), noText, (text, other) => {
        expect(contentText({ type: 'text', text })).toBe(text);
        expect(contentText({ type: 'text', text: other } as never)).toBe(JSON.stringify(other));
      }),
      { numRuns },
    );
    for (const nothing of [null, undefined])
      expect(contentText({ type: 'text', text: nothing } as never)).toBe('');
  });

  it('of a text resource is its text, after its address if it has one', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), noText, (text, uri, other) => {
        const written = (resource: unknown) => contentText({ type: 'resource', resource } as never);
        const blob = Buffer.from(text).toString('base64');
        expect(written({ text, uri })).toBe(`${uri}:\n${text}`);
        expect(written({ text, uri: other })).toBe(text);
        expect(written({ text })).toBe(text);
        expect(written({ blob, mimeType: 'text/plain', uri })).toBe(
          `${uri}:\n${Buffer.from(text).toString()}`,
        );
        expect(written({ blob, mimeType: 'text/plain' })).toBe(Buffer.from(text).toString());
        expect(written({ blob, mimeType: 'image/png', uri: 'a.png' })).toMatch(/^\[file a\.png, image\/png/);
        expect(written({ text: other, blob, uri: 'b' })).toMatch(/^\[file b, application\/octet-stream/);
      }),
      { numRuns },
    );
  });

  it('of a link names what the link has', () => {
    const parts = fc.record(
      { name: fc.constantFrom('n', 'm'), mimeType: fc.constant('text/plain'), uri: fc.constant('file:///a') },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(parts, ({ name, mimeType, uri }) => {
        const named = name === undefined ? 'resource' : `resource ${name}`;
        const rest = [mimeType, uri].filter((part) => part !== undefined);
        const link = { type: 'resource_link', name, mimeType, uri } as never;
        expect(contentText(link)).toBe(`[${[named, ...rest].join(', ')}]`);
      }),
      { numRuns },
    );
  });

  it('of another kind is described by its type', () => {
    expect(contentText({ type: 'image', mimeType: 'image/png', data: '' } as never)).toMatch(/image\/png/);
    expect(contentText({ type: 'audio', mimeType: 7 } as never)).toMatch(/^\[file, audio/);
    expect(contentText({ mimeType: 7, type: 7 } as never)).toMatch(/octet-stream/);
  });
});

describe('a result', () => {
  const text = (each: string) => ({ type: 'text', text: each });
  const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' };

  it('is its structured content, with what its texts do not repeat, or its texts by line', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), noText, (texts, structured) => {
        const content = texts.map(text);
        expect(resultContent('t', { content })).toBe(texts.join('\n'));
        expect(resultContent('t', { content, structuredContent: null })).toBe(texts.join('\n'));
        expect(resultContent('t', { content, structuredContent: structured })).toBe(structured);
        expect(resultContent('t', { toolResult: structured })).toBe(structured);
        const attached = [contentText(image as never)];
        expect(resultContent('t', { content: [...content, image], structuredContent: structured })).toEqual({
          result: structured,
          attached,
        });
      }),
      { numRuns },
    );
  });

  it.each([
    ['the texts of the server', { isError: true, content: [text('no'), text('way')] }, 'no\nway'],
    ['a sentence, if the server says nothing', { isError: true, content: [] }, 'the tool "t" failed'],
    ['a sentence for no result', 7, /^the tool "t" gave no result/],
    ['a sentence for content that is no list', { content: {} }, /^the tool "t" gave no result/],
    ['a sentence for content that is no object', { content: [text('a'), 7] }, /^the tool "t" gave no result/],
  ])('of a tool that failed throws %s', (_, result, message) => {
    const failure = (() => {
      try {
        return resultContent('t', result);
      } catch (error) {
        return error;
      }
    })();
    if (!(failure instanceof McpToolError)) throw new TypeError('no failure');
    expect(failure.tool).toBe('t');
    expect(failure.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });
});
