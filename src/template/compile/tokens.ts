/** Tokens of `@huggingface/jinja`, as the rewriting between its tokenizer and its parser handles them. */
import type { tokenize } from '@huggingface/jinja';

/** A token of the package, which does not export the type. */
export type Token = ReturnType<typeof tokenize>[number];

/** A name. */
export const identifier = (value: string): Token => ({ value, type: 'Identifier' });
/** `(`. */
export const openParen: Token = { value: '(', type: 'OpenParen' };
/** `)`. */
export const closeParen: Token = { value: ')', type: 'CloseParen' };
/** `|`. */
export const pipe: Token = { value: '|', type: 'Pipe' };

/** Words that are no names: an expression begins after them, and none ends with them. */
const keywords = new Set(['and', 'or', 'not', 'in', 'is', 'if', 'else', 'elif', 'for', 'set']);

const opening = new Set(['OpenParen', 'OpenSquareBracket', 'OpenCurlyBracket']);
const closing = new Set(['CloseParen', 'CloseSquareBracket', 'CloseCurlyBracket']);

/** Whether a token is this word. */
export function isWord(token: Token | undefined, word: string): boolean {
  return token?.type === 'Identifier' && token.value === word;
}

/** Whether a token is a name and not a keyword. */
export function isName(token: Token | undefined): boolean {
  return token?.type === 'Identifier' && !keywords.has(token.value);
}

/** Whether a token opens a bracket. */
export function opensBracket(token: Token | undefined): boolean {
  return opening.has(token?.type ?? '');
}

/** Whether a token closes a bracket. */
export function closesBracket(token: Token | undefined): boolean {
  return closing.has(token?.type ?? '');
}

/** Splits tokens wherever `splits` holds outside of brackets; the token itself begins the next part. */
export function splitOutside(tokens: readonly Token[], splits: (token: Token) => boolean): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (closesBracket(token)) depth -= 1;
    if (depth === 0 && splits(token)) parts.push([]);
    if (opensBracket(token)) depth += 1;
    parts.at(-1)?.push(token);
  }
  return parts;
}
