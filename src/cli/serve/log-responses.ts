/** What `--log-level debug` shows of responses: prompts, and all that the models write. */
import { subscribe } from 'node:diagnostics_channel';
import pc from 'picocolors';
import type { ResponseEnded, ResponseStarted } from '../../runtime/chat/response-channel.ts';
import { terminalText } from '../terminal-text.ts';

/** Writes them, as long as the process runs: for people, or as JSON on lines. */
export function logResponses(write: (text: string) => void, json: boolean): void {
  subscribe('idiolect:response:start', (message) => {
    const { id, prompt } = message as ResponseStarted;
    write(json ? line({ type: 'prompt', id, prompt }) : shown(`prompt ${id}`, prompt ?? 'none'));
  });
  subscribe('idiolect:response:end', (message) => {
    const { id, text, message: read, usage, error } = message as ResponseEnded;
    const reason = error === null ? null : String(error);
    if (json) return write(line({ type: 'response', id, text, message: read, usage, error: reason }));
    write(shown(`written ${id}`, text));
    write(shown(`read ${id}`, reason ?? JSON.stringify(read)));
  });
}

function line(fields: object): string {
  return `${JSON.stringify({ time: new Date().toISOString(), ...fields })}\n`;
}

function shown(title: string, text: string): string {
  return `${pc.bold(title)}\n${terminalText(text)}\n`;
}
