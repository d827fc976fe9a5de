/** Law: an answer as JSON may be begun by the prompt anywhere; the grammar goes on from there. */

import { describe, expect, it } from 'vitest';
import { interpretedModule } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { readPromptPosition } from '../../src/grammar/read-prompt-position.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { sampled } from '../support/sample.ts';

const schema = {
  type: 'object',
  properties: { size: { type: 'integer', minimum: 10, maximum: 20 }, tag: { type: 'string', maxLength: 3 } },
  required: ['size', 'tag'],
  additionalProperties: false,
} as const;
const responseFormat = { type: 'json_schema', json_schema: { schema } } as const;
const [right, wrong] = ['{"size": 12, "tag": "AB"}', '{"size": 12, "tag": "ABCD"}'];

/** A prompt without thoughts that has opened the answer; some have by themselves. */
function promptOf({ turn, content }: ChatFormat): string {
  const opened = turn.start + turn.prompt.off;
  return opened.endsWith(content.open) ? opened : opened + content.open;
}

/** Whether the rest of an answer may be written after a prompt that holds the beginning. */
function allowsRest(format: ChatFormat, answer: string, begun: number): boolean {
  const generationPrompt = promptOf(format) + answer.slice(0, begun);
  const { expression } = buildGrammar(format, { responseFormat, generationPrompt });
  if (expression === null) throw new TypeError('a response format is enforced');
  return createMatcher(expression).allows(answer.slice(begun) + format.content.close.trimEnd());
}

/** Formats whose prompt can leave no thoughts open, in which anything may be written. */
const formats = generatedFormats().filter(
  ({ format }) =>
    readPromptPosition(format, interpretedModule(format), promptOf(format), []).place !== 'reasoning',
);

describe.each(sampled(formats, 9))('$name', ({ format }) => {
  it.each(Array.from(right.slice(1), (_, index) => right.slice(0, index + 1)))(
    'what the schema allows goes on after %j, and nothing else',
    (begun) => {
      expect(allowsRest(format, right, begun.length)).toBe(true);
      expect(allowsRest(format, wrong, begun.length)).toBe(false);
    },
  );
});
