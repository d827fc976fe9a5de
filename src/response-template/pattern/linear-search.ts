/**
 * Pike's search: all paths are followed in parallel, one step per character, in order of preference. The cost does not
 * depend on chunking, and no pattern takes more than (length of the program) steps per character.
 */
import { firstCharacterFinder } from './first-characters.ts';
import type { Instruction, PatternProgram } from './program.ts';
import {
  codePointBefore,
  type EmptyMatches,
  type GrowingText,
  isWordCharacter,
  type PatternSearch,
  type RegexMatch,
} from './search.ts';

/** One path, at one instruction. */
interface Thread {
  readonly at: number;
  readonly start: number;
  readonly slots: readonly number[];
}

/** What is known of the next character: its code point, or one of these values. */
const unknown = -2;
const none = -1;

/** The search over a regular program. */
export class LinearSearch implements PatternSearch {
  readonly #program: PatternProgram;
  readonly #finder: RegExp | null;
  readonly #empty: EmptyMatches;
  readonly #noSlots: readonly number[];
  /** The generation in which an instruction was last visited, so that it enters a list only once. */
  readonly #visited: Int32Array;
  #generation = 1;
  /** Whether a path needs the next character. */
  #waiting = false;
  #position: number;
  #previous: number | null = null;
  /** Open paths at `#position`, in order of preference. */
  #threads: Thread[] = [];
  #match: RegexMatch | null = null;

  constructor(program: PatternProgram, from: number, empty: EmptyMatches) {
    this.#program = program;
    this.#finder = firstCharacterFinder(program);
    this.#empty = empty;
    this.#noSlots = new Array<number>(program.slots).fill(-1);
    this.#visited = new Int32Array(program.instructions.length);
    this.#position = from;
  }

  get found(): RegexMatch | null {
    return this.#threads.length === 0 ? this.#match : null;
  }

  get pending(): number | null {
    return this.#threads[0]?.start ?? null;
  }

  advance(text: GrowingText, to: number, final: boolean): void {
    this.#previous ??= text.codePointBefore(this.#position);
    while (this.#position < to && this.found === null) {
      this.#scan(text.piece(this.#position, to));
    }
    if (final && this.found === null) this.#finish();
  }

  passTo(place: number): void {
    this.#position = place;
    this.#previous = null;
  }

  #scan(piece: string): void {
    let index = 0;
    while (index < piece.length && this.found === null) {
      if (this.#threads.length === 0 && this.#match === null && this.#position > 0) {
        index = this.#skip(piece, index);
        if (index >= piece.length) return;
      }
      const codePoint = piece.codePointAt(index) ?? none;
      const length = codePoint > 0xffff ? 2 : 1;
      this.#step(codePoint, length);
      index += length;
    }
  }

  /** Skips characters with which no match begins. */
  #skip(piece: string, index: number): number {
    const finder = this.#finder;
    if (finder === null) return index;
    finder.lastIndex = index;
    const next = finder.exec(piece)?.index ?? piece.length;
    if (next > index) {
      this.#position += next - index;
      this.#previous = codePointBefore(piece, next);
    }
    return next;
  }

  #step(codePoint: number, length: number): void {
    this.#resolve(codePoint);
    if (this.#match === null) {
      this.#follow(this.#threads, { at: 0, start: this.#position, slots: this.#noSlots }, codePoint);
    }
    const before = this.#threads;
    const after: Thread[] = [];
    this.#generation++;
    this.#position += length;
    this.#previous = codePoint;
    for (const thread of before) {
      const instruction = this.#program.instructions[thread.at];
      if (instruction?.op !== 'character' || !instruction.has(codePoint)) continue;
      const preferredMatch = this.#follow(after, { ...thread, at: thread.at + 1 }, unknown);
      if (preferredMatch) break;
    }
    this.#threads = after;
  }

  #finish(): void {
    this.#resolve(none);
    if (this.#empty.atEnd && this.#match === null) {
      this.#follow([], { at: 0, start: this.#position, slots: this.#noSlots }, none);
    }
    this.#threads = [];
  }

  /** Continues the paths that needed the next character. */
  #resolve(next: number): void {
    if (!this.#waiting) return;
    const known = this.#threads;
    this.#waiting = false;
    this.#generation++;
    this.#threads = [];
    for (const thread of known) {
      if (this.#follow(this.#threads, thread, next)) return;
    }
  }

  /**
   * Adds the instructions that a path reaches without a character to `list`. Returns whether it reached a match, which
   * takes precedence over all later paths.
   */
  #follow(list: Thread[], from: Thread, next: number): boolean {
    const stack: Thread[] = [from];
    for (let thread = stack.pop(); thread !== undefined; thread = stack.pop()) {
      if (this.#visited[thread.at] === this.#generation) continue;
      this.#visited[thread.at] = this.#generation;
      const instruction = this.#program.instructions[thread.at];
      if (instruction === undefined) continue;
      if (instruction.op === 'match') {
        if (thread.start === this.#position && this.#position < this.#empty.from) continue;
        this.#match = { start: thread.start, end: this.#position, slots: thread.slots };
        return true;
      }
      this.#pass(instruction, thread, next, list, stack);
    }
    return false;
  }

  #pass(instruction: Instruction, thread: Thread, next: number, list: Thread[], stack: Thread[]): void {
    switch (instruction.op) {
      case 'jump':
        stack.push({ ...thread, at: instruction.to });
        return;
      case 'loop': {
        // The iteration matched nothing, so the loop ends, as in Python.
        const again = this.#visited[instruction.split] === this.#generation;
        // The instruction after a loop follows its last instruction.
        stack.push({ ...thread, at: again ? thread.at + 1 : instruction.split });
        return;
      }
      case 'split':
        stack.push({ ...thread, at: instruction.other }, { ...thread, at: instruction.preferred });
        return;
      case 'save':
        stack.push({
          ...thread,
          at: thread.at + 1,
          slots: thread.slots.with(instruction.slot, this.#position),
        });
        return;
      case 'assert': {
        const holds = this.#holds(instruction.kind, next);
        if (holds === undefined) {
          this.#waiting = true;
          list.push(thread);
        } else if (holds) stack.push({ ...thread, at: thread.at + 1 });
        return;
      }
      default:
        list.push(thread);
    }
  }

  /** `undefined` if it depends on a character that has not come yet. */
  #holds(kind: string, next: number): boolean | undefined {
    const previous = this.#previous ?? none;
    if (kind === 'start') return this.#position === 0;
    if (kind === 'line-start') return this.#position === 0 || previous === 10;
    if (next === unknown) return undefined;
    if (kind === 'end') return next === none;
    if (kind === 'line-end') return next === none || next === 10;
    return (isWordCharacter(previous) !== isWordCharacter(next)) === (kind === 'word-boundary');
  }
}
