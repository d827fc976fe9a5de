/** How much text must be held back because a marker may still claim its trailing white space. */

/**
 * Start of the white space before `end`, not before `from`, that a marker could still claim. `lead` is the longest
 * white space in front of any marker, `spaces` its characters. A line feed may come with a carriage return, so up
 * to twice that length is held back.
 */
export function certainEnd(text: string, from: number, end: number, lead: number, spaces: string): number {
  const lowest = Math.max(from, end - 2 * lead);
  let at = end;
  while (at > lowest && spaces.includes(text.charAt(at - 1))) at--;
  return at;
}

/** The characters of white space in front of markers; a line feed implies the carriage return. */
export function spaceKinds(leads: readonly string[]): string {
  const kinds = new Set(leads.join(''));
  if (kinds.has('\n')) kinds.add('\r');
  return [...kinds].join('');
}
