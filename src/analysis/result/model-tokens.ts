/** Puts the model's special tokens into a finished format, and freezes it. */
import type { ChatFormat } from '../../format/chat-format.ts';

/** Puts the model's own special tokens where the probes had sentinels; texts that become empty vanish from lists. */
export function replaceTokens<T>(value: T, tokensBySentinel: ReadonlyMap<string, string>): T {
  return mapStrings(value, (text) => {
    let replaced = text;
    for (const [sentinel, token] of tokensBySentinel) replaced = replaced.replaceAll(sentinel, token);
    return replaced;
  }) as T;
}

/** White space alone ends no turn. */
export function withoutBlankEnds(format: ChatFormat): ChatFormat {
  const ends = format.turn.ends.filter((end) => end.trim() !== '');
  return {
    ...format,
    turn: { ...format.turn, ends },
    stops: format.stops.filter((stop) => stop.trim() !== ''),
  };
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) {
    const mapped = value.map((item) => mapStrings(item, change));
    return mapped.filter((item, index) => item !== '' || value[index] === '');
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, change)]));
}

/** Freezes plain data and everything in it. */
export function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === 'object' && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}
