/** The scripted model that follows the conversation, in the real engine: what it samples is what its turns say. */
import fc from 'fast-check';
import type { LlamaContextSequence, LlamaModel, Token } from 'node-llama-cpp';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/tools/tools.ts';
import type { ScriptedTurn } from '../support/scripted/scripted-options.ts';
import { type KeyedTurn, openLlamaKeyedChat, vocabulary } from '../support/small-chats.ts';
import { scriptedModelFile, testLlama } from '../support/test-models.ts';

/** The end of a text in this vocabulary, which is written where nothing fits. */
const otherwise = 2;

async function open(turns: readonly ScriptedTurn[]): Promise<LlamaModel> {
  const modelPath = await scriptedModelFile({ vocabulary, turns, otherwise });
  return (await testLlama()).loadModel({ modelPath });
}

/** What a sequence samples after `prompt`. */
async function sample(
  sequence: LlamaContextSequence,
  prompt: readonly number[],
  count: number,
): Promise<readonly number[]> {
  const written: number[] = [];
  const options = { temperature: 0.8, topK: 0, topP: 1, seed: 1, yieldEogToken: true } as const;
  const tokens = sequence.evaluate([...prompt] as Token[], options);
  for await (const token of tokens) if (written.push(token) === count) break;
  return written;
}

const [question, end] = [400, 401];
const someScript = fc.array(fc.constantFrom(300, 301, 302), { minLength: 1, maxLength: 40 });
const someText = fc.array(fc.integer({ min: 300, max: 340 }), { maxLength: 30 });
const someTurns = fc.array(fc.tuple(someScript, someText), { minLength: 1, maxLength: 4 });

it('a scripted model writes its scripts wherever they are asked for, also on two sequences and after a cut', async () => {
  await fc.assert(
    fc.asyncProperty(someTurns, async (tried) => {
      const turns = tried.map(([script], index) => ({
        after: [question, 410 + index, 402, 403],
        script: [...script, end],
      }));
      const model = await open(turns);
      const context = await model.createContext({ contextSize: 1024, sequences: 2, threads: 1 });
      const talk = async (sequence: LlamaContextSequence, order: readonly number[]): Promise<void> => {
        for (const index of order) {
          const [, before = []] = tried[index] ?? [];
          const { after = [], script = [] } = turns[index] ?? {};
          expect(await sample(sequence, [...before, ...after], script.length)).toEqual(script);
        }
      };
      const order = [...turns.keys()];
      const [one, other] = [context.getSequence(), context.getSequence()];
      await Promise.all([talk(one, order), talk(other, order.toReversed())]);
      await one.eraseContextTokenRanges([{ start: 3, end: one.nextTokenIndex }]);
      await talk(one, order);
      const [{ after } = { after: [] }] = turns;
      expect(await sample(one, after.slice(1), 1)).toEqual([otherwise]);
      await model.dispose();
    }),
    { numRuns: 3 },
  );
});

const weather = defineTool({
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: z.strictObject({ city: z.enum(['Bern', 'Oslo']) }),
  execute: ({ city }) => (city === 'Bern' ? 'warm' : 'cold'),
});

const weatherTurns: readonly KeyedTurn[] = [
  ...['Bern', 'Oslo'].map((city) => ({
    after: `<|im_start|>user\nHow is it in ${city}?`,
    pieces: [
      '<tool_call>',
      `\n{"name": "get_weather", "arguments": {"city": "${city}"}}\n`,
      '</tool_call>',
      '<|im_end|>',
    ],
  })),
  ...['warm', 'cold'].map((how) => ({
    after: `<|im_start|>user\n<tool_response>\n${how}\n</tool_response>`,
    pieces: ['<think>', '\nI see.\n', '</think>', `\n\nIt is ${how}.`, '<|im_end|>'],
  })),
];

it('a scripted model goes through loops of tools, two at once and one after the other', async () => {
  const model = await openLlamaKeyedChat(weatherTurns, { sequences: 2 });
  const ask = (city: string) => ({ role: 'user', content: `How is it in ${city}?` }) as const;
  const run = (city: string) => model.runTools({ messages: [ask(city)], tools: [weather] });
  const [bern, oslo] = [run('Bern'), run('Oslo')];
  const messages = await Promise.all([bern.messages, oslo.messages]);
  const again = await model.runTools({ messages: [...messages[0], ask('Oslo')], tools: [weather] }).message;
  const unknown = await model.chat({ messages: [ask('Rome')], tools: [weather] }).message;
  await model.dispose();
  const answers = messages.map((told) => told.map(({ content }) => content));
  expect(answers[0]?.slice(-2)).toEqual(['warm', 'It is warm.']);
  expect(answers[1]?.slice(-2)).toEqual(['cold', 'It is cold.']);
  expect(again).toMatchObject({ content: 'It is cold.', reasoning_content: 'I see.' });
  expect(unknown.tool_calls ?? []).toEqual([]);
  expect(unknown.content ?? '').toBe('');
});
