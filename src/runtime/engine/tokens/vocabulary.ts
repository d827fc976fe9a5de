/**
 * A model's tokens as bytes. Sampler, parser and grammar exchange bytes, because a token may contain half a character.
 */
import { memoize } from '../../../format/memoize.ts';
import { finish, type Steps } from '../../../language/expression/steps.ts';
import { SpecialFinder } from '../../../language/matcher/special-finder.ts';
import {
  spaceSign,
  spellTokens,
  TokenBytes,
  type TokenSpelling,
} from '../../../language/matcher/token-bytes.ts';
import { indexTokens, sharedIndex, type TokenIndex } from '../../../language/matcher/token-index.ts';
import type { PromptPiece } from '../../chat/prompt-pieces.ts';
import type { EngineTokenizer } from '../engine.ts';
import { typedTokenizer } from '../engine-failure.ts';
import { AllowedTokens, type TokenTexts } from '../masks/allowed-tokens.ts';
import { FragmentTokens, splitIntoFragments } from './fragment-tokens.ts';
import { encodeWindows } from './long-runs.ts';
import type { SpecialToken } from './special-token.ts';

const encoder = new TextEncoder();
/** Some tokenizers put a space before a text; then this is prepended, and its token removed again. */
const lineFeed = '\n';
/** Tokens that are copied in one step. */
const stride = 50_000;
/** In a text, SentencePiece's sign for a space would be decoded as a space. */
const spaceSigns = new RegExp(spaceSign, 'g');

/** The vocabulary of `tokenizer`; the same object for every request, because caches by position depend on it. */
export const vocabularyOf = memoize((tokenizer: EngineTokenizer) => new Vocabulary(tokenizer));

/** The tokens of one loaded model. */
export class Vocabulary implements TokenTexts {
  /** Control, unknown and visible user-defined tokens, by text. */
  readonly specials: ReadonlyMap<string, SpecialToken>;
  readonly size: number;
  /** Looks up the tokens that a grammar allows. */
  readonly allowed: AllowedTokens = new AllowedTokens(this);
  readonly #tokenizer: EngineTokenizer;
  readonly #roles: Uint8Array;
  readonly #bytes: TokenBytes;
  readonly #stored: TokenIndex | null;
  #index: TokenIndex | undefined;
  #silent: readonly number[] | undefined;
  #ends: readonly number[] | undefined;
  /** The tokens that encode a `▁`; empty if no special handling is needed or possible. */
  readonly #spaceSign: readonly number[];
  readonly #anchor: string;
  readonly #anchorTokens: readonly number[];
  /** Finds special tokens in a text. */
  readonly finder: SpecialFinder<SpecialToken>;
  /** User-defined markers, which the tokenizer finds even in text that is declared plain. */
  readonly #userDefined: SpecialFinder<SpecialToken>;
  readonly #fragments = new FragmentTokens();

  constructor(given: EngineTokenizer) {
    const tokenizer = typedTokenizer(given);
    const { texts, spelling, indexStore } = tokenizer;
    this.#tokenizer = tokenizer;
    this.size = texts.length;
    this.#roles = new Uint8Array(texts.length);
    const specials: SpecialToken[] = [];
    for (let token = 0; token < texts.length; token += 1) {
      const text = texts[token] ?? '';
      this.#roles[token] = readRole(tokenizer, token, text);
      if (this.isSpecial(token)) specials.push({ token, text });
    }
    this.#stored = indexStore?.read() ?? null;
    this.#bytes = new TokenBytes(this.#stored ?? spellTokens(texts, (id) => this.#spellingOf(id, spelling)));
    this.specials = new Map(specials.map((special) => [special.text, special]));
    this.finder = new SpecialFinder(specials);
    this.#userDefined = new SpecialFinder(specials.filter(({ token }) => this.#roles[token] === Role.marker));
    this.#spaceSign = spelling === 'sentencepiece' ? this.#byteTokens(encoder.encode(spaceSign)) : [];
    const anchored = encoder.encode('a').length < this.#widthOf(tokenizer.tokenize('a', false));
    this.#anchor = anchored ? lineFeed : '';
    this.#anchorTokens = tokenizer.tokenize(this.#anchor, false);
  }

