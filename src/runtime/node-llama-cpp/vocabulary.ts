/**
 * A model's tokens as bytes. Sampler, parser and grammar exchange bytes, because a token may contain half a character.
 */
import type { LlamaModel, Token, Tokenizer } from 'node-llama-cpp';
import { ModelFileError } from '../../format/errors.ts';
import { indexTokens, type TokenIndex } from '../../language/matcher/token-index.ts';
import type { PromptPiece } from '../chat/prompt-pieces.ts';
import { SpecialFinder } from '../chat/special-finder.ts';
import { AllowedTokens, type TokenTexts } from './allowed-tokens.ts';
import { FragmentTokens, splitIntoFragments } from './fragment-tokens.ts';
import type { SpecialToken } from './special-token.ts';
import { type Spelling, spaceSign, TokenBytes } from './token-bytes.ts';

/** The tokens of one loaded model. */
export interface Vocabulary extends TokenTexts {
  readonly size: number;
  /** Looks up the tokens that a grammar allows. */
  readonly allowed: AllowedTokens;
  /** Control, unknown and visible user-defined tokens, by text. */
  readonly specials: ReadonlyMap<string, SpecialToken>;
  /** Finds them in a text. */
  readonly finder: SpecialFinder<SpecialToken>;
  /** Whether the token is a control token, whose text is never part of an answer. */
  isControl(token: Token): boolean;
  /** Control tokens and ends of generation. */
  readonly silent: readonly Token[];
  /** Whether the model file declares the token as an end of generation. */
  endsGeneration(token: Token): boolean;
  /** Tokens of a text without special tokens, as in the middle of a text. */
  encodePlain(text: string): Token[];
  /** Tokens of a whole prompt from its pieces; no special token can form across two pieces. */
  encodePrompt(pieces: readonly PromptPiece[]): Token[];
}

const encoder = new TextEncoder();
/** Some tokenizers put a space before a text; then this is prepended, and its token removed again. */
const lineFeed = '\n';
/** In a text, SentencePiece's sign for a space would be decoded as a space. */
const spaceSigns = new RegExp(spaceSign, 'g');

/** Reads the vocabulary of `model`. Throws `ModelFileError` if the file has none. */
export function readVocabulary(model: LlamaModel, file: string): Vocabulary {
  const { model: kind, tokens } = model.fileInfo.metadata.tokenizer?.ggml ?? {};
  if (!Array.isArray(tokens)) throw new ModelFileError({ file, reason: 'it holds no tokenizer' });
  return new ModelVocabulary(model, tokens, kind === 'gpt2' ? 'byte-level' : 'sentencepiece');
}

class ModelVocabulary implements Vocabulary {
  readonly specials: ReadonlyMap<string, SpecialToken>;
  readonly size: number;
  readonly allowed: AllowedTokens = new AllowedTokens(this);
  readonly tokenizer: Tokenizer;
  readonly #model: LlamaModel;
  readonly #texts: readonly string[];
  readonly #roles: Uint8Array;
  readonly #bytes: TokenBytes;
  #index: TokenIndex | undefined;
  #silent: readonly Token[] | undefined;
  /** The tokens that encode a `▁`; empty if no special handling is needed or possible. */
  readonly #spaceSign: readonly Token[];
  readonly #anchor: string;
  readonly #anchorTokens: readonly Token[];
  readonly finder: SpecialFinder<SpecialToken>;
  /** User-defined markers, which the tokenizer finds even in text that is declared plain. */
  readonly #userDefined: SpecialFinder<SpecialToken>;
  readonly #fragments = new FragmentTokens();

  constructor(model: LlamaModel, texts: readonly string[], spelling: Spelling) {
    this.#model = model;
    this.tokenizer = model.tokenizer;
    this.#texts = texts;
    this.size = texts.length;
    this.#roles = Uint8Array.from(texts, (text, id) => readRole(model, asToken(id), text));
    this.#bytes = new TokenBytes(texts, (id) => this.#spellingOf(id, spelling));
    const specials = texts.flatMap((text, id): SpecialToken[] =>
      this.isSpecial(asToken(id)) ? [{ token: asToken(id), text }] : [],
    );
    this.specials = new Map(specials.map((special) => [special.text, special]));
    this.finder = new SpecialFinder(specials);
    this.#userDefined = new SpecialFinder(specials.filter(({ token }) => this.#roles[token] === Role.marker));
    this.#spaceSign = spelling === 'sentencepiece' ? this.#byteTokens(encoder.encode(spaceSign)) : [];
    this.#anchor = encoder.encode('a').length < this.#widthOf(model.tokenize('a')) ? lineFeed : '';
    this.#anchorTokens = model.tokenize(this.#anchor);
  }

