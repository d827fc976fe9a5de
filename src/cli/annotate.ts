/** A sample response, coloured by kind of part. */
import pc from 'picocolors';
import type { ChatFormat } from '../format/chat-format.ts';
import { turnLayout } from '../layout/turn-layout.ts';
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

/** The meaning of the colours. */
export const legend = [
  pc.cyan('marker'),
  pc.italic('reasoning'),
  pc.bold('content'),
  pc.green('arguments'),
].join('  ');

/** A sample response in colours, without the beginning of the turn. */
export function annotatedSample(format: ChatFormat): string {
  const { start } = turnLayout(format);
  const painted = sampleSpans(format).map(({ type, text }) => (type === null ? text : paint(type, text)));
  return pc.dim(start.upToCore) + (start.text === '' ? '' : '\n') + painted.join('');
}

/** Colours each line separately, so that colours survive a pager. */
function paint(type: ResponseEvent['type'], text: string): string {
  const brush = paints.get(type) ?? ((each: string) => each);
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : brush(line)))
    .join('\n');
}
