/** Texts that a model evaluates, and the beginnings that they share. */
import type { KeyValues } from './key-values.ts';
import type { EvaluatedText } from './sampled-sequence.ts';
import type { Transformer } from './transformer.ts';

/** Texts that are kept after their end, the latest ones: the next prompt of a conversation begins like its last. */
const maxKept = 8;

/** A text that has been evaluated. */
interface KeptText {
  readonly tokens: readonly number[];
  readonly memory: KeyValues;
}

/** Remembers the latest texts of one model. */
export class EvaluatedPrompts {
  readonly #model: Transformer;
  #kept: readonly KeptText[] = [];

  constructor(model: Transformer) {
    this.#model = model;
  }

  /** A text that holds as much of the beginning of `prompt`, without its last token, as has been evaluated before. */
  open(prompt: readonly number[]): EvaluatedText {
    const most = prompt.length - 1;
    const shared = this.#kept.map(({ tokens }) => Math.min(most, sharedLength(tokens, prompt)));
    const length = Math.max(0, ...shared);
    const best = this.#kept[shared.indexOf(length)];
    const memory = best === undefined || length === 0 ? this.#model.newMemory() : best.memory.copy(length);
    return new TransformerText(this.#model, memory, prompt.slice(0, length));
  }

  /** Keeps a text that nobody continues. */
  keep(text: EvaluatedText): void {
    if (text instanceof TransformerText) this.#kept = [text.kept(), ...this.#kept].slice(0, maxKept);
  }

  /** Forgets all texts. */
  clear(): void {
    this.#kept = [];
  }
}

function sharedLength(one: readonly number[], other: readonly number[]): number {
  const different = one.findIndex((token, index) => token !== other[index]);
  return different < 0 ? one.length : different;
}

class TransformerText implements EvaluatedText {
  readonly #model: Transformer;
  readonly #memory: KeyValues;
  #tokens: number[];
  #logits: Float32Array = new Float32Array(0);

  constructor(model: Transformer, memory: KeyValues, tokens: readonly number[]) {
    this.#model = model;
    this.#memory = memory;
    this.#tokens = [...tokens];
  }

  get tokens(): readonly number[] {
    return this.#tokens;
  }

  *extend(tokens: readonly number[]): Generator<unknown> {
    const position = this.#tokens.length;
    for (const done of this.#model.evaluate(tokens, this.#memory, position)) {
      this.#tokens.push(...tokens.slice(this.#tokens.length - position, done));
      // Another text may be evaluated before this one is asked.
      if (done === tokens.length) this.#logits = this.#model.logits();
      yield done;
    }
  }

  cut(length: number): void {
    this.#tokens.length = length;
  }

  logits(): Float32Array {
    return this.#logits.slice();
  }

  kept(): KeptText {
    return { tokens: this.#tokens, memory: this.#memory };
  }
}
