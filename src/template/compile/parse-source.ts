/**
 * From source to syntax tree, with `@huggingface/jinja`'s tokenizer and parser.
 *
 * What they do not know of Jinja is rewritten between the two, as tokens:
 *
 *     x is not divisibleby 3     x | ⟨is not divisibleby⟩(3)     tests bind like filters and take arguments
 *     (a == b)                   ⟨group⟩(a == b)                 so that chained comparisons can be told apart
 *     ()  (a,)                   ⟨tuple⟩()  ⟨tuple⟩(a)
 *
 * Names in ⟨⟩ hold a space, so that no template can write them. Lines travel as comments before tags. For statements
 * see `rewrite-statement.ts`.
 */
import { parse, tokenize } from '@huggingface/jinja';
import { StatementRewriter } from './rewrite-statement.ts';
import { SourceError, type SourcePlace, type SplitSource, splitSource } from './split-source.ts';
import {
  closeParen,
  closesBracket,
  identifier,
  isName,
  isWord,
  openParen,
  opensBracket,
  pipe,
  type Token,
} from './tokens.ts';
import type { Node } from './tree.ts';

/** The rewritten names, and the text of comments that carry line numbers. */
export const rewritten = {
  group: 'a group',
  tuple: 'a tuple',
  test: 'is ',
  negatedTest: 'is not ',
  line: 'line ',
} as const;

/** Index after the bracket that closes the one at `start`. */
function afterBracket(tokens: readonly Token[], start: number): number {
  let depth = 0;
  for (let at = start; at < tokens.length; at += 1) {
    if (opensBracket(tokens[at])) depth += 1;
    else if (closesBracket(tokens[at])) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return tokens.length;
}

/** Index after the primary expression at `start`, including its dots, brackets and calls. */
function afterPrimary(tokens: readonly Token[], start: number): number {
  let at = opensBracket(tokens[start]) ? afterBracket(tokens, start) : start + 1;
  for (;;) {
    const type = tokens[at]?.type;
    if (type === 'Dot') at += 2;
    else if (type === 'OpenSquareBracket' || type === 'OpenParen') at = afterBracket(tokens, at);
    else return at;
  }
}

const argumentStarts = new Set(['StringLiteral', 'NumericLiteral', 'OpenSquareBracket', 'OpenCurlyBracket']);

function startsArgument(token: Token | undefined): boolean {
  return isName(token) || argumentStarts.has(token?.type ?? '');
}

/** `is not name argument` becomes a filter of that name. */
function rewriteTests(tokens: readonly Token[]): Token[] {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at];
    const isTest =
      isWord(token, 'is') && tokens[at - 1]?.type !== 'Dot' && tokens[at + 1]?.type === 'Identifier';
    if (!isTest) {
      if (token !== undefined) result.push(token);
      at += 1;
      continue;
    }
    const negated = isWord(tokens[at + 1], 'not');
    at += negated ? 2 : 1;
    const prefix = negated ? rewritten.negatedTest : rewritten.test;
    result.push(pipe, identifier(prefix + (tokens[at]?.value ?? '')));
    at += 1;
    if (!startsArgument(tokens[at])) continue;
    const end = afterPrimary(tokens, at);
    result.push(openParen, ...rewriteTests(tokens.slice(at, end)), closeParen);
    at = end;
  }
  return result;
}

const callables = new Set(['CloseParen', 'CloseSquareBracket', 'StringLiteral']);

/** Whether a parenthesis after this token opens a call, not a group. */
function opensCall(before: Token | undefined): boolean {
  return isName(before) || callables.has(before?.type ?? '');
}

interface OpenGroup {
  /** Position of the parenthesis in the result. */
  readonly at: number;
  readonly isCall: boolean;
  commas: number;
}

/** Names the groups and tuples that the parser would misread. */
function rewriteGroups(tokens: readonly Token[]): Token[] {
  const result: (Token | null)[] = [];
  const open: OpenGroup[] = [];
  tokens.forEach((token, index) => {
    if (opensBracket(token)) {
      const isCall = token.type !== 'OpenParen' || opensCall(tokens[index - 1]);
      // The place before the parenthesis is reserved for a name.
      if (!isCall) result.push(null);
      open.push({ at: result.length, isCall, commas: 0 });
    } else if (token.type === 'Comma') {
      const group = open.at(-1);
      if (group !== undefined) group.commas += 1;
    } else if (closesBracket(token)) {
      nameGroup(result, open.pop(), tokens[index - 1]);
    }
    result.push(token);
  });
  return result.filter((token) => token !== null);
}

