/**
 * Patterns as programs: lists of instructions for both searches. As in Thompson's and Pike's designs, there are
 * characters, splits with a preferred branch, jumps, and slots that save positions.
 */
import { PatternError } from '../../format/errors.ts';
import type { AssertionKind, CharacterSet, ParsedRegex, RegexNode } from './syntax.ts';

/** One instruction of a compiled pattern; targets are indexes of instructions. */
export type Instruction =
  | { readonly op: 'character'; readonly set: CharacterSet; readonly has: (codePoint: number) => boolean }
  | { readonly op: 'split'; readonly preferred: number; readonly other: number }
  | { readonly op: 'jump'; readonly to: number }
  /** Back to the split of a loop; if that was already passed at this position, to the end of the loop. */
  | { readonly op: 'loop'; readonly split: number }
  | { readonly op: 'save'; readonly slot: number }
  | { readonly op: 'assert'; readonly kind: AssertionKind }
  | { readonly op: 'match' }
  /** Runs another program here; a lookbehind may begin `min` to `max` characters earlier. */
  | {
      readonly op: 'inner';
      readonly kind: InnerKind;
      readonly program: PatternProgram;
      readonly width: Width;
    }
  | { readonly op: 'backreference'; readonly group: number }
  | { readonly op: 'branch-on-group'; readonly group: number; readonly otherwise: number };

/** The purpose of an inner program: an atomic group, or a lookahead or lookbehind that must match or must not. */
export type InnerKind = 'atomic' | 'ahead' | 'not-ahead' | 'after' | 'not-after';

/** Minimum and maximum number of characters that a pattern matches. */
export interface Width {
  readonly min: number;
  readonly max: number;
}

/** A compiled pattern. */
export interface PatternProgram {
  readonly instructions: readonly Instruction[];
  /** Two slots for each group: its start and its end. */
  readonly slots: number;
  /** Whether the linear search supports all instructions. */
  readonly regular: boolean;
  /** Whether the captures of groups decide whether the pattern matches. */
  readonly readsGroups: boolean;
  /** Number of characters before a position that must be known to search from it. */
  readonly lookbehind: number;
}

/** Maximum instructions of a program; counted repetitions are unrolled. */
const maxInstructions = 5_000;
const maxLookbehind = 1_000;

/**
 * Compiles a parsed pattern.
 *
 * @throws {PatternError} when it is too large, or looks back without a bound.
 */
export function compileProgram(regex: ParsedRegex): PatternProgram {
  if (instructionCount(regex.root) > maxInstructions) {
    throw new PatternError({ pattern: regex.pattern, position: 0, reason: 'pattern is too large' });
  }
  return new ProgramWriter(regex).write(regex.root);
}

class ProgramWriter {
  readonly #regex: ParsedRegex;
  readonly #instructions: Instruction[] = [];
  #regular = true;
  #readsGroups = false;
  #lookbehind = 1;

  constructor(regex: ParsedRegex) {
    this.#regex = regex;
  }

  write(root: RegexNode): PatternProgram {
    this.#emit(root);
    this.#push({ op: 'match' });
    return {
      instructions: this.#instructions,
      slots: 2 * this.#regex.groupCount,
      regular: this.#regular,
      readsGroups: this.#readsGroups,
      lookbehind: this.#lookbehind,
    };
  }

