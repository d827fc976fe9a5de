/** The declared keys of an object as a tree of their characters; what is under a node is looked at once. */

/** A key that is declared; its label is its position among them. */
export interface LabelledKey {
  readonly text: string;
  readonly label: number;
}

/** Sorted keys as a tree; each node stands for the keys that begin alike. */
export function keyTree(keys: readonly string[]): KeyNode {
  const sorted = keys
    .map((text, label) => ({ text, label }))
    .sort((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)));
  return new KeyNode(sorted, 0, sorted.length, 0);
}

/** A group holds so many children, or as many as there are groups. */
const leastGroup = 6;

/** Neighbouring keys of a sorted list that have their first `depth` code units in common. */
export class KeyNode {
  /** Length of the common beginning in code units. */
  readonly depth: number;
  /** How many keys there are. */
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

  /** Equal for nodes of one tree that stand for the same keys from the same place on. */
  get id(): string {
    return `${this.#low} ${this.size} ${this.depth}`;
  }

  /** The first of its keys. */
  get first(): LabelledKey {
    return this.at(0);
  }

  /** One of its keys, by number. */
  at(index: number): LabelledKey {
    return this.#keys[this.#low + index] ?? { text: '', label: -1 };
  }

  /** What is left of its first key. */
  get rest(): string {
    return this.first.text.slice(this.depth);
  }

  /** The label of the key that ends here; `null` where none does. */
  get label(): number | null {
    return this.size > 0 && this.first.text.length === this.depth ? this.first.label : null;
  }

  /** By next character, ascending. */
  get children(): readonly KeyNode[] {
    this.#children ??= this.#split();
    return this.#children;
  }

  /** The children again, but as few nodes that hold neighbours, and are as deep as this one. */
  get groups(): readonly KeyNode[] {
    const width = Math.max(leastGroup, Math.ceil(Math.sqrt(this.children.length)));
    this.#groups ??= Array.from({ length: Math.ceil(this.children.length / width) }, (_, index) =>
      this.#joined(this.children.slice(index * width, (index + 1) * width)),
    );
    return this.#groups;
  }

  /** Where its first key ends. */
  get end(): KeyNode {
    return new KeyNode(this.#keys, this.#low, this.#low + 1, this.first.text.length);
  }

  /** Ends of all its keys, as one text. */
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
