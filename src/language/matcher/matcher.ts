/**
 * Tracks a response through its grammar, byte by byte: allowed text, forced text, allowed tokens, and the GBNF of the
 * rest. llama.cpp's grammar remains the guarantee; the matcher gives the same answers for about a microsecond per
 * character.
 */

import { memoize } from '../../format/memoize.ts';
import { bytes, type OptionRule, requireOption } from '../../format/option-rules.ts';
import { findUnbuildable, refuseFindings } from '../expression/check-grammar.ts';
import { type Grammar, maxCodePoint } from '../expression/expression.ts';
import { sizeOfRules } from '../expression/references.ts';
import { finish, type Steps } from '../expression/steps.ts';
import { expandUntilSteps } from '../expression/until.ts';
import { PartPrinter } from '../gbnf/print-parts.ts';
import { tokenCharacter } from '../gbnf/token-character.ts';
import { advanceByte, type BytePosition, wholePosition } from './byte-position.ts';
import { listTokens, type TokenBitmap } from './masks/token-bitmap.ts';
import { grammarMasks, type TokenMasks } from './masks/token-masks.ts';
import { maxForced } from './max-forced.ts';
import { Program } from './program.ts';
import { grammarOfRest, rest } from './rest-of-grammar.ts';
import { defaultStackLimit, type Position, Stacks } from './stacks.ts';
import type { TokenIndex } from './token-index.ts';
import { illFormedTokens } from './utf8.ts';

/**
 * A position in a grammar: what may come next, what must, and how to advance. Methods throw `UnsupportedOptionError`
 * for anything but a string or bytes.
 */
export interface Matcher {
  /** Advances over `text`; returns false and stays if it is not allowed. */
  accept(text: string | Uint8Array): boolean;
  /**
   * Like `accept`, for text decoded from invalid bytes: an incomplete character at the current position counts as the
   * U+FFFD that `text` begins with.
   */
  acceptReplaced(text: string): boolean;
  /** Advances over a token that the grammar names by id; returns false and stays if it is not allowed. */
  acceptToken(id: number): boolean;
  /** Whether `text` may come next. */
  allows(text: string | Uint8Array): boolean;
  /** Length of the longest prefix of `text` that may come next: in bytes, or in UTF-16 units for a string. */
  allowedLength(text: string | Uint8Array): number;
  /** True if the text may end here. */
  readonly complete: boolean;
  /** True if the text may continue. */
  readonly open: boolean;
  /** True inside a character, of which some bytes are still missing. */
  readonly withinCharacter: boolean;
  /** Forced text: what must come next, up to the first choice or possible end, or 2,000 characters. May be empty. */
  forced(): string;
  /**
   * GBNF of everything that may follow, with start rule `root`. Inside a character it begins with that whole
   * character, because a sampler cannot start in the middle of one.
   */
  gbnf(): string;
  /** The same grammar as an expression tree. */
  rest(): Grammar;
  /** The tokens that may come next, in ascending order; `null` if there are more than `limit`. */
  allowedTokens(tokens: TokenIndex, limit: number): readonly number[] | null;
  /** The tokens that may come next, as a set with one bit each. Not to be changed. */
  mask(tokens: TokenIndex): Readonly<TokenBitmap>;
  /** `mask` in steps. The first mask at a position takes longer, the more different texts may follow. */
  maskSteps(tokens: TokenIndex): Steps<Readonly<TokenBitmap>>;
  /**
   * The tokens that are never allowed here but that llama.cpp's grammar may take for a character, because they are
   * ill-formed UTF-8. Depends only on the bytes of the current character; the same array each time.
   */
  illFormedTokens(tokens: TokenIndex): readonly number[];
  /** A cache key: where possible, the same object for the same state of the same grammar. */
  readonly state: object;
  /**
   * Size of the whole grammar: ten for each rule, one for each of their parts and for each time it is counted; not counted
   * beyond 100,000.
   */
  readonly size: number;
  /** A second matcher at the same position; shares what is memoised about the grammar. */
  clone(): Matcher;
}

/** Options of a matcher. */
export interface MatcherOptions {
  /** Maximum number of stacks at once; an ambiguous grammar that needs more causes a GrammarError. Default: 1000. */
  readonly maxStacks?: number;
}

const maxCounted = 100_000;

const textOrBytes: OptionRule = { ...bytes, expected: 'a string or a Uint8Array' };

/**
 * Creates a matcher at the start of a grammar.
 *
 * @throws GrammarError if the grammar cannot be matched (see `checkGrammar`); any method throws it if the grammar
 * turns out to be too ambiguous.
 */
export function createMatcher(grammar: Grammar, options: MatcherOptions = {}): Matcher {
  return finish(createMatcherSteps(grammar, options));
}

