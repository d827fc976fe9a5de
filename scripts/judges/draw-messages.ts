/** Messages of which responses are written: those with values that notations trip over, and any number at random. */
import type { AssistantMessage, JsonObject } from '../../src/format/messages.ts';
import { type Random, seededRandom } from '../../test/support/sample-grammar.ts';

/** A message with the name of its kind. */
export type NamedMessage = readonly [name: string, message: AssistantMessage];

const hardTexts = [
  'Oslo',
  'Zürich 日本 🙂',
  'say "hi" and \'bye\'',
  'C:\\dir\\new',
  'line 1\nline 2\n\n  indented\n',
  '\n  x',
  ' a ',
  'def f(x):\n    return {"a": [x, \'b\']}  # <b> & {c}\n',
  '<div class="a">&amp; <b>x</b></div>',
  '{"k": [1, 2, {"x": null}]}',
  '12345',
  'true',
  'null',
  '',
  '}{][',
  'a, b=c; d: e',
  'a\tb',
  '</x>',
  '```js\nx\n```',
  "it's",
  '\\n',
  '%d %s',
  '1e5',
  '-',
  '0',
  'None',
  'a|b',
  '$x',
  '#1',
  '=',
  ':',
  '@',
  "''",
  '""',
  '\\',
  '/',
  '[1]',
  '(a)',
];
const hardObjects: readonly JsonObject[] = [
  { n: 1.5, i: -3 },
  { n: 1e-7, i: 0 },
  { b: true, s: 'x' },
  { b: false },
  { a: [1, 2, 3] },
  { a: [], o: {} },
  { o: { k: 'v "q"', v: ['a', 'b\n'] } },
  { z: null, s: 'x' },
  { i: 1234567890123 },
  { n: -0.5 },
  { s: 'x', n: 2.25, i: 4, b: true, a: [5], o: { k: 'y', v: [] } },
  { o: { k: '', v: ['', ' '] } },
  { a: [-1, 0] },
];
const texts = ['Hello!', 'It is **sunny**.\n\n- 20 °C', 'In JSON: {"a": 1} and [x] <b>y</b>.', 'Two\nlines.'];
const thoughts = ['Hm.', 'First.\n\nThen {"x": 1}.', 'I need <b>it</b>.'];

type Call = NonNullable<AssistantMessage['tool_calls']>[0];
let calls = 0;

function call(name: string, args: JsonObject): Call {
  calls += 1;
  return {
    id: `abcdefg${10 + (calls % 80)}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  };
}

const weather = (city: string, days = 3) => call('get_weather', { city, days });

function answer(content: string, made: readonly Call[] = [], thought?: string): AssistantMessage {
  return {
    role: 'assistant',
    content,
    ...(made.length === 0 ? {} : { tool_calls: made }),
    ...(thought === undefined ? {} : { reasoning_content: thought }),
  };
}

/** One message for each hard value, and for each way to combine thoughts, text and calls. */
export function hardMessages(): readonly NamedMessage[] {
  return [
    ...texts.map((text): NamedMessage => ['text', answer(text)]),
    ...thoughts.map((thought): NamedMessage => ['thoughts, text', answer('Done.', [], thought)]),
    ...hardTexts.map((text, at): NamedMessage => [`text ${at}`, answer('', [weather(text)])]),
    ...hardTexts
      .slice(4, 12)
      .map(
        (content, at): NamedMessage => [
          `file ${at}`,
          answer('', [call('write_file', { path: 'a.txt', content })]),
        ],
      ),
    ...hardObjects.map((args, at): NamedMessage => [`values ${at}`, answer('', [call('set_all', args)])]),
    ['no arguments', answer('', [call('ping', {})])],
    ['two', answer('', [weather('Oslo'), weather('Rome', 2)])],
    [
      'three',
      answer('', [weather('Oslo'), call('ping', {}), call('write_file', { path: 'x', content: 'y\nz' })]),
    ],
    ['two without arguments', answer('', [call('ping', {}), call('ping', {})])],
    ['text, call', answer('Let me check.', [weather('Oslo')])],
    ['text, two', answer('Let me\ncheck.', [weather('Oslo'), weather('Bern', 2)])],
    ['thoughts, call', answer('', [weather('Oslo')], 'I need the weather.')],
    ['thoughts, text, call', answer('Checking.', [weather('Oslo')], 'I need it.')],
    ['thoughts, two', answer('', [weather('Oslo'), weather('Bern', 2)], 'Two\nlines')],
  ];
}

/** `count` messages in which everything that `hardMessages` varies is drawn: other ones for each seed. */
export function drawnMessages(seed: number, count: number): readonly NamedMessage[] {
  const draw = new Draw(seededRandom(seed));
  return Array.from({ length: count }, (_, index): NamedMessage => [`drawn ${index}`, draw.message()]);
}

class Draw {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  message(): AssistantMessage {
    const made = Array.from({ length: this.#pick([0, 1, 1, 1, 2, 3]) }, () => this.#call());
    const content = made.length > 0 && this.#pick([true, false]) ? '' : this.#pick(texts);
    return answer(content, made, this.#pick([undefined, this.#pick(thoughts)]));
  }

  #call(): Call {
    switch (this.#pick(['get_weather', 'set_all', 'set_all', 'ping', 'write_file'] as const)) {
      case 'get_weather':
        return weather(this.#text(), this.#integer());
      case 'write_file':
        return call('write_file', { path: this.#text(), content: this.#text() });
      case 'ping':
        return call('ping', {});
      default:
        return call('set_all', this.#values());
    }
  }

  /** Arguments of `set_all`: some of them, in any order. */
  #values(): JsonObject {
    const all: JsonObject = {
      s: this.#text(),
      n: this.#pick([0.1, -2.5, 1e-9, 123456.75, 0, 1e21]),
      i: this.#integer(),
      b: this.#pick([true, false]),
      a: Array.from({ length: this.#pick([0, 1, 3]) }, () => this.#integer()),
      o: { k: this.#text(), v: Array.from({ length: this.#pick([0, 1, 2]) }, () => this.#text()) },
      // A text that spells null would be one, wherever types are not marked.
      z: this.#pick([null, `a ${this.#text()}`]),
    };
    const keys = Object.keys(all).filter(() => this.#random() < 0.4);
    const order = new Map(keys.map((key) => [key, this.#random()]));
    keys.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
    return Object.fromEntries(keys.map((key) => [key, all[key] ?? null]));
  }

  #text(): string {
    return Array.from({ length: this.#pick([1, 1, 2, 3]) }, () => this.#pick(hardTexts)).join(
      this.#pick(['', ' ', '\n']),
    );
  }

  #integer(): number {
    return this.#pick([0, 7, -12, 2_000_000, 1_234_567_890_123]);
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item;
  }
}
