/** What the toy is asked for: each kind with its tool, its questions, its results and its answers. */
import type { Random } from './random.ts';
import type { Split } from './words.ts';
import * as words from './words.ts';

/** A parameter of a tool, with the names it may have. */
export interface ParameterKind {
  readonly key: string;
  readonly names: readonly string[];
  readonly schema: Readonly<Record<string, unknown>>;
  readonly descriptions: readonly string[];
  /** What a call says where the tool demands it and the question is silent. Without it the question always tells. */
  readonly fallback?: unknown;
}

/** One wish, in the words of a question. */
export interface Wish {
  /** Holes in braces, filled from `slots`. */
  readonly question: string;
  /** The wish as the thoughts put it: `the weather in Bern`. */
  readonly goal: string;
  /** Arguments by the keys of the parameters. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The tool's result, as an object, and the answer that says it in words. */
  readonly result: Readonly<Record<string, unknown>> | string;
  readonly answer: string;
}

export interface Kind {
  readonly id: string;
  /** What the answer says there is no tool for. */
  readonly topic: string;
  readonly tools: readonly string[];
  readonly descriptions: readonly string[];
  readonly parameters: readonly ParameterKind[];
  /** Questions with holes. The last one is held out. */
  readonly questions: readonly string[];
  /** A short question that goes on from one of the same kind. */
  readonly followUp?: string;
  /** What fills the holes, and what comes of it; `offered` says which optional parameters the tool has. */
  readonly fill: (random: Random, split: Split, offered: ReadonlySet<string>) => Filling;
  readonly errors: readonly string[];
}

export interface Filling {
  readonly slots: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
  /** Appended to the question: ` in fahrenheit`. */
  readonly extra?: string;
  readonly goal: string;
  readonly result: Readonly<Record<string, unknown>> | string;
  readonly answer: string;
}

const string = { type: 'string' };
const integer = { type: 'integer' };

