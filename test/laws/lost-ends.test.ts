/**
 * Engines do not print the token that ends generation: a response without the last token of its turn's end, or
 * without the last two, is the same message.
 */
import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { AnalysisError } from '../../src/format/errors.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import { renderTurn } from '../../src/generate/verify/render-turn.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { allTemplates } from '../support/corpora.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { callId, lawTools } from '../support/law-tools.ts';
import { sampled } from '../support/sample.ts';
import { spineTemplates } from '../support/spine-templates.ts';

const call = {
  id: callId(0),
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city": "Oslo", "days": 3}' },
} as const;
const text: AssistantMessage = { role: 'assistant', content: 'Let me see.' };
const thoughts: AssistantMessage = { ...text, reasoning_content: 'Hm, so.' };
const calls: AssistantMessage = { role: 'assistant', content: null, tool_calls: [call] };

function messageOf(format: ChatFormat, response: string) {
  const parser = createResponseParser(format, { tools: lawTools });
  parser.feed(response);
  const { content, reasoning_content: reasoning, tool_calls: made = [], malformed } = parser.finish().message;
  const named = made.map(({ function: { name, arguments: json } }) => [name, JSON.parse(json)]);
  return [(content ?? '').trim(), (reasoning ?? '').trim(), named, malformed?.length ?? 0];
}

/** An end of a turn as tokens: a marker between angle brackets is one, and so is what stands between two. */
function tokensOf(end: string): readonly string[] {
  return end.trim().match(/<[^<>\s]+>|[^<]+|</g) ?? [];
}

describe.each(sampled(generatedFormats(), 3, 1))('$name', ({ format }) => {
  it('reads a turn whose end lost its last tokens', () => {
    for (const message of [text, thoughts, ...(format.calls === null ? [] : [calls])]) {
      const written = writeResponse(format, message);
      for (const end of format.turn.ends) {
        const whole = messageOf(format, written + end);
        for (const lost of [1, 2])
          expect(messageOf(format, written + tokensOf(end).slice(0, -lost).join(''))).toEqual(whole);
      }
    }
  });
});

const long = process.env.LAWS === 'long';
const templates = long ? await allTemplates() : await spineTemplates();

function formatOf(source: string): ChatFormat | null {
  try {
    return analyzeTemplate(source).format;
  } catch (error) {
    if (error instanceof AnalysisError) return null;
    throw error;
  }
}

describe.each(templates)('$name as it renders', ({ source }) => {
  const format = formatOf(source);
  const tools = lawTools.slice(0, 1);
  const specialTokens = { bosToken: '', eosToken: '' };

  it.runIf(format !== null)('reads a turn whose end lost its last tokens', () => {
    if (format === null) return;
    for (const message of [text, thoughts, ...(format.calls === null ? [] : [calls])]) {
      const rendered = renderTurn(
        { templateSource: source, format, tools, specialTokens },
        message,
      )?.trimEnd();
      const end = format.turn.ends.map((each) => each.trim()).find((each) => rendered?.endsWith(each));
      if (rendered === undefined || end === undefined) continue;
      const whole = messageOf(format, rendered);
      const before = rendered.slice(0, rendered.length - end.length);
      for (const lost of [1, 2])
        expect(messageOf(format, before + tokensOf(end).slice(0, -lost).join(''))).toEqual(whole);
    }
  });
});
