/**
 * Counted repetition for Ohm, which has none: `times4<e> = times2<e> times2<e>` and `upTo5<e> = (three of e) upTo2<e>
 * | upTo2<e>`, so that a count of n takes about 2 log n rules. Repetition stays greedy: the larger number is tried
 * first.
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
    for (let power = 2 ** Math.floor(Math.log2(count)); power > 1; power /= 2) {
      if (rest < power) continue;
      this.#needPower(power);
      parts.push(`times${power}<${item}>`);
      rest -= power;
    }
    return rest === 1 ? [...parts, item] : parts;
  }

  /** Expressions whose sequence matches up to `count` times `item`; none if `count` is 0. */
  atMost(item: string, count: number): string[] {
    if (count === 0) return [];
    if (count === 1) return [`${item}?`];
    this.#needBound(count);
    return [`upTo${count}<${item}>`];
  }

  /** The rules needed by the counts written so far. */
  rules(): string[] {
    const powers = [...this.#powers].sort((a, b) => a - b);
    const bounds = [...this.#bounds].sort((a, b) => a - b);
    return [...powers.map(powerRule), ...bounds.map((bound) => this.#boundRule(bound))];
  }

  #needPower(power: number): void {
    for (let each = power; each > 1; each /= 2) this.#powers.add(each);
  }

  #needBound(bound: number): void {
    if (bound < 2 || this.#bounds.has(bound)) return;
    this.#bounds.add(bound);
    const { half, more, less } = splitBound(bound);
    this.exactly('e', half);
    this.#needBound(more);
    this.#needBound(less);
  }

  #boundRule(bound: number): string {
    const { half, more, less } = splitBound(bound);
    const first = [...this.exactly('e', half), ...this.atMost('e', more)].join(' ');
    const second = this.atMost('e', less).join(' ');
    return `upTo${bound}<e>\n  = ${first}  -- more\n  | ${second === '' ? '""' : second}`;
  }
}

/** Half of the bound first, then up to `more`; if there are not that many items, up to `less`. */
function splitBound(bound: number): { half: number; more: number; less: number } {
  const half = Math.ceil(bound / 2);
  return { half, more: bound - half, less: half - 1 };
}

function powerRule(power: number): string {
  if (power === 2) return 'times2<e>\n  = e e';
  return `times${power}<e>\n  = times${power / 2}<e> times${power / 2}<e>`;
}
