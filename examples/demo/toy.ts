/** What the trained toy shows: a tool called and its result told in words, and a schema that it would break. */
import type { ChatModel } from 'idiolect/node-llama-cpp';
import type { JsonSchema, Tool } from '../../src/format/messages.ts';
import { calculate, getWeather, sendMessage, setTimer } from '../support/toy-tools.ts';
import { judgeCopies } from './copies.ts';
import { printCopies, printPrompt, printResponse, printRun, printVerdict, sayText } from './print.ts';

/** A question under `auto`, then two schemas for one call. */
export async function showToy(model: ChatModel, question: string): Promise<void> {
  const request = {
    messages: [{ role: 'user', content: question }],
    tools: [calculate, getWeather, setTimer, sendMessage],
  } as const;
  printPrompt(model.preview(request));
  const run = model.runTools({ ...request, maxSteps: 4, maxTokens: 300 });
  await printRun(question, run);
  printCopies(judgeCopies(await run.messages));
  await showSchemas(model);
}

/**
 * Each question twice: first the tool takes any text and the toy writes what it thinks of, then it is enforced that the
 * value is one of those that the program knows. Both calls are judged by the second schema.
 */
async function showSchemas(model: ChatModel): Promise<void> {
  for (const { question, name, description, free, known } of narrowings) {
    const tool = (properties: object): Tool => toolWith(name, description, properties);
    const enforced = tool(known);
    for (const [limit, offered] of [
      ['any value', tool(free)] as const,
      ['a known value', enforced] as const,
    ]) {
      const started = performance.now();
      const request = {
        messages: [{ role: 'user', content: question }],
        tools: [offered],
        maxTokens: 300,
      } as const;
      const stream = model.chat(request);
      await printResponse(`${question} · its schema says: ${limit}`, stream);
      const milliseconds = performance.now() - started;
      printVerdict(await stream.message, { tools: [enforced], milliseconds });
    }
  }
  sayText(
    'The program knows addresses and switches; the toy knows people, and true and false. The grammar leaves it the choice among what fits, and it chooses what was meant.',
  );
}

/** Where the grammar helps: the toy means the right thing, and spells it in a way that the program cannot use. */
export const narrowings = [
  {
    question: 'Tell Anna that I am late',
    name: 'send_message',
    description: 'Sends a message to a person.',
    free: { to: { type: 'string' }, text: { type: 'string' } },
    known: {
      to: { enum: ['anna@example.org', 'ben@example.org', 'clara@example.org'] },
      text: { type: 'string' },
    },
    meant: { to: 'anna@example.org', text: 'I am late' },
  },
  {
    question: 'Turn off the light in the kitchen',
    name: 'set_light',
    description: 'Switches a light.',
    free: { room: { type: 'string' }, state: {} },
    known: { room: { type: 'string' }, state: { enum: ['ON', 'OFF'] } },
    meant: { room: 'kitchen', state: 'OFF' },
  },
] as const;

/** A tool all of whose parameters are required. */
export function toolWith(name: string, description: string, properties: object): Tool {
  const required = Object.keys(properties);
  const parameters = { type: 'object', properties: { ...properties }, required, additionalProperties: false };
  return { type: 'function', function: { name, description, parameters: parameters as JsonSchema } };
}
