/**
 * History tells the model what it wrote: a response is read, its message is rendered into the next prompt, and every
 * datum is there as it was written, or named as dropped. Two calls, their results, thoughts next to text, and numbers
 * that JavaScript has none for.
 */
import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { IdiolectError } from '../../src/format/errors.ts';
import type { AssistantMessage, Message, Tool } from '../../src/format/messages.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { findDroppedData } from '../../src/template/prompt/dropped-data.ts';
import { renderPrompt } from '../../src/template/prompt/render-prompt.ts';
import { allTemplates } from '../support/corpora.ts';
import { sampled } from '../support/sample.ts';

const number = { type: 'number' };
const parameters = {
  type: 'object',
  properties: { id: { type: 'integer' }, size: number, share: number, text: { type: 'string' } },
};
const tools: readonly Tool[] = ['first_tool', 'other_tool'].map((name) => ({
  type: 'function',
  function: { name, description: 'about', parameters },
}));

const call = (id: string, name: string, args: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: args },
});
const inputs = [
  '{"id": 1234567890123456789, "size": 61.0, "share": -7.5e-30, "text": "Straße"}',
  '{"id": -98765432109876543210, "size": 0.1234567890123456789, "share": 8e22, "text": "oak tree"}',
] as const;
/** As Python prints them: `8e22` is the float 8e+22. Templates that take arguments as text show them as written. */
const shown: readonly Readonly<Record<string, RegExp>>[] = [
  { id: /1234567890123456789\b/, size: /\b61\.0\b/, share: /-7\.5e-30/, text: /Straße|Stra\\u00dfe/ },
  { id: /-98765432109876543210\b/, size: /0\.1234567890123456789\b/, share: /8e\+?22/, text: /oak tree/ },
];

const answer: AssistantMessage = {
  role: 'assistant',
  content: 'Wait, I look it up.',
  reasoning_content: 'Two calls are needed.',
  tool_calls: [call('abcdefgh1', 'first_tool', inputs[0]), call('abcdefgh2', 'other_tool', inputs[1])],
};
const question: Message = { role: 'user', content: 'Which one?' };
const results: readonly Message[] = ['abcdefgh1', 'abcdefgh2'].map((id, index) => {
  const name = tools[index]?.function.name ?? '';
  return { role: 'tool', tool_call_id: id, name, content: `Result-${index + 1}` };
});

/** What the format can write of a message, read again, with the ids that its results have. */
function reread(format: ChatFormat): AssistantMessage {
  const calls = format.calls?.parallel === false ? answer.tool_calls?.slice(0, 1) : answer.tool_calls;
  const parser = createResponseParser(format, { tools });
  parser.feed(writeResponse(format, { ...answer, tool_calls: calls ?? [] }));
  const { message } = parser.finish();
  const read = (message.tool_calls ?? []).map(({ function: called }, index) => ({
    id: answer.tool_calls?.[index]?.id ?? '',
    type: 'function' as const,
    function: called,
  }));
  return { ...message, content: message.content ?? '', tool_calls: read };
}

function formatOf(source: string): ChatFormat | null {
  try {
    return analyzeTemplate(source).format;
  } catch (error) {
    if (error instanceof IdiolectError) return null;
    throw error;
  }
}

/** Some templates render no tools, or none of these. */
function rendersTools(source: string): boolean {
  try {
    return renderPrompt(source, { messages: [question], tools }) !== '';
  } catch (error) {
    if (error instanceof IdiolectError) return false;
    throw error;
  }
}

const templates = sampled(await allTemplates(), 4).flatMap(({ id, source }) => {
  const format = formatOf(source);
  const known = format !== null && format.calls !== null && format.calls.basis !== 'prompt';
  return known && rendersTools(source) ? [{ id, source, format }] : [];
});

describe.each(templates)('$id', ({ source, format }) => {
  const render = (messages: readonly Message[]) =>
    renderPrompt(source, { messages, tools, input: format.input });

  it('shows every datum of two calls, or says which it drops', () => {
    const messages = [question, answer, ...results];
    const prompt = render(messages);
    const dropped = new Set(findDroppedData(messages, prompt).map(({ path }) => path));
    const lost = (path: string, text: string) => !prompt.includes(text) && !dropped.has(path);
    expect(lost('messages[1].content', 'Wait, I look it up.')).toBe(false);
    expect(lost('messages[1].reasoning_content', 'Two calls are needed.')).toBe(false);
    for (const [index, data] of shown.entries()) {
      const path = `messages[1].tool_calls[${index}].function.arguments`;
      for (const [key, datum] of Object.entries(data)) {
        expect(datum.test(prompt) || dropped.has(`${path}/${key}`), `${path}/${key}`).toBe(true);
      }
      const isShown = prompt.includes(`Result-${index + 1}`);
      expect(isShown || dropped.has(`messages[${index + 2}].content`)).toBe(true);
    }
  });

  it('shows an earlier answer that quotes the end of thoughts, or says that it does not', () => {
    const end = format.reasoning?.end.trim() || '</think>';
    const quoting: Message = { role: 'assistant', content: `Before it ${end} after it.` };
    const messages = [question, quoting, question];
    const prompt = render(messages);
    const dropped = findDroppedData(messages, prompt).map(({ path }) => path);
    const isWhole = prompt.includes('Before it') && prompt.includes('after it.');
    expect(isWhole || dropped.includes('messages[1].content')).toBe(true);
  });

  it('drops all values of calls, or none', () => {
    const messages = [question, answer, ...results];
    const values = findDroppedData(messages, render(messages)).filter(({ path }) =>
      path.includes('.arguments'),
    );
    expect([0, 8]).toContain(values.length);
  });

  it('shows what the parser has read as the model wrote it', () => {
    const message = reread(format);
    const prompt = render([question, message, ...results.slice(0, message.tool_calls?.length)]);
    const dropped = findDroppedData([question, message], prompt);
    for (const [index] of (message.tool_calls ?? []).entries()) {
      for (const [key, datum] of Object.entries(shown[index] ?? {})) {
        const path = `messages[1].tool_calls[${index}].function.arguments/${key}`;
        expect(datum.test(prompt) || dropped.some((each) => each.path === path), path).toBe(true);
      }
    }
    expect(message.tool_calls?.length).toBeGreaterThan(0);
  });
});
