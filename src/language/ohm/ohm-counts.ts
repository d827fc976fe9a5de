/**
 * Counted repetition for Ohm, which has none: `times4<e> = times2<e> times2<e>` and `upTo5<e> = times2<e>? times2<e>? e?`,
 * so that a count of n takes about log n rules of one line. Repetition stays greedy: the larger parts are tried first.
 */

/** Counts up to this are written out. */
const writtenOut = 4;

/** Writes counts and collects the rules they need. */
export class OhmCounts {
  readonly #powers = new Set<number>();
  readonly #bounds = new Set<number>();

  /** Expressions whose sequence matches `count` times `item`. */
  exactly(item: string, count: number): string[] {
    if (count <= writtenOut) return Array.from({ length: count }, () => item);
    const parts: string[] = [];
    let rest = count;
    for (let power = largestPower(count); power > 1; power /= 2) {
      if (rest < power) continue;
      parts.push(this.#times(item, power));
      rest -= power;
    }
    return rest === 1 ? [...parts, item] : parts;
  }

  /** Expressions whose sequence matches up to `count` times `item`; none if `count` is 0. */
  atMost(item: string, count: number): string[] {
    if (count < writtenOut) return Array.from({ length: count }, () => `${item}?`);
    this.#bounds.add(count);
    return [`upTo${count}<${item}>`];
  }

  /** The rules needed by the counts written so far. */
  rules(): string[] {
    const bounds = [...this.#bounds].sort((a, b) => a - b).map((bound) => this.#boundRule(bound));
    const powers = [...this.#powers].sort((a, b) => a - b).map(powerRule);
    return [...powers, ...bounds];
  }

  #times(item: string, power: number): string {
    for (let each = power; each > 1; each /= 2) this.#powers.add(each);
    return power === 1 ? item : `times${power}<${item}>`;
  }

  /** Parts of which none is larger than those after it together, and one more: the larger one first finds every number. */
  #boundRule(bound: number): string {
    const parts: string[] = [];
    for (let rest = bound; rest > 0; ) {
      const power = largestPower(Math.ceil(rest / 2));
      parts.push(`${this.#times('e', power)}?`);
      rest -= power;
    }
    return `upTo${bound}<e> = ${parts.join(' ')}`;
  }
}

/** The largest power of two that is at most `count`. */
function largestPower(count: number): number {
  return 2 ** Math.floor(Math.log2(count));
}

function powerRule(power: number): string {
  if (power === 2) return 'times2<e> = e e';
  return `times${power}<e> = times${power / 2}<e> times${power / 2}<e>`;
}
