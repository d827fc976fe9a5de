/**
 * Law: prose that quotes the opener of a call, ends with it, or with half of it, comes out as a message: nothing that a
 * model writes is only an error. What is not text or a valid call is told.
 */
import { describe, expect, it } from 'vitest';
import {
  generatedTemplates,
  type NamedTemplate,
} from '../../scripts/judge-models/insisting/chat-templates.ts';
import {
  InsistingModel,
  RefusedTemplateError,
  type Request,
} from '../../scripts/judge-models/insisting/insisting-model.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { normalizeTools } from '../../src/tools/tools.ts';
import { sampled } from '../support/sample.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 9, description: 'a city' } },
  required: ['city'],
};
const tools = normalizeTools([{ name: 'get_weather', description: 'The weather.', parameters }]);
const requests: Readonly<Record<string, Request>> = {
  strict: { tools },
  degrade: { tools, policy: 'degrade' },
  'one call': { tools, parallelToolCalls: false },
  none: { tools, toolChoice: 'none' },
};

const templates = (await generatedTemplates()).filter(
  ({ format }) => turnLayout(format).calls?.opener.isBlank === false,
);

/** `null` if the template refuses all requests. */
async function opened(template: NamedTemplate): Promise<InsistingModel | null> {
  try {
    return await InsistingModel.open(template, Object.values(requests));
  } catch (error) {
    if (error instanceof RefusedTemplateError) return null;
    throw error;
  }
}

describe.each(sampled(templates, 8))('$name', (template) => {
  const { content, calls } = turnLayout(template.format);
  const opener = calls?.opener.core ?? '';
  const texts = {
    quoted: `A call begins with ${opener}, and then comes its name.`,
    'at the end': `A call begins with ${opener}`,
    half: `A call begins with ${opener.slice(0, Math.ceil(opener.length / 2))}`,
    alone: opener,
  };

  it.each(Object.entries(texts))('an opener that is %s comes out as a message', async (_, text) => {
    const model = await opened(template);
    if (model === null) return;
    for (const [policy, request] of Object.entries(requests)) {
      if (!model.allows(request)) continue;
      const script = model.encodeResponse(request, content.open.text + text);
      const response = await model.respond(script, request);
      const what = `${policy}: ${JSON.stringify(response)}`;
      expect(response.error, what).toBeNull();
      // Where no call is allowed, its opener cannot be written, so nothing may be.
      const isMasked = policy === 'none';
      expect(isMasked || response.content !== '' || response.calls.length > 0 || response.told, what).toBe(
        true,
      );
      expect(
        response.calls.every(({ assurance }) => assurance !== 'none'),
        what,
      ).toBe(true);
    }
    await model.dispose();
  });
});
