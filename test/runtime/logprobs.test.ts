/** How likely the tokens of an answer were. */
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { TextDelta } from '../../src/parser/events.ts';
import { AnswerLogprobs } from '../../src/runtime/chat/answer-logprobs.ts';
import type { ChatOptions, EngineModel } from '../../src/runtime/engine/index.ts';
import { openTiny } from '../support/small-chats.ts';

const model = await openTiny({ contextSize: 1024 });
afterAll(() => model.dispose());

const messages = [{ role: 'user', content: 'Hello' }] as const;
const free: ChatOptions = { messages, thinking: false, maxTokens: 12 };
const schema = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 3 }, warm: { type: 'boolean' } },
  required: ['city', 'warm'],
  additionalProperties: false,
} as const;
const constrained: ChatOptions = {
  messages,
  thinking: false,
  responseFormat: { type: 'json_schema', json_schema: { schema } },
};

type Tokens = NonNullable<TextDelta['logprobs']>;

async function ask(
  asked: EngineModel,
  options: ChatOptions,
): Promise<{ readonly content: string; readonly tokens: Tokens; readonly injected: number }> {
  const chat = asked.chat(options);
  const tokens: Tokens[number][] = [];
  for await (const event of chat) if (event.type === 'text-delta') tokens.push(...(event.logprobs ?? []));
  const { injectedTokens } = await chat.usage;
  return { content: (await chat.message).content ?? '', tokens, injected: injectedTokens };
}

function textOf(tokens: Tokens): string {
  return new TextDecoder().decode(Uint8Array.from(tokens.flatMap(({ bytes }) => bytes)));
}

describe('in free text', () => {
  it('the tokens are the answer, each as likely as it was drawn, the likeliest of its place next to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 20 }), fc.nat(), async (logprobs, seed) => {
        const { content, tokens } = await ask(model, { ...free, logprobs, temperature: 1, seed });
        // A character that the limit cut is in the tokens, and not in the answer.
        expect(textOf(tokens).trim().startsWith(content.trim())).toBe(true);
        for (const { top, logprob } of tokens) {
          expect(logprob).toBeLessThanOrEqual(0);
          expect(top.length).toBeLessThanOrEqual(logprobs);
          expect(top.map((each) => each.logprob)).toEqual(
            top.map((each) => each.logprob).sort((one, other) => other - one),
          );
          expect(top.reduce((sum, each) => sum + Math.exp(each.logprob), 0)).toBeLessThan(1.001);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('at temperature 0 the token itself is the likeliest, and the answer the same as without', async () => {
    const { content, tokens } = await ask(model, { ...free, logprobs: 3 });
    expect(tokens.length).toBeGreaterThan(0);
    for (const { top, ...token } of tokens) expect(top[0]).toEqual(token);
    const plain = await ask(model, free);
    expect(plain).toMatchObject({ content, tokens: [] });
  });

  it('they count what the temperature does: ratios are those of the logits, divided by it', async () => {
    const open = { ...free, maxTokens: 1, topK: 0, topP: 1, seed: 1, logprobs: 20 };
    const tops = await Promise.all(
      [1, 2].map(async (temperature) => (await ask(model, { ...open, temperature })).tokens[0]?.top),
    );
    const [[first, , last] = [], warm = []] = tops;
    const gap = (first?.logprob ?? 0) - (last?.logprob ?? 0);
    expect(gap).toBeGreaterThan(0);
    expect((warm[0]?.logprob ?? 0) - (warm[2]?.logprob ?? 0)).toBeCloseTo(gap / 2, 3);
  });
});

describe('under a grammar', () => {
  it('the tokens are the whole answer, which is the same as without', async () => {
    const { content, tokens } = await ask(model, { ...constrained, logprobs: 2 });
    expect(textOf(tokens)).toBe(content);
    expect((await ask(model, constrained)).content).toBe(content);
  });

  it('what is injected had no choice', async () => {
    const { tokens, injected } = await ask(model, { ...constrained, logprobs: 2 });
    const certain = tokens.filter(({ logprob, top }) => logprob === 0 && top.length === 1);
    expect(injected).toBeGreaterThan(0);
    expect(certain.length).toBeGreaterThanOrEqual(injected);
  });

  it('what the schema forbids is not among what might have stood there', async () => {
    const verdict = { ...schema, properties: { warm: schema.properties.warm }, required: ['warm'] };
    const responseFormat = { type: 'json_schema', json_schema: { schema: verdict } } as const;
    const options = { ...constrained, responseFormat, injectForcedText: false, logprobs: 20 };
    const { content, tokens } = await ask(model, options);
    const compact = (text: string) => text.replaceAll(/\s/g, '');
    const allowed = ['true', 'false'].map((word) => compact(content).replace(/true|false/, word));
    let before = '';
    for (const { token, top } of tokens) {
      for (const each of top)
        expect(allowed.some((text) => text.startsWith(compact(before + each.token)))).toBe(true);
      before += token;
    }
  });

  it('they are taken back with a value that is not valid', async () => {
    const even = { type: 'integer', minimum: 2, maximum: 98, not: { multipleOf: 7 } };
    const checked = { ...schema, properties: { city: { type: 'string', maxLength: 3 }, warm: even } };
    const options: ChatOptions = {
      ...constrained,
      responseFormat: { type: 'json_schema', json_schema: { schema: checked as never } },
    };
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const { content, tokens } = await ask(model, { ...options, logprobs: 1, temperature: 2, seed });
        expect(textOf(tokens)).toBe(content);
      }),
      { numRuns: 10 },
    );
  });
});

describe('a token', () => {
  const piece = (token: string) => ({
    spelling: token,
    role: 'text' as const,
    tokens: 1,
    logprobs: [{ token, bytes: [...new TextEncoder().encode(token)], logprob: -1, top: [] }],
  });
  const delta = (start: number, end: number) =>
    ({ type: 'text-delta', id: 'text-0', delta: '', start, end }) as const;

  it('comes once, with the piece of the answer in which it begins, or that its end begins', () => {
    const logprobs = new AnswerLogprobs();
    logprobs.note(piece('</think>\n'), 0);
    logprobs.note(piece('>Hi '), 9);
    logprobs.note(piece('you'), 13);
    const [first, second] = logprobs.attach([delta(10, 11), delta(11, 16)]);
    expect(first).toMatchObject({ logprobs: [{ token: '>Hi ' }] });
    expect(second).toMatchObject({ logprobs: [{ token: 'you' }] });
    expect(logprobs.attach([delta(16, 17)])).toEqual([delta(16, 17)]);
  });

  it('of half a character comes with the character', () => {
    const logprobs = new AnswerLogprobs();
    for (const half of ['a', 'b']) logprobs.note(piece(half), 3);
    expect(logprobs.attach([delta(3, 5)])).toMatchObject([{ logprobs: [{ token: 'a' }, { token: 'b' }] }]);
  });
});

it('more than twenty for each place are refused', async () => {
  const { message } = model.chat({ messages, logprobs: 21 });
  await expect(message).rejects.toMatchObject({ option: 'logprobs' });
});
