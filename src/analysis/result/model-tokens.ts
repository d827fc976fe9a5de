/** Inserts the model's special tokens into a finished format, and freezes it. */
import type { ChatFormat } from '../../format/chat-format.ts';

/** Replaces sentinels by the model's special tokens; texts that become empty are removed from lists. */
export function replaceTokens<T>(value: T, tokensBySentinel: ReadonlyMap<string, string>): T {
  return mapStrings(value, (text) => {
    let replaced = text;
    for (const [sentinel, token] of tokensBySentinel) replaced = replaced.replaceAll(sentinel, token);
    return replaced;
  }) as T;
}

/** Removes ends of turn that are only white space. */
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

/** Freezes plain data deeply. */
export function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === 'object' && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}
