/**
 * Law: a model that wants to go on thinking when its budget is spent comes to an answer: no thoughts are opened again
 * before one has begun. In every format whose thoughts have an opener, whatever calls are allowed.
 */
import { describe, expect, it } from 'vitest';
import {
  generatedTemplates,
  type NamedTemplate,
} from '../../scripts/judge-models/insisting/chat-templates.ts';
import { InsistingEngine, type Request } from '../../scripts/judge-models/insisting/insisting-model.ts';
import { Spelling } from '../../scripts/judge-models/insisting/spelling.ts';
import { IdiolectError } from '../../src/format/errors.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import type { AnyResponseEvent } from '../../src/parser/events.ts';
import { connectEngine, type EngineModel } from '../../src/runtime/engine/index.ts';
import { vocabularyOf } from '../../src/runtime/engine/tokens/vocabulary.ts';
import { normalizeTools } from '../../src/tools/tools.ts';
import { sampled } from '../support/sample.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 20 } },
  required: ['city'],
  additionalProperties: false,
} as const;
const tools = normalizeTools([{ name: 'get_weather', parameters }]);

const requests: Readonly<Record<string, Request>> = {
  'no tools': {},
  auto: { tools },
  none: { tools, toolChoice: 'none' },
  required: { tools, toolChoice: 'required' },
};

const templates = (await generatedTemplates()).filter(
  ({ format }) => turnLayout(format).reasoning?.open.isBlank === false,
);

/** A model that thinks for ever. */
async function openThinker(template: NamedTemplate): Promise<EngineModel> {
  const engine = new InsistingEngine(template);
  const { open, close } = turnLayout(template.format).reasoning ?? {};
  const thoughts = `${open?.text}One, two, three, four, five.${close?.text}`;
  const spelling = new Spelling(vocabularyOf(engine.tokenizer), template.format);
  engine.insistOn(spelling.encodeTurn(thoughts.repeat(20)));
  return connectEngine(engine, { requireTools: false });
}

/** The kinds of what the response consists of, in order; `null` if the template refuses the request. */
async function kindsOf(model: EngineModel, request: Request): Promise<readonly string[] | null> {
  const kinds: string[] = [];
  try {
    for await (const event of model.chat({ messages: [{ role: 'user', content: 'Hello' }], ...request }))
      kinds.push(...kindOf(event));
  } catch (error) {
    if (error instanceof IdiolectError && kinds.length === 0) return null;
    throw error;
  }
  return kinds;
}

function kindOf(event: AnyResponseEvent): readonly string[] {
  if (event.type === 'text-delta') return event.delta.trim() === '' ? [] : ['answer'];
  if (event.type === 'tool-input-start') return ['answer'];
  if (event.type === 'reasoning-end') return ['end of thoughts'];
  return event.type === 'malformed' ? [event.reason] : [];
}

/** Templates whose models have thought at all: some prompts close the thoughts. */
const thinkers = new Set<string>();

describe.each(sampled(templates, 6))('$name', (template) => {
  it.each(Object.entries(requests))('%s: no thoughts come again after the last', async (_, request) => {
    const model = await openThinker(template);
    for (const thinkingBudget of [1, 4]) {
      const kinds = await kindsOf(model, { ...request, thinkingBudget, maxTokens: 100 });
      if (kinds === null) continue;
      // The budget was spent, so every end of thoughts is the last before something else.
      expect(kinds.join(', ')).not.toMatch(/end of thoughts, end of thoughts|budget/);
      if (kinds.includes('end of thoughts')) thinkers.add(template.name);
    }
    await model.dispose();
  });
});

it('the law tries models that think', () => {
  expect(thinkers.size).toBeGreaterThan(0);
});

/** Templates that cannot be asked for no thoughts. */
const unswitched = templates.filter(({ format }) => format.input.thinkingVariables.length === 0);

describe.each(sampled(unswitched, 4))('$name, told not to think', (template) => {
  it.each(Object.entries(requests))('has no thoughts with %s', async (_, request) => {
    const model = await openThinker(template);
    let thoughts = '';
    const messages = [{ role: 'user', content: 'Hello' }] as const;
    try {
      for await (const event of model.chat({ messages, ...request, thinking: false, maxTokens: 60 }))
        if (event.type === 'reasoning-delta') thoughts += event.delta;
    } catch (error) {
      // A template may refuse it itself.
      if (!(error instanceof IdiolectError)) throw error;
    }
    expect(thoughts.trim()).toBe('');
  });
});

it('there are such templates', () => expect(unswitched.length).toBeGreaterThan(3));
