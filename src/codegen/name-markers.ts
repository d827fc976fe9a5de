/** Names for the markers of a program: each marker has one, however many states it stands in. */
import type { MarkerDefinition } from '../parser/define-parser.ts';
import type { Transition } from '../parser/state-tables.ts';
import type { NamedTarget, NamedTransition, StateName } from '../parser/steps/state-definition.ts';

/** The markers that have been named so far. */
export class MarkerNames {
  /** By name, in the order in which they were asked for. */
  readonly definitions = new Map<string, MarkerDefinition>();
  private readonly names = new Map<string, string>();

  /** Choices as a module writes them: where each marker leads, by its name. Of equal markers the first counts. */
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
    let name = wanted;
    for (let number = 2; this.definitions.has(name); number++) name = `${wanted}${number}`;
    this.definitions.set(name, definition);
    this.names.set(key, name);
    return name;
  }
}

function definitionOf(choice: Transition<StateName>): MarkerDefinition {
  const { marker: text, next: _next, peek: _peek, ambiguous: _a, speculative: _s, ...conditions } = choice;
  return Object.keys(conditions).length === 0 ? text : { text, ...conditions };
}

function targetOf({ next, peek, ambiguous, speculative }: Transition<StateName>): NamedTarget {
  if (peek) return { peek: next };
  if (ambiguous) return { ambiguous: next };
  return speculative ? { speculative: next } : next;
}
