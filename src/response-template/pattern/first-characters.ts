/** The characters with which a match can begin, so that a search can skip most of a text. */
import { memoize } from '../../format/memoize.ts';
import type { Instruction, PatternProgram } from './program.ts';

/**
 * Finds the next character with which a match of `program` can begin, other than at the beginning of a text; `null` if
 * it can begin anywhere.
 */
export const firstCharacterFinder = memoize((program: PatternProgram): RegExp | null =>
  commonFinder([program]),
);

/** The same for matches of several programs. */
export function commonFinder(programs: readonly PatternProgram[]): RegExp | null {
  const first = new FirstCharacters();
  for (const program of programs) first.visit(program);
  const source = first.sources.size === 0 ? '[]' : [...first.sources].join('|');
  return first.anywhere ? null : new RegExp(source, first.ignoreCase ? 'giv' : 'gv');
}

class FirstCharacters {
  readonly sources = new Set<string>();
  ignoreCase = false;
  anywhere = false;

  visit(program: PatternProgram): void {
    const visited = new Set<number>();
    const stack = [0];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const instruction = program.instructions[at];
      if (instruction === undefined || visited.has(at)) continue;
      visited.add(at);
      stack.push(...this.#after(instruction, at));
    }
  }

  /** Records a character instruction; returns the instructions that may precede the first character. */
  #after(instruction: Instruction, at: number): readonly number[] {
    switch (instruction.op) {
      case 'character':
        this.sources.add(instruction.set.source);
        this.ignoreCase ||= instruction.set.ignoreCase;
        return [];
      case 'split':
        return [instruction.preferred, instruction.other];
      case 'jump':
        return [instruction.to];
      case 'loop':
        return [instruction.split, at + 1];
      case 'save':
        return [at + 1];
      case 'assert':
        return instruction.kind === 'start' ? [] : [at + 1];
      case 'branch-on-group':
        return [at + 1, instruction.otherwise];
      case 'inner':
        if (instruction.kind !== 'atomic') return [at + 1];
        this.visit(instruction.program);
        return [];
      default:
        this.anywhere = true;
        return [];
    }
  }
}