  #push(instruction: Instruction): number {
    return this.#instructions.push(instruction) - 1;
  }

  #emit(node: RegexNode): void {
    switch (node.type) {
      case 'character':
        this.#push({ op: 'character', set: node.set, has: characterTest(node.set) });
        return;
      case 'sequence':
        for (const item of node.items) this.#emit(item);
        return;
      case 'choice':
        this.#emitChoice(node.alternatives);
        return;
      case 'repeat':
        this.#emitRepeat(node);
        return;
      case 'group':
        this.#push({ op: 'save', slot: 2 * (node.index - 1) });
        this.#emit(node.item);
        this.#push({ op: 'save', slot: 2 * node.index - 1 });
        return;
      case 'assertion':
        // `$` needs two characters of lookahead, which the linear search does not have.
        if (node.kind === 'end-or-newline') this.#regular = false;
        this.#push({ op: 'assert', kind: node.kind });
        return;
      default:
        this.#emitIrregular(node);
    }
  }

  #emitIrregular(
    node: Extract<RegexNode, { type: 'look' | 'atomic' | 'backreference' | 'conditional' }>,
  ): void {
    this.#regular = false;
    switch (node.type) {
      case 'atomic':
        this.#emitInner('atomic', node.item);
        return;
      case 'look':
        this.#emitInner(`${node.negative ? 'not-' : ''}${node.after ? 'after' : 'ahead'}`, node.item);
        return;
      case 'backreference':
        this.#readsGroups = true;
        this.#push({ op: 'backreference', group: node.index });
        return;
      case 'conditional':
        this.#emitConditional(node.index, node.yes, node.no);
    }
  }

  #emitChoice(alternatives: readonly RegexNode[]): void {
    const jumps: number[] = [];
    alternatives.forEach((alternative, index) => {
      const last = index === alternatives.length - 1;
      const split = last ? -1 : this.#push({ op: 'jump', to: 0 });
      this.#emit(alternative);
      if (last) return;
      jumps.push(this.#push({ op: 'jump', to: 0 }));
      this.#instructions[split] = { op: 'split', preferred: split + 1, other: this.#instructions.length };
    });
    for (const jump of jumps) this.#instructions[jump] = { op: 'jump', to: this.#instructions.length };
  }

  #emitRepeat(node: Extract<RegexNode, { type: 'repeat' }>): void {
    if (node.mode === 'possessive') {
      this.#regular = false;
      this.#emitInner('atomic', { ...node, mode: 'greedy' });
      return;
    }
    for (let count = 0; count < node.min; count++) this.#emit(node.item);
    if (node.max === null) {
      const split = this.#push({ op: 'jump', to: 0 });
      this.#emit(node.item);
      this.#push({ op: 'loop', split });
      this.#split(split, node.mode === 'lazy');
      return;
    }
    const splits: number[] = [];
    for (let count = node.min; count < node.max; count++) {
      splits.push(this.#push({ op: 'jump', to: 0 }));
      this.#emit(node.item);
    }
    for (const split of splits) this.#split(split, node.mode === 'lazy');
  }

  /** Turns the instruction at `split` into a choice between the one after it and the end of the program so far. */
  #split(split: number, lazy: boolean): void {
    const exit = this.#instructions.length;
    this.#instructions[split] = lazy
      ? { op: 'split', preferred: exit, other: split + 1 }
      : { op: 'split', preferred: split + 1, other: exit };
  }

  #emitInner(kind: InnerKind, item: RegexNode): void {
    const inner = new ProgramWriter(this.#regex);
    const program = inner.write(item);
    const width = kind.endsWith('after') ? widthOf(item) : { min: 0, max: 0 };
    if (width.max > maxLookbehind) {
      throw new PatternError({
        pattern: this.#regex.pattern,
        position: 0,
        reason: `lookbehind of more than ${maxLookbehind} characters`,
      });
    }
    this.#readsGroups ||= program.readsGroups;
    this.#lookbehind = Math.max(this.#lookbehind, program.lookbehind + 2 * width.max);
    this.#push({ op: 'inner', kind, program, width });
  }

  #emitConditional(group: number, yes: RegexNode, no: RegexNode): void {
    this.#readsGroups = true;
    const branch = this.#push({ op: 'jump', to: 0 });
    this.#emit(yes);
    const jump = this.#push({ op: 'jump', to: 0 });
    this.#instructions[branch] = { op: 'branch-on-group', group, otherwise: this.#instructions.length };
    this.#emit(no);
    this.#instructions[jump] = { op: 'jump', to: this.#instructions.length };
  }
}

/** As many instructions as `node` becomes, with those of inner programs, or more. */
function instructionCount(node: RegexNode): number {
  switch (node.type) {
    case 'sequence':
      return sum(node.items);
    case 'choice':
      return sum(node.alternatives) + 2 * node.alternatives.length;
    case 'repeat':
      return (instructionCount(node.item) + 2) * Math.max(1, node.max ?? node.min + 1);
    case 'conditional':
      return instructionCount(node.yes) + instructionCount(node.no) + 2;
    case 'group':
    case 'look':
    case 'atomic':
      return instructionCount(node.item) + 2;
    default:
      return 1;
  }
}

function sum(nodes: readonly RegexNode[]): number {
  return nodes.reduce((total, node) => total + instructionCount(node), 0);
}

/** How many characters `node` can match. */
function widthOf(node: RegexNode): Width {
  switch (node.type) {
    case 'character':
      return { min: 1, max: 1 };
    case 'sequence':
      return node.items.map(widthOf).reduce((a, b) => ({ min: a.min + b.min, max: a.max + b.max }), {
        min: 0,
        max: 0,
      });
    case 'choice':
      return widestOf(node.alternatives.map(widthOf));
    case 'conditional':
      return widestOf([widthOf(node.yes), widthOf(node.no)]);
    case 'repeat': {
      const { min, max } = widthOf(node.item);
      return { min: min * node.min, max: max === 0 ? 0 : max * (node.max ?? Number.POSITIVE_INFINITY) };
    }
    case 'group':
    case 'atomic':
      return widthOf(node.item);
    case 'backreference':
      return { min: 0, max: Number.POSITIVE_INFINITY };
    default:
      return { min: 0, max: 0 };
  }
}

function widestOf(widths: readonly Width[]): Width {
  return {
    min: Math.min(...widths.map((width) => width.min)),
    max: Math.max(...widths.map((width) => width.max)),
  };
}

/** A test whether a code point is in `set`: with a table for ASCII, filled on demand, and the class itself beyond. */
function characterTest(set: CharacterSet): (codePoint: number) => boolean {
  const matcher = new RegExp(`^${set.source}$`, set.ignoreCase ? 'iv' : 'v');
  const known = new Int8Array(128).fill(-1);
  return (codePoint) => {
    const answer = known[codePoint];
    if (answer !== undefined && answer >= 0) return answer === 1;
    const holds = matcher.test(String.fromCodePoint(codePoint));
    if (codePoint < known.length) known[codePoint] = holds ? 1 : 0;
    return holds;
  };
}
