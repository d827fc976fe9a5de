import { connectEngine, defineTool } from 'idiolect/engine';
import { z } from 'zod';
import assert from 'node:assert/strict';
import { scriptedEngine, tinyEngine, toyEngine } from 'idiolect/testing';

const getWeather = defineTool({
  name: 'get_weather',
  parameters: z.strictObject({ city: z.string() }),
  execute: () => ({ sky: 'sunny', degrees: 21 }),
});
const question = [{ role: 'user', content: 'How is the weather in Bern?' }] as const;

const toy = await connectEngine(await toyEngine()); // or 'tags', 'channels': the same weights, other formats
const [asked] = await toy.chat({ messages: question, tools: [getWeather] }).calls;
assert.deepEqual(asked?.arguments, { city: 'Bern' });
const told = (await toy.runTools({ messages: question, tools: [getWeather] }).messages).at(-1);
assert.match(String(told?.content), /21/);
const writtenCall = (city: string) => `<tool_call>\n{"name": "get_weather", "arguments": {"city": "${city}"}}\n</tool_call>`;
const scripted = await connectEngine(
  scriptedEngine({
    turns: [
      { after: 'in Bern?', script: `<think>\nI look it up.\n</think>\n\n${writtenCall('Bern')}` },
      { after: '"sunny"', script: '<think>\n\n</think>\n\nIt is warm.' },
    ],
  }),
);
const loop = scripted.runTools({ messages: question, tools: [getWeather] });
assert.equal((await loop.messages).at(-1)?.content, 'It is warm.');
const tiny = await connectEngine(tinyEngine({ seed: 7 }));
const noise = tiny.chat({ messages: question, tools: [getWeather], toolChoice: 'required', temperature: 1, seed: 3 });
assert.equal((await noise.calls)[0]?.name, 'get_time');
export {};