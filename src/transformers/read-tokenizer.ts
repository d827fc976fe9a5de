/** The tokenizer of a model in transformers.js, from what its `tokenizer.json` says. */
import { ModelFileError } from '../format/errors.ts';
import { isRecord } from '../format/option-rules.ts';
import { type Findable, SpecialFinder } from '../language/matcher/special-finder.ts';
import { spaceSign } from '../language/matcher/token-bytes.ts';
import type { EngineTokenizer, TokenType } from '../runtime/engine/engine.ts';
import type { CausalModel, PretrainedTokenizer } from './package.ts';

/** A token that `tokenizer.json` adds to the vocabulary. */
interface AddedToken extends Findable {
  readonly token: number;
  readonly special: boolean;
  readonly lstrip: boolean;
}

type TokenSpelling = 'byte-level' | 'sentencepiece';

/** A vocabulary is held in memory as an array by id. */
const maxTokens = 2 ** 22;
const byteToken = /^<0x[0-9A-F]{2}>$/;

/**
 * The tokenizer of `name`. Throws `ModelFileError` for one that is neither byte-level BPE nor in SentencePiece's
 * spelling.
 */
export function readTokenizer(
  name: string,
  tokenizer: PretrainedTokenizer,
  model: Pick<CausalModel, 'config' | 'generation_config'>,
): EngineTokenizer {
  const file = tokenizer._tokenizerJSON;
  const unreadable = (reason: string): ModelFileError => new ModelFileError({ file: name, reason });
  const spelling = spellingOf(file);
  if (spelling === null)
    throw unreadable('its tokenizer.json is neither of byte-level BPE nor in the spelling of SentencePiece');
  const added = addedTokens(file);
  const known = [...vocabularyOf(file), ...added.map(({ token, text }) => [text, token] as const)];
  if (known.length === 0 || !known.every(([, token]) => isId(token)))
    throw unreadable('its tokenizer.json holds no vocabulary that can be read');
  return new TransformersTokenizer(tokenizer, { spelling, added, texts: byId(known), ends: endsOf(model) });
}

interface Vocabulary {
  readonly spelling: TokenSpelling;
  readonly texts: readonly string[];
  readonly added: readonly AddedToken[];
  /** Ids that end a generation. */
  readonly ends: readonly number[];
}

class TransformersTokenizer implements EngineTokenizer {
  readonly texts: readonly string[];
  readonly spelling: TokenSpelling;
  readonly bosToken: string;
  readonly eosToken: string;
  readonly firstToken?: number;
  readonly #tokenizer: PretrainedTokenizer;
  readonly #added: ReadonlyMap<number, AddedToken>;
  readonly #ends: ReadonlySet<number>;
  readonly #controls: SpecialFinder<AddedToken>;
  /** The tokens before those of a text after a line feed. */
  readonly #anchor: readonly number[];

  constructor(tokenizer: PretrainedTokenizer, { spelling, texts, added, ends }: Vocabulary) {
    this.#tokenizer = tokenizer;
    this.spelling = spelling;
    this.#added = new Map(added.map((each) => [each.token, each]));
    // SentencePiece's sign is a space in these, too.
    this.texts = texts.map((text, token) =>
      spelling === 'sentencepiece' && this.#added.get(token)?.special === false
        ? text.replaceAll(spaceSign, ' ')
        : text,
    );
    this.bosToken = tokenizer.bos_token ?? '';
    this.eosToken = tokenizer.eos_token ?? '';
    const eos = added.find(({ text }) => text === this.eosToken && text !== '');
    this.#ends = new Set(eos === undefined ? ends : [...ends, eos.token]);
    this.#controls = new SpecialFinder(added.filter(({ special }) => special));
    this.#anchor = this.#encode('\n');
    const first = tokenizer.encode('a', { add_special_tokens: true })[0];
    if (first !== undefined && this.#added.has(first)) this.firstToken = first;
  }

  typeOf(token: number): TokenType {
    const added = this.#added.get(token);
    if (added !== undefined) return added.special ? 'control' : 'user-defined';
    const text = this.texts[token] ?? '';
    if (text === '') return 'control';
    return this.spelling === 'sentencepiece' && byteToken.test(text) ? 'byte' : 'normal';
  }

  endsGeneration(token: number): boolean {
    return this.#ends.has(token);
  }

  absorbsSpace(token: number): boolean {
    return this.#added.get(token)?.lstrip ?? false;
  }

  /** transformers.js always finds the added tokens of a text, so in plain text the control tokens are cut apart. */
  tokenize(text: string, special: boolean): readonly number[] {
    const cuts = special ? [] : this.#controls.cutsInside(text);
    const pieces = [0, ...cuts].map((start, index) => text.slice(start, cuts[index]));
    return pieces.flatMap((piece, index) => (index === 0 ? this.#encode(piece) : this.#encodeInside(piece)));
  }

  /** SentencePiece writes a space before a text, which must not be there inside of one. */
  #encodeInside(text: string): readonly number[] {
    if (this.spelling === 'byte-level') return this.#encode(text);
    const tokens = this.#encode(`\n${text}`);
    const isAnchored = this.#anchor.every((token, index) => tokens[index] === token);
    return isAnchored ? tokens.slice(this.#anchor.length) : this.#encode(text);
  }

  #encode(text: string): readonly number[] {
    return text === '' ? [] : this.#tokenizer.encode(text, { add_special_tokens: false });
  }
}

/** How ordinary tokens are spelled: what undoes it after a response says so. */
function spellingOf(file: object): TokenSpelling | null {
  const { normalizer, pre_tokenizer, decoder } = file as Readonly<Record<string, unknown>>;
  const steps = JSON.stringify([normalizer, pre_tokenizer, decoder]);
  if (steps.includes('"ByteLevel"')) return 'byte-level';
  return steps.includes('"Metaspace"') || steps.includes(spaceSign) ? 'sentencepiece' : null;
}

/** The texts of a model of BPE, by text, or of a unigram model, a list with scores. */
function vocabularyOf(file: object): readonly (readonly [string, number])[] {
  const { model } = file as { readonly model?: { readonly vocab?: unknown } };
  if (Array.isArray(model?.vocab))
    return model.vocab.map((entry, id) => [String(Array.isArray(entry) ? entry[0] : ''), id] as const);
  return isRecord(model?.vocab) ? Object.entries(model.vocab).map(([text, id]) => [text, Number(id)]) : [];
}

function addedTokens(file: object): readonly AddedToken[] {
  const { added_tokens: list } = file as { readonly added_tokens?: unknown };
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  return entries.filter(isRecord).map(({ id, content, special, lstrip }) => ({
    token: Number(id),
    text: String(content),
    special: special === true,
    lstrip: lstrip === true,
  }));
}

function isId(token: number): boolean {
  return Number.isInteger(token) && token >= 0 && token < maxTokens;
}

function byId(known: readonly (readonly [string, number])[]): readonly string[] {
  const size = known.reduce((most, [, token]) => Math.max(most, token + 1), 0);
  const texts = new Array<string>(size).fill('');
  for (const [text, token] of known) texts[token] = text;
  return texts;
}

/** One id, or several, in the settings of generation or of the model. */
function endsOf({ config, generation_config }: Pick<CausalModel, 'config' | 'generation_config'>): number[] {
  return [config, generation_config].flatMap((settings) => {
    const { eos_token_id: ends } = (settings ?? {}) as { readonly eos_token_id?: unknown };
    return [ends].flat().filter((end): end is number => typeof end === 'number');
  });
}
