/** A response that was cut short holds no call that the whole one does not hold, and says if a call was opened. */
import { describe, expect, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { verificationCases, verificationTools } from '../../src/generate/verify/verification-cases.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { sampled } from '../support/sample.ts';
import { sampleFormats } from '../support/sample-formats.ts';

const asked = ['no argument', 'three arguments', 'a longer name', 'a nested object', 'two calls'];
const messages = verificationCases.filter(({ name }) => asked.includes(name)).map(({ message }) => message);

/** Names and arguments of the calls, as text. */
function callsOf(format: ChatFormat, text: string, reason: 'stop' | 'length'): readonly string[] {
  const parser = createResponseParser(format, { tools: verificationTools });
  parser.feed(text);
  const calls = parser.finish(reason).message.tool_calls ?? [];
  return calls.map(({ function: { name, arguments: args } }) => `${name} ${args}`);
}

/** Calls whose arguments stand after a marker that begins with what ends them. */
function fencedCalls(open: string, close: string): ChatFormat {
  const call = `{% for call in message.tool_calls or [] %}# {{ call.function.name }}${open}{{ call.function.arguments | tojson }}${close}{% endfor %}`;
  const turn = `<|{{ message.role }}|>{{ message.content }}${call}<|end|>`;
  const prompt = '{% if add_generation_prompt %}<|assistant|>{% endif %}';
  return analyzeTemplate(`{% for message in messages %}${turn}{% endfor %}${prompt}`).format;
}

const formats: readonly (readonly [string, ChatFormat])[] = [
  ...sampleFormats,
  ...sampled(generatedFormats(), 8).map(({ name, format }) => [name, format] as const),
  ['fences', fencedCalls('{{ "\\n" }}```json{{ "\\n" }}', '{{ "\\n" }}```{{ "\\n" }}')],
  ['one bracket and two', fencedCalls(' [[', ' [ ')],
];

describe.each(formats)('%s', (_, format) => {
  test('every beginning of a call', () => {
    for (const message of messages) {
      const text = writeResponse(format, message);
      const whole = callsOf(format, text, 'stop');
      for (let end = 0; end <= text.length; end++) {
        const calls = callsOf(format, text.slice(0, end), 'length');
        expect([text.slice(0, end), calls]).toEqual([text.slice(0, end), whole.slice(0, calls.length)]);
      }
    }
  });

  test.runIf(format.calls !== null)('an opener with no call after it is reported', () => {
    for (const message of messages) {
      const name = message.tool_calls?.[0]?.function.name ?? '';
      const text = writeResponse(format, { ...message, content: null });
      for (let end = 1; end <= text.indexOf(name); end++) {
        const parser = createResponseParser(format, { tools: verificationTools });
        parser.feed(text.slice(0, end));
        const isInCall = parser.position.region === 'call';
        const { content, malformed = [] } = parser.finish('stop').message;
        if (isInCall && content?.trim() === '')
          expect([text.slice(0, end), malformed.length]).toEqual([text.slice(0, end), 1]);
      }
    }
  });
});
