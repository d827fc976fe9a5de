/**
 * The search for patterns that are not regular: lookaround, back-references, atomic groups, `$`. It tries one path
 * after the other and remembers failed ones, within a budget of steps; and it records whether a path reached the end
 * of the text, because more text might then make it match.
 */
import { PatternError } from '../../format/errors.ts';
import { firstCharacterFinder } from './first-characters.ts';
import type { Instruction, PatternProgram } from './program.ts';
import {
  type EmptyMatches,
  type GrowingText,
  isWordCharacter,
  type Pattern,
  type PatternSearch,
  type RegexMatch,
} from './search.ts';

/** Maximum steps for one examination of the text: a base, plus a number for each character. */
const steps = { base: 200_000, perCharacter: 200 };
/** Longer pending text is only examined again after it has grown by an eighth. */
const patientFrom = 512;

/** The search over a program of any kind. */
export class BacktrackingSearch implements PatternSearch {
  found: RegexMatch | null = null;
  pending: number | null = null;
  readonly #pattern: Pattern;
  readonly #empty: EmptyMatches;
  #from: number;
  #lookAgainAt = 0;

  constructor(pattern: Pattern, from: number, empty: EmptyMatches) {
    this.#pattern = pattern;
    this.#from = from;
    this.#empty = empty;
  }