/** `createMatcher` in steps. */
export function* createMatcherSteps(grammar: Grammar, options: MatcherOptions = {}): Steps<Matcher> {
  refuseFindings(
    findUnbuildable(grammar),
    ({ severity, kind }) => severity === 'unbuildable' && kind !== 'nullable-repetition',
  );
  yield;
  const expanded = yield* expandUntilSteps(grammar);
  yield;
  const program = new Program(expanded.rules);
  yield* program.prepare();
  const stacks = new Stacks(program, options.maxStacks ?? defaultStackLimit);
  const shared: Shared = {
    stacks,
    parts: new PartPrinter(expanded),
    masks: grammarMasks(stacks),
    rules: expanded.rules,
  };
  return new StackMatcher(shared, wholePosition(stacks.start(expanded.root)));
}

/** What all matchers of a grammar share. */
interface Shared {
  readonly stacks: Stacks;
  readonly parts: PartPrinter;
  readonly masks: (tokens: TokenIndex) => TokenMasks;
  readonly rules: Grammar['rules'];
}

const sizeOf = memoize((rules: Grammar['rules']) => sizeOfRules(rules.values(), maxCounted));

class StackMatcher implements Matcher {
  readonly #shared: Shared;
  #at: BytePosition;

  constructor(shared: Shared, at: BytePosition) {
    this.#shared = shared;
    this.#at = at;
  }

  accept(text: string | Uint8Array): boolean {
    const walk = this.#walk(text);
    if (walk.length < text.length) return false;
    this.#at = walk.at;
    return true;
  }

  acceptReplaced(text: string): boolean {
    const whole = new StackMatcher(this.#shared, wholePosition(this.#at.position));
    if (!whole.accept(text)) return false;
    this.#at = whole.#at;
    return true;
  }

  acceptToken(id: number): boolean {
    const { position, part } = this.#at;
    const next = part.missing > 0 ? null : this.#shared.stacks.advance(position, tokenCharacter(id));
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
    return this.#at.part.missing === 0 && this.#at.position.complete;
  }

  get open(): boolean {
    return this.#at.position.characters.length > 0;
  }

  get withinCharacter(): boolean {
    return this.#at.part.missing > 0;
  }

  get state(): object {
    return this.#at.part.missing === 0 ? this.#at.position : this.#at;
  }

  get size(): number {
    return sizeOf(this.#shared.rules);
  }

  forced(): string {
    if (this.#at.part.missing > 0) return '';
    let text = '';
    let position: Position | null = this.#at.position;
    for (let length = 0; length < maxForced; length += 1) {
      const code: number = position.complete ? -1 : onlyCharacter(position);
      position = code === -1 ? null : this.#shared.stacks.advance(position, code);
      if (position === null) break;
      text += String.fromCodePoint(code);
    }
    return text;
  }

  gbnf(): string {
    return this.#shared.parts.gbnf(rest(this.#at.position));
  }

  rest(): Grammar {
    return grammarOfRest(this.#at.position, this.#shared.rules);
  }

  allowedTokens(tokens: TokenIndex, limit: number): readonly number[] | null {
    return listTokens(this.mask(tokens), limit);
  }

  mask(tokens: TokenIndex): Readonly<TokenBitmap> {
    return this.#shared.masks(tokens).at(this.#at);
  }

  maskSteps(tokens: TokenIndex): Steps<Readonly<TokenBitmap>> {
    return this.#shared.masks(tokens).steps(this.#at);
  }

  illFormedTokens(tokens: TokenIndex): readonly number[] {
    return illFormedTokens(tokens, this.#at.part);
  }

  clone(): Matcher {
    return new StackMatcher(this.#shared, this.#at);
  }

  /** Advances as far as `text` is allowed. */
  #walk(text: string | Uint8Array): TokenWalk {
    if (typeof text !== 'string') return this.#walkBytes(text);
    // A string begins with a whole character, which is not valid inside another one.
    return this.#at.part.missing > 0 ? { at: this.#at, length: 0 } : this.#walkText(text);
  }

  #walkText(text: string): TokenWalk {
    let { position } = this.#at;
    let length = 0;
    while (length < text.length) {
      const code = text.codePointAt(length) ?? 0;
      // A lone surrogate is not a character; UTF-8 encoders write U+FFFD.
      const next = this.#shared.stacks.advance(position, code >= 0xd800 && code <= 0xdfff ? 0xfffd : code);
      if (next === null) break;
      position = next;
      length += code > 0xffff ? 2 : 1;
    }
    return { at: wholePosition(position), length };
  }

  #walkBytes(text: Uint8Array): TokenWalk {
    requireOption('text', text, textOrBytes);
    let at = this.#at;
    let length = 0;
    for (const byte of text) {
      const next = advanceByte(this.#shared.stacks, at, byte);
      if (next === null) break;
      at = next;
      length += 1;
    }
    return { at, length };
  }
}

/** The position after the allowed prefix of a text, and the length of that prefix. */
interface TokenWalk {
  readonly at: BytePosition;
  readonly length: number;
}

/** The only character that can come next, or -1. A token does not count as a character. */
function onlyCharacter({ characters }: Position): number {
  const code = characters[0]?.node.set.only ?? -1;
  return code <= maxCodePoint && characters.every(({ node }) => node.set.only === code) ? code : -1;
}
