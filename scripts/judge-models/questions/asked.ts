/** The project's own questions: thirty that are always the same, and requests that no valid call can fulfil. */
import {
  call,
  type ExpectedCall,
  has,
  one,
  type Question,
  type QuestionSet,
} from '../../../src/cli/try/question.ts';
import { judgeTools } from './tools.ts';

const asked: readonly (readonly [text: string, ...calls: readonly ExpectedCall[]])[] = [
  ['What will the weather be like in Lisbon over the next 5 days?', forecast('Lisb', 5)],
  ['Good morning!'],
  [
    'Start a timer of 90 seconds with the label "eggs".',
    call('start_timer', { seconds: one(90), label: has('eggs') }),
  ],
  [
    'Book a table for 4 people at Da Enzo on 2025-09-12 at 19:30.',
    call('book_table', {
      restaurant: has('da enzo'),
      date: one('2025-09-12'),
      time: one('19:30'),
      people: one(4),
    }),
  ],
  ['Thanks, that was very helpful.'],
  [
    'Heat the bathroom to 22.5 degrees.',
    call('set_thermostat', { room: one('bathroom'), degrees: one(22.5) }),
  ],
  [
    'Find flights from ZRH to JFK on 2025-11-03.',
    call('find_flights', { from: one('ZRH'), to: one('JFK'), date: one('2025-11-03') }),
  ],
  [
    'I spent 18.40 CHF on lunch. Please record it as food.',
    call('add_expense', { amount: one(18.4), currency: one('CHF'), category: one('food') }),
  ],
  [
    'Show me lines 10 to 20 of src/app.py.',
    call('read_lines', { path: one('src/app.py'), first: one(10), last: one(20) }),
  ],
  ['Forecast for Oslo for 2 days and for Rome for 3 days, please.', forecast('Oslo', 2), forecast('Rom', 3)],
  ['Is a tomato a fruit or a vegetable?'],
  [
    'Create an issue "Login fails on Safari" in acme/web with the label bug and priority 1.',
    call('create_issue', {
      repository: one('acme/web'),
      title: has('login fails on safari'),
      labels: one(['bug']),
      priority: one(1),
    }),
  ],
  [
    'What was the price of NVDA over the last 10 days?',
    call('stock_price', { symbol: one('NVDA'), days: one(10) }),
  ],
  [
    'What does the German word "Fernweh" mean?',
    call('define_word', { word: has('fernweh'), language: one('de') }),
  ],
  [
    'Play "Clair de Lune" by Debussy at volume 30.',
    call('play_music', { title: has('clair de lune'), volume: one(30) }),
  ],
  [
    'Set the phone number of Maria Lopez to +34 600 123 456.',
    call('update_contact', { name: has('maria'), phone: one('+34 600 123 456') }),
  ],
  ['Write a haiku about the sea.'],
  [
    'Business class from LHR to SIN on 2026-01-15 for 2 passengers, direct flights only.',
    call('find_flights', {
      from: one('LHR'),
      to: one('SIN'),
      date: one('2026-01-15'),
      cabin: one('business'),
      passengers: one(2),
      direct: one(true),
    }),
  ],
  ['Set a timer for 12 minutes.', call('start_timer', { seconds: one(720) })],
  [
    'Record 59.90 EUR for a train ticket as travel, with the note "to Berlin".',
    call('add_expense', {
      amount: one(59.9),
      currency: one('EUR'),
      category: one('travel'),
      note: has('to berlin'),
    }),
  ],
  ['Which of your tools could help me on a journey? Only tell me, do not use any.'],
  ['Turn the office down to 17 degrees.', call('set_thermostat', { room: one('office'), degrees: one(17) })],
  [
    'In acme/docs, open an issue titled "Fix typos", labelled docs and feature.',
    call('create_issue', {
      repository: one('acme/docs'),
      title: has('fix typos'),
      labels: one(['docs', 'feature']),
    }),
  ],
  [
    'Set the bedroom to 19 degrees and play "Weightless".',
    call('set_thermostat', { room: one('bedroom'), degrees: one(19) }),
    call('play_music', { title: has('weightless') }),
  ],
  ['Bye, see you tomorrow!'],
  ['The price of AAPL, please.', call('stock_price', { symbol: one('AAPL') })],
  [
    'Jan Novak has two addresses now: jan@novak.cz and office@novak.cz. Update the address book.',
    call('update_contact', { name: has('novak'), emails: one(['jan@novak.cz', 'office@novak.cz']) }),
  ],
  [
    'Look up "serendipity" in the English dictionary.',
    call('define_word', { word: has('serendipity'), language: one('en') }),
  ],
  [
    'The weather in Cairo for 4 days, in fahrenheit.',
    call('get_forecast', { city: has('cairo'), days: one(4), unit: one('fahrenheit') }),
  ],
  [
    'Read the first 5 lines of README.md, and start a timer of 60 seconds.',
    call('read_lines', { path: one('README.md'), first: one(1), last: one(5) }),
    call('start_timer', { seconds: one(60) }),
  ],
];

/** Requests beyond the schemas: what matters is that no invalid call is handed out. */
const beyond: readonly string[] = [
  'What will the weather be like in Bern for the next 14 days?',
  'Book a table for 20 people at Da Enzo on 2025-09-12 at 19:30.',
  'Heat the garage to 40 degrees.',
  'Find flights from Zurich to New York next Friday.',
  'Record an expense of 20 PLN for a taxi.',
  'Set a timer for 3 days.',
];

function forecast(city: string, days: number): ExpectedCall {
  return call('get_forecast', { city: has(city), days: one(days) });
}

function questionsOf(rows: typeof asked, prefix: string): readonly Question[] {
  return rows.map(([text, ...calls], index) => ({ id: `${prefix}-${index + 1}`, text, calls }));
}

/** The thirty questions. */
export const ownQuestions: QuestionSet = {
  name: 'own',
  tools: judgeTools,
  questions: questionsOf(asked, 'own'),
};

/** Requests that no valid call can fulfil; the first is the one of the "14 days" row. They expect no calls. */
export const beyondQuestions: QuestionSet = {
  name: 'beyond',
  tools: judgeTools,
  questions: questionsOf(
    beyond.map((text) => [text] as const),
    'beyond',
  ),
};
