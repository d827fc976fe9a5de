/**
 * Maximum number of characters of forced text that a matcher returns at once: to tokenise so many takes two
 * milliseconds, and they are tokenised with each of up to 16 characters that may follow. In a file of its own, because a
 * page loads the matcher later.
 */
export const maxForced = 2000;