export const kinds: readonly Kind[] = [
  {
    id: 'weather',
    topic: 'the weather',
    tools: ['get_weather', 'weather', 'current_weather', 'weather_forecast', 'getWeather'],
    descriptions: [
      'The weather in a city.',
      'Get the current weather.',
      'Tells the weather for a place.',
      'Weather forecast.',
    ],
    parameters: [
      {
        key: 'city',
        names: ['city', 'location', 'place'],
        schema: string,
        descriptions: ['Name of the city', 'The city', 'Where'],
      },
      {
        key: 'unit',
        names: ['unit', 'units'],
        schema: { type: 'string', enum: ['celsius', 'fahrenheit'] },
        descriptions: ['Unit of temperatures', 'The unit'],
        fallback: 'celsius',
      },
      {
        key: 'days',
        names: ['days'],
        schema: integer,
        descriptions: ['Days ahead', 'Number of days'],
        fallback: 1,
      },
    ],
    questions: [
      'What will the weather be like in {city}',
      'Does it snow in {city}',
      'Is the sun out in {city}',
      'How hot is it in {city}',
      'Should I take a coat to {city}',
      'What is it like outside in {city}',
      'Give me the forecast for {city}',
      'Any rain in {city}',
      'Do you know the weather in {city}',
      'What temperature is it in {city}',
      'What is the weather in {city}',
      'How is the weather in {city}',
      'Will it rain in {city}',
      'Is it warm in {city}',
      'Weather in {city}',
      'Tell me the weather in {city}',
      'I need the weather for {city}',
      'Do I need an umbrella in {city}',
      'How cold is it in {city}',
      'How warm will it be in {city} tomorrow',
      'I am going to {city}. How is the weather there',
      'Is it cold in {city} today',
    ],
    followUp: 'And in {city}',
    fill: (random, split, offered) => {
      const city = words.city(random, split);
      const unit =
        offered.has('unit') && random.chance(0.4) ? random.pick(['celsius', 'fahrenheit']) : undefined;
      const days = offered.has('days') && random.chance(0.4) ? random.between(2, 14) : undefined;
      const extra = (days ? ` for ${days} days` : '') + (unit ? ` in ${unit}` : '');
      const [sky, degrees] = [random.pick(words.skies), random.between(-9, 35)];
      return {
        slots: { city },
        values: { city, ...(unit && { unit }), ...(days && { days }) },
        extra,
        goal: `the weather in ${city}${extra}`,
        result: { sky, degrees },
        answer: `It is ${sky} in ${city}, ${degrees} degrees.`,
      };
    },
    errors: ['no such city', 'unknown place', 'the service is down'],
  },
  {
    id: 'time',
    topic: 'the time',
    tools: ['get_time', 'current_time', 'world_clock', 'time_in'],
    descriptions: ['The time in a city.', 'Tells the local time.', 'What time it is in a place.'],
    parameters: [
      {
        key: 'city',
        names: ['city', 'place', 'location'],
        schema: string,
        descriptions: ['Name of the city', 'Where', 'The city'],
      },
    ],
    questions: [
      'Do you know the time in {city}',
      'What is the local time in {city}',
      'Which hour is it in {city}',
      'Is it late in {city}',
      'Give me the time in {city}',
      'How late is it now in {city}',
      'Time now in {city}',
      'Say what time it is in {city}',
      'What time is it in {city}',
      'How late is it in {city}',
      'Tell me the time in {city}',
      'What is the time in {city}',
      'Time in {city}',
      'I want to call someone in {city}. How late is it there',
      'What does the clock say in {city}',
      'Can you tell me how late it is in {city} now',
    ],
    followUp: 'And in {city}',
    fill: (random, split) => {
      const city = words.city(random, split);
      const time = words.clock(random);
      return {
        slots: { city },
        values: { city },
        goal: `the time in ${city}`,
        result: { time },
        answer: `It is ${time} in ${city}.`,
      };
    },
    errors: ['no such city', 'unknown place', 'the service is down'],
  },
  {
    id: 'calculation',
    topic: 'sums',
    tools: ['calculate', 'calculator', 'compute', 'do_math'],
    descriptions: ['Works out a sum.', 'Evaluates an expression.', 'A calculator.', 'Computes with numbers.'],
    parameters: [
      {
        key: 'expression',
        names: ['expression', 'formula', 'input'],
        schema: string,
        descriptions: ['What to work out', 'The expression'],
      },
    ],
    questions: [
      'How much does {sum} make',
      'Tell me {sum}',
      'Can you work out {sum}',
      'What do I get for {sum}',
      'Give me the result of {sum}',
      '{sum} is how much',
      'What is the result of {sum}',
      'Please compute {sum}',
      'What is {sum}',
      'How much is {sum}',
      'Calculate {sum}',
      'Compute {sum}',
      '{sum}',
      'What does {sum} make',
      'Work out {sum}',
      'Can you calculate {sum} for me',
      'I need to know {sum}',
      'Please solve {sum}',
    ],
    followUp: 'And {sum}',
    fill: (random) => {
      const sum = `${random.between(1, 999)} ${random.pick(['+', '-', '*', '/'])} ${random.between(1, 999)}`;
      const value = random.chance(0.3)
        ? `${random.between(0, 999)}.${random.between(1, 9)}`
        : String(random.between(0, 9999));
      return {
        slots: { sum },
        values: { expression: sum },
        goal: `to know ${sum}`,
        result: { value: Number(value) },
        answer: `The result is ${Number(value)}.`,
      };
    },
    errors: ['not a number', 'too large', 'division by zero'],
  },
  {
    id: 'search',
    topic: 'the web',
    tools: ['web_search', 'search', 'search_web', 'find_online'],
    descriptions: ['Searches the web.', 'Looks something up online.', 'Search the internet.'],
    parameters: [
      {
        key: 'query',
        names: ['query', 'q', 'search_term'],
        schema: string,
        descriptions: ['What to look for', 'The query'],
      },
    ],
    questions: [
      'Google for {topic}',
      'Search online for {topic}',
      'See what the internet says about {topic}',
      'What can you find about {topic}',
      'Do a search for {topic}',
      'Please look up {topic}',
      'Find something about {topic} on the web',
      'Can you search for {topic}',
      'Search for {topic}',
      'Look up {topic} on the web',
      'Find {topic} online',
      'Google {topic}',
      'Search the web for {topic}',
      'Can you look up {topic}',
      'What does the web say about {topic}',
      'I am looking for {topic} on the internet',
      'Look for {topic} online',
    ],
    fill: (random, split) => {
      const topic = words.topic(random, split);
      const found = words.someWords(random, split);
      return {
        slots: { topic },
        values: { query: topic },
        goal: `a search for ${topic}`,
        result: { found },
        answer: `I found this: ${found}.`,
      };
    },
    errors: ['nothing found', 'the service is down', 'no network'],
  },
  {
    id: 'timer',
    topic: 'timers',
    tools: ['set_timer', 'start_timer', 'timer', 'setTimer'],
    descriptions: ['Sets a timer.', 'Starts a timer of some minutes.', 'Rings after some minutes.'],
    parameters: [
      {
        key: 'minutes',
        names: ['minutes', 'duration', 'mins'],
        schema: integer,
        descriptions: ['How many minutes', 'Minutes until it rings'],
      },
    ],
    questions: [
      'Set the timer to {minutes} minutes',
      'Count down {minutes} minutes',
      'Remind me in {minutes} minutes',
      'Can you set a timer for {minutes} minutes',
      'A timer of {minutes} minutes',
      'Let it ring in {minutes} minutes',
      'Please start a timer for {minutes} minutes',
      'Alarm in {minutes} minutes',
      'Set a timer for {minutes} minutes',
      'Start a timer of {minutes} minutes',
      'Wake me in {minutes} minutes',
      'Timer for {minutes} minutes',
      'Ring in {minutes} minutes',
      'I need a timer for {minutes} minutes',
      'Tell me when {minutes} minutes are over',
      'Can you ring in {minutes} minutes',
      'Give me {minutes} minutes on the timer',
    ],
    fill: (random) => {
      const minutes = random.chance(0.7) ? random.between(1, 90) : random.between(91, 600);
      return {
        slots: { minutes: String(minutes) },
        values: { minutes },
        goal: `a timer for ${minutes} minutes`,
        result: 'done',
        answer: `The timer is set for ${minutes} minutes.`,
      };
    },
    errors: ['too long', 'too many timers', 'no permission'],
  },
  {
    id: 'message',
    topic: 'messages',
    tools: ['send_message', 'send_text', 'text_person', 'sendMessage'],
    descriptions: ['Sends a message to a person.', 'Writes to somebody.', 'Sends a text message.'],
    parameters: [
      {
        key: 'to',
        names: ['to', 'recipient', 'person'],
        schema: string,
        descriptions: ['Who gets it', 'The recipient'],
      },
      {
        key: 'text',
        names: ['text', 'message', 'body'],
        schema: string,
        descriptions: ['What it says', 'The message'],
      },
    ],
    questions: [
      'Drop {person} a line: {clause}',
      'Say to {person} that {clause}',
      'Can you let {person} know that {clause}',
      '{person} should know that {clause}',
      'Can you write to {person} that {clause}',
      'Please tell {person} that {clause}',
      'Send {person} a text: {clause}',
      'I want to tell {person} that {clause}',
      'Tell {person} that {clause}',
      'Send {person} a message: {clause}',
      'Write to {person} that {clause}',
      'Let {person} know that {clause}',
      'Message {person}: {clause}',
      'Text {person} that {clause}',
      'Please inform {person} that {clause}',
      'Can you tell {person} that {clause}',
    ],
    fill: (random, split) => {
      const [person, clause] = [words.person(random, split), words.clause(random, split)];
      return {
        slots: { person, clause },
        values: { to: person, text: clause },
        goal: `to tell ${person}: ${clause}`,
        result: 'sent',
        answer: `The message to ${person} is sent.`,
      };
    },
    errors: ['no such person', 'no network', 'no permission'],
  },
  {
    id: 'event',
    topic: 'the calendar',
    tools: ['add_event', 'create_event', 'calendar_add', 'new_appointment'],
    descriptions: [
      'Adds an event to the calendar.',
      'Creates an appointment.',
      'Puts something into the calendar.',
    ],
    parameters: [
      {
        key: 'title',
        names: ['title', 'what', 'name'],
        schema: string,
        descriptions: ['What it is', 'The title'],
      },
      {
        key: 'day',
        names: ['day', 'date', 'weekday'],
        schema: string,
        descriptions: ['The day', 'On which day'],
      },
      {
        key: 'time',
        names: ['time', 'at', 'start'],
        schema: string,
        descriptions: ['When it starts', 'The time'],
      },
    ],
    questions: [
      'Can you add {occasion} on {day} at {time}',
      'Calendar: {occasion}, {day} at {time}',
      'I need {occasion} in the calendar on {day} at {time}',
      'Please note {occasion} on {day} at {time}',
      'Book {occasion} for {day} at {time}',
      'There is {occasion} on {day} at {time}. Please add it',
      'Schedule {occasion} for {day} at {time}',
      'Put {occasion} down for {day} at {time}',
      'Put {occasion} on {day} at {time} into my calendar',
      'Add {occasion} on {day} at {time}',
      'I have {occasion} on {day} at {time}. Note it',
      'Create an event: {occasion}, {day}, {time}',
      'Plan {occasion} for {day} at {time}',
      'Note {occasion} on {day} at {time}',
      'New appointment: {occasion} on {day} at {time}',
      'Save {occasion} for {day} at {time} in the calendar',
    ],
    fill: (random, split) => {
      const [occasion, day, time] = [
        words.occasion(random, split),
        random.pick(words.weekdays),
        words.clock(random),
      ];
      return {
        slots: { occasion, day, time },
        values: { title: occasion, day, time },
        goal: `${occasion} on ${day} at ${time}`,
        result: 'saved',
        answer: `I noted ${occasion} on ${day} at ${time}.`,
      };
    },
    errors: ['the day is full', 'no permission', 'the calendar is closed'],
  },
  {
    id: 'file',
    topic: 'files',
    tools: ['read_file', 'open_file', 'show_file', 'readFile'],
    descriptions: ['Reads a file.', 'Shows what is in a file.', 'Gives the text of a file.'],
    parameters: [
      {
        key: 'path',
        names: ['path', 'file', 'filename'],
        schema: string,
        descriptions: ['Which file', 'Path of the file'],
      },
    ],
    questions: [
      'What stands in {file}',
      'Please read {file}',
      'Can you open {file}',
      'Show the text of {file}',
      'Let me see {file}',
      'What is written in {file}',
      'I want to see {file}',
      'Print {file}',
      'What is in {file}',
      'Read {file}',
      'Show me {file}',
      'Open {file}',
      'What does {file} say',
      'Can you read the file {file}',
      'Tell me what {file} contains',
      'Have a look at {file}',
    ],
    followUp: 'And in {file}',
    fill: (random, split) => {
      const [file, text] = [words.file(random, split), words.someWords(random, split)];
      return {
        slots: { file },
        values: { path: file },
        goal: `to read ${file}`,
        result: { text },
        answer: `The file says: ${text}.`,
      };
    },
    errors: ['no such file', 'no permission', 'too large'],
  },
  {
    id: 'translation',
    topic: 'translations',
    tools: ['translate', 'translate_text', 'translation', 'to_language'],
    descriptions: ['Translates a text.', 'Says something in another language.', 'Translate into a language.'],
    parameters: [
      {
        key: 'text',
        names: ['text', 'phrase', 'source'],
        schema: string,
        descriptions: ['What to translate', 'The text'],
      },
      {
        key: 'language',
        names: ['language', 'to', 'target'],
        schema: string,
        descriptions: ['Which language', 'The language'],
      },
    ],
    questions: [
      'Can you translate {topic} into {language}',
      'Translate into {language}: {topic}',
      'How is {topic} called in {language}',
      'Please say {topic} in {language}',
      'Give me the {language} for {topic}',
      'What do they say for {topic} in {language}',
      'Tell me how to say {topic} in {language}',
      'Translate {topic} into {language}',
      'How do you say {topic} in {language}',
      'What is {topic} in {language}',
      'Say {topic} in {language}',
      'I need {topic} in {language}',
      'What is the {language} for {topic}',
      'Put {topic} into {language}',
    ],
    fill: (random, split) => {
      const topic = random.chance(0.4) ? words.clause(random, split) : words.topic(random, split);
      const [language, translated] = [random.pick(words.languages), words.someWords(random, split)];
      return {
        slots: { topic, language },
        values: { text: topic, language },
        goal: `${topic} in ${language}`,
        result: { translated },
        answer: `In ${language}: ${translated}.`,
      };
    },
    errors: ['unknown language', 'the service is down', 'too long'],
  },
  {
    id: 'light',
    topic: 'lights',
    tools: ['set_light', 'switch_light', 'light', 'setLight'],
    descriptions: ['Switches a light.', 'Turns the light of a room on or off.', 'Controls the lights.'],
    parameters: [
      {
        key: 'room',
        names: ['room', 'where', 'place'],
        schema: string,
        descriptions: ['Which room', 'The room'],
      },
      {
        key: 'on',
        names: ['on', 'state', 'enabled'],
        schema: { type: 'boolean' },
        descriptions: ['On or off', 'Whether it is on'],
      },
    ],
    questions: [
      'Please turn {state} the light in the {room}',
      'Can you switch {state} the light in the {room}',
      'Put the light {state} in the {room}',
      'The light in the {room} should be {state}',
      'Switch {state} the lights in the {room}',
      'Turn the lights {state} in the {room}',
      'I need the {room} light {state}',
      'Turn {state} the light in the {room}',
      'Switch the light in the {room} {state}',
      'Light {state} in the {room}',
      'Lights {state} in the {room}',
      'Can you turn the {room} light {state}',
      'I want the light in the {room} to be {state}',
      'Make the {room} light go {state}',
    ],
    fill: (random, split) => {
      const room = random.chance(0.7) ? random.pick(words.rooms) : `${words.madeUpWord(random, split)} room`;
      const state = random.pick(['on', 'off']);
      return {
        slots: { room, state },
        values: { room, on: state === 'on' },
        goal: `the light in the ${room} ${state}`,
        result: 'done',
        answer: `The light in the ${room} is ${state}.`,
      };
    },
    errors: ['no such room', 'the lamp is broken', 'no permission'],
  },
  {
    id: 'price',
    topic: 'prices',
    tools: ['get_price', 'stock_price', 'share_price', 'quote'],
    descriptions: ['The price of a share.', 'Looks up a stock price.', 'What a share costs.'],
    parameters: [
      {
        key: 'symbol',
        names: ['symbol', 'ticker', 'share'],
        schema: string,
        descriptions: ['Which share', 'The letters of the share'],
      },
    ],
    questions: [
      'How much does {symbol} cost',
      'Tell me the price of {symbol}',
      'What is {symbol} worth',
      'What is a share of {symbol} worth',
      'Where does {symbol} stand',
      'Can you get the price of {symbol}',
      'I want to know the price of {symbol}',
      'What is the price of {symbol}',
      'How much is a share of {symbol}',
      'Price of {symbol}',
      'What does {symbol} cost',
      'Give me the price of {symbol}',
      'How does {symbol} stand',
      'How expensive is {symbol}',
    ],
    followUp: 'And {symbol}',
    fill: (random) => {
      const symbol = words.ticker(random);
      const price = Number(`${random.between(1, 900)}.${random.between(1, 99)}`);
      return {
        slots: { symbol },
        values: { symbol },
        goal: `the price of ${symbol}`,
        result: { price },
        answer: `${symbol} stands at ${price}.`,
      };
    },
    errors: ['no such share', 'the market is closed', 'the service is down'],
  },
  {
    id: 'money',
    topic: 'money',
    tools: ['convert_money', 'convert_currency', 'exchange', 'currency'],
    descriptions: ['Converts an amount of money.', 'Converts between currencies.', 'Exchange rates.'],
    parameters: [
      {
        key: 'amount',
        names: ['amount', 'value', 'sum'],
        schema: { type: 'number' },
        descriptions: ['How much', 'The amount'],
      },
      {
        key: 'from',
        names: ['from', 'source', 'have'],
        schema: string,
        descriptions: ['Which currency it is', 'The source currency'],
      },
      {
        key: 'to',
        names: ['to', 'target', 'want'],
        schema: string,
        descriptions: ['Target currency', 'Which currency it becomes'],
      },
    ],
    questions: [
      'Can you convert {amount} {from} to {to}',
      'What do I get for {amount} {from} in {to}',
      'Turn {amount} {from} into {to}',
      'I need {to} for {amount} {from}',
      'What is {amount} {from} worth in {to}',
      '{amount} {from} in {to}',
      'Tell me how much {amount} {from} are in {to}',
      'Convert {amount} {from} to {to}',
      'How much is {amount} {from} in {to}',
      'What are {amount} {from} in {to}',
      'Change {amount} {from} into {to}',
      'I have {amount} {from}. How much is that in {to}',
      'Exchange {amount} {from} for {to}',
    ],
    fill: (random) => {
      const [from, to] = random.shuffle(words.currencies) as [string, string];
      const amount = random.between(1, 2000);
      const value = Number(`${random.between(1, 2000)}.${random.between(1, 9)}`);
      return {
        slots: { amount: String(amount), from, to },
        values: { amount, from, to },
        goal: `${amount} ${from} in ${to}`,
        result: { value },
        answer: `${amount} ${from} are ${value} ${to}.`,
      };
    },
    errors: ['unknown currency', 'the market is closed', 'too large'],
  },
];

