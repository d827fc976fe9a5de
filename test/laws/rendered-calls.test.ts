/** Under `required` a grammar accepts the calls that the template itself renders, wherever its prompts leave the turn. */
import { describe, expect, it } from 'vitest';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { lawTools } from '../support/law-tools.ts';
import { sampled } from '../support/sample.ts';

function call(name: string, args: string, id: string): NonNullable<AssistantMessage['tool_calls']>[0] {
  return { id, type: 'function', function: { name, arguments: args } };
}

const weather = call('get_weather', '{"city": "Bern", "days": 3, "unit": "celsius"}', 'abcdef123');
const listing = call('list_files', '{}', 'ghijkl456');

/** One call and two, with thoughts and without, as far as the format has them. */
function messages({ calls, reasoning }: ChatFormat): readonly AssistantMessage[] {
  const several =
    calls?.parallel === true ? [[weather], [listing], [weather, listing]] : [[weather], [listing]];
  return several.flatMap((tool_calls) => {
    const bare: AssistantMessage = { role: 'assistant', content: null, tool_calls };
    return reasoning === null ? [bare] : [bare, { ...bare, reasoning_content: 'Hm, <tool_call> or not?' }];
  });
}

const formats = sampled(
  generatedFormats().filter(({ format }) => format.calls !== null),
  4,
  2,
);

describe.each(formats)('$name', ({ format }) => {
  const { prompt, start } = format.turn;
  const states = [...new Set([prompt.unset, prompt.on, prompt.off])];

  it.each(states)('accepts its calls after %j', (opened) => {
    const generationPrompt = start + opened;
    const { expression } = buildGrammar(format, {
      tools: lawTools,
      toolChoice: 'required',
      generationPrompt,
    });
    if (expression === null) throw new TypeError('`required` has to be enforced');
    for (const message of messages(format)) {
      const written = writeResponse(format, message);
      // Thoughts that the prompt has declined are not what this prompt begins.
      if (!written.startsWith(opened)) continue;
      const rendered = written.slice(opened.length);
      const matcher = createMatcher(expression);
      expect({ rendered, accepted: matcher.accept(rendered) && matcher.complete }).toEqual({
        rendered,
        accepted: true,
      });
    }
  });
});
