/** Shows an answer as it arrives: thoughts dimmed, calls and their results on separate lines. */
import pc from 'picocolors';
import type { RunFinish, ToolRunEvent } from '../../runtime/chat/tool-loop/run-events.ts';
import { terminalText } from '../terminal-text.ts';

/** Shows the events of one answer. */
interface ChatView {
  show(event: ToolRunEvent): void;
  /** Ends the current line. */
  end(): void;
}

/** How much of a result is shown; the model reads all of it. */
const shownLength = 500;

/** A view that writes through `write`. */
export function createChatView(write: (text: string) => void): ChatView {
  let column = 0;
  let answered = false;
  const put = (text: string, paint: (text: string) => string = (each) => each): void => {
    if (text === '') return;
    column = text.endsWith('\n') ? 0 : 1;
    // Line by line, so that a colour never extends over the end of a line.
    write(
      terminalText(text)
        .split('\n')
        .map((line) => (line === '' ? '' : paint(line)))
        .join('\n'),
    );
  };
  const end = (): void => put(column === 0 ? '' : '\n');
  return {
    end,
    show(event) {
      switch (event.type) {
        case 'reasoning-start':
        case 'text-start':
        case 'reasoning-end':
        case 'text-end':
          return end();
        case 'reasoning-delta':
          return put(event.delta, pc.dim);
        case 'text-delta':
          answered ||= event.delta.trim() !== '';
          return put(event.delta);
        case 'tool-input-start':
          end();
          return put(`→ ${event.toolName} `, pc.cyan);
        case 'tool-input-delta':
          return put(event.delta, pc.cyan);
        case 'tool-input-end':
          return end();
        case 'tool-result':
          end();
          return put(`← ${event.toolName} ${shorten(event.content)}\n`, pc.green);
        case 'tool-error':
          end();
          return put(`← ${event.toolName} ${shorten(event.content)}\n`, pc.red);
        case 'malformed':
          end();
          return put(`! ${event.reason}: ${shorten(event.raw)}\n`, pc.yellow);
        case 'repaired':
          end();
          return put(`! repaired: ${event.detail}\n`, pc.yellow);
        case 'possible-call':
          return put(`! this looks like a call of ${event.toolName}\n`, pc.yellow);
        case 'finish':
          end();
          return event.reason === 'length'
            ? put('(cut short: the limit of tokens is reached)\n', pc.yellow)
            : undefined;
        case 'run-finish':
          if (event.reason === 'length' || (event.reason === 'answer' && answered)) return;
          return put(`(${unfinished(event.reason, event.steps)})\n`, pc.yellow);
      }
    },
  };
}

function unfinished(reason: Exclude<RunFinish['reason'], 'length'>, steps: number): string {
  if (reason === 'answer') return 'it ended without an answer';
  if (reason === 'step-limit') return `stopped after ${steps} rounds of calls`;
  if (reason === 'repeated-calls')
    return 'stopped: it makes the same call again and again, and has its result';
  return 'it called a tool that is not here';
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= shownLength ? line : `${line.slice(0, shownLength)}…`;
}
