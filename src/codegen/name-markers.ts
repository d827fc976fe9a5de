/** Names for the markers of a program: one name per marker, shared by all states. */
import type { MarkerDefinition } from '../parser/define-parser.ts';
import type { Transition } from '../parser/state-tables.ts';
import type { NamedTarget, NamedTransition, StateName } from '../parser/steps/state-definition.ts';

/** The markers named so far. */
export class MarkerNames {
  /** By name, in the order of first use. */
  readonly definitions = new Map<string, MarkerDefinition>();
  private readonly names = new Map<string, string>();

  /** Choices as a module writes them: where each marker leads, by its name. Of equal markers, the first counts. */
  record(choices: readonly NamedTransition[]): Readonly<Record<string, NamedTarget>> {
    const targets = new Map<string, NamedTarget>();
    for (const choice of choices) {
      const name = this.nameOf(choice);
      if (!targets.has(name)) targets.set(name, targetOf(choice));
    }
    return Object.fromEntries(targets);
  }

  private nameOf({ name: wanted, ...choice }: NamedTransition): string {
    const definition = definitionOf(choice);
    const key = JSON.stringify(definition);
    const known = this.names.get(key);
    if (known !== undefined) return known;
    const name = this.unusedName(wanted, choice.marker);
    this.definitions.set(name, definition);
    this.names.set(key, name);
    return name;
  }

  /** An unused name: if `wanted` is taken, the marker's own words are added, then a number. */
  private unusedName(wanted: string, marker: string): string {
    if (!this.definitions.has(wanted)) return wanted;
    const worded = wanted + wordsOf(marker);
    if (!this.definitions.has(worded)) return worded;
    let number = 2;
    while (this.definitions.has(`${worded}${number}`)) number++;
    return `${worded}${number}`;
  }
}

/** The words of a marker, as part of a name: `ToolCall` for `</tool_call>`. */
function wordsOf(marker: string): string {
  const words = marker.match(/[A-Z]?[a-z]+|[A-Z]+/g);
  if (words === null) return punctuation.get(marker.trim()) ?? '';
  return [...new Set(words.map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()))]
    .slice(0, mostWords)
    .join('');
}

const mostWords = 4;

const punctuation: ReadonlyMap<string, string> = new Map([
  ['[', 'Bracket'],
  [']', 'Bracket'],
  ['```', 'Fence'],
]);

function definitionOf(choice: Transition<StateName>): MarkerDefinition {
  const { marker: text, next: _next, peek: _peek, ambiguous: _a, speculative: _s, ...conditions } = choice;
  return Object.keys(conditions).length === 0 ? text : { text, ...conditions };
}

function targetOf({ next, peek, ambiguous, speculative }: Transition<StateName>): NamedTarget {
  if (peek) return { peek: next };
  if (ambiguous) return { ambiguous: next };
  return speculative ? { speculative: next } : next;
}
