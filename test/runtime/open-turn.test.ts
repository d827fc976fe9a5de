/** Thoughts that are to go on: every format with thoughts can, whether its template renders them or not. */

import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser, interpretedModule } from '../../src/codegen/create-response-parser.ts';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import type { Message } from '../../src/format/messages.ts';
import { finish } from '../../src/language/expression/steps.ts';
import { renderOpenTurn } from '../../src/runtime/chat/open-turn.ts';
import { spineTemplates } from '../support/spine-templates.ts';

const formats = (await spineTemplates()).map(({ name, source }) => ({
  name,
  source,
  format: analyzeTemplate(source).format,
}));
const messages: readonly Message[] = [
  { role: 'user', content: 'Is it warm?' },
  { role: 'assistant', content: '', reasoning_content: 'The sun is' },
];
const options = { messages, continueFinalMessage: true };

describe.each(formats.filter(({ format }) => format.reasoning !== null))('$name', ({ source, format }) => {
  it('goes on with thoughts', () => {
    const { text, generationPrompt } = finish(
      renderOpenTurn(
        source,
        { ...options, input: format.input },
        { format, reader: interpretedModule(format) },
      ),
    );
    expect(text.endsWith('The sun is')).toBe(true);
    const parser = createResponseParser(format, { generationPrompt });
    parser.feed(` out.${format.reasoning?.end ?? ''}${format.content.open}Yes.`);
    expect(parser.finish().message).toMatchObject({
      reasoning_content: 'The sun is out.',
      content: 'Yes.',
    });
  });
});

describe.each(formats.filter(({ format }) => format.reasoning === null))('$name', ({ source, format }) => {
  it('has no thoughts to go on with', () => {
    const render = () =>
      finish(
        renderOpenTurn(
          source,
          { ...options, input: format.input },
          { format, reader: interpretedModule(format) },
        ),
      );
    expect(render).toThrow(UnsupportedOptionError);
  });
});
