/**
 * Byte-level byte-pair encoding (Sennrich et al. 2016, Radford et al. 2019): a text is split into words, and within each
 * the pair that was learned first is merged until none is left:
 *
 *     l o w e r ─ merges `l o`, `e r`, `lo w` ─ low er
 */

/** The pairs that are merged, the first one first, in the spelling of the file: `Ġ t`. */
type Merges = readonly string[];

/** Words that are remembered; a conversation has few. */
const maxWords = 10_000;
/**
 * The splitting of `tokenizer.ggml.pre` = `bloom`: a space goes with the word after it; what is between words is one
 * piece. The brackets and the bar are bloom's own class, as llama.cpp has it.
 */
const words = / ?[^(\s|.,!?…。，、।۔،)]+/gu;

/** Encodes text without special tokens. */
export class BytePairs {
  readonly #ids: ReadonlyMap<string, number>;
  readonly #ranks: ReadonlyMap<string, number>;
  readonly #known = new Map<string, readonly number[]>();

  /** `texts`: all tokens by id, as the file spells them. */
  constructor(texts: readonly string[], merges: Merges) {
    this.#ids = new Map(texts.map((text, id) => [text, id]));
    this.#ranks = new Map(merges.map((pair, rank) => [pair, rank]));
  }

  /** The tokens of `text`. */
  encode(text: string): number[] {
    const lists: (readonly number[])[] = [];
    let done = 0;
    for (const { 0: word, index } of text.matchAll(words)) {
      if (index > done) lists.push(this.#tokensOf(text.slice(done, index)));
      lists.push(this.#tokensOf(word));
      done = index + word.length;
    }
    if (done < text.length) lists.push(this.#tokensOf(text.slice(done)));
    return lists.flat();
  }

  #tokensOf(word: string): readonly number[] {
    const known = this.#known.get(word);
    if (known !== undefined) return known;
    const tokens = this.#merged(spellBytes(word)).map((part) => this.#idOf(part));
    if (this.#known.size >= maxWords) this.#known.clear();
    this.#known.set(word, tokens);
    return tokens;
  }

  #idOf(part: string): number {
    const id = this.#ids.get(part);
    if (id === undefined) throw new Error(`the vocabulary lacks ${JSON.stringify(part)}`);
    return id;
  }

  /** Merges the pair of the lowest rank, the leftmost first, until there is none. */
  #merged(characters: string): readonly string[] {
    const parts = [...characters];
    for (;;) {
      let [best, lowest] = [-1, Number.POSITIVE_INFINITY];
      for (let at = 1; at < parts.length; at += 1) {
        const rank = this.#ranks.get(`${parts[at - 1]} ${parts[at]}`) ?? Number.POSITIVE_INFINITY;
        if (rank < lowest) [best, lowest] = [at, rank];
      }
      if (best < 0) return parts;
      parts.splice(best - 1, 2, `${parts[best - 1]}${parts[best]}`);
    }
  }
}

const encoder = new TextEncoder();

/** The bytes of a text, each as the character that represents it. */
function spellBytes(text: string): string {
  return Array.from(encoder.encode(text), (byte) => byteCharacters[byte] ?? '').join('');
}

/** The characters of the 256 bytes, as GPT-2 has them: printable ones represent themselves, others begin at 256. */
export const byteCharacters: readonly string[] = characters();

function characters(): string[] {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xff && byte !== 0xad);
    if (printable) return String.fromCharCode(byte);
    next += 1;
    return String.fromCharCode(next - 1);
  });
}
