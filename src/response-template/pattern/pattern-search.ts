/** Compiles patterns, chooses a search for each, and searches whole texts. */
import { BacktrackingSearch } from './backtracking-search.ts';
import { LinearSearch } from './linear-search.ts';
import { parseRegex } from './parse-regex.ts';
import { compileProgram } from './program.ts';
import { type EmptyMatches, type Pattern, type PatternSearch, type RegexMatch, wholeText } from './search.ts';

/**
 * Compiles a pattern of Python's syntax, read as with `re.DOTALL`.
 *
 * @throws {PatternError}
 */
export function compilePattern(source: string): Pattern {
  const regex = parseRegex(source);
  return { source, program: compileProgram(regex), groupNames: regex.groupNames };
}

/** Starts a search for the first match at `from` or later. */
export function searchPattern(
  pattern: Pattern,
  from: number,
  empty: Partial<EmptyMatches> = {},
): PatternSearch {
  const counted = { from: empty.from ?? from, atEnd: empty.atEnd ?? false };
  return pattern.program.regular
    ? new LinearSearch(pattern.program, from, counted)
    : new BacktrackingSearch(pattern, from, counted);
}

/** All matches in `text` without overlap, from the left; empty ones are omitted. */
export function* matchAll(pattern: Pattern, text: string): Generator<RegexMatch> {
  const whole = wholeText(text);
  for (let from = 0; from < text.length; ) {
    const search = searchPattern(pattern, from, { from: text.length });
    search.advance(whole, text.length, true);
    if (search.found === null) return;
    yield search.found;
    from = search.found.end;
  }
}

/** End of the last match in `text`, including an empty one at the end; 0 if there is none. */
export function endOfLastMatch(pattern: Pattern, text: string): number {
  let end = 0;
  for (const match of matchAll(pattern, text)) end = match.end;
  const atEnd = searchPattern(pattern, text.length, { atEnd: true });
  atEnd.advance(wholeText(text), text.length, true);
  return atEnd.found === null ? end : text.length;
}

/** Texts of the named groups in `match`. */
export function namedGroups(
  pattern: Pattern,
  match: RegexMatch,
  slice: (from: number, to: number) => string,
): Map<string, string> {
  const groups = new Map<string, string>();
  for (const [name, index] of pattern.groupNames) {
    const from = match.slots[2 * index - 2] ?? -1;
    const to = match.slots[2 * index - 1] ?? -1;
    if (from >= 0 && to >= 0) groups.set(name, slice(from, to));
  }
  return groups;
}
