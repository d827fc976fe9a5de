/** The tokenizer of a model file. */
import { type Findable, SpecialFinder } from '../../language/matcher/special-finder.ts';
import type { EngineTokenizer, TokenType } from '../../runtime/engine/engine.ts';
import { decodeInt32s, decodeStrings, numberIn, unreadable } from '../gguf-reader.ts';
import { type GgufMetadata, RawArray } from '../gguf-types.ts';
import { BytePairs } from './byte-pairs.ts';

/** GGUF's types of tokens; all others are text. */
const types: Readonly<Record<number, TokenType>> = {
  2: 'control', // unknown
  3: 'control',
  4: 'user-defined',
  6: 'byte',
};

interface Special extends Findable {
  readonly token: number;
}

/** Reads it. Throws `ModelFileError` if there is none, or if it is none that this file knows. */
export function fileTokenizer(metadata: GgufMetadata): EngineTokenizer {
  const pre = textIn(metadata, 'pre');
  if (textIn(metadata, 'model') !== 'gpt2' || pre !== 'bloom') {
    throw unreadable(
      `has a tokenizer (${textIn(metadata, 'model')}, ${pre}) that is not known in JavaScript`,
    );
  }
  return new FileTokenizer(metadata);
}

class FileTokenizer implements EngineTokenizer {
  readonly spelling = 'byte-level';
  readonly texts: readonly string[];
  readonly bosToken: string;
  readonly eosToken: string;
  readonly #types: Int32Array;
  readonly #ends: ReadonlySet<number>;
  readonly #written: ReadonlySet<string>;
  readonly #pairs: BytePairs;
  /** Special tokens, all of them and the user-defined ones alone. */
  readonly #trusted: SpecialFinder<Special>;
  readonly #userDefined: SpecialFinder<Special>;

  constructor(metadata: GgufMetadata) {
    this.texts = stringsIn(metadata, 'tokens');
    this.#written = writtenIn(this.texts);
    this.#types = numbersIn(metadata, 'token_type');
    this.#pairs = new BytePairs(this.texts, stringsIn(metadata, 'merges'));
    const eos = numberIn(metadata, 'tokenizer.ggml.eos_token_id') ?? -1;
    this.bosToken = this.texts[numberIn(metadata, 'tokenizer.ggml.bos_token_id') ?? -1] ?? '';
    this.eosToken = this.texts[eos] ?? '';
    const specials = this.texts.flatMap((text, token): Special[] =>
      this.typeOf(token) === 'control' || this.typeOf(token) === 'user-defined' ? [{ token, text }] : [],
    );
    this.#ends = endsOf(specials, eos);
    this.#trusted = new SpecialFinder(specials);
    this.#userDefined = new SpecialFinder(specials.filter(({ token }) => this.typeOf(token) !== 'control'));
  }

  typeOf(token: number): TokenType {
    if (this.#written.has(this.texts[token] ?? '')) return 'user-defined';
    return types[this.#types[token] ?? 0] ?? 'normal';
  }

  endsGeneration(token: number): boolean {
    return this.#ends.has(token);
  }

  tokenize(text: string, special: boolean): readonly number[] {
    const lists: (readonly number[])[] = [];
    let done = 0;
    for (const found of (special ? this.#trusted : this.#userDefined).find(text)) {
      lists.push(this.#pairs.encode(text.slice(done, found.start)), [found.special.token]);
      done = found.start + found.special.text.length;
    }
    lists.push(this.#pairs.encode(text.slice(done)));
    return lists.flat();
  }
}

/** Texts of tokens that llama.cpp takes for user-defined ones, whatever a file says. */
const writtenTexts = ['<|start|>', '<|message|>', '<|channel|>', '<|constrain|>'];

/** Among them `<|end|>`, where calls and answers have ends of their own. */
function writtenIn(texts: readonly string[]): ReadonlySet<string> {
  const hasOtherEnds = texts.includes('<|return|>') && texts.includes('<|call|>');
  return new Set(hasOtherEnds ? [...writtenTexts, '<|end|>'] : writtenTexts);
}

/** Texts of tokens that node-llama-cpp takes for ends of generation in every model that has them. */
const endTexts: ReadonlySet<string> = new Set([
  '<|endoftext|>',
  '<|im_end|>',
  '<|end|>',
  '<|return|>',
  '<|call|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|end_of_text|>',
  '<end_of_turn>',
  '<end_of_utterance>',
  '<EOT>',
  '<eos>',
  '</s>',
]);

/** The declared end, and those that go by their names. */
function endsOf(specials: readonly Special[], declared: number): ReadonlySet<number> {
  const named = specials.filter(({ text }) => endTexts.has(text));
  return new Set([declared, ...named.map(({ token }) => token)]);
}

function textIn(metadata: GgufMetadata, key: string): string | undefined {
  const value = metadata.get(`tokenizer.ggml.${key}`)?.value;
  return typeof value === 'string' ? value : undefined;
}

function itemsIn(metadata: GgufMetadata, key: string): unknown {
  const items = metadata.get(`tokenizer.ggml.${key}`)?.value;
  if (!(items instanceof RawArray) && !Array.isArray(items))
    throw unreadable(`holds no tokenizer (tokenizer.ggml.${key})`);
  return items;
}

function stringsIn(metadata: GgufMetadata, key: string): readonly string[] {
  const items = itemsIn(metadata, key);
  return items instanceof RawArray ? decodeStrings(items) : (items as readonly string[]);
}

function numbersIn(metadata: GgufMetadata, key: string): Int32Array {
  const items = itemsIn(metadata, key);
  return items instanceof RawArray ? decodeInt32s(items) : Int32Array.from(items as readonly number[]);
}
