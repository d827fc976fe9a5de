/**
 * How many of the last tokens a scripted model must see. At each position of a script one token comes next; the key of
 * the position is the end of the text before it, just long enough to distinguish it from positions with another next
 * token. So the model quickly resumes after injected tokens with another tokenisation. The first position of a script
 * has the whole of `after` as its key, because anything shorter may be the prompt of another turn.
 */
import { UnsupportedOptionError } from '../../../src/format/errors.ts';
import type { ScriptedTurn } from './scripted-options.ts';

/** After a text that ends with `tokens`, `next` comes. */
export interface TurnKey {
  readonly tokens: readonly number[];
  readonly next: number;
}

/** The text before a position: the first `end` of a turn's tokens. */
interface ScriptPosition {
  readonly kind: 'start' | 'inside' | 'end' | 'late start';
  readonly turn: number;
  readonly tokens: readonly number[];
  readonly end: number;
  /** `null`: not in a script. */
  readonly next: number | null;
}

/**
 * One key for every position; no text ends with two of them. Throws `UnsupportedOptionError` if two positions with
 * different next tokens have equal contexts, as far back as `after` reaches.
 */
export function turnKeys(turns: readonly ScriptedTurn[]): readonly TurnKey[] {
  const places = turns.flatMap(placesOf);
  const alike = byLastToken(places);
  const afters = [...new Set(turns.map(({ after }) => after.length))].sort((a, b) => a - b);
  const keys = new Map<string, TurnKey>();
  for (const place of places) {
    if (place.next === null) continue;
    const length = keyLength(place, alike.get(lastToken(place)) ?? [], afters);
    const tokens = place.tokens.slice(place.end - length, place.end);
    keys.set(tokens.join(), { tokens, next: place.next });
  }
  return withoutLonger(keys);
}

function placesOf({ after, script }: ScriptedTurn, turn: number): readonly ScriptPosition[] {
  const tokens = [...after, ...script];
  const inside = script.map((next, index): ScriptPosition => {
    return { kind: index === 0 ? 'start' : 'inside', turn, tokens, end: after.length + index, next };
  });
  const end: ScriptPosition = { kind: 'end', turn, tokens, end: tokens.length, next: null };
  // A prompt that only resembles the turn's: no position inside a script may be mistaken for it.
  const late = {
    kind: 'late start',
    turn,
    tokens: after.slice(1),
    end: after.length - 1,
    next: null,
  } as const;
  return [...inside, end, ...(after.length > 1 ? [late] : [])];
}

function byLastToken(
  places: readonly ScriptPosition[],
): ReadonlyMap<number | undefined, readonly ScriptPosition[]> {
  const groups = new Map<number | undefined, ScriptPosition[]>();
  for (const place of places) {
    const group = groups.get(lastToken(place));
    if (group === undefined) groups.set(lastToken(place), [place]);
    else group.push(place);
  }
  return groups;
}

function lastToken({ tokens, end }: ScriptPosition): number | undefined {
  return tokens[end - 1];
}

function keyLength(
  place: ScriptPosition,
  alike: readonly ScriptPosition[],
  afters: readonly number[],
): number {
  let least = place.kind === 'start' ? place.end : 1;
  for (const other of alike) {
    if (other.next === place.next) continue;
    const common = commonTail(place, other);
    if (common < place.end && common < other.end) least = Math.max(least, common + 1);
    else if (areRivals(place, other)) throw inseparable(place, other);
    else least = Math.max(least, Math.min(common + 1, place.end));
  }
  // Fewer lengths mean fewer layers of the model.
  const round = [...afters, 2 ** Math.ceil(Math.log2(least))].filter((length) => length >= least);
  const smallest = Math.min(...round);
  return smallest <= place.end ? smallest : least;
}

/** An end gives way to a prompt that continues there, and text that only resembles a prompt to every prompt. */
function areRivals(place: ScriptPosition, other: ScriptPosition): boolean {
  return other.kind !== 'late start' && !(other.kind === 'end' && place.kind === 'start');
}

function commonTail(one: ScriptPosition, other: ScriptPosition): number {
  const most = Math.min(one.end, other.end);
  let common = 0;
  while (common < most && one.tokens[one.end - 1 - common] === other.tokens[other.end - 1 - common])
    common += 1;
  return common;
}

function inseparable(place: ScriptPosition, other: ScriptPosition): UnsupportedOptionError {
  const [shorter, longer] = place.end <= other.end ? [place, other] : [other, place];
  const context = shorter.tokens.slice(0, shorter.end);
  const reason =
    `after the tokens ${context.slice(-12).join(', ')} comes ${comingNext(shorter)}, ` +
    `and ${comingNext(longer)}: give turns[${shorter.turn}] a longer \`after\`, with what tells the two apart`;
  return new UnsupportedOptionError({ option: 'turns', reason });
}

function comingNext({ next, turn }: ScriptPosition): string {
  return `${next === null ? 'the end' : `token ${next}`} in turns[${turn}]`;
}

/** If a key is the end of a longer one, both have the same next token. */
function withoutLonger(keys: ReadonlyMap<string, TurnKey>): readonly TurnKey[] {
  const lengths = [...new Set(Array.from(keys.values(), ({ tokens }) => tokens.length))];
  return [...keys.values()].filter(({ tokens }) =>
    lengths.every((length) => length >= tokens.length || !keys.has(tokens.slice(-length).join())),
  );
}
