/** Tools with schemas as people write them: bounds, patterns, enums, arrays, optional and nullable properties. */
import type { JsonObject, Tool } from '../../../src/format/messages.ts';

const text = { type: 'string' } as const;
const date = { type: 'string', pattern: '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$' } as const;
const airport = { type: 'string', pattern: '^[A-Z]{3}$', description: 'IATA code' } as const;

function integer(minimum: number, maximum: number): JsonObject {
  return { type: 'integer', minimum, maximum };
}

function oneOf(...values: readonly string[]): JsonObject {
  return { type: 'string', enum: [...values] };
}

function tool(name: string, description: string, properties: JsonObject, required: readonly string[]): Tool {
  const parameters = {
    type: 'object',
    properties,
    required: [...required],
    additionalProperties: false,
  };
  return { type: 'function', function: { name, description, parameters } };
}

/** The tools of the project's own questions. */
export const judgeTools: readonly Tool[] = [
  tool(
    'get_forecast',
    'Weather forecast for a city, for at most a week.',
    { city: text, days: integer(1, 7), unit: oneOf('celsius', 'fahrenheit') },
    ['city', 'days'],
  ),
  tool(
    'book_table',
    'Book a table in a restaurant.',
    {
      restaurant: text,
      date,
      time: { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' },
      people: integer(1, 12),
      remark: { type: ['string', 'null'] },
    },
    ['restaurant', 'date', 'time', 'people'],
  ),
  tool(
    'find_flights',
    'Search for flights between two airports.',
    {
      from: airport,
      to: airport,
      date,
      cabin: oneOf('economy', 'business', 'first'),
      passengers: integer(1, 9),
      direct: { type: 'boolean' },
    },
    ['from', 'to', 'date'],
  ),
  tool(
    'set_thermostat',
    'Set the temperature of a room.',
    {
      room: oneOf('kitchen', 'bedroom', 'bathroom', 'office'),
      degrees: { type: 'number', minimum: 5, maximum: 30 },
    },
    ['room', 'degrees'],
  ),
  tool(
    'add_expense',
    'Record an expense.',
    {
      amount: { type: 'number', exclusiveMinimum: 0 },
      currency: oneOf('EUR', 'USD', 'CHF', 'GBP'),
      category: oneOf('food', 'travel', 'office', 'other'),
      note: { type: ['string', 'null'] },
    },
    ['amount', 'currency', 'category'],
  ),
  tool(
    'create_issue',
    'Create an issue in a repository.',
    {
      repository: text,
      title: { type: 'string', minLength: 3, maxLength: 80 },
      labels: { type: 'array', items: oneOf('bug', 'feature', 'docs'), uniqueItems: true },
      priority: integer(1, 4),
    },
    ['repository', 'title'],
  ),
  tool(
    'stock_price',
    'The price of a share over the last days.',
    { symbol: { type: 'string', pattern: '^[A-Z]{1,5}$' }, days: integer(1, 30) },
    ['symbol'],
  ),
  tool(
    'start_timer',
    'Start a timer.',
    { seconds: integer(1, 86_400), label: { type: 'string', maxLength: 20 } },
    ['seconds'],
  ),
  tool(
    'update_contact',
    'Change an entry of the address book.',
    {
      name: text,
      phone: { type: 'string', pattern: '^[+][0-9 ]{6,16}$' },
      emails: { type: 'array', items: { type: 'string', pattern: '^[^@ ]+@[^@ ]+$' }, maxItems: 5 },
    },
    ['name'],
  ),
  tool(
    'read_lines',
    'Read lines of a text file.',
    { path: text, first: { type: 'integer', minimum: 1 }, last: { type: 'integer', minimum: 1 } },
    ['path', 'first', 'last'],
  ),
  tool('define_word', 'Look a word up in a dictionary.', { word: text, language: oneOf('en', 'de', 'fr') }, [
    'word',
    'language',
  ]),
  tool('play_music', 'Play a piece of music.', { title: text, artist: text, volume: integer(0, 100) }, [
    'title',
  ]),
];
