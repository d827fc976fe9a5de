/**
 * Counted repetition for Ohm, which has none: `times4<e> = times2<e> times2<e>` and
 * `upTo5<e> = (three of e) upTo2<e> | upTo2<e>`, so that a count of n takes about 2 log n rules.
 * "As often as possible" is kept: the larger number is tried first.
 */

/** Copies up to this number are written out. */
const writtenOut = 4;

/** Writes counts, and remembers which rules they need. */
export class OhmCounts {
  readonly #powers = new Set<number>();
  readonly #bounds = new Set<number>();

  /** Expressions that stand one after the other for `count` times `item`. */
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

  /** The same for up to `count` times `item`; nothing for none. */
  atMost(item: string, count: number): string[] {
    if (count === 0) return [];
    if (count === 1) return [`${item}?`];
    this.#needBound(count);
    return [`upTo${count}<${item}>`];
  }

  /** The rules that the counts written so far need. */
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

/** Half of the bound first, then up to `more`; or else, where that many are not there, up to `less`. */
function splitBound(bound: number): { half: number; more: number; less: number } {
  const half = Math.ceil(bound / 2);
  return { half, more: bound - half, less: half - 1 };
}

function powerRule(power: number): string {
  if (power === 2) return 'times2<e>\n  = e e';
  return `times${power}<e>\n  = times${power / 2}<e> times${power / 2}<e>`;
}
