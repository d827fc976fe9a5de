/** Calls whose values have no closer: only the text after them would show where they end. */
import type { CallsFormat } from '../../format/chat-format.ts';
import type { EvidenceLog } from '../evidence.ts';
import type { CallTurn } from '../turn/rendered-turns.ts';

/** The calls; or none, with a warning, if nothing follows values that are written unchanged. */
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
