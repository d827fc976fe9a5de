/** Compiles JavaScript's regular expressions to the instructions of a search. */
import { type AST, visitRegExpAST } from '@eslint-community/regexpp';
import { BudgetExceeded } from '../expression/budget.ts';
import { characterTest, type PatternFlags, sameCharacter, wordTest } from './character-tests.ts';
import type { GroupSlots, Instruction, PatternProgram, Slot } from './instructions.ts';

/** Instructions of a pattern: each iteration of a loop begins with one for each group within it. */
export const maxInstructions = 20_000;

/** Compiles a pattern that was parsed with the flag `u`, or without any. Throws `BudgetExceeded`. */
export function compilePattern(pattern: AST.Pattern, unicode: boolean): PatternProgram {
  const writer = new ProgramWriter(pattern);
  writer.alternatives(pattern.alternatives, {
    flags: { ignoreCase: false, multiline: false, dotAll: false, unicode },
    backward: false,
  });
  writer.add({ op: 'found' });
  return { code: writer.code, slots: writer.slots, unicode };
}

/** What is known around a part of a pattern. */
interface Reading {
  readonly flags: PatternFlags;
  readonly backward: boolean;
}

class ProgramWriter {
  readonly code: Instruction[] = [];
  slots = 0;
  /** Only groups that something refers to are remembered: others make no paths different. */
  readonly #groups = new Map<AST.CapturingGroup, GroupSlots>();

  constructor(pattern: AST.Pattern) {
    visitRegExpAST(pattern, {
      onCapturingGroupEnter: (group) => {
        if (group.references.length > 0)
          this.#groups.set(group, { start: this.#newSlot(), end: this.#newSlot() });
      },
    });
  }

  add<I extends Instruction>(instruction: I): I {
    if (this.code.length === maxInstructions) throw new BudgetExceeded('instructions of a pattern');
    this.code.push(instruction);
    return instruction;
  }

  alternatives(alternatives: readonly AST.Alternative[], reading: Reading): void {
    const jumps = [];
    for (const { elements } of alternatives.slice(0, -1)) {
      const split = this.add({ op: 'split', first: this.code.length + 1, second: 0 });
      this.#elements(elements, reading);
      jumps.push(this.add({ op: 'jump', to: 0 }));
      split.second = this.code.length;
    }
    this.#elements(alternatives.at(-1)?.elements ?? [], reading);
    for (const jump of jumps) jump.to = this.code.length;
  }

