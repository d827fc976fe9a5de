/** Reads lines that are typed or piped in. */
import readline from 'node:readline';

/** A source of lines. */
export interface LineInput {
  readonly isInteractive: boolean;
  /** The next line; `null` at the end, or after Ctrl-C or Ctrl-D. */
  next(): Promise<string | null>;
  /**
   * Until the returned function is called, Ctrl-C calls `interrupt`. What is typed meanwhile is not echoed into the
   * answer, and begins the next line, or, with Ctrl-D, is the end.
   */
  listen(interrupt: () => void): () => void;
  close(): void;
}

/** Standard input: in a terminal a prompt with history, otherwise plain lines. */
export function openLineInput(prompt: string): LineInput {
  return process.stdin.isTTY && process.stdout.isTTY ? terminalInput(prompt) : pipedInput();
}

/** Asks with an interface of its own for each line, so that nothing is read or echoed at other times. */
function terminalInput(prompt: string): LineInput {
  const { stdin, stdout } = process;
  let history: string[] = [];
  let typed = '';
  let hasEnded = false;
  return {
    isInteractive: true,
    close: () => undefined,
    listen(interrupt) {
      const release = onSignal(interrupt);
      const decoder = new TextDecoder();
      const read = (keys: Buffer): void => {
        const text = decoder.decode(keys, { stream: true });
        if (text.includes(ctrlC)) interrupt();
        if (hasEnded) return;
        const [before = '', ...after] = text.split(ctrlD);
        typed += before.replace(unprintable, '');
        // As everywhere, it ends the input at the beginning of a line.
        hasEnded = after.length > 0 && /(?:^|[\r\n])$/.test(typed);
        if (!hasEnded) typed += after.join('').replace(unprintable, '');
      };
      // Without raw mode, the terminal would echo what is typed.
      stdin.setRawMode(true);
      stdin.on('data', read).resume();
      return () => {
        stdin.off('data', read).pause();
        stdin.setRawMode(false);
        release();
      };
    },
    next: () =>
      new Promise((resolve) => {
        const [line, ...more] = typed.split(/\r\n?|\n/);
        if (more.length > 0) {
          typed = more.join('\n');
          stdout.write(`${prompt}${line}\n`);
          resolve(line ?? null);
          return;
        }
        if (hasEnded) {
          stdout.write('\n');
          resolve(null);
          return;
        }
        const asking = readline.createInterface({ input: stdin, output: stdout, history });
        asking.on('history', (lines) => {
          history = [...lines];
        });
        asking.on('SIGINT', () => asking.close());
        let answer: string | null = null;
        asking.on('close', () => {
          if (answer === null) stdout.write('\n');
          resolve(answer);
        });
        asking.question(prompt, (answered) => {
          answer = answered;
          asking.close();
        });
        asking.write(typed);
        typed = '';
      }),
  };
}

const ctrlC = '\u0003';
const ctrlD = '\u0004';

/** Keys that are no text: escape sequences, and controls other than the end of a line. */
const unprintable = new RegExp(
  `${String.fromCharCode(27)}(?:\\[[\\d;]*[A-Za-z~]|O[A-Z])?|(?![\\r\\n])\\p{Cc}`,
  'gu',
);

function onSignal(interrupt: () => void): () => void {
  process.on('SIGINT', interrupt);
  return () => void process.off('SIGINT', interrupt);
}

function pipedInput(): LineInput {
  const reading = readline.createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  const lines = reading[Symbol.asyncIterator]();
  return {
    isInteractive: false,
    close: () => reading.close(),
    listen: onSignal,
    async next() {
      const { done, value } = await lines.next();
      return done === true ? null : value;
    },
  };
}
