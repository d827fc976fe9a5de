/** Ids of calls that no other request gets: clients with several conversations find results by them alone. */

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
/** As some templates require. */
const length = 9;

/** A random id of nine letters and digits. */
export function uniqueCallId(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(length));
  return Array.from(numbers, (number) => letters.charAt(number % letters.length)).join('');
}
