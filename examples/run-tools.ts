/** Tools that are carried out. In a clone: `npx tsx --conditions=idiolect:source examples/run-tools.ts model.gguf`. */
import { defineTool, loadModel } from 'idiolect/node-llama-cpp';
import { z } from 'zod';

const getWeather = defineTool({
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: z.strictObject({ city: z.string(), days: z.int().min(1).max(7) }),
  execute: ({ city, days }) => `${city}: sun for ${days} days`,
});

const model = await loadModel(process.argv[2] ?? 'model.gguf');

const messages = [{ role: 'user', content: 'Will it rain in Bern this week?' }] as const;

// The model calls, the calls are carried out, it is told the results, and so on until it answers.
const run = model.runTools({ messages, tools: [getWeather] });
for await (const event of run) {
  if (event.type === 'text-delta') process.stdout.write(event.delta);
  if (event.type === 'tool-call') console.log('calls for', event.arguments.city, event.arguments.days);
  if (event.type === 'tool-result') console.log('is told', event.content);
}

await model.dispose();
