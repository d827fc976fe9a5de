/** Patterns that begin by limiting the length of the whole text: `^(?=.{1,253}$)`, as validators of host names do. */

/** A pattern without its limits, and these. */
export interface LimitedPattern {
  /** The rest of the conditions. */
  readonly pattern: string;
  readonly min: number;
  readonly max: number | null;
  /** Texts of one character more than `max` may be valid, too, by the end of their last character. */
  readonly allowsOneMore: boolean;
}

const limits = /^\^\(\?=\.\{(\d+)(,?)(\d*)\}(\\?[^()\\]\?)?\$\)/su;
/** Up to this length, a lookahead and the rest are a small automaton. */
const short = 60;

/** Takes the limits out of a pattern, whose automaton would count them at every state; `null` if it has none. */
export function takeLimits(pattern: string): LimitedPattern | null {
  const [lookahead, least = '', comma, most = '', last] = limits.exec(pattern) ?? [];
  if (lookahead === undefined) return null;
  const rest = pattern.slice(lookahead.length);
  const max = comma === '' ? Number(least) : most === '' ? null : Number(most);
  const allowsOneMore = last !== undefined && max !== null;
  if (hasAlternatives(rest) || (allowsOneMore && max <= short)) return null;
  return { pattern: `^(?=.*$)${rest}`, min: Number(least), max, allowsOneMore };
}

/** Whether a `|` stands outside of all groups. */
function hasAlternatives(pattern: string): boolean {
  let depth = 0;
  for (const [part] of pattern.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|[()|]/gsu)) {
    if (part === '(') depth += 1;
    else if (part === ')') depth -= 1;
    else if (part === '|' && depth === 0) return true;
  }
  return false;
}
