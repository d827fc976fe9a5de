/** `none`: a response may hold all that a format writes without a call, and nothing that begins one. */
import { describe, expect, it } from 'vitest';
import type { AssistantMessage } from '../../src/format/messages.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { callId, lawTools } from '../support/law-tools.ts';
import { sampled } from '../support/sample.ts';

const formats = sampled(
  generatedFormats().filter(({ format }) => (turnLayout(format).calls?.trigger ?? '') !== ''),
  3,
  2,
);

describe.each(formats)('$name', ({ format }) => {
  const { expression } = buildGrammar(format, {
    tools: lawTools,
    toolChoice: 'none',
    generationPrompt: format.turn.start,
  });
  const allows = (message: Partial<AssistantMessage>): boolean => {
    const text = writeResponse(format, { role: 'assistant', content: '', ...message });
    return expression === null || createMatcher(expression).allows(text);
  };

  it('allows thoughts and an answer, and no call', () => {
    expect(allows({ content: 'The sun, it is out.' })).toBe(true);
    expect(allows({ content: 'Yes.', reasoning_content: 'Hm.' })).toBe(true);
    for (const { function: tool } of lawTools) {
      const called = { name: tool.name, arguments: '{"title": "a", "exact": true, "city": "b"}' };
      expect(allows({ tool_calls: [{ id: callId(0), type: 'function', function: called }] })).toBe(false);
    }
  });
});
