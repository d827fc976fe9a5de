/** A sample response, coloured by what its parts are. */
import pc from 'picocolors';
import type { ChatFormat } from '../format/chat-format.ts';
import type { ResponseEvent } from '../parser/events.ts';
import { sampleSpans } from './sample-response.ts';

type Paint = (text: string) => string;

const paints: ReadonlyMap<ResponseEvent['type'], Paint> = new Map<ResponseEvent['type'], Paint>([
  ['reasoning-delta', pc.italic],
  ['text-delta', pc.bold],
  ['tool-input-delta', pc.green],
  ['marker', pc.cyan],
  ['malformed', pc.red],
  ['repaired', pc.yellow],
]);

/** Says which colour is what. */
export const legend = [
  pc.cyan('marker'),
  pc.italic('reasoning'),
  pc.bold('content'),
  pc.green('arguments'),
].join('  ');

/** A sample response in colours, after the beginning of the turn. */
export function annotatedSample(format: ChatFormat): string {
  const { start } = format.turn;
  const painted = sampleSpans(format).map(({ type, text }) => (type === null ? text : paint(type, text)));
  return pc.dim(start.trimEnd()) + (start === '' ? '' : '\n') + painted.join('');
}

/** Paints line by line, so that colours survive a pager. */
function paint(type: ResponseEvent['type'], text: string): string {
  const brush = paints.get(type) ?? ((each: string) => each);
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : brush(line)))
    .join('\n');
}
