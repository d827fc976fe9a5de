/**
 * How strings are written inside an entry: unchanged, escaped, or in a second frame if they have special characters.
 */
import type { ValueFrame } from '../../format/chat-format.ts';
import { writePythonString } from '../../format/write-values.ts';
import { type ArgumentsInput, argumentRegion } from './argument-region.ts';

/** The frames of strings; `open` and `close` extend from the key to the end of the entry. */
export interface InferredStrings {
  readonly frame: Pick<ValueFrame, 'open' | 'close' | 'codec' | 'escapes'>;
  /** The alternative frame, relative to `frame`: inside the entry's own literals. */
  readonly alternative: ValueFrame | null;
}

const awkwardTexts = ['"', "'", '\\', '\n', '<', '>', '&', '{', '[', '`', '|'] as const;

/** Infers how strings with special characters are written. */
export function inferStrings(texts: ArgumentsInput, open: string, close: string): InferredStrings {
  const plain: InferredStrings = { frame: { open, close, codec: 'raw' }, alternative: null };
  const all = `a${awkwardTexts.join('a')}a`;
  const region = renderString(texts, all);
  if (region === null || region === open + all + close) return plain;
  return (
    escapedStrings(all, region) ??
    handEscaped(texts, plain, all, region) ?? {
      ...plain,
      alternative: alternativeFrame(texts, open, close),
    }
  );
}

/** Strings in quotes, in which the template itself escapes some characters with a backslash. */
function handEscaped(
  texts: ArgumentsInput,
  { frame: { open, close } }: InferredStrings,
  all: string,
  region: string,
): InferredStrings | null {
  const quote = /["']$/.exec(open)?.[0];
  if (quote === undefined || !close.startsWith(quote)) return null;
  const escapes = awkwardTexts.flatMap((character): readonly (readonly [string, string])[] => {
    const rendered = renderString(texts, `a${character}a`);
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

/** The text from the key to the end of the entry; `null` if the template refuses or drops the string. */
function renderString(texts: ArgumentsInput, value: string): string | null {
  return argumentRegion(texts, texts.prober.sentinels.typed.string, value, 'awkward') || null;
}

/** Strings as JSON or Python literals, including quotes. */
function escapedStrings(value: string, region: string): InferredStrings | null {
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

/** The frame that only strings with special characters have, and the characters that require it. */
function alternativeFrame(texts: ArgumentsInput, open: string, close: string): ValueFrame | null {
  let found: { readonly open: string; readonly close: string } | null = null;
  const when: string[] = [];
  for (const text of awkwardTexts) {
    const value = `a${text}a`;
    const region = renderString(texts, value);
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
