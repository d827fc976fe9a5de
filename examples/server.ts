/**
 * A model behind a server. In a clone, with `llama-server -m model.gguf` running:
 * `npx tsx --conditions=idiolect:source examples/server.ts http://localhost:8080`.
 */
import { connectServer, defineTool } from 'idiolect/servers';
import { z } from 'zod';

const getWeather = defineTool({
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: z.strictObject({ city: z.string(), days: z.int().min(1).max(7) }),
  execute: ({ city, days }) => `${city}: sun for ${days} days`,
});

const model = await connectServer({ kind: 'llama-server', url: process.argv[2] ?? 'http://localhost:8080' });

const messages = [{ role: 'user', content: 'Will it rain in Bern this week?' }] as const;

for await (const event of model.runTools({ messages, tools: [getWeather] })) {
  if (event.type === 'text-delta') process.stdout.write(event.delta);
  if (event.type === 'tool-call') console.log('calls for', event.arguments.city, event.arguments.days);
  if (event.type === 'tool-result') console.log('is told', event.content);
}
