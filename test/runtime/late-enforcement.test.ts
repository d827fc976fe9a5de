/** What enforces responses is loaded late; until then, and without it, chats are the same. */
import { describe, expect, it } from 'vitest';
import { freeGrammar } from '../../src/grammar/built-grammar.ts';
import { buildGrammar } from '../../src/index.ts';
import { enforcesNothing, LateEnforcement } from '../../src/runtime/chat/enforcement/late-enforcement.ts';
import { connectEngine } from '../../src/runtime/engine/index.ts';
import { toyEngine } from '../../src/testing/index.ts';
import { asked, tools } from '../support/chat-modes.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { sampled } from '../support/sample.ts';

const formats = [undefined, { type: 'text' }, { type: 'json_object' }] as const;
const requests = [[], tools].flatMap((offered) =>
  (['auto', 'none'] as const).flatMap((toolChoice) =>
    formats.map((responseFormat) => ({ tools: offered, toolChoice, responseFormat })),
  ),
);

it.each(sampled(generatedFormats(), 7))(
  'a request of $name has no grammar if it enforces nothing',
  ({ format }) => {
    for (const { responseFormat, ...options } of requests) {
      const request = { ...options, ...(responseFormat === undefined ? {} : { responseFormat }) };
      if (enforcesNothing({ messages: [], ...request }, options.tools))
        expect(buildGrammar(format, request)).toEqual(freeGrammar(format));
      else if (format.calls !== null && responseFormat === undefined)
        expect(buildGrammar(format, request).expression).not.toBeNull();
    }
  },
);

describe('a model that was connected without', async () => {
  const messages = [{ role: 'user', content: asked[0] ?? '' }] as const;
  const connect = async (lateEnforcement: boolean) =>
    connectEngine(await toyEngine('json', { contextSize: 2048 }), { lateEnforcement });

  it('previews what enforces something once that is prepared', async () => {
    const model = await connect(true);
    expect(model.preview({ messages }).grammar.expression).toBeNull();
    expect(() => model.preview({ messages, tools })).toThrow('await prepare()');
    await model.prepare({ tools });
    const { grammar } = model.preview({ messages, tools });
    expect(grammar).toEqual((await connect(false)).preview({ messages, tools }).grammar);
  });

  it('answers alike, with tools and without', async () => {
    const [late, early] = [await connect(true), await connect(false)];
    for (const offered of [{}, { tools }, { thinkingBudget: 3 }]) {
      const chat = { messages, maxTokens: 120, ...offered };
      expect(await late.chat(chat).message).toEqual(await early.chat(chat).message);
    }
  });
});

it('what enforces responses is loaded once', async () => {
  const enforcement = new LateEnforcement();
  expect(() => enforcement.loaded).toThrow('await prepare()');
  const [one, other] = await Promise.all([enforcement.load(), enforcement.load()]);
  expect(one).toBe(other);
  expect(enforcement.loaded).toBe(one);
});
