/** The demo: what it claims of the toy holds, and its conversation survives whatever is typed. */
import fs from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { connectEngine } from 'idiolect/engine';
import { toyEngine } from 'idiolect/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { converse } from '../../examples/demo/converse.ts';
import { judgeCopies } from '../../examples/demo/copies.ts';
import { printCopies } from '../../examples/demo/print.ts';
import { narrowings, toolWith } from '../../examples/demo/toy.ts';
import { wrappedOutput } from '../../examples/demo/wrap.ts';
import type { LineInput } from '../../src/cli/chat/line-input.ts';
import type { AssistantMessage, Message } from '../../src/format/messages.ts';

afterEach(() => vi.restoreAllMocks());

const toy = await connectEngine(await toyEngine());

describe.each(narrowings)('$question', ({ question, name, description, free, known, meant }) => {
  const ask = async (properties: object): Promise<unknown> => {
    const tools = [toolWith(name, description, properties)];
    const messages = [{ role: 'user', content: question }] as const;
    const { tool_calls: calls = [] } = await toy.chat({ messages, tools, maxTokens: 300 }).message;
    return JSON.parse(calls[0]?.function.arguments ?? 'null');
  };
  const fits = new Ajv({ strict: false }).compile(
    toolWith(name, description, known).function.parameters ?? true,
  );

  test('left free, the toy writes a call that the program cannot use', async () => {
    expect(fits(await ask(free))).toBe(false);
  });

  test('enforced, it writes the call that was meant', async () => {
    expect(await ask(known)).toEqual(meant);
  });
});

test('the program of the README ends as its comment says', async () => {
  const readme = fs.readFileSync(path.join(import.meta.dirname, '../../README.md'), 'utf8');
  const result = /execute: \(\) => \((\{.*\})\),/
    .exec(readme)?.[1]
    ?.replace(/(\w+):/g, '"$1":')
    .replaceAll("'", '"');
  const question = /content: '([^']+)'/.exec(readme)?.[1] ?? '';
  const [, answer] = /\.content\); \/\/ (.+)/.exec(readme) ?? [];
  const weather = {
    ...toolWith('get_weather', 'The weather in a city.', { city: { type: 'string' } }).function,
    execute: () => JSON.parse(result ?? 'null'),
  };
  const run = toy.runTools({ messages: [{ role: 'user', content: question }], tools: [weather] });
  expect((await run.message).content).toBe(answer);
});

describe('the tick', () => {
  const question: Message = { role: 'user', content: 'How is the weather in Bern?' };
  const call = (city: string): AssistantMessage => ({
    role: 'assistant',
    content: '',
    tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: JSON.stringify({ city }) } }],
  });
  const result: Message = { role: 'tool', tool_call_id: '1', content: '{"degrees":13}' };
  const says = (content: string): Message => ({ role: 'assistant', content });

  test.each([
    ['what was copied', [question, call('Bern'), result, says('It is 13.')], '✓'],
    ['a refusal, which there is nothing to check of', [question, says('I have no tool for that.')], '–'],
    ['a city that nobody named', [question, call('Oslo'), result, says('It is 13.')], '✗'],
    ['a figure that nobody named', [question, call('Bern'), result, says('It is 31.')], '✗'],
    ['an earlier call', [question, call('Bern'), result, says('It is 13.'), question, says('No.')], '–'],
  ] as const)('%s', (_, messages, sign) => {
    expect(
      screenOf(() => printCopies(judgeCopies(messages)))
        .trim()
        .charAt(0),
    ).toBe(sign);
  });
});

function screenOf(act: () => void): string {
  let screen = '';
  vi.spyOn(console, 'log').mockImplementation((line = '') => {
    screen += `${stripVTControlCharacters(String(line))}\n`;
  });
  act();
  return screen;
}

test('no line is longer than the terminal, no word is cut, and no word is lost', () => {
  const word = fc.stringMatching(/^[a-z{}":,]{1,12}$/);
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 60 }),
      fc.integer({ min: 20, max: 60 }),
      fc.integer({ min: 1, max: 9 }),
      (words, columns, piece) => {
        let screen = '';
        const output = wrappedOutput(
          (text) => {
            screen += text;
          },
          () => columns,
        );
        const text = words.join(' ');
        for (let at = 0; at < text.length; at += piece) output.write(text.slice(at, at + piece));
        output.newLine();
        const lines = screen.split('\n');
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(columns);
        expect(screen.split(/\s+/).filter(Boolean)).toEqual(words);
      },
    ),
  );
});

/** Lines as if they were piped in; `onListen` is what happens while an answer is written. */
function lines(
  texts: readonly string[],
  onListen: (interrupt: () => void) => void = () => undefined,
): LineInput {
  const rest = [...texts];
  return {
    isInteractive: false,
    next: async () => rest.shift() ?? null,
    listen(interrupt) {
      onListen(interrupt);
      return () => undefined;
    },
    close: () => rest.splice(0),
  };
}

describe('the conversation', () => {
  const silence = (): string[] => {
    const shown: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => shown.push(String(text)) > 0);
    vi.spyOn(console, 'log').mockImplementation((line = '') => void shown.push(`${line}\n`));
    return shown;
  };
  const nonsense = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
    fc.constantFrom(
      '<tool_call>',
      '<think>',
      '<|im_end|>',
      '{"name": "',
      'שלום עולם',
      '你好，天气怎么样？',
      '/new',
      '/help',
    ),
  );

  test('goes on after anything that is typed, to the end', async () => {
    silence();
    // Longer than the context, which is told before anything is evaluated.
    const endless = 'How is the weather in Bern and '.repeat(1000);
    const typed = [...fc.sample(nonsense, 3), endless].filter((line) => line.trim() !== '');
    let asked = 0;
    const model: Pick<typeof toy, 'runTools'> = {
      runTools: (options) => {
        asked += 1;
        return toy.runTools({ ...options, maxTokens: 20 });
      },
    };
    await converse(model, { remembered: 1, input: lines([...typed, 'How is the weather in Bern?']) });
    expect(asked).toBe(typed.filter((line) => !/^\/\w+$/.test(line.trim())).length + 1);
  }, 60_000);

  test('forgets a question whose answer was interrupted, and goes on', async () => {
    const shown = silence();
    const given: (readonly Message[])[] = [];
    let first = true;
    const input = lines(['How is the weather in Bern?', 'And in Oslo?'], (interrupt) => {
      if (first) queueMicrotask(interrupt);
      first = false;
    });
    const model: Pick<typeof toy, 'runTools'> = {
      runTools: (options) => {
        given.push(options.messages);
        return toy.runTools(options);
      },
    };
    await converse(model, { remembered: 2, input });
    expect(given.map((messages) => messages.length)).toEqual([1, 1]);
    expect(stripVTControlCharacters(shown.join(''))).toContain('stopped; this question is forgotten');
  });
});
