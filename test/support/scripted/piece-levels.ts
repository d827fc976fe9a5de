/**
 * The keys of a scripted model as pieces of a few lengths: a piece of one level consists of two overlapping ones of
 * the level below, an older and a newer one. So each level sees nearly twice as far as the one below.
 */
import type { TurnKey } from './turn-keys.ts';

/** Consecutive tokens. Pieces of a level are numbered from 1; 0 means any other tokens. */
export interface Piece {
  readonly tokens: readonly number[];
  /** Numbers of the pieces in the level below with which it begins and ends. */
  readonly older: number;
  readonly newer: number;
  /** The token that follows it, if it is a key. */
  readonly next: number | null;
}

/** The pieces of one length. */
export interface PieceLevel {
  readonly length: number;
  readonly pieces: readonly Piece[];
}

type Tokens = readonly number[];

/** The levels from single tokens up; at least two. */
export function pieceLevels(keys: readonly TurnKey[]): readonly PieceLevel[] {
  const lengths = levelLengths(keys.map(({ tokens }) => tokens.length));
  const next = new Map(keys.map((key) => [key.tokens.join(), key.next]));
  const rows = pieceRows(keys, lengths);
  return rows.map((row, level) => {
    const below = new Map((rows[level - 1] ?? []).map((tokens, index) => [tokens.join(), index + 1]));
    const reach = lengths[level - 1] ?? 0;
    const pieces = row.map(
      (tokens): Piece => ({
        tokens,
        older: below.get(tokens.slice(0, reach).join()) ?? 0,
        newer: below.get(tokens.slice(-reach).join()) ?? 0,
        next: next.get(tokens.join()) ?? null,
      }),
    );
    return { length: lengths[level] ?? 0, pieces };
  });
}

/** The pieces of each length: the keys of that length, and the parts of longer pieces. */
function pieceRows(keys: readonly TurnKey[], lengths: readonly number[]): readonly (readonly Tokens[])[] {
  const rows: (readonly Tokens[])[] = [];
  for (const length of lengths.toReversed()) {
    const parts = (rows[0] ?? []).flatMap((tokens) => [tokens.slice(0, length), tokens.slice(-length)]);
    const own = keys.map(({ tokens }) => tokens).filter((tokens) => tokens.length === length);
    rows.unshift([...new Map([...own, ...parts].map((tokens) => [tokens.join(), tokens])).values()]);
  }
  return rows;
}

/** The lengths of keys, and as many lengths between them as it takes for the parts of a piece to overlap. */
function levelLengths(keyLengths: readonly number[]): readonly number[] {
  const lengths = [1];
  for (const wanted of [...new Set([2, ...keyLengths])].sort((a, b) => a - b)) {
    for (let last = lengths.at(-1) ?? 1; last < wanted; last = lengths.at(-1) ?? wanted) {
      lengths.push(Math.min(wanted, Math.max(2, 2 * last - 1)));
    }
  }
  return lengths;
}
