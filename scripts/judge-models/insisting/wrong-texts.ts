/** Tools and an answer with bounds of every kind, and what a model may write in their place. */
import type { JsonObject, Tool } from '../../../src/format/messages.ts';
import type { NamedCall } from '../../../test/support/rest-of-turn.ts';

/** Tools with bounds of every kind. */
export const boundedTools: readonly Tool[] = [
  toolOf('get_weather', ['city', 'days'], {
    city: { type: 'string', maxLength: 20, description: 'A city' },
    days: { type: 'integer', minimum: 1, maximum: 7, description: 'Days ahead' },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'], description: 'Unit' },
  }),
  toolOf('set_alarm', ['time'], {
    time: { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: 'HH:MM' },
    label: { type: 'string', minLength: 1, maxLength: 10, description: 'A label' },
    repeat: {
      type: 'array',
      items: { type: 'string', enum: ['mon', 'tue', 'wed'] },
      maxItems: 2,
      description: 'Days',
    },
  }),
  toolOf('write_note', ['text'], { text: { type: 'string', description: 'Any text' } }),
];

/** The schema of an answer; its bounds differ from those of the tools, so that a mixture of both shows. */
export const answerSchema: JsonObject = {
  type: 'object',
  properties: {
    size: { type: 'integer', minimum: 10, maximum: 20 },
    tag: { type: 'string', pattern: '^[A-Z]{2}$' },
    note: { type: 'string', maxLength: 12 },
  },
  required: ['size', 'tag'],
  additionalProperties: false,
};

/** Calls that the tools allow. */
export const rightCalls: readonly NamedCall[] = [
  ['get_weather', { city: 'Bern', days: 3 }],
  ['get_weather', { city: 'Oslo', days: 7, unit: 'celsius' }],
  ['set_alarm', { time: '06:45', label: 'gym', repeat: ['mon'] }],
  ['write_note', { text: 'Lüfte um 7!\n- "gut"' }],
];

/** Calls of these tools that they do not allow. */
export const wrongCalls: readonly NamedCall[] = [
  ['get_weather', {}],
  ['get_weather', { city: 'Bern', days: 14 }],
  ['get_weather', { city: 'Bern', days: 3.5 }],
  ['get_weather', { city: 'Bern', days: '3' }],
  ['get_weather', { city: 'a very long name of a city', days: 3 }],
  ['get_weather', { city: 'Bern', days: 3, unit: 'kelvin' }],
  ['get_weather', { city: 'Bern', days: 3, unit: null }],
  ['get_weather', { city: 'Bern', days: 3, other: 1 }],
  ['get_weather', { days: 3, city: { name: 'Bern' } }],
  ['set_alarm', { time: '25:99' }],
  ['set_alarm', { time: '06:45', repeat: ['mon', 'tue', 'wed'] }],
  ['set_alarm', { time: '06:45', repeat: 'mon' }],
  ['set_alarm', { label: '' }],
  ['write_note', { text: ['a', 'b'] }],
];

/** Calls of tools that are not offered. */
export const unknownCalls: readonly NamedCall[] = [
  ['get_', { city: 'Bern', days: 3 }],
  ['Get_Weather', { city: 'Bern', days: 3 }],
  ['launch_rocket', { target: 'Moon' }],
];

/** An answer that fits. */
export const rightAnswer = '{"size": 12, "tag": "AB"}';

/** Answers that do not fit. */
export const wrongAnswers: readonly string[] = ['{"size":248,"tag":"ab","note":null}', '[1]', 'No.'];

function toolOf(name: string, required: readonly string[], properties: JsonObject): Tool {
  const parameters = { type: 'object', properties, required: [...required], additionalProperties: false };
  return { type: 'function', function: { name, description: `The function ${name}.`, parameters } };
}
