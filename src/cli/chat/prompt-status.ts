/** Shows on one line of a terminal how much of a prompt is read, until the answer begins. */
import pc from 'picocolors';
import type { PromptProgress } from '../../runtime/chat/chat-options.ts';

/** The line. */
interface PromptStatus {
  readonly show: (progress: PromptProgress) => void;
  readonly clear: () => void;
}

/** Back to the beginning of the line, and clears it. */
const clearLine = '\r\u001b[K';

/** Nothing is shown without a terminal, where lines cannot be erased. */
export function promptStatus(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
): PromptStatus {
  let isShown = false;
  const clear = (): void => {
    if (isShown) stream.write(clearLine);
    isShown = false;
  };
  return {
    clear,
    show({ evaluated, total }) {
      clear();
      if (evaluated >= total || !stream.isTTY) return;
      stream.write(pc.dim(`reading ${evaluated} of ${total} tokens …`));
      isShown = true;
    },
  };
}
