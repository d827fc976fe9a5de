/** The grammar of a whole response, `response.gbnf` of a generated module, accepts what the format itself writes. */
import { describe, expect, it } from 'vitest';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import { formatGrammar } from '../../src/grammar/format-grammar.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { callId } from '../support/law-tools.ts';
import { sampled } from '../support/sample.ts';

const call = (index: number, name: string, args: string) => ({
  id: callId(index),
  type: 'function' as const,
  function: { name, arguments: args },
});
const text: AssistantMessage = { role: 'assistant', content: 'The sun, or so.' };

function messages({ calls, reasoning }: ChatFormat): readonly AssistantMessage[] {
  const values = calls?.arguments;
  // Without tools, no grammar says that the key in an argument's closer is the one in its opener.
  const closesByKey =
    values?.kind === 'entries' && values.entry.close.some((part) => typeof part !== 'string');
  const weather = call(0, 'get_weather', closesByKey ? '{}' : '{"city": "Bern"}');
  const listing = call(1, 'list_files', closesByKey ? '{}' : '{"folder": "src"}');
  const made = calls === null ? [] : calls.parallel ? [[weather], [weather, listing]] : [[weather]];
  const plain = [
    text,
    ...made.map((tool_calls) => ({ role: 'assistant', content: null, tool_calls }) as const),
  ];
  return reasoning === null ? plain : plain.flatMap((each) => [each, { ...each, reasoning_content: 'Hm.' }]);
}

describe.each(sampled(generatedFormats(), 3))('$name', ({ format }) => {
  it('accepts its own messages', () => {
    const { expression } = formatGrammar(format);
    for (const message of messages(format)) {
      const written = writeResponse(format, message);
      const matcher = createMatcher(expression);
      const accepted = matcher.accept(written) && matcher.complete;
      expect({ written, accepted }).toEqual({ written, accepted: true });
    }
  });
});
