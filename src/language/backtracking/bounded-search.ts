/**
 * The search for patterns that no automaton expresses: back-references to groups of many values, lookbehinds of any
 * width. It tries one path after the other, never one twice, within a budget of steps, where JavaScript's own engine may
 * take longer than anybody waits: `^(a+)+\1!$` takes ten seconds on 28 letters.
 */
import { BudgetExceeded, StepBudget } from '../expression/budget.ts';
import type { CharacterTest, GroupSlots, Instruction, PatternProgram, Slot } from './instructions.ts';

/** Maximum steps of one search: some tens of milliseconds. */
export const maxSearchSteps = 400_000;

/** Slots that are copied in the time of a step. */
const slotsPerStep = 8;

/** Whether a pattern matches somewhere in `text`. Throws `BudgetExceeded`. */
export function matchesSomewhere(program: PatternProgram, text: string): boolean {
  const search = new BoundedSearch(program, text);
  const tried: Tried = new Set();
  const slots = new Array<number>(program.slots).fill(-1);
  for (let from = 0; from <= search.length; from += 1)
    if (search.run({ at: 0, position: from, slots }, tried) !== null) return true;
  return false;
}

/** Where a path is: the next instruction, the position in the text, the slots. */
interface Path {
  readonly at: number;
  readonly position: number;
  readonly slots: readonly number[];
}

/** Paths that were begun. What is to come of the same path again is the same, too. */
type Tried = Set<string | number>;

class BoundedSearch {
  readonly #program: PatternProgram;
  readonly #characters: readonly string[];
  readonly #budget = new StepBudget(maxSearchSteps);
  /** Steps that an instruction counts for: the slots of a path are copied and compared as a whole. */
  readonly #cost: number;

  constructor(program: PatternProgram, text: string) {
    this.#program = program;
    this.#cost = 1 + Math.floor(program.slots / slotsPerStep);
    // Longer ones are not even split.
    if (text.length > maxSearchSteps) throw new BudgetExceeded('steps');
    this.#characters = program.unicode ? Array.from(text) : text.split('');
  }

  get length(): number {
    return this.#characters.length;
  }

  /** The slots at the end of the first path that arrives; `null` if none does. */
  run(start: Path, tried: Tried): readonly number[] | null {
    const left: Path[] = [start];
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      let next: Path | null = path;
      while (next !== null) {
        this.#budget.spend(this.#cost);
        const instruction = this.#program.code[next.at];
        if (instruction === undefined || instruction.op === 'found') return next.slots;
        next = this.#step(instruction, next, left, tried);
      }
    }
    return null;
  }

  /** What comes after an instruction; `null` if the path ends there. Adds to `left` what is to be tried later. */
  #step(instruction: Instruction, path: Path, left: Path[], tried: Tried): Path | null {
    const { at, position, slots } = path;
    const after = { at: at + 1, position, slots };
    switch (instruction.op) {
      case 'character':
        return this.#character(instruction, path);
      case 'jump':
        return { ...path, at: instruction.to };
      case 'split':
        if (isTried(path, tried)) return null;
        left.push({ ...path, at: instruction.second });
        return { ...path, at: instruction.first };
      case 'set':
        return {
          ...after,
          slots: changed(slots, { [instruction.slot]: numberFor(instruction.to, position) }),
        };
      case 'capture':
        return { ...after, slots: captured(instruction, path) };
      case 'loop':
        return isTried(path, tried) ? null : this.#loop(instruction, path, left);
      case 'again':
        return this.#again(instruction, path);
      case 'edge':
        return this.#isEdge(instruction, position) ? after : null;
      case 'boundary': {
        const { isWord, negate } = instruction;
        const isBoundary = this.#is(isWord, position - 1) !== this.#is(isWord, position);
        return isBoundary !== negate ? after : null;
      }
      case 'look': {
        const found = this.run(after, new Set());
        if (instruction.negate) return found === null ? { ...path, at: instruction.after } : null;
        return found === null ? null : { position, slots: found, at: instruction.after };
      }
      case 'reference':
        return this.#reference(instruction, path);
      case 'found':
        return null;
    }
  }

  #character({ fits, backward }: Of<'character'>, { at, position, slots }: Path): Path | null {
    if (!this.#is(fits, backward ? position - 1 : position)) return null;
    return { at: at + 1, position: position + (backward ? -1 : 1), slots };
  }

  #loop({ count, bounds, exit }: Of<'loop'>, path: Path, left: Path[]): Path {
    const rounds = path.slots[count] ?? 0;
    const again = { ...path, at: path.at + 1 };
    const out = { ...path, at: exit };
    if (rounds < bounds.min) return again;
    if (rounds >= bounds.max) return out;
    left.push(bounds.greedy ? out : again);
    return bounds.greedy ? again : out;
  }

  #again({ count, from, bounds, to }: Of<'again'>, { position, slots }: Path): Path | null {
    const rounds = slots[count] ?? 0;
    if (rounds >= bounds.min && slots[from] === position) return null;
    const enough = Number.isFinite(bounds.max) ? bounds.max : bounds.min;
    return { at: to, position, slots: changed(slots, { [count]: Math.min(rounds + 1, enough), [from]: -1 }) };
  }

  /** A group that took no part stands for the empty text. Of those of one name, one takes part at most. */
  #reference({ groups, same, backward }: Of<'reference'>, { at, position, slots }: Path): Path | null {
    const group = groups.find(({ start }) => (slots[start] ?? -1) >= 0);
    if (group === undefined) return { at: at + 1, position, slots };
    const [start, end] = placesOf(group, slots);
    this.#budget.spend(end - start);
    const first = backward ? position - (end - start) : position;
    for (let index = start; index < end; index += 1) {
      const wanted = this.#characters[index] ?? '';
      if (!this.#is((character) => same(wanted, character), first + index - start)) return null;
    }
    return { at: at + 1, position: backward ? first : first + end - start, slots };
  }

  #isEdge({ kind, multiline }: Of<'edge'>, position: number): boolean {
    if (position === (kind === 'start' ? 0 : this.length)) return true;
    return multiline && this.#is(isLineEnd, kind === 'start' ? position - 1 : position);
  }

  #is(test: CharacterTest, position: number): boolean {
    const character = this.#characters[position];
    return character !== undefined && test(character);
  }
}

type Of<Op extends Instruction['op']> = Extract<Instruction, { readonly op: Op }>;

function isLineEnd(character: string): boolean {
  return /[\n\r\u2028\u2029]/.test(character);
}

/** Whether a path was begun before; from now on, it was. */
function isTried({ at, position, slots }: Path, tried: Tried): boolean {
  const key = slots.length === 0 ? at * 2 ** 32 + position : `${at},${position},${slots.join()}`;
  const known = tried.has(key);
  tried.add(key);
  return known;
}

function changed(slots: readonly number[], values: Readonly<Record<Slot, number>>): readonly number[] {
  const isSame = Object.entries(values).every(([slot, value]) => slots[Number(slot)] === value);
  return isSame ? slots : Object.assign([...slots], values);
}

function numberFor(to: number | 'position', position: number): number {
  return to === 'position' ? position : to;
}

function captured({ group, from, backward }: Of<'capture'>, { position, slots }: Path): readonly number[] {
  const begun = slots[from] ?? position;
  const [start, end] = backward ? [position, begun] : [begun, position];
  return changed(slots, { [group.start]: start, [group.end]: end });
}

function placesOf({ start, end }: GroupSlots, slots: readonly number[]): readonly [number, number] {
  return [slots[start] ?? 0, slots[end] ?? 0];
}
