/** Whatever came before: the generation prompt is of the coming message alone. */
import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { AnalysisError, TemplateError } from '../../src/format/errors.ts';
import type { Message, Tool } from '../../src/format/messages.ts';
import { readGenerationPrompt } from '../../src/template/prompt/generation-prompt.ts';
import { type RenderPromptOptions, renderPrompt } from '../../src/template/prompt/render-prompt.ts';
import { allTemplates } from '../support/corpora.ts';
import { spineTemplates } from '../support/spine-templates.ts';

const tool: Tool = {
  type: 'function',
  function: {
    name: 'look_up_zebra',
    description: 'Looks up.',
    parameters: {
      type: 'object',
      properties: { word: { type: 'string', description: 'w' } },
      required: ['word'],
    },
  },
};
const question: Message = { role: 'user', content: 'What does it eat?' };
const call: Message = {
  role: 'assistant',
  content: '',
  tool_calls: [
    {
      id: 'call00001',
      type: 'function',
      function: { name: 'look_up_zebra', arguments: '{"word": "quagga"}' },
    },
  ],
};
const result: Message = {
  role: 'tool',
  tool_call_id: 'call00001',
  name: 'look_up_zebra',
  content: 'grass, mostly',
};
const conversations: readonly (readonly [string, readonly Message[]])[] = [
  ['a question', [question]],
  ['a result', [question, call, result]],
  ['two results', [question, call, result, call, result]],
  ['an answer and a question', [question, call, result, { role: 'assistant', content: 'Hay.' }, question]],
];

const long = process.env.LAWS === 'long';
const templates = long ? await allTemplates() : await spineTemplates();
const formats = templates.flatMap(({ id, source }) => {
  const format = formatOf(source);
  return format === null || format.calls === null ? [] : [{ id, source, format }];
});

/** Classifiers have no chat format. */
function formatOf(source: string): ChatFormat | null {
  try {
    return analyzeTemplate(source).format;
  } catch (error) {
    if (error instanceof AnalysisError) return null;
    throw error;
  }
}

describe.each(formats)('$id', ({ source, format }) => {
  /** `null` where the template refuses the conversation. */
  const promptOf = (options: RenderPromptOptions): string | null => {
    const all = { tools: [tool], input: format.input, ...options };
    try {
      const text = renderPrompt(source, all);
      return readGenerationPrompt({ templateSource: source, options: all, text }, format.turn);
    } catch (error) {
      if (error instanceof TemplateError) return null;
      throw error;
    }
  };
  const parse = (generationPrompt: string, text: string) => {
    const parser = createResponseParser(format, { tools: [tool], generationPrompt });
    parser.feed(text);
    return parser.finish().message;
  };

  it.each(conversations)('after %s a message begins with nothing of those before', (_, messages) => {
    for (const thinking of [undefined, true, false]) {
      const prompt = promptOf({ messages, ...(thinking === undefined ? {} : { thinking }) });
      if (prompt === null) continue;
      expect(prompt).not.toMatch(/zebra|quagga|grass|eat/);
      expect(prompt.startsWith(format.turn.start)).toBe(true);
      const message = parse(prompt, 'It eats grass.');
      expect(message.tool_calls).toBeUndefined();
      expect(message.malformed).toBeUndefined();
      expect(`${message.reasoning_content ?? ''}${message.content ?? ''}`).toContain('It eats grass.');
    }
  });

  it.each(conversations)('after %s a message that is continued is all there is of it', (_, messages) => {
    const begun: Message = { role: 'assistant', content: 'It eats' };
    const prompt = promptOf({ messages: [...messages, begun], continueFinalMessage: true });
    if (prompt === null) return;
    const message = parse(prompt, ' grass.');
    expect(message.tool_calls).toBeUndefined();
    expect(message.malformed).toBeUndefined();
    // One template writes `<think>` before every answer of the history.
    expect(`${message.reasoning_content ?? ''}${message.content ?? ''}`).toBe('It eats grass.');
  });
});
