/** What the playground's recorded responses show is true of them, and read today as when they were recorded. */
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { recordings } from '../../site/playground/core/recordings.ts';
import { follow, nothing } from '../../site/playground/core/told.ts';
import { analyzeTemplate, createResponseParser } from '../../src/index.ts';
import { llamaTemplate } from '../support/corpora.ts';

describe.each(recordings)('$model', ({ asked, size, progress }) => {
  const { tokens, message } = progress.reduce(follow, nothing);
  const tool = JSON.parse(asked.tool);
  const text = tokens.map((token) => token.text).join('');

  it('calls the tool validly, as it is recorded', () => {
    const [call] = message?.tool_calls ?? [];
    expect(call?.function.name).toBe(tool.name);
    const isValid = new Ajv().validate(tool.parameters, JSON.parse(call?.function.arguments ?? ''));
    expect(isValid).toBe(true);
  });

  it('is read today as it was', async () => {
    const { source } = await llamaTemplate('Qwen-Qwen2.5-7B-Instruct');
    const { format } = analyzeTemplate(source);
    const parser = createResponseParser(format, { tools: [tool] });
    parser.feed(text);
    const read = parser.finish().message;
    expect(read.content).toBe(message?.content);
    expect(read.tool_calls?.map(({ function: called }) => called)).toEqual(
      message?.tool_calls?.map(({ function: called }) => called),
    );
  });

  it('is overruled where the likeliest token is forbidden, and nowhere else', () => {
    for (const { candidates, kind, allowed } of tokens) {
      const [likeliest] = candidates;
      expect(candidates.filter(({ taken }) => taken).map((taken) => taken.allowed)).toEqual(
        kind === 'forced' ? [] : [true],
      );
      expect(kind === 'overruled').toBe(likeliest?.allowed === false);
      expect(kind === 'free' ? allowed : size).toBe(size);
      expect(candidates.reduce((sum, { probability }) => sum + probability, 0)).toBeLessThan(1.00001);
    }
    expect(tokens.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['free', 'masked', 'overruled']));
  });
});