  /** Control tokens and ends of generation. */
  get silent(): readonly number[] {
    this.#silent ??= Array.from(this.#roles, (_, token) => token).filter(
      (token) => this.isControl(token) || this.endsGeneration(token),
    );
    return this.#silent;
  }

  /** The ends of generation. */
  get ends(): readonly number[] {
    this.#ends ??= this.silent.filter((token) => this.endsGeneration(token));
    return this.#ends;
  }

  get index(): TokenIndex {
    this.#index ??= this.#stored === null ? this.#makeIndex() : sharedIndex(this.#stored);
    return this.#index;
  }

  #makeIndex(): TokenIndex {
    const index = indexTokens(this.#bytes, this.#sampledTokens());
    this.#tokenizer.indexStore?.write(index);
    return index;
  }

  *#sampledTokens(): Generator<number> {
    for (let token = 0; token < this.size; token++) {
      if (!this.endsGeneration(token)) yield token;
    }
  }

  #spellingOf(id: number, ordinary: TokenSpelling): TokenSpelling {
    const role = this.#roles[id];
    if (role === Role.byte) return 'byte';
    return role === Role.text ? ordinary : 'verbatim';
  }

  bytesOf(token: number): Uint8Array {
    return this.#bytes.of(token);
  }

  isSpecial(token: number): boolean {
    const role = this.#roles[token];
    return role === Role.control || role === Role.marker;
  }

  /** Whether the token is a control token, whose text is never part of an answer. */
  isControl(token: number): boolean {
    return this.#roles[token] === Role.control;
  }

  /** Whether the model file declares the token as an end of generation. */
  endsGeneration(token: number): boolean {
    return this.#tokenizer.endsGeneration(token);
  }

  /** At least so many tokens has any text of `bytes` bytes. */
  fewestTokens(bytes: number): number {
    return Math.ceil(bytes / this.#bytes.longest);
  }

  /** Tokens of a text without special tokens, as in the middle of a text. */
  encodePlain(text: string): readonly number[] {
    return finish(this.#encodeText(text));
  }

  /** Tokens of a whole text in which the texts of special tokens count. */
  encode(text: string): readonly number[] {
    return finish(this.encodeSteps(text));
  }

  /** `encode` in steps. */
  *encodeSteps(text: string): Steps<readonly number[]> {
    return yield* joined(yield* this.#encodeTrusted(text, true));
  }

  /** Tokens of a whole prompt from its pieces; no special token can form across two pieces. */
  encodePrompt(pieces: readonly PromptPiece[]): readonly number[] {
    return finish(this.encodePromptSteps(pieces));
  }

  /** `encodePrompt` in steps. */
  *encodePromptSteps(pieces: readonly PromptPiece[]): Steps<readonly number[]> {
    const lists: (readonly number[])[] = [];
    for (const [index, { text, special }] of pieces.entries()) {
      const encoded = special
        ? yield* this.#encodeTrusted(text, index === 0)
        : [yield* this.#encodeCharacter(text)];
      for (const list of encoded) lists.push(list);
      yield;
    }
    const { firstToken } = this.#tokenizer;
    const first = lists.find((list) => list.length > 0)?.[0];
    return yield* joined(firstToken === undefined || first === firstToken ? lists : [[firstToken], ...lists]);
  }

  /** One piece of a prompt, as tokens of its fragments. */
  *#encodeTrusted(piece: string, atBeginning: boolean): Steps<readonly (readonly number[])[]> {
    const begins = ({ token }: SpecialToken): boolean =>
      // Some tokens absorb white space before them, which they could not in another fragment.
      this.isControl(token) && this.#tokenizer.absorbsSpace?.(token) !== true;
    const encode = (text: string): Steps<readonly number[]> =>
      this.#encodeParts(text, true, (part) => this.#tokenize(part, true));
    const [head = '', ...fragments] = splitIntoFragments(piece, this.finder.find(piece), begins);
    const lists = [yield* atBeginning ? encode(head) : this.#encodeInside(head, true)];
    for (const fragment of fragments) {
      lists.push(yield* this.#fragments.get(fragment, encode));
      yield;
    }
    return lists;
  }

  /**
   * A character that is itself the text of a special token. If the tokenizer always makes that token, it is written in
   * bytes; without byte tokens it is omitted.
   */
  *#encodeCharacter(text: string): Steps<readonly number[]> {
    const tokens = yield* this.#encodeText(text);
    return tokens.some((token) => this.isSpecial(token)) ? this.#byteTokens(encoder.encode(text)) : tokens;
  }

  #widthOf(tokens: readonly number[]): number {
    return tokens.reduce((width, token) => width + this.bytesOf(token).length, 0);
  }

  /** Tokens of a text without special tokens. */
  *#encodeText(text: string): Steps<readonly number[]> {
    const pieces = splitAtCuts(text, this.#userDefined.cutsInside(text));
    const lists: (readonly number[])[] = [];
    for (const piece of pieces) {
      lists.push(yield* this.#encodeInside(piece, false));
      yield;
    }
    return yield* joined(lists);
  }

  /** Tokens of a text in the middle of another; `special`: whether its markers count. */
  #encodeInside(text: string, special: boolean): Steps<readonly number[]> {
    return this.#encodeParts(text, special, (part) => this.#encodeAnchored(part, special));
  }

  /** Prepends the anchor and removes it again; if the tokenizer merges it, the text is encoded by itself. */
  *#encodeAnchored(text: string, special: boolean): Steps<readonly number[]> {
    const tokens = yield* this.#tokenize(this.#anchor + text, special);
    return this.#withoutAnchor(tokens) ?? (yield* this.#tokenize(text, special));
  }

  #withoutAnchor(tokens: readonly number[]): readonly number[] | null {
    const anchored = this.#anchorTokens.every((token, index) => tokens[index] === token);
    return anchored ? tokens.slice(this.#anchorTokens.length) : null;
  }

  /** The only place where text meets the tokenizer: in pieces that it can take. */
  #tokenize(text: string, special: boolean): Steps<readonly number[]> {
    const encode = (piece: string): readonly number[] => this.#tokenizer.tokenize(piece, special);
    const inside = (piece: string): readonly number[] =>
      this.#withoutAnchor(encode(this.#anchor + piece)) ?? encode(piece);
    return encodeWindows(text, {
      encode: (piece, begins) => (begins ? encode(piece) : inside(piece)),
      widthOf: (token) => this.bytesOf(token).length,
      splits: this.#tokenizer.spelling !== 'sentencepiece',
    });
  }

  /** Encodes the text between characters that this tokenizer would change, and those characters in bytes. */
  *#encodeParts(
    text: string,
    special: boolean,
    encodeFirst: (text: string) => Steps<readonly number[]>,
  ): Steps<readonly number[]> {
    if (this.#spaceSign.length === 0 || !text.includes(spaceSign)) return yield* encodeFirst(text);
    const markers = special ? this.finder.find(text) : [];
    const places = Array.from(text.matchAll(spaceSigns), ({ index }) => index);
    const [first = '', ...rest] = splitAtCuts(text, outsideOf(markers, places));
    const lists = [yield* encodeFirst(first)];
    for (const each of rest) {
      lists.push(this.#spaceSign, yield* this.#encodeAnchored(each.slice(1), special));
      yield;
    }
    return yield* joined(lists);
  }

  /** One token for each of `bytes`; empty if the vocabulary lacks one. */
  #byteTokens(bytes: Uint8Array): readonly number[] {
    const tokens = Array.from(bytes, (byte) =>
      this.#tokenizer.texts.indexOf(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
    );
    return tokens.every((id) => this.#roles[id] === Role.byte) ? tokens : [];
  }
}

/** Lists as one. */
function* joined(lists: readonly (readonly number[])[]): Steps<readonly number[]> {
  const tokens: number[] = [];
  // A conversation may have more pieces than a call may have arguments.
  for (const list of lists) {
    for (const token of list) {
      tokens.push(token);
      if (tokens.length % stride === 0) yield;
    }
  }
  return tokens;
}

/** `verbatim`: ordinary text, spelled in the file as it is written. */
const Role = { text: 0, byte: 1, control: 2, marker: 3, verbatim: 4 } as const;

/** Single letters and white space are ordinary text even if a vocabulary declares them user-defined. */
function readRole(tokenizer: EngineTokenizer, token: number, text: string): number {
  const type = tokenizer.typeOf(token);
  if (type === 'control') return Role.control;
  if (type === 'byte') return Role.byte;
  if (type === 'normal') return Role.text;
  return text.trim().length > 1 ? Role.marker : Role.verbatim;
}

/** The places in none of the markers; both are in the order of the text. */
function outsideOf(
  markers: Iterable<{ readonly start: number; readonly special: SpecialToken }>,
  places: readonly number[],
): readonly number[] {
  const outside: number[] = [];
  let next = 0;
  for (const { start, special } of markers) {
    for (; (places[next] ?? start) < start; next += 1) outside.push(places[next] ?? 0);
    while ((places[next] ?? Number.POSITIVE_INFINITY) < start + special.text.length) next += 1;
  }
  return [...outside, ...places.slice(next)];
}

function splitAtCuts(text: string, cuts: readonly number[]): string[] {
  return [...cuts, text.length].map((end, index) => text.slice(index === 0 ? 0 : cuts[index - 1], end));
}
