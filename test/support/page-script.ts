/** What a page would do with an engine of its own; the result is left in `answered`. */
import { connectEngine } from '../../src/runtime/engine/index.ts';
import { FakeEngine } from './fake-engine.ts';

async function answer(): Promise<string> {
  const engine = new FakeEngine('json');
  engine.script =
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Bern", "days": 9}}\n</tool_call>';
  const model = await connectEngine(engine);
  const properties = {
    city: { type: 'string', maxLength: 20 },
    days: { type: 'integer', minimum: 1, maximum: 7 },
  } as const;
  const parameters = {
    type: 'object',
    properties,
    required: ['city', 'days'],
    additionalProperties: false,
  } as const;
  const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }] as const;
  const messages = [{ role: 'user', content: 'How is it in Bern?' }] as const;
  const [call] = await model.chat({ messages, tools, toolChoice: 'required', thinkingBudget: 4 }).calls;
  return JSON.stringify(call?.arguments);
}

Object.assign(globalThis, { answered: answer() });
