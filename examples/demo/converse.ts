/** `npm run demo -- --chat`: a conversation in the terminal, with tools whose results are made up. */
import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline/promises';
import type { ChatModel } from 'idiolect/node-llama-cpp';
import type { Message } from '../../src/format/messages.ts';
import { calculate, getWeather, sendMessage, setTimer } from '../support/toy-tools.ts';
import { inventions } from './copies.ts';
import { printCopies, printRun, say } from './print.ts';

const tools = [getWeather, calculate, setTimer, sendMessage] as const;

/**
 * Asks and answers until an empty line or the end of the input. `remembered`: the questions before the present one
 * that the model is told of, with all that came of them.
 */
export async function converse(model: ChatModel, remembered: number): Promise<void> {
  say('\n  Tools: the weather in a city, sums of two numbers, timers, messages. An empty line ends it.');
  if (Number.isFinite(remembered)) say('  The toy remembers the question before, no more.');
  const terminal = createInterface({ input: stdin, output: stdout, prompt: '\n› ' });
  let messages: readonly Message[] = [];
  terminal.prompt();
  for await (const line of terminal) {
    if (line.trim() === '') break;
    const run = model.runTools({
      messages: [...latest(messages, remembered), { role: 'user', content: line.trim() }],
      tools,
      maxSteps: 4,
      maxTokens: 300,
    });
    await printRun(null, run);
    messages = await run.messages;
    printCopies(inventions(messages));
    terminal.prompt();
  }
  terminal.close();
}

function latest(messages: readonly Message[], questions: number): readonly Message[] {
  const begins = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  return messages.slice(begins.at(-questions));
}
