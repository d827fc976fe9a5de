/** The one place that says how much of a text must be kept because a marker may still follow it. */

/**
 * Start of the white space before `end` that a marker could still claim. `lead` is the longest white
 * space that a marker carries in front, `spaces` the kinds of it; a line feed may come with a carriage
 * return, so at most twice that much is kept. Not before `from`.
 */
export function certainEnd(text: string, from: number, end: number, lead: number, spaces: string): number {
  const lowest = Math.max(from, end - 2 * lead);
  let at = end;
  while (at > lowest && spaces.includes(text.charAt(at - 1))) at--;
  return at;
}

/** The kinds of white space in what markers carry in front; a line feed brings the carriage return. */
export function spaceKinds(leads: readonly string[]): string {
  const kinds = new Set(leads.join(''));
  if (kinds.has('\n')) kinds.add('\r');
  return [...kinds].join('');
}
