/** What `idiolect try` asks: five tools, and twenty questions with the calls that are expected. */
import type { JsonObject, Tool } from '../../format/messages.ts';
import { call, type ExpectedCall, has, one, type Question } from './question.ts';

const text = { type: 'string' } as const;
const currency = { type: 'string', pattern: '^[A-Z]{3}$', description: 'ISO 4217 code' } as const;

function tool(name: string, description: string, properties: JsonObject, required: readonly string[]): Tool {
  const parameters = { type: 'object', properties, required: [...required], additionalProperties: false };
  return { type: 'function', function: { name, description, parameters } };
}

/** Few tools, so that prompts are short. */
export const trialTools: readonly Tool[] = [
  tool(
    'get_weather',
    'Weather forecast for a city.',
    {
      city: text,
      days: { type: 'integer', minimum: 1, maximum: 7 },
      unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    },
    ['city', 'days'],
  ),
  tool('set_timer', 'Start a timer.', { seconds: { type: 'integer', minimum: 1 }, label: text }, ['seconds']),
  tool('send_message', 'Send a text message.', { to: text, text }, ['to', 'text']),
  tool(
    'convert_currency',
    'Convert an amount of money.',
    { amount: { type: 'number' }, from: currency, to: currency },
    ['amount', 'from', 'to'],
  ),
  tool('run_python', 'Run Python code, and return what it prints.', { code: text }, ['code']),
];

function weather(city: string, days: number): ExpectedCall {
  return call('get_weather', { city: has(city), days: one(days) });
}

function message(to: string, ...words: readonly string[]): ExpectedCall {
  return call('send_message', { to: has(to), text: has(...words) });
}

function money(amount: number, from: string, to: string): ExpectedCall {
  return call('convert_currency', { amount: one(amount), from: one(from), to: one(to) });
}

function python(...words: readonly string[]): ExpectedCall {
  return call('run_python', { code: has(...words) });
}

const asked: readonly (readonly [text: string, ...calls: readonly ExpectedCall[]])[] = [
  ['What will the weather be like in Oslo for the next 3 days?', weather('Oslo', 3)],
  ['Hello! How are you today?'],
  [
    'Set a timer of 90 seconds with the label "eggs".',
    call('set_timer', { seconds: one(90), label: has('eggs') }),
  ],
  ['Weather in Paris for 2 days and in Rome for 4 days, please.', weather('Paris', 2), weather('Rome', 4)],
  ['Send Anna the message "See you at noon".', message('anna', 'see you at noon')],
  ['Thank you, that is all I needed.'],
  ['How much are 250 euros in Swiss francs?', money(250, 'EUR', 'CHF')],
  ['Run this Python code: print(sum(range(10)))', python('print(sum(range(10)))')],
  [
    'Set a timer of 60 seconds, and send Anna the message "Start now".',
    call('set_timer', { seconds: one(60) }),
    message('anna', 'start now'),
  ],
  ['Is a tomato a fruit or a vegetable?'],
  [
    'The weather in Cairo for 4 days, in fahrenheit.',
    call('get_weather', { city: has('cairo'), days: one(4), unit: one('fahrenheit') }),
  ],
  ['Start a timer for 5 minutes.', call('set_timer', { seconds: one(300) })],
  ['Tell Bob that the meeting is moved to Friday.', message('bob', 'friday')],
  [
    'How much are 100 US dollars in euros, and how much in pounds?',
    money(100, 'USD', 'EUR'),
    money(100, 'USD', 'GBP'),
  ],
  ['Write a haiku about the sea.'],
  ['Convert 1200 Japanese yen to US dollars.', money(1200, 'JPY', 'USD')],
  [
    'Run this Python code:\nname = "World"\nprint(f"Hello, {name}!")',
    python('name = "World"\nprint(f"Hello, {name}!")'),
  ],
  ['Send Bob the message "yes" and Carla the message "no".', message('bob', 'yes'), message('carla', 'no')],
  ['What is the capital of France?'],
  [
    'Use Python to print the text C:\\temp and then, on a new line, the text "done".',
    python('print', 'temp', 'done'),
  ],
];

/** The questions, mixed: eleven need one call, four need two, five need none. */
export const trialQuestions: readonly Question[] = asked.map(([question, ...calls], index) => ({
  id: `${index + 1}`,
  text: question,
  calls,
}));
