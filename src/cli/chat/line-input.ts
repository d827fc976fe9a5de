/** Reads lines that are typed or piped in. */
import readline from 'node:readline';

/** A source of lines. */
export interface LineInput {
  readonly isInteractive: boolean;
  /** The next line; `null` at the end, or after Ctrl-C or Ctrl-D. */
  next(): Promise<string | null>;
  close(): void;
}

/** Standard input: in a terminal a prompt with history, otherwise plain lines. */
export function openLineInput(prompt: string): LineInput {
  return process.stdin.isTTY && process.stdout.isTTY ? terminalInput(prompt) : pipedInput();
}

/** Listens only while it asks, so that Ctrl-C is a signal to the program at other times. */
function terminalInput(prompt: string): LineInput {
  let history: string[] = [];
  return {
    isInteractive: true,
    close: () => undefined,
    next: () =>
      new Promise((resolve) => {
        const asking = readline.createInterface({ input: process.stdin, output: process.stdout, history });
        asking.on('history', (lines) => {
          history = [...lines];
        });
        asking.on('SIGINT', () => asking.close());
        let answer: string | null = null;
        asking.on('close', () => {
          if (answer === null) process.stdout.write('\n');
          resolve(answer);
        });
        asking.question(prompt, (line) => {
          answer = line;
          asking.close();
        });
      }),
  };
}

function pipedInput(): LineInput {
  const reading = readline.createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  const lines = reading[Symbol.asyncIterator]();
  return {
    isInteractive: false,
    close: () => reading.close(),
    async next() {
      const { done, value } = await lines.next();
      return done === true ? null : value;
    },
  };
}