  #elements(elements: readonly AST.Element[], reading: Reading): void {
    const order = reading.backward ? [...elements].reverse() : elements;
    for (const element of order) this.#element(element, reading);
  }

  #element(element: AST.Element, reading: Reading): void {
    const { flags, backward } = reading;
    if (element.type === 'Group')
      this.alternatives(element.alternatives, { backward, flags: modified(flags, element.modifiers) });
    else if (element.type === 'CapturingGroup') this.#group(element, reading);
    else if (element.type === 'Quantifier') this.#quantifier(element, reading);
    else if (element.type === 'Assertion') this.#assertion(element, flags);
    else if (element.type === 'Backreference') {
      const groups = [element.resolved].flat().map((group) => this.#groups.get(group));
      this.add({
        op: 'reference',
        groups: groups.filter((group) => group !== undefined),
        same: sameCharacter(flags),
        backward,
      });
    } else this.add({ op: 'character', fits: characterTest(element, flags), backward });
  }

  #group(group: AST.CapturingGroup, reading: Reading): void {
    const slots = this.#groups.get(group);
    if (slots === undefined) {
      this.alternatives(group.alternatives, reading);
      return;
    }
    const from = this.#newSlot();
    this.add({ op: 'set', slot: from, to: 'position' });
    this.alternatives(group.alternatives, reading);
    this.add({ op: 'capture', group: slots, from, backward: reading.backward });
    this.#forget(from);
  }

  #quantifier({ element, min, max, greedy }: AST.Quantifier, reading: Reading): void {
    const start = this.code.length;
    if (max === 0) return;
    if (min === 1 && max === 1) this.#iteration(element, reading);
    else if (min === 0 && max === 1) {
      const split = this.#split(greedy);
      this.#iteration(element, reading);
      this.#endSplit(split, greedy);
    } else if (min === 0 && max === Number.POSITIVE_INFINITY && alwaysReads(element)) {
      const split = this.#split(greedy);
      this.#iteration(element, reading);
      this.add({ op: 'jump', to: start });
      this.#endSplit(split, greedy);
    } else this.#counted(element, { min, max, greedy }, reading);
  }

  #counted(
    element: AST.QuantifiableElement,
    bounds: { readonly min: number; readonly max: number; readonly greedy: boolean },
    reading: Reading,
  ): void {
    const count = this.#newSlot();
    const from = this.#newSlot();
    this.add({ op: 'set', slot: count, to: 0 });
    const start = this.code.length;
    const loop = this.add({ op: 'loop', count, bounds, exit: 0 });
    this.add({ op: 'set', slot: from, to: 'position' });
    this.#iteration(element, reading);
    this.add({ op: 'again', count, from, bounds, to: start });
    loop.exit = this.code.length;
    this.#forget(count);
    this.#forget(from);
  }

  /** A split whose one side comes next. */
  #split(greedy: boolean) {
    const next = this.code.length + 1;
    return this.add({ op: 'split', first: greedy ? next : 0, second: greedy ? 0 : next });
  }

  #endSplit(split: { first: number; second: number }, greedy: boolean): void {
    split[greedy ? 'second' : 'first'] = this.code.length;
  }

  /** One iteration: its groups took no part yet. */
  #iteration(element: AST.QuantifiableElement, reading: Reading): void {
    for (const [group, { start, end }] of this.#groups) {
      if (group.start < element.start || group.end > element.end) continue;
      this.#forget(start);
      this.#forget(end);
    }
    this.#element(element, reading);
  }

  #assertion(assertion: AST.Assertion, flags: PatternFlags): void {
    if (assertion.kind === 'lookahead' || assertion.kind === 'lookbehind') {
      const look = this.add({ op: 'look', negate: assertion.negate, after: 0 });
      this.alternatives(assertion.alternatives, { flags, backward: assertion.kind === 'lookbehind' });
      this.add({ op: 'found' });
      look.after = this.code.length;
    } else if (assertion.kind === 'word')
      this.add({ op: 'boundary', negate: assertion.negate, isWord: wordTest(flags) });
    else this.add({ op: 'edge', kind: assertion.kind, multiline: flags.multiline });
  }

  /** Paths that differ in nothing else are the same again. */
  #forget(slot: Slot): void {
    this.add({ op: 'set', slot, to: -1 });
  }

  #newSlot(): Slot {
    this.slots += 1;
    return this.slots - 1;
  }
}

function modified(flags: PatternFlags, modifiers: AST.Modifiers | null): PatternFlags {
  if (modifiers === null) return flags;
  const { add, remove } = modifiers;
  const flag = (name: 'ignoreCase' | 'multiline' | 'dotAll') =>
    add[name] || (flags[name] && remove?.[name] !== true);
  return {
    ...flags,
    ignoreCase: flag('ignoreCase'),
    multiline: flag('multiline'),
    dotAll: flag('dotAll'),
  };
}

/** Whether an element reads at least one character, whatever it matches. */
function alwaysReads(element: AST.Element): boolean {
  if (element.type === 'Group' || element.type === 'CapturingGroup')
    return element.alternatives.every(({ elements }) => elements.some(alwaysReads));
  if (element.type === 'Quantifier') return element.min > 0 && alwaysReads(element.element);
  return element.type !== 'Assertion' && element.type !== 'Backreference';
}
