/** Three tools for the examples: nothing happens when they are called. */
import type { Tool } from '../../src/format/messages.ts';

/** Weather, a reminder, a calculation: strings, numbers, an enum, an array and a nested object. */
export const demoTools: readonly Tool[] = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The weather in a city.',
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string', maxLength: 24, description: 'Name of the city' },
          unit: { type: 'string', enum: ['celsius', 'fahrenheit'], description: 'Unit of temperatures' },
          days: { type: 'integer', minimum: 1, maximum: 14, description: 'Days ahead' },
        },
        required: ['city', 'unit'],
        additionalProperties: false,
      },
    },
  },
  {
    type: 'function',
    function: {
      name: 'set_reminder',
      description: 'Reminds the user of something.',
      parameters: {
        type: 'object',
        properties: {
          text: { type: 'string', minLength: 1, maxLength: 40, description: 'What to say' },
          weekdays: {
            type: 'array',
            items: { type: 'string', enum: ['mon', 'tue', 'wed', 'thu', 'fri'] },
            minItems: 1,
            maxItems: 3,
            description: 'Days of the week',
          },
        },
        required: ['text', 'weekdays'],
        additionalProperties: false,
      },
    },
  },
  {
    type: 'function',
    function: {
      name: 'convert_money',
      description: 'Converts an amount of money.',
      parameters: {
        type: 'object',
        properties: {
          amount: { type: 'number', minimum: 0, maximum: 100000, description: 'How much' },
          to: { type: 'string', enum: ['EUR', 'USD', 'CHF', 'JPY'], description: 'Target currency' },
          round: { type: 'boolean', description: 'Whole units only' },
        },
        required: ['amount', 'to', 'round'],
        additionalProperties: false,
      },
    },
  },
];
