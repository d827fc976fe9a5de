/** The budget of thoughts, piece by piece: what may follow the last ones, and what is told if others come. */
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { answerStart } from '../../src/grammar/answer-start.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { callGuard } from '../../src/runtime/chat/checks/call-guard.ts';
import { SteeredResponse } from '../../src/runtime/chat/steering/steered-response.ts';
import { normalizeTools } from '../../src/tools/tools.ts';
import { generatedFormats } from '../support/generated-formats.ts';

const tools = normalizeTools([{ name: 'get_weather', parameters: { type: 'object' } }]);

function formatOf(wanted: string): ChatFormat {
  const found = generatedFormats().find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`there is no ${wanted}`);
  return found.format;
}

/** A response that has thought one token and had its thoughts closed. */
function afterThoughts(format: ChatFormat, isLimited = true): SteeredResponse {
  const { open, close } = turnLayout(format).reasoning ?? {};
  const offered = format.calls === null ? [] : tools;
  const grammar = buildGrammar(format, { tools: offered, generationPrompt: format.turn.start });
  const start = answerStart(format, grammar.triggers, []);
  const guard = callGuard({}, offered, grammar.report);
  const response = new SteeredResponse({
    answerStart: () => (isLimited ? start && { ...start, matcher: createMatcher(start.grammar) } : null),
    grammar,
    matcher: grammar.expression === null ? null : createMatcher(grammar.expression),
    parser: createResponseParser(format, { tools: offered, generationPrompt: format.turn.start }),
    guard,
    restOf: () => null,
    markers: { leading: () => undefined, splitAtBeginnings: (text) => [{ text, special: false }] },
    stops: [],
    maxTokens: 1000,
    thinkingBudget: 1,
    reasoningEnd: close?.text ?? '',
    unconstrainedAfterCalls: false,
    plainText: false,
  });
  for (const spelling of [open?.text ?? '', 'One']) response.take({ spelling, role: 'text', tokens: 1 });
  const { closing } = response;
  expect(closing).toBe(close?.text);
  response.write({ spelling: closing ?? '', role: 'text', tokens: 1 });
  return response;
}

describe('after the last thoughts', () => {
  it.each(['qwen-qwen3-0.6b', 'granite3.2-8b', 'openai-gpt-oss-120b', 'muse-glimmer', 'kimi-k3'])(
    '%s: thoughts are not allowed, answers and calls are',
    (name) => {
      const format = formatOf(name);
      const { content, reasoning } = turnLayout(format);
      const { matcher } = afterThoughts(format);
      for (const { core } of reasoning?.openers ?? []) expect(matcher?.allows(core), core).toBe(false);
      expect(matcher?.allows(`${content.open.core}An answer.`)).toBe(true);
      if (format.calls === null) return;
      const [trigger] = buildGrammar(format, { tools }).triggers;
      expect(matcher?.allows(`${trigger?.value}and so on`), trigger?.value).toBe(true);
    },
  );

  it('anything is allowed once an answer has begun', () => {
    const response = afterThoughts(formatOf('qwen-qwen3-0.6b'));
    for (const spelling of ['<', 'th', 'e', 'answer']) response.take({ spelling, role: 'text', tokens: 1 });
    expect(response.constrained).toBe(false);
    expect(response.finish().message).toMatchObject({ content: '<theanswer', reasoning_content: 'One' });
  });

  it('tells that thoughts were opened again, if nothing keeps the model from it', () => {
    const format = formatOf('openai-gpt-oss-120b');
    const response = afterThoughts(format, false);
    const { events } = response.take({ spelling: format.reasoning?.start ?? '', role: 'text', tokens: 1 });
    expect(events).toMatchObject([{ type: 'malformed', reason: expect.stringContaining('budget') }]);
    expect(response.closing).toBe(format.reasoning?.end);
    expect(response.finish().message.malformed).toEqual(events);
  });
});
