/** Breaks streamed text between words, so that a narrow terminal does not break it within them. */

/** Writes text in a frame of some columns. */
export interface WrappedOutput {
  /** Writes text; its last word waits until it is complete. `paint` colours it. */
  readonly write: (text: string, paint?: Paint) => void;
  /** Writes what waits. */
  readonly flush: () => void;
  /** Begins a new line. */
  readonly newLine: () => void;
}

type Paint = (text: string) => string;

const plain: Paint = (text) => text;

/** Lines go on under `indent` spaces. `columns` is asked at every word, because a terminal may be resized. */
export function wrappedOutput(
  write: (text: string) => void,
  columns: () => number,
  indent = 2,
): WrappedOutput {
  let column = 0;
  let waiting = '';
  let painted = plain;
  const put = (word: string): void => {
    const width = [...word].length;
    const fits = column + width <= Math.max(columns() - 1, 2 * indent);
    if (!fits && column > indent) {
      write(`\n${' '.repeat(indent)}`);
      column = indent;
    }
    const shown = fits ? word : word.trimStart();
    column += [...shown].length;
    write(painted(shown));
  };
  const flush = (): void => {
    if (waiting !== '') put(waiting);
    waiting = '';
  };
  return {
    flush,
    write(text, paint = plain) {
      if (paint !== painted) flush();
      painted = paint;
      const words = (waiting + text).match(/\s*\S+|\s+$/g) ?? [];
      waiting = words.pop() ?? '';
      for (const word of words) put(word);
    },
    newLine() {
      flush();
      write('\n');
      column = 0;
    },
  };
}

/** A text in lines of at most `columns`, each after `indent` spaces. */
export function wrapText(text: string, columns: number, indent = 2): string {
  let wrapped = ' '.repeat(indent);
  const output = wrappedOutput(
    (part) => {
      wrapped += part;
    },
    () => columns - indent,
    indent,
  );
  output.write(text);
  output.flush();
  return wrapped;
}