  get silent(): readonly Token[] {
    this.#silent ??= Array.from(this.#texts, (_, id) => asToken(id)).filter(
      (token) => this.isControl(token) || this.endsGeneration(token),
    );
    return this.#silent;
  }

  get index(): TokenIndex {
    this.#index ??= indexTokens(this.#bytes, this.#sampledTokens());
    return this.#index;
  }

  *#sampledTokens(): Generator<number> {
    for (let id = 0; id < this.size; id++) {
      if (!this.endsGeneration(asToken(id))) yield id;
    }
  }

  #spellingOf(id: number, ordinary: Spelling): Spelling {
    const role = this.#roles[id];
    if (role === Role.byte) return 'byte';
    return role === Role.text ? ordinary : 'verbatim';
  }

  token(id: number): Token {
    return asToken(id);
  }

  bytesOf(token: Token): Uint8Array {
    return this.#bytes.of(token);
  }

  isSpecial(token: Token): boolean {
    const role = this.#roles[token];
    return role === Role.control || role === Role.marker;
  }

  isControl(token: Token): boolean {
    return this.#roles[token] === Role.control;
  }

  endsGeneration(token: Token): boolean {
    return this.#model.isEogToken(token);
  }

  encodePlain(text: string): Token[] {
    const pieces = splitAtCuts(text, this.#userDefined.cutsInside(text));
    return pieces.flatMap((piece) => this.#encodeInside(piece, false));
  }

  encodePrompt(pieces: readonly PromptPiece[]): Token[] {
    // Thousands of tokens: concatenating their arrays is many times faster than spreading them.
    const lists = pieces.flatMap(({ text, special }, index) =>
      special ? this.#encodeTrusted(text, index === 0) : [this.#encodeCharacter(text)],
    );
    const { bos, shouldPrependBosToken } = this.#model.tokens;
    const first = lists.find((list) => list.length > 0)?.[0];
    const begins: Token[] = shouldPrependBosToken && bos !== null && first !== bos ? [bos] : [];
    return begins.concat(...lists);
  }

  /** One piece of a prompt, as tokens of its fragments. */
  #encodeTrusted(piece: string, atBeginning: boolean): readonly (readonly Token[])[] {
    const begins = ({ token }: SpecialToken): boolean =>
      // Some tokens absorb white space before them, which they could not in another fragment.
      this.isControl(token) && !this.#model.getTokenAttributes(token).lstrip;
    const encode = (text: string): Token[] =>
      this.#encodeStretches(text, true, (stretch) => this.#model.tokenize(stretch, true));
    const [head = '', ...fragments] = splitIntoFragments(piece, this.finder.find(piece), begins);
    return [
      atBeginning ? encode(head) : this.#encodeInside(head, true),
      ...fragments.map((fragment) => this.#fragments.get(fragment, encode)),
    ];
  }

  /**
   * A character that is itself the text of a special token. If the tokenizer always makes that token, it is written in
   * bytes; without byte tokens it is omitted.
   */
  #encodeCharacter(text: string): readonly Token[] {
    const tokens = this.encodePlain(text);
    return tokens.some((token) => this.isSpecial(token)) ? this.#byteTokens(encoder.encode(text)) : tokens;
  }

  #widthOf(tokens: readonly Token[]): number {
    return tokens.reduce((width, token) => width + this.bytesOf(token).length, 0);
  }

  /** Tokens of a text in the middle of another; `special`: whether its markers count. */
  #encodeInside(text: string, special: boolean): Token[] {
    return this.#encodeStretches(text, special, (stretch) => this.#encodeAnchored(stretch, special));
  }

  /** Prepends the anchor and removes it again; if the tokenizer merges it, the text is encoded by itself. */
  #encodeAnchored(text: string, special: boolean): Token[] {
    const tokens = this.#model.tokenize(this.#anchor + text, special);
    const anchored = this.#anchorTokens.every((token, index) => tokens[index] === token);
    return anchored ? tokens.slice(this.#anchorTokens.length) : this.#model.tokenize(text, special);
  }

  /** Encodes the text between characters that this tokenizer would change, and those characters in bytes. */
  #encodeStretches(text: string, special: boolean, encodeFirst: (text: string) => Token[]): Token[] {
    if (this.#spaceSign.length === 0 || !text.includes(spaceSign)) return encodeFirst(text);
    const markers = special ? [...this.finder.find(text)] : [];
    const isInMarker = (place: number): boolean =>
      markers.some(({ start, special: marker }) => start <= place && place < start + marker.text.length);
    const places = Array.from(text.matchAll(spaceSigns), ({ index }) => index);
    const [first = '', ...rest] = splitAtCuts(
      text,
      places.filter((place) => !isInMarker(place)),
    );
    return [
      ...encodeFirst(first),
      ...rest.flatMap((each) => [...this.#spaceSign, ...this.#encodeAnchored(each.slice(1), special)]),
    ];
  }

  /** One token for each of `bytes`; empty if the vocabulary lacks one. */
  #byteTokens(bytes: Uint8Array): Token[] {
    const tokens = Array.from(bytes, (byte) =>
      this.#texts.indexOf(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
    );
    return tokens.every((id) => this.#roles[id] === Role.byte) ? tokens.map(asToken) : [];
  }
}

/** `verbatim`: ordinary text, spelled in the file as it is written. */
const Role = { text: 0, byte: 1, control: 2, marker: 3, verbatim: 4 } as const;

/** Single letters and white space are ordinary text even if a vocabulary declares them user-defined. */
function readRole(model: LlamaModel, token: Token, text: string): number {
  const attributes = model.getTokenAttributes(token);
  if (attributes.control || attributes.unknown) return Role.control;
  if (attributes.byte) return Role.byte;
  if (!attributes.userDefined) return Role.text;
  return text.trim().length > 1 ? Role.marker : Role.verbatim;
}

function asToken(id: number): Token {
  return id as Token;
}

function splitAtCuts(text: string, cuts: readonly number[]): string[] {
  return [...cuts, text.length].map((end, index) => text.slice(index === 0 ? 0 : cuts[index - 1], end));
}