  advance(text: GrowingText, to: number, final: boolean): void {
    if (this.found !== null || (!final && to < this.#lookAgainAt)) return;
    const view = new TextView(text, to, final, this.#pattern);
    const last = final && this.#empty.atEnd ? to : to - 1;
    while (this.#from <= last) {
      const attempt = view.attempt(this.#pattern.program, this.#from, this.#empty.from);
      if (attempt === 'undecided') {
        this.#wait(to);
        return;
      }
      this.pending = null;
      this.found = attempt;
      if (attempt !== null) return;
      this.#from = view.next(this.#from);
    }
    this.pending = null;
  }

  passTo(place: number): void {
    this.#from = place;
  }

  #wait(to: number): void {
    this.pending = this.#from;
    const held = to - this.#from;
    this.#lookAgainAt = held < patientFrom ? 0 : to + Math.floor(held / 8);
  }
}

interface ChoicePoint {
  readonly at: number;
  readonly position: number;
  readonly slots: readonly number[];
}

interface Reached {
  readonly position: number;
  readonly slots: readonly number[];
}

/** The text known at one moment, and the work spent on it. */
class TextView {
  readonly #text: string;
  readonly #base: number;
  readonly #final: boolean;
  readonly #pattern: Pattern;
  #budget: number;
  /** Whether a path reached the end of text that may still grow. */
  #ranOut = false;

  constructor(text: GrowingText, to: number, final: boolean, pattern: Pattern) {
    this.#base = text.start;
    this.#text = text.text().slice(0, to - text.start);
    this.#final = final;
    this.#pattern = pattern;
    this.#budget = steps.base + steps.perCharacter * this.#text.length;
  }

  /** The match at `start`, `null` for none, or that more text is needed. */
  attempt(program: PatternProgram, start: number, emptyFrom: number): RegexMatch | 'undecided' | null {
    this.#ranOut = false;
    const accepts = (end: number) => end > start || start >= emptyFrom;
    const reached = this.#run(program, start, new Array<number>(program.slots).fill(-1), accepts);
    if (this.#ranOut) return 'undecided';
    return reached === null ? null : { start, end: reached.position, slots: reached.slots };
  }

  /** The position after the character at `at`. */
  after(at: number): number {
    return at + ((this.#codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  }

  /** The next position after `at` where a match may begin. */
  next(at: number): number {
    const after = this.after(at);
    const finder = firstCharacterFinder(this.#pattern.program);
    if (finder === null || after === 0) return after;
    finder.lastIndex = after - this.#base;
    return this.#base + (finder.exec(this.#text)?.index ?? this.#text.length);
  }

  #run(
    program: PatternProgram,
    start: number,
    slots: readonly number[],
    accepts: (end: number) => boolean,
  ): Reached | null {
    const tried = new Set<string | number>();
    const stack: ChoicePoint[] = [{ at: 0, position: start, slots }];
    for (let choice = stack.pop(); choice !== undefined; choice = stack.pop()) {
      const reached = this.#follow(program, choice, stack, tried, accepts);
      if (reached !== null || this.#ranOut) return reached;
    }
    return null;
  }

  /** Follows one path to its end; alternatives are pushed on the stack. */
  #follow(
    program: PatternProgram,
    choice: ChoicePoint,
    stack: ChoicePoint[],
    tried: Set<string | number>,
    accepts: (end: number) => boolean,
  ): Reached | null {
    let state: ChoicePoint | null = choice;
    while (state !== null) {
      if (this.#budget-- <= 0) throw this.#tooManySteps();
      const instruction: Instruction | undefined = program.instructions[state.at];
      if (instruction === undefined) return null;
      if (instruction.op === 'match') return accepts(state.position) ? state : null;
      if (instruction.op === 'loop') {
        const again = tried.has(this.#key(program, { ...state, at: instruction.split }));
        // The instruction after a loop follows its last instruction.
        state = { ...state, at: again ? state.at + 1 : instruction.split };
      } else if (instruction.op === 'split') {
        const key = this.#key(program, state);
        if (tried.has(key)) return null;
        tried.add(key);
        stack.push({ ...state, at: instruction.other });
        state = { ...state, at: instruction.preferred };
      } else {
        state = this.#step(instruction, state);
      }
    }
    return null;
  }

  /** A key of a path's state: equal states have the same continuations. */
  #key(program: PatternProgram, state: ChoicePoint): string | number {
    return program.readsGroups
      ? `${state.at}:${state.position}:${state.slots.join()}`
      : state.at * (this.#text.length + 1) + (state.position - this.#base);
  }

  #step(
    instruction: Exclude<Instruction, { op: 'match' | 'split' | 'loop' }>,
    state: ChoicePoint,
  ): ChoicePoint | null {
    const next = { ...state, at: state.at + 1 };
    switch (instruction.op) {
      case 'jump':
        return { ...state, at: instruction.to };
      case 'save':
        return { ...next, slots: state.slots.with(instruction.slot, state.position) };
      case 'assert':
        return this.#holds(instruction.kind, state.position) ? next : null;
      case 'character': {
        const codePoint = this.#codePointAt(state.position);
        if (codePoint === undefined) return this.#runOut();
        return instruction.has(codePoint) ? { ...next, position: this.after(state.position) } : null;
      }
      case 'backreference':
        return this.#repeatGroup(instruction.group, next);
      case 'branch-on-group':
        return this.#group(instruction.group, state) === null
          ? { ...state, at: instruction.otherwise }
          : next;
      case 'inner':
        return this.#inner(instruction, next);
    }
  }

  #inner(instruction: Extract<Instruction, { op: 'inner' }>, next: ChoicePoint): ChoicePoint | null {
    const { kind, program } = instruction;
    const reached = kind.endsWith('after')
      ? this.#after(instruction, next)
      : this.#run(program, next.position, next.slots, () => true);
    if (this.#ranOut) return null;
    if (kind.startsWith('not-')) return reached === null ? next : null;
    if (reached === null) return null;
    return { ...next, slots: reached.slots, position: kind === 'atomic' ? reached.position : next.position };
  }

  #after(instruction: Extract<Instruction, { op: 'inner' }>, next: ChoicePoint): Reached | null {
    const { program, width } = instruction;
    let begin = next.position;
    for (let back = 0; back <= width.max; back++) {
      if (back >= width.min) {
        const reached = this.#run(program, begin, next.slots, (end) => end === next.position);
        if (reached !== null || this.#ranOut) return reached;
      }
      if (begin <= this.#base) return null;
      begin = this.#before(begin);
    }
    return null;
  }

  #repeatGroup(group: number, next: ChoicePoint): ChoicePoint | null {
    const text = this.#group(group, next);
    if (text === null) return null;
    const from = next.position - this.#base;
    const here = this.#text.slice(from, from + text.length);
    if (here === text) return { ...next, position: next.position + text.length };
    return text.startsWith(here) && from + text.length > this.#text.length ? this.#runOut() : null;
  }

  #group(group: number, state: ChoicePoint): string | null {
    const from = state.slots[2 * group - 2] ?? -1;
    const to = state.slots[2 * group - 1] ?? -1;
    return from < 0 || to < 0 ? null : this.#text.slice(from - this.#base, to - this.#base);
  }

  #holds(kind: string, position: number): boolean {
    const previous = position > this.#base ? this.#codePointAt(this.#before(position)) : undefined;
    if (kind === 'start') return position === 0;
    if (kind === 'line-start') return position === 0 || previous === 10;
    const next = this.#codePointAt(position);
    if (next === undefined && !this.#final) return this.#runOut() !== null;
    if (kind === 'end') return next === undefined;
    if (kind === 'line-end') return next === undefined || next === 10;
    if (kind === 'end-or-newline') return next === undefined || (next === 10 && this.#endsAt(position + 1));
    return (isWordCharacter(previous ?? -1) !== isWordCharacter(next ?? -1)) === (kind === 'word-boundary');
  }

  #endsAt(position: number): boolean {
    if (position < this.#base + this.#text.length) return false;
    return this.#final || this.#runOut() !== null;
  }

  #runOut(): null {
    if (!this.#final) this.#ranOut = true;
    return null;
  }

  #codePointAt(position: number): number | undefined {
    return this.#text.codePointAt(position - this.#base);
  }

  #before(position: number): number {
    const two = position - 2 >= this.#base ? (this.#codePointAt(position - 2) ?? 0) : 0;
    return two > 0xffff ? position - 2 : position - 1;
  }

  #tooManySteps(): PatternError {
    return new PatternError({
      pattern: this.#pattern.source,
      position: 0,
      reason: 'pattern takes too many steps',
    });
  }
}
