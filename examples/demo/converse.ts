/** `npm run demo -- --chat`: a conversation in the terminal, with tools whose results are made up. */
import type { ChatModel } from 'idiolect/node-llama-cpp';
import { type LineInput, openLineInput } from '../../src/cli/chat/line-input.ts';
import type { Message } from '../../src/format/messages.ts';
import { calculate, getWeather, sendMessage, setTimer } from '../support/toy-tools.ts';
import { judgeCopies } from './copies.ts';
import { printCopies, printRun, printTrouble, say, sayText } from './print.ts';

const tools = [getWeather, calculate, setTimer, sendMessage] as const;

/** What a conversation needs. */
export interface Conversation {
  /** The questions before the present one that the model is told of, with all that came of them. */
  readonly remembered: number;
  /** Default: the terminal, or what is piped in. */
  readonly input?: LineInput;
}

/** Asks and answers until an empty line, `/quit` or the end of the input. No question ends it, whatever comes of it. */
export async function converse(
  model: Pick<ChatModel, 'runTools'>,
  { remembered, input = openLineInput('› ') }: Conversation,
): Promise<void> {
  sayText('Tools: the weather in a city, sums of two numbers, timers, messages.');
  sayText('/new forgets what was said; an empty line or /quit ends it; Ctrl-C stops an answer.');
  if (Number.isFinite(remembered)) sayText('The toy remembers the question before, no more.');
  let messages: readonly Message[] = [];
  try {
    for (let line = await nextLine(input); line !== null; line = await nextLine(input)) {
      if (line === '/quit' || line === '/exit') return;
      if (line === '/new') messages = [];
      else if (/^\/\w+$/.test(line)) sayText('There are /new and /quit.');
      else
        messages = await ask(
          model,
          [...latest(messages, remembered), { role: 'user', content: line }],
          input,
        );
    }
  } finally {
    input.close();
  }
}

/** `null` at the end, which an empty line is, too. */
async function nextLine(input: LineInput): Promise<string | null> {
  say();
  const line = (await input.next())?.trim() ?? '';
  return line === '' ? null : line;
}

/** The conversation with the answer; without the question if there is none. */
async function ask(
  model: Pick<ChatModel, 'runTools'>,
  messages: readonly Message[],
  input: LineInput,
): Promise<readonly Message[]> {
  const stop = new AbortController();
  const release = input.listen(() => (stop.signal.aborted ? process.exit(130) : stop.abort()));
  try {
    const run = model.runTools({ messages, tools, maxSteps: 4, maxTokens: 300, signal: stop.signal });
    await printRun(null, run);
    const answered = await run.messages;
    printCopies(judgeCopies(answered));
    return answered;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    printTrouble(stop.signal.aborted ? 'stopped; this question is forgotten' : reason);
    return messages.slice(0, -1);
  } finally {
    release();
  }
}

function latest(messages: readonly Message[], questions: number): readonly Message[] {
  const begins = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  return messages.slice(begins.at(-questions));
}
