/** What stands around an example of a call in a prompt: the bracket of a list, then markers or a word. */
import { mirror } from '../literals/mirror.ts';
import { isMarker, tokens } from '../literals/tokens.ts';
import { maxExampleLength, type Surroundings } from './call-example.ts';

/** Reads outwards from a call: first the bracket of a list, then markers or a word. */
export function surroundings(prompt: string, start: number, end: number): Surroundings {
  const before = prompt.slice(0, start);
  const isList = /\[\s*$/u.test(before);
  const listEnd = isList ? closingBracket(prompt, end) : null;
  if (isList && listEnd === null) return surroundingMarkers(prompt, start, end, false);
  const listStart = isList ? before.trimEnd().length - 1 : start;
  return surroundingMarkers(prompt, listStart, listEnd ?? end, isList);
}

/** The end of a list after its first call; further calls, or dots in their place, may follow. */
function closingBracket(prompt: string, from: number): number | null {
  const rest = prompt.slice(from, from + maxExampleLength);
  const line = rest.split(/\n\s*\n/u)[0] ?? '';
  const [nested] = /^[^[\]]*(?:\[[^[\]]*\][^[\]]*)*\]/u.exec(line) ?? [];
  return nested === undefined ? null : from + nested.length;
}

function surroundingMarkers(prompt: string, start: number, end: number, isList: boolean): Surroundings {
  const before = prompt.slice(0, start);
  const word = isList ? (/(?<![\w<[/])[a-z_]\w{2,}$/u.exec(before)?.[0] ?? '') : '';
  if (word !== '') return { text: prompt.slice(start - word.length, end), open: word, close: '', isList };
  const space = /(?:\n|(?<![ \t\n]))[ \t]*$/u.exec(before)?.[0] ?? '';
  const marker = tokens(before.slice(-120).trimEnd()).at(-1) ?? '';
  const opens = isMarker(marker) && !marker.includes('/') && before.endsWith(marker + space);
  const after = prompt.slice(end);
  const gap = /^[ \t]*\n?[ \t]*/u.exec(after)?.[0] ?? '';
  const closer = tokens(after.slice(gap.length, gap.length + 120))[0] ?? '';
  if (!opens || !isMarker(closer) || !pairs(marker, closer)) {
    return { text: prompt.slice(start, end), open: '', close: '', isList };
  }
  const text = prompt.slice(start - space.length - marker.length, end + gap.length + closer.length);
  return { text, open: marker + space, close: gap + closer, isList };
}

/** Whether one marker closes the other: it mirrors it, or is a different marker that looks like a closer. */
function pairs(open: string, close: string): boolean {
  return mirror(open) === close || (close !== open && /end|\//iu.test(close));
}
