/** The one place that says how much of a text must be kept because a marker may still follow it. */
import { isSpace } from './white-space.ts';

/**
 * Start of the white space before `end` that a marker could still claim. `lead` is the longest white
 * space that a marker carries in front; a line feed may come with a carriage return, so at most twice
 * that much is kept. Not before `from`.
 */
export function heldBackFrom(text: string, from: number, end: number, lead: number): number {
  const lowest = Math.max(from, end - 2 * lead);
  let at = end;
  while (at > lowest && isSpace(text.charCodeAt(at - 1))) at--;
  return at;
}
