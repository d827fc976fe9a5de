/** Questions that are drawn from sentences and values by a seed: other ones than those that somebody looked at. */

import {
  call,
  type ExpectedCall,
  has,
  one,
  type Question,
  type QuestionSet,
} from '../../../src/cli/try/question.ts';
import { Random } from '../../toy/random.ts';
import { judgeTools } from './tools.ts';

/** Takes one of several. */
type Draw = <Item>(items: readonly Item[]) => Item;
type Drawn = readonly [text: string, ...calls: readonly ExpectedCall[]];

const cities = ['Vienna', 'Hamburg', 'Kyoto', 'Lima', 'Nairobi', 'Porto', 'Quito', 'Tallinn'];
const airports = ['VIE', 'HAM', 'KIX', 'LIM', 'NBO', 'OPO', 'UIO', 'TLL'];
const dates = ['2025-07-01', '2025-10-31', '2026-02-14', '2026-05-20'];
const rooms = ['kitchen', 'bedroom', 'bathroom', 'office'];
const symbols = ['MSFT', 'TSLA', 'IBM', 'AMD', 'INTC'];
const small = [2, 3, 4, 5, 6];

/** One sentence each; every use draws its values anew. */
const sentences: readonly ((draw: Draw) => Drawn)[] = [
  (draw) => {
    const [city, days] = [draw(cities), draw(small)];
    return [
      draw([
        `How will the weather be in ${city} for the next ${days} days?`,
        `${city}, ${days} days: what is the forecast?`,
      ]),
      call('get_forecast', { city: has(city), days: one(days) }),
    ];
  },
  (draw) => {
    const [restaurant, date, people] = [draw(['Kronenhalle', 'Noma', 'Al Porto']), draw(dates), draw(small)];
    const time = draw(['18:00', '19:15', '20:30']);
    return [
      draw([
        `Reserve a table at ${restaurant} for ${people} people on ${date} at ${time}.`,
        `We are ${people} and want to eat at ${restaurant} on ${date}, ${time}. Book a table.`,
      ]),
      call('book_table', {
        restaurant: has(restaurant),
        date: one(date),
        time: one(time),
        people: one(people),
      }),
    ];
  },
  (draw) => {
    const [from, to, date, cabin] = [
      draw(airports),
      draw(['FRA', 'CDG']),
      draw(dates),
      draw(['economy', 'first']),
    ];
    return [
      draw([
        `Search ${cabin} class flights from ${from} to ${to} on ${date}.`,
        `I want to fly ${cabin} class on ${date}, from ${from} to ${to}. What is there?`,
      ]),
      call('find_flights', { from: one(from), to: one(to), date: one(date), cabin: one(cabin) }),
    ];
  },
  (draw) => {
    const [room, degrees] = [draw(rooms), draw([18, 19.5, 21, 23.5])];
    return [
      draw([`Set the ${room} to ${degrees} degrees.`, `I would like ${degrees} degrees in the ${room}.`]),
      call('set_thermostat', { room: one(room), degrees: one(degrees) }),
    ];
  },
  (draw) => {
    const [amount, currency, category] = [
      draw([7.2, 45, 129.99]),
      draw(['EUR', 'USD', 'GBP']),
      draw(['food', 'travel']),
    ];
    return [
      draw([
        `Add an expense: ${amount} ${currency}, category ${category}.`,
        `I paid ${amount} ${currency}. Put it down under ${category}.`,
      ]),
      call('add_expense', { amount: one(amount), currency: one(currency), category: one(category) }),
    ];
  },
  (draw) => {
    const [repository, label, priority] = [
      draw(['acme/api', 'acme/app']),
      draw(['bug', 'docs']),
      draw([1, 2, 3]),
    ];
    const title = draw(['Crash at start', 'Missing translation', 'Slow search']);
    return [
      `Open an issue in ${repository}: "${title}", label ${label}, priority ${priority}.`,
      call('create_issue', {
        repository: one(repository),
        title: has(title),
        labels: one([label]),
        priority: one(priority),
      }),
    ];
  },
  (draw) => {
    const [symbol, days] = [draw(symbols), draw([5, 7, 14, 20])];
    return [
      draw([`How did ${symbol} do over the last ${days} days?`, `Price of ${symbol} for ${days} days.`]),
      call('stock_price', { symbol: one(symbol), days: one(days) }),
    ];
  },
  (draw) => {
    const [seconds, label] = [draw([30, 45, 240, 600]), draw(['tea', 'pasta', 'break'])];
    return [
      `Timer: ${seconds} seconds, label "${label}".`,
      call('start_timer', { seconds: one(seconds), label: has(label) }),
    ];
  },
  (draw) => {
    const [path, first] = [draw(['notes.md', 'lib/main.c', 'setup.cfg']), draw([1, 30, 200])];
    const last = first + draw([5, 12, 40]);
    return [
      draw([
        `Read ${path} from line ${first} to line ${last}.`,
        `What is in lines ${first} to ${last} of ${path}?`,
      ]),
      call('read_lines', { path: one(path), first: one(first), last: one(last) }),
    ];
  },
  (draw) => {
    const [word, [language, code]] = [
      draw(['chat', 'gift', 'fin']),
      draw([
        ['French', 'fr'],
        ['English', 'en'],
      ] as const),
    ];
    return [
      `Look up the ${language} word "${word}".`,
      call('define_word', { word: has(word), language: one(code) }),
    ];
  },
  (draw) => {
    const [[city, days], [room, degrees]] = [
      [draw(cities), draw(small)] as const,
      [draw(rooms), draw([18, 20])] as const,
    ];
    return [
      `Tell me the weather in ${city} for ${days} days and set the ${room} to ${degrees} degrees.`,
      call('get_forecast', { city: has(city), days: one(days) }),
      call('set_thermostat', { room: one(room), degrees: one(degrees) }),
    ];
  },
  (draw) => {
    const [first, second] = [draw(symbols.slice(0, 2)), draw(symbols.slice(2))];
    return [
      `Prices of ${first} and ${second}, 5 days each.`,
      call('stock_price', { symbol: one(first), days: one(5) }),
      call('stock_price', { symbol: one(second), days: one(5) }),
    ];
  },
  (draw) => [draw(['Hi there!', 'How are you?', 'Thank you so much.', 'Sleep well!'])],
  (draw) => [`What is ${draw(['a prime number', 'the plural of "mouse"', 'the opposite of "early"'])}?`],
  (draw) => [`Explain ${draw(['rainbows', 'inflation', 'photosynthesis'])} to a child, in two sentences.`],
];

/** Draws a set of questions; the same seed gives the same ones. All sentences are used before one comes again. */
export function drawQuestions(seed: number, count = 30): QuestionSet {
  const random = new Random(seed);
  const draw: Draw = (items) => random.pick(items);
  const questions: Question[] = [];
  const texts = new Set<string>();
  for (let index = 0; questions.length < count && index < 20 * count; index++) {
    const [text, ...calls] = (sentences[index % sentences.length] ?? draw(sentences))(draw);
    if (texts.has(text)) continue;
    texts.add(text);
    questions.push({ id: `drawn-${seed}-${questions.length + 1}`, text, calls });
  }
  return { name: `drawn ${seed}`, tools: judgeTools, questions };
}