/** Wishes that no tool of the toy's world serves. The last question of each is held out. */
export const strangers: readonly Pick<Kind, 'topic' | 'questions' | 'fill'>[] = [
  stranger('flights', 'a flight to', words.city, [
    'Book a flight to {it}',
    'I need a flight to {it}',
    'I want to fly to {it}',
    'Can you get me a flight to {it}',
    'Find me a plane to {it}',
  ]),
  stranger('trains', 'a train to', words.city, [
    'Book a train to {it}',
    'When does the next train to {it} go',
    'I need a train to {it}',
    'Which train goes to {it}',
  ]),
  stranger('hotels', 'a hotel in', words.city, [
    'Find me a hotel in {it}',
    'I need a room in {it}',
    'Book a hotel in {it}',
    'Where can I sleep in {it}',
  ]),
  stranger('taxis', 'a taxi to', words.city, [
    'Call a taxi to {it}',
    'I need a taxi to {it}',
    'Can you call me a cab to {it}',
    'Get me a cab to {it}',
  ]),
  stranger('food', 'a pizza for', words.person, [
    'Order a pizza for {it}',
    'Get a pizza for {it}',
    'Can you order a pizza for {it}',
    'A pizza for {it}',
  ]),
  stranger('music', 'music by', words.person, [
    'Play something by {it}',
    'Put on a song of {it}',
    'Play a song by {it}',
    'I want to hear {it}',
  ]),
  stranger('calls', 'to call', words.person, [
    'Call {it}',
    'Phone {it}',
    'Can you call {it}',
    'Give {it} a call',
  ]),
  stranger('pictures', 'a picture of', words.topic, [
    'Draw {it}',
    'Paint {it} for me',
    'Make a picture of {it}',
    'Can you draw {it}',
  ]),
  stranger('shopping', 'to buy', words.topic, [
    'Buy {it}',
    'Order {it} for me',
    'Put {it} on my shopping list',
    'I want to buy {it}',
  ]),
];

