/** What the trained toy shows: a tool called and its result told in words, and a schema that it would break. */
import type { ChatModel } from 'idiolect/node-llama-cpp';
import type { Tool } from '../../src/format/messages.ts';
import { calculate, getWeather, sendMessage, setTimer } from '../support/toy-tools.ts';
import { inventions } from './copies.ts';
import { printCopies, printPrompt, printResponse, printRun, printVerdict, say } from './print.ts';

/** A question under `auto`, then two schemas for one call. */
export async function showToy(model: ChatModel, question: string): Promise<void> {
  const request = {
    messages: [{ role: 'user', content: question }],
    tools: [calculate, getWeather, setTimer, sendMessage],
  } as const;
  printPrompt(model.preview(request));
  const run = model.runTools({ ...request, maxSteps: 4, maxTokens: 300 });
  await printRun(question, run);
  printCopies(inventions(await run.messages));
  await showSchemas(model);
}

/** The same question twice. Nothing is wrong with 90 minutes until a schema says that 60 is the most. */
async function showSchemas(model: ChatModel): Promise<void> {
  const question = 'Set a timer for 90 minutes';
  for (const most of [undefined, 60]) {
    const tools = [timerUpTo(most)];
    const started = performance.now();
    const stream = model.chat({ messages: [{ role: 'user', content: question }], tools, maxTokens: 300 });
    const limit = most === undefined ? 'minutes is an integer' : `minutes is at most ${most}`;
    await printResponse(`${question} · its schema says: ${limit}`, stream);
    printVerdict(await stream.message, { tools, milliseconds: performance.now() - started });
  }
  say(
    '  The grammar kept the second call within its schema. It cannot know what else the user may have meant.',
  );
}

function timerUpTo(maximum: number | undefined): Tool {
  const minutes = { type: 'integer', ...(maximum !== undefined && { maximum }) };
  const parameters = {
    type: 'object',
    properties: { minutes },
    required: ['minutes'],
    additionalProperties: false,
  };
  return { type: 'function', function: { name: 'set_timer', description: 'Sets a timer.', parameters } };
}