function nameGroup(result: (Token | null)[], group: OpenGroup | undefined, last: Token | undefined): void {
  if (group === undefined || group.isCall) return;
  const isTuple = last?.type === 'Comma' || last === result[group.at];
  if (isTuple) result[group.at - 1] = identifier(rewritten.tuple);
  else if (group.commas === 0) result[group.at - 1] = identifier(rewritten.group);
}

const literals = new Set(['StringLiteral', 'NumericLiteral']);
/** Words between two values. */
const infix = new Set(['and', 'or', 'not', 'in', 'is', 'if', 'else']);

function endsValue(token: Token | undefined): boolean {
  return isName(token) || closesBracket(token) || literals.has(token?.type ?? '');
}

function beginsValue({ type, value }: Token): boolean {
  return literals.has(type) || type === 'OpenCurlyBracket' || (type === 'Identifier' && !infix.has(value));
}

/** Refuses values next to each other in brackets, which the parser would read as if there were a comma. */
function requireCommas(tokens: readonly Token[], place: SourcePlace): void {
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    const areStrings = before?.type === 'StringLiteral' && token.type === 'StringLiteral';
    if (depth > 0 && beginsValue(token) && endsValue(before) && !areStrings)
      throw new SourceError(`expected a comma or an operator, got ${JSON.stringify(token.value)}`, place);
    if (opensBracket(token)) depth += 1;
    else if (closesBracket(token)) depth -= 1;
  }
}

/** Restores the string literals that were replaced before tokenizing. */
function restoreString(token: Token, strings: readonly string[]): Token {
  if (token.type !== 'StringLiteral') return token;
  return { type: 'StringLiteral', value: strings[Number(token.value)] ?? '' };
}

function tokenizeCode(code: string, place: SourcePlace, strings: readonly string[]): Token[] {
  let tokens: Token[];
  try {
    tokens = tokenize(`{{ ${code} }}`);
  } catch (cause) {
    throw new SourceError(cause instanceof Error ? cause.message : String(cause), place);
  }
  const inner = rewriteTests(tokens.slice(1, -1).map((token) => restoreString(token, strings)));
  requireCommas(inner, place);
  return rewriteGroups(inner);
}

const beginning: SourcePlace = { line: 1, column: 1 };

/** All tokens of a template, with the place where the tag of each begins. */
function tokenizePieces(source: SplitSource): { tokens: Token[]; places: SourcePlace[] } {
  const tokens: Token[] = [];
  const places: SourcePlace[] = [];
  const statements = new StatementRewriter();
  const add = (place: SourcePlace, ...added: Token[]) => {
    for (const token of added) {
      tokens.push(token);
      places.push(place);
    }
  };
  for (const piece of source.pieces) {
    if (piece.kind === 'text') {
      add(places.at(-1) ?? beginning, { value: piece.text, type: 'Text' });
      continue;
    }
    const inner = tokenizeCode(piece.code, piece, source.strings);
    add(piece, { value: `${rewritten.line}${piece.line}`, type: 'Comment' });
    if (piece.kind === 'expression') {
      add(piece, { value: '{{', type: 'OpenExpression' }, ...inner, {
        value: '}}',
        type: 'CloseExpression',
      });
    } else {
      for (const code of statements.rewrite(inner, piece)) {
        add(piece, { value: '{%', type: 'OpenStatement' }, ...code, {
          value: '%}',
          type: 'CloseStatement',
        });
      }
    }
  }
  return { tokens, places };
}

/** Parses again to find the index of the token at which the parser stops. */
function whereItStops(tokens: readonly Token[]): number {
  let furthest = 0;
  const watched = new Proxy([...tokens], {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) furthest = Math.max(furthest, Number(key));
      return Reflect.get(target, key, receiver);
    },
  });
  try {
    parse(watched);
  } catch {
    return furthest;
  }
  return 0;
}

/** The package's own message; if it ran off the end of the tokens, it has none, and ours is used. */
function syntaxError(cause: unknown, tokens: readonly Token[], places: readonly SourcePlace[]): SourceError {
  const stop = whereItStops(tokens);
  const place = places[Math.min(stop, places.length - 1)] ?? beginning;
  if (stop >= tokens.length) {
    return new SourceError(
      'the template ends within a block: an endif, an endfor or the like is missing',
      place,
    );
  }
  return new SourceError(cause instanceof Error ? cause.message : String(cause), place);
}

/** Parses a template's source. Throws SourceError if Jinja would reject it. */
export function parseSource(source: string): readonly Node[] {
  const { tokens, places } = tokenizePieces(splitSource(source));
  try {
    // The package does not export its node types; `tree.ts` describes them.
    return (parse(tokens) as unknown as { readonly body: readonly Node[] }).body;
  } catch (cause) {
    if (cause instanceof RangeError) throw cause;
    throw syntaxError(cause, tokens, places);
  }
}
