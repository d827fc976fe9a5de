/**
 * Where a response stands in its grammar, byte by byte: what may come, what must come, which tokens may
 * come, and the GBNF of everything that follows. llama.cpp's grammar stays the guarantee; this says what
 * it would say, for the price of about a microsecond per character.
 */

import { bytes, requireOption } from '../../format/option-rules.ts';
import { checkGrammar, refuseFindings } from '../expression/check-grammar.ts';
import { type Grammar, maxCodePoint } from '../expression/expression.ts';
import { expandUntil } from '../expression/until.ts';
import { tokenCharacter } from '../gbnf/token-character.ts';
import { advanceByte, type BytePosition, wholePosition } from './byte-position.ts';
import { Continuation } from './continuation.ts';
import { Program } from './program.ts';
import { defaultStackLimit, type Position, Stacks } from './stacks.ts';
import { findTokens, type TokenIndex } from './token-index.ts';

/**
 * A place in the texts of a grammar: what may come there, what must, and the way on. Throws
 * `UnsupportedOptionError` for what is neither a text nor bytes.
 */
export interface Matcher {
  /** Moves over `text`, or stays and says `false` where it is not allowed. */
  accept(text: string | Uint8Array): boolean;
  /**
   * The same for text whose bytes were none: a character that was begun and not completed counts as the U+FFFD with
   * which `text` begins.
   */
  acceptReplaced(text: string): boolean;
  /** Moves over a token that the grammar names by its id, or stays and says `false`. */
  acceptToken(id: number): boolean;
  /** Whether `text` may come next. */
  allows(text: string | Uint8Array): boolean;
  /** How much of `text` may come next: bytes, or UTF-16 units of a string. */
  allowedLength(text: string | Uint8Array): number;
  /** The text may end here. */
  readonly complete: boolean;
  /** Something may come here. */
  readonly open: boolean;
  /** The text that must come next, up to the first place with a choice or a possible end. May be empty. */
  forced(): string;
  /**
   * GBNF of everything that may follow: a `root` in front of the rules that it needs. Inside a character
   * it begins with that character, as a sampler cannot begin in the middle of one.
   */
  gbnf(): string;
  /** The tokens that may come next, or `null` when there are more than `limit`. */
  allowedTokens(tokens: TokenIndex, limit: number): readonly number[] | null;
  /** The same object whenever the same grammar is in the same state, if possible: a key for caches. */
  readonly state: object;
  /** A second matcher at the same place, sharing what was learnt about the grammar. */
  clone(): Matcher;
}

/** Options of a matcher. */
export interface MatcherOptions {
  /** An ambiguous grammar that needs more stacks at once is given up with a GrammarError. Default 1000. */
  readonly maxStacks?: number;
}

/** The most text that `forced` gives at once, in characters. */
const forcedLimit = 100_000;

/**
 * A matcher at the beginning of a grammar's text.
 *
 * @throws GrammarError when the grammar cannot be matched (`checkGrammar` says why), and from any method
 *   when the grammar turns out to be too ambiguous.
 */
export function createMatcher(grammar: Grammar, options: MatcherOptions = {}): Matcher {
  refuseFindings(
    checkGrammar(grammar, { ambiguity: false }),
    ({ severity, kind }) => severity === 'unbuildable' && kind !== 'nullable-repetition',
  );
  const expanded = expandUntil(grammar);
  const stacks = new Stacks(new Program(expanded.rules), options.maxStacks ?? defaultStackLimit);
  return new StackMatcher(stacks, new Continuation(expanded), wholePosition(stacks.start(expanded.root)));
}

class StackMatcher implements Matcher {
  readonly #stacks: Stacks;
  readonly #continuation: Continuation;
  #at: BytePosition;

  constructor(stacks: Stacks, continuation: Continuation, at: BytePosition) {
    this.#stacks = stacks;
    this.#continuation = continuation;
    this.#at = at;
  }

  accept(text: string | Uint8Array): boolean {
    const walk = this.#walk(text);
    if (walk.length < text.length) return false;
    this.#at = walk.at;
    return true;
  }

  acceptReplaced(text: string): boolean {
    const whole = new StackMatcher(this.#stacks, this.#continuation, wholePosition(this.#at.position));
    if (!whole.accept(text)) return false;
    this.#at = whole.#at;
    return true;
  }

  acceptToken(id: number): boolean {
    const { position, missing } = this.#at;
    const next = missing > 0 ? null : this.#stacks.advance(position, tokenCharacter(id));
    if (next !== null) this.#at = wholePosition(next);
    return next !== null;
  }

  allows(text: string | Uint8Array): boolean {
    return this.#walk(text).length === text.length;
  }

  allowedLength(text: string | Uint8Array): number {
    return this.#walk(text).length;
  }

  get complete(): boolean {
    return this.#at.missing === 0 && this.#at.position.complete;
  }

  get open(): boolean {
    return this.#at.position.characters.length > 0;
  }

  get state(): object {
    const [only, second] = this.#at.position.frames;
    return second === undefined && only !== undefined && this.#at.missing === 0 ? only : this.#at;
  }

  forced(): string {
    if (this.#at.missing > 0) return '';
    let text = '';
    let position: Position | null = this.#at.position;
    for (let length = 0; length < forcedLimit; length += 1) {
      const code: number = position.complete ? -1 : onlyCharacter(position);
      position = code === -1 ? null : this.#stacks.advance(position, code);
      if (position === null) break;
      text += String.fromCodePoint(code);
    }
    return text;
  }

  gbnf(): string {
    return this.#continuation.gbnf(this.#at.position);
  }

  allowedTokens(tokens: TokenIndex, limit: number): readonly number[] | null {
    return findTokens(tokens, this.#at, (at, byte) => advanceByte(this.#stacks, at, byte), limit);
  }

  clone(): Matcher {
    return new StackMatcher(this.#stacks, this.#continuation, this.#at);
  }

  /** As far as `text` is allowed. */
  #walk(text: string | Uint8Array): Walk {
    if (typeof text !== 'string') return this.#walkBytes(text);
    // A string begins with a whole character, which cannot stand inside another.
    return this.#at.missing > 0 ? { at: this.#at, length: 0 } : this.#walkText(text);
  }

  #walkText(text: string): Walk {
    let { position } = this.#at;
    let length = 0;
    while (length < text.length) {
      const code = text.codePointAt(length) ?? 0;
      // A surrogate on its own is not a character: it is written as U+FFFD.
      const next = this.#stacks.advance(position, code >= 0xd800 && code <= 0xdfff ? 0xfffd : code);
      if (next === null) break;
      position = next;
      length += code > 0xffff ? 2 : 1;
    }
    return { at: length === 0 ? this.#at : wholePosition(position), length };
  }

  #walkBytes(text: Uint8Array): Walk {
    requireOption('text', text, bytes);
    let at = this.#at;
    let length = 0;
    for (const byte of text) {
      const next = advanceByte(this.#stacks, at, byte);
      if (next === null) break;
      at = next;
      length += 1;
    }
    return { at, length };
  }
}

/** Where the allowed part of a text leads, and how long it is. */
interface Walk {
  readonly at: BytePosition;
  readonly length: number;
}

/** The one character that can come next, or -1; a token is not a character. */
function onlyCharacter({ characters }: Position): number {
  const code = characters[0]?.node.set.only ?? -1;
  return code <= maxCodePoint && characters.every(({ node }) => node.set.only === code) ? code : -1;
}
