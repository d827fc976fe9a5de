/** A trie over sorted keys; children are computed on demand. */

/** A declared key; its label is its index among the declared keys. */
interface LabelledKey {
  readonly text: string;
  readonly label: number;
}

/** Builds the trie of `keys`; each node represents the keys with a common prefix. */
export function keyTree(keys: readonly string[]): KeyNode {
  const sorted = keys
    .map((text, label) => ({ text, label }))
    .sort((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)));
  return new KeyNode(sorted, 0, sorted.length, 0);
}

/** Minimum number of children per group; larger nodes have about as many groups as children per group. */
const minGroup = 6;

/** Adjacent keys of a sorted list that share their first `depth` code units. */
export class KeyNode {
  /** Length of the common prefix in code units. */
  readonly depth: number;
  /** Number of keys. */
  readonly size: number;
  readonly #keys: readonly LabelledKey[];
  readonly #low: number;
  #children: readonly KeyNode[] | null = null;
  #groups: readonly KeyNode[] | null = null;
  #ends: string | null = null;

  constructor(keys: readonly LabelledKey[], low: number, high: number, depth: number) {
    this.#keys = keys;
    this.#low = low;
    this.size = high - low;
    this.depth = depth;
  }

  /** Identifies the node within its tree by its keys and depth. */
  get id(): string {
    return `${this.#low} ${this.size} ${this.depth}`;
  }

  /** The first key. */
  get first(): LabelledKey {
    return this.at(0);
  }

  /** The key at `index`. */
  at(index: number): LabelledKey {
    return this.#keys[this.#low + index] ?? { text: '', label: -1 };
  }

  /** The rest of the first key after the common prefix. */
  get rest(): string {
    return this.first.text.slice(this.depth);
  }

  /** The label of the key that ends here; `null` if none does. */
  get label(): number | null {
    return this.size > 0 && this.first.text.length === this.depth ? this.first.label : null;
  }

  /** By next character, in ascending order. */
  get children(): readonly KeyNode[] {
    this.#children ??= this.#split();
    return this.#children;
  }

  /** The children in fewer nodes of the same depth as this one, each with adjacent children. */
  get groups(): readonly KeyNode[] {
    const width = Math.max(minGroup, Math.ceil(Math.sqrt(this.children.length)));
    this.#groups ??= Array.from({ length: Math.ceil(this.children.length / width) }, (_, index) =>
      this.#joined(this.children.slice(index * width, (index + 1) * width)),
    );
    return this.#groups;
  }

  /** The node at which the first key ends. */
  get end(): KeyNode {
    return new KeyNode(this.#keys, this.#low, this.#low + 1, this.first.text.length);
  }

  /** The rests of all keys, as one string. */
  get ends(): string {
    this.#ends ??= JSON.stringify(
      Array.from({ length: this.size }, (_, index) => this.at(index).text.slice(this.depth)),
    );
    return this.#ends;
  }

  #split(): readonly KeyNode[] {
    const found: KeyNode[] = [];
    for (let from = this.label === null ? 0 : 1; from < this.size; from += found.at(-1)?.size ?? 1) {
      const point = this.at(from).text.codePointAt(this.depth);
      let to = from + 1;
      while (to < this.size && this.at(to).text.codePointAt(this.depth) === point) to += 1;
      const depth = this.depth + ((point ?? 0) > 0xffff ? 2 : 1);
      found.push(new KeyNode(this.#keys, this.#low + from, this.#low + to, depth));
    }
    return found;
  }

  #joined(children: readonly KeyNode[]): KeyNode {
    const [first] = children;
    if (first === undefined) return this;
    const size = children.reduce((sum, child) => sum + child.size, 0);
    return new KeyNode(this.#keys, first.#low, first.#low + size, this.depth);
  }
}