function stranger(
  topic: string,
  goal: string,
  say: (random: Random, split: Split) => string,
  questions: readonly string[],
): Pick<Kind, 'topic' | 'questions' | 'fill'> {
  const fill = (random: Random, split: Split): Filling => {
    const it = say(random, split);
    return { slots: { it }, values: {}, goal: `${goal} ${it}`, result: '', answer: '' };
  };
  return { topic, questions, fill };
}

/** Small talk: what may be said, and the toy's one answer to it. */
export const smallTalk: readonly {
  readonly said: readonly string[];
  readonly thought: string;
  readonly answer: string;
}[] = [
  {
    said: ['Hello', 'Hi', 'Hi there', 'Good morning', 'Hey', 'Good evening'],
    thought: 'The user says hello.',
    answer: 'Hello! What can I do for you?',
  },
  {
    said: ['Thank you', 'Thanks', 'Thanks a lot', 'Great, thank you', 'Perfect'],
    thought: 'The user says thanks.',
    answer: 'You are welcome!',
  },
  {
    said: ['Who are you', 'What are you', 'Are you a robot', 'What is your name'],
    thought: 'The user asks who I am.',
    answer: 'I am a toy model. I know a few tools.',
  },
  {
    said: ['How are you', 'How do you do', 'Are you well'],
    thought: 'The user asks how I am.',
    answer: 'I am fine, thank you.',
  },
  {
    said: ['Goodbye', 'Bye', 'See you', 'Good night'],
    thought: 'The user says goodbye.',
    answer: 'Goodbye!',
  },
  {
    said: ['Tell me a joke', 'Do you know a joke', 'Make me laugh'],
    thought: 'The user wants a joke.',
    answer: 'A toy model walks into a bar. It has no tool for that.',
  },
  {
    said: ['What can you do', 'How can you help me', 'What do you know'],
    thought: 'The user asks what I can do.',
    answer: 'I call the tools that I am given.',
  },
  {
    said: ['I am tired', 'I feel sad', 'I am bored'],
    thought: 'The user tells how it is.',
    answer: 'I am sorry to hear that.',
  },
  { said: ['You are great', 'Well done', 'Nice work'], thought: 'The user is kind.', answer: 'Thank you!' },
];

/** Tools that nobody asks for: they only stand in the way. */
export const bystanders: readonly {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly string[];
}[] = [
  { name: 'list_users', description: 'Lists the users.', parameters: ['limit'] },
  { name: 'delete_record', description: 'Deletes a record.', parameters: ['id'] },
  { name: 'get_status', description: 'The status of the system.', parameters: [] },
  { name: 'draw_chart', description: 'Draws a chart of data.', parameters: ['title', 'data'] },
  { name: 'run_query', description: 'Runs a query on the database.', parameters: ['sql'] },
  { name: 'echo', description: 'Says the input again.', parameters: ['input'] },
  { name: 'resize_image', description: 'Changes the size of an image.', parameters: ['width', 'height'] },
];
