/** Literal delimiters as patterns. */

/** A pattern that matches exactly one of `literals`, the longest that fits. */
export function escapeLiterals(literals: readonly string[]): string {
  const longestFirst = literals.toSorted((a, b) => b.length - a.length);
  return longestFirst.map((literal) => literal.replace(/[^\p{L}\p{N}_]/gu, '\\$&')).join('|');
}
