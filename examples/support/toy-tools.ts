/** Tools that the toy model knows, with results made up on the spot. */
import { defineTool } from 'idiolect/node-llama-cpp';
import { z } from 'zod';

const skies = ['sunny', 'cloudy', 'rainy', 'windy'];

/** A number below `end` that is the same for the same text. */
function numberOf(text: string, end: number): number {
  let sum = 7;
  for (const letter of text) sum = (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0;
  return sum % end;
}

export const getWeather = defineTool({
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: z.strictObject({ city: z.string() }),
  execute: ({ city }) => ({ sky: skies[numberOf(city, skies.length)], degrees: 5 + numberOf(city, 25) }),
});

export const calculate = defineTool({
  name: 'calculate',
  description: 'Works out a sum.',
  parameters: z.strictObject({ expression: z.string() }),
  execute: ({ expression }) => ({ value: workOut(expression) }),
});

export const setTimer = defineTool({
  name: 'set_timer',
  description: 'Sets a timer.',
  parameters: z.strictObject({ minutes: z.int() }),
  execute: () => 'done',
});

export const sendMessage = defineTool({
  name: 'send_message',
  description: 'Sends a message to a person.',
  parameters: z.strictObject({ to: z.string(), text: z.string() }),
  execute: () => 'sent',
});

function workOut(expression: string): number {
  const [, left = '', operator, right = ''] = /^\s*(\d+)\s*([-+*/])\s*(\d+)\s*$/.exec(expression) ?? [];
  const [a, b] = [Number(left), Number(right)];
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  if (operator === '*') return a * b;
  if (operator === '/' && b !== 0) return Math.round((a / b) * 10) / 10;
  throw new Error('not a sum');
}
