/**
 * Law: a model that thinks although its prompt has closed its thoughts writes thoughts, or text, but never a call; and
 * the answer and the call after them are read.
 */
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { normalizeTools } from '../../src/tools/tools.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { sampleFormats } from '../support/sample-formats.ts';

const tools = normalizeTools([{ name: 'get', parameters: { type: 'object', properties: {} } }]);
const call = { id: 'call00001', type: 'function', function: { name: 'get', arguments: '{}' } } as const;

/** Generation prompts that close thoughts. */
function closingPrompts({ turn, ...format }: ChatFormat): readonly string[] {
  const { reasoning } = turnLayout({ turn, ...format });
  if (reasoning === null || reasoning.open.isBlank || reasoning.close.isBlank) return [];
  const prompts = [turn.prompt.unset, turn.prompt.on, turn.prompt.off];
  return [...new Set(prompts.filter((prompt) => prompt.includes(reasoning.close.core)))];
}

/** What the model writes: thoughts once more, then `rest`, in pieces of which markers are tokens. */
function read(format: ChatFormat, prompt: string, rest: string, special: boolean): ResponseMessage {
  const { reasoning } = turnLayout(format);
  if (reasoning === null) throw new Error('a format without thoughts');
  const { open, close } = reasoning;
  const parser = createResponseParser(format, {
    tools,
    generationPrompt: format.turn.start + prompt,
    specialTokens: special ? [open.core, close.core] : [],
  });
  const plain = (text: string) => ({ text, special: false });
  const token = (text: string) => ({ text, special });
  for (const piece of [
    token(open.core),
    plain(`${open.after}Hm.`),
    token(close.core),
    plain(close.after + rest),
  ])
    parser.feed([piece]);
  return parser.finish('stop').message;
}

const all = [
  ...sampleFormats,
  ...generatedFormats().map(({ name, format }) => [name, format] as const),
].filter(([, format]) => closingPrompts(format).length > 0);

describe.each(all)('%s', (_name, format) => {
  const ways = closingPrompts(format).flatMap((prompt) =>
    [true, false].map((special) => ({ prompt, special })),
  );

  it('reads an answer after thoughts that follow closed ones', () => {
    for (const { prompt, special } of ways) {
      const { content, tool_calls: calls, malformed } = read(format, prompt, 'Yes.', special);
      expect({ calls, malformed }, prompt).toEqual({});
      expect(content?.trimEnd().endsWith('Yes.'), prompt).toBe(true);
    }
  });

  it.skipIf(format.calls === null)('reads a call after them', () => {
    const { start, reasoning } = turnLayout(format);
    const written = writeResponse(format, { role: 'assistant', content: '', tool_calls: [call] });
    const section = [start.text, reasoning?.emptyWithCalls.text ?? ''].reduce(
      (text, part) => (text.startsWith(part) ? text.slice(part.length) : text),
      written,
    );
    for (const { prompt, special } of ways) {
      const { tool_calls: calls = [], malformed } = read(format, prompt, section, special);
      expect(malformed, prompt).toBeUndefined();
      expect(
        calls.map(({ function: { name } }) => name),
        prompt,
      ).toEqual(['get']);
    }
  });
});
