/** Calls whose values nothing ends: only what comes next would show where a text stops. */
import type { CallsFormat } from '../../format/chat-format.ts';
import type { EvidenceLog } from '../evidence.ts';
import type { CallTurn } from '../turn/rendered-turns.ts';

/** The calls or, with a warning, none, where nothing stands after values that are written as they are. */
export function refuseUnterminatedValues(
  calls: CallsFormat,
  turn: CallTurn,
  log: EvidenceLog,
): CallsFormat | null {
  if (!hasUnterminatedValues(calls)) return calls;
  const message =
    'texts are written as they are, and nothing of their own ends them: where an argument stops cannot be told ' +
    'from its text, so calls of this template cannot be read';
  log.warn({ field: 'calls', kind: 'self-check', message, rendered: turn.text, written: '' });
  return null;
}

function hasUnterminatedValues({ arguments: format }: CallsFormat): boolean {
  if (format.kind === 'json') return false;
  const { string } = format.frames;
  return string.codec === 'raw' && string.close === '' && format.entry.close.every((part) => part === '');
}
