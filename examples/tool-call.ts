/** A tool call in thirty lines. In a clone: `npx tsx --conditions=idiolect:source examples/tool-call.ts model.gguf`. */
import { loadModel } from 'idiolect/node-llama-cpp';

const model = await loadModel(process.argv[2] ?? 'model.gguf');

const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The weather in a city.',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
        required: ['city', 'unit'],
        additionalProperties: false,
      },
    },
  },
] as const;

const messages = [{ role: 'user', content: 'How warm is it in Bern?' }] as const;

// The model may think and talk first; from the moment it opens a call, only valid calls can be sampled.
for await (const event of model.chat({ messages, tools, toolChoice: 'auto' })) {
  if (event.type === 'text-delta') process.stdout.write(event.delta);
  if (event.type === 'tool-call') console.log(event.toolName, event.arguments);
}

await model.dispose();
