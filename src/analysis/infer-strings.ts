/** How strings are written inside an entry: as they are, escaped, or in a second frame when they are awkward. */
import type { ValueFrame } from '../chat-format.ts';
import { writePythonString } from '../grammar/write-values.ts';
import type { CallTexts } from './infer-calls.ts';
import { keyMark } from './infer-entries.ts';
import { valueProbe } from './probes.ts';

/** The frames of strings; `open` and `close` reach from the key to the end of the entry. */
export interface StringsReading {
  readonly frame: Pick<ValueFrame, 'open' | 'close' | 'codec' | 'escapes'>;
  /** Relative to `frame`: what stands inside the entry's own literals. */
  readonly alternative: ValueFrame | null;
}

const awkwardTexts = ['"', "'", '\\', '\n', '<', '>', '&', '{', '[', '`', '|'] as const;

/** Reads how strings with special characters are written. */
export function inferStrings(texts: CallTexts, open: string, close: string, behind: string): StringsReading {
  const plain: StringsReading = { frame: { open, close, codec: 'raw' }, alternative: null };
  const all = `a${awkwardTexts.join('a')}a`;
  const region = renderString(texts, all, 'awkward', behind);
  if (region === null || region === open + all + close) return plain;
  return (
    escapedStrings(all, region) ??
    handEscaped(texts, plain, all, region, behind) ?? {
      ...plain,
      alternative: alternativeFrame(texts, open, close, behind),
    }
  );
}

/** Strings in quotes, in which the template puts a backslash before some characters itself. */
function handEscaped(
  texts: CallTexts,
  { frame: { open, close } }: StringsReading,
  all: string,
  region: string,
  behind: string,
): StringsReading | null {
  const quote = /["']$/.exec(open)?.[0];
  if (quote === undefined || !close.startsWith(quote)) return null;
  const escapes = awkwardTexts.flatMap((character): readonly (readonly [string, string])[] => {
    const rendered = renderString(texts, `a${character}a`, 'awkward', behind);
    const written = rendered?.slice(open.length + 1, rendered.length - close.length - 1) ?? character;
    return written === character ? [] : [[character, written]];
  });
  const written = new Map(escapes);
  const backslashed = escapes.every(([, text]) => text.startsWith('\\'));
  if (!backslashed || !written.has('\\') || !written.has(quote)) return null;
  const spelled = Array.from(all, (character) => written.get(character) ?? character).join('');
  if (region !== open + spelled + close) return null;
  const reason = `characters with a backslash in front: ${escapes.map(([character]) => JSON.stringify(character)).join(' ')}`;
  texts.log.support('calls.arguments.frames.string', 'value-awkward', region, reason);
  return { frame: { open, close, codec: 'escaped', escapes }, alternative: null };
}

function renderString(texts: CallTexts, value: string, label: string, behind: string): string | null {
  const { prober } = texts;
  const key = prober.sentinels.typed.string;
  const turn = prober.turn(valueProbe(prober.sentinels, key, value, label));
  if (turn === null || !turn.endsWith(behind)) return null;
  const at = turn.indexOf(key, Math.max(0, turn.indexOf(prober.sentinels.names[0])));
  return at < 0 ? null : turn.slice(at + key.length, turn.length - behind.length).replaceAll(key, keyMark);
}

/** Strings as JSON or Python literals, quotes included. */
function escapedStrings(value: string, region: string): StringsReading | null {
  const spellings = [
    ['json', JSON.stringify(value)],
    ['python', writePythonString(value)],
  ] as const;
  for (const [codec, text] of spellings) {
    const at = region.indexOf(text);
    if (at < 0) continue;
    const close = region.slice(at + text.length);
    return { frame: { open: region.slice(0, at), close, codec }, alternative: null };
  }
  return null;
}

function alternativeFrame(texts: CallTexts, open: string, close: string, behind: string): ValueFrame | null {
  let found: { readonly open: string; readonly close: string } | null = null;
  const when: string[] = [];
  for (const text of awkwardTexts) {
    const value = `a${text}a`;
    const region = renderString(texts, value, 'awkward', behind);
    const at = region?.indexOf(value) ?? -1;
    if (region === null || at < 0 || region === open + value + close) continue;
    const frame = { open: region.slice(0, at), close: region.slice(at + value.length) };
    if (!frame.open.startsWith(open) || !frame.close.endsWith(close)) continue;
    found ??= frame;
    when.push(text);
  }
  if (found === null) return null;
  texts.log.support(
    'calls.arguments.alternativeString',
    'value-awkward',
    found.open,
    `for strings with ${when.join(' ')}`,
  );
  return {
    open: found.open.slice(open.length),
    close: found.close.slice(0, found.close.length - close.length),
    codec: 'raw',
    when,
  };
}
