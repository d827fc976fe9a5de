/**
 * The position of a text in a grammar: a set of stacks.
 *
 * A stack is a linked list of frames. Equal stacks are the same object, because a frame keeps all frames ever pushed
 * on it. Whatever can follow a frame is thus computed once and memoised in it. In a grammar where the next character
 * decides, advancing over a character is one set lookup and one pointer.
 */
import { GrammarError } from '../../format/errors.ts';
import { hasCharacter } from './lookup-set.ts';
import { type CharacterNode, countLimit, type Program, type ProgramNode } from './program.ts';

/** One frame of a stack: continue at `node`, after `count` of its repetitions, then at `below`. */
export class StackFrame {
  readonly node: ProgramNode | null;
  readonly count: number;
  readonly below: StackFrame | null;
  /** The first frame pushed on this one; most frames have no other. */
  #firstAbove: StackFrame | undefined;
  /** The others. */
  #above: Map<number, StackFrame> | undefined;
  /** The frame after this frame's character; computed on demand. */
  after: StackFrame | undefined;
  /** The position with this stack alone; computed on demand. */
  position: Position | undefined;
  /** The latest search that has come here. */
  search = 0;

  constructor(node: ProgramNode | null, count: number, below: StackFrame | null) {
    this.node = node;
    this.count = count;
    this.below = below;
  }

  /** Pushes a frame for `node` on this one. */
  above(node: ProgramNode, count: number): StackFrame {
    const first = this.#firstAbove;
    if (first === undefined) {
      this.#firstAbove = new StackFrame(node, count, this);
      return this.#firstAbove;
    }
    if (first.node === node && first.count === count) return first;
    const key = node.index * countLimit + count;
    this.#above ??= new Map();
    const known = this.#above.get(key);
    if (known !== undefined) return known;
    const frame = new StackFrame(node, count, this);
    this.#above.set(key, frame);
    return frame;
  }
}

/** A frame whose node matches a character. */
interface CharacterFrame {
  readonly frame: StackFrame;
  readonly node: CharacterNode;
}

/** The stacks after some text, the characters that can come next, and whether the text may end. */
export interface Position {
  /** Unique among the positions of a grammar. */
  readonly number: number;
  readonly frames: readonly StackFrame[];
  readonly characters: readonly CharacterFrame[];
  readonly complete: boolean;
}

/** Default for the maximum number of stacks at once. */
export const defaultStackLimit = 1000;
/** Maximum number of epsilon steps from one character to the next. */
const stepLimit = 100_000;
/** Maximum number of positions with several stacks that are remembered. */
const unionLimit = 10_000;

/** Advances positions through one program. */
export class Stacks {
  readonly #program: Program;
  readonly #stackLimit: number;
  /** Bottom of every stack; the text may end when it is reached. */
  readonly #bottom = new StackFrame(null, 0, null);
  /** Positions with several stacks, by the numbers of these. */
  readonly #unions = new Map<string, Position>();
  readonly #numbers = new Map<StackFrame, number>();
  #searches = 0;
  #positions = 0;

  constructor(program: Program, stackLimit: number) {
    this.#program = program;
    this.#stackLimit = stackLimit;
  }

  /** The position before any text. */
  start(root: string): Position {
    const body = this.#program.body(root);
    return this.#at(body === null ? this.#bottom : this.#bottom.above(body, 0));
  }

  /** The position after `code`; `null` if it is not allowed. */
  advance(position: Position, code: number): Position | null {
    let first: StackFrame | undefined;
    let others: Set<StackFrame> | undefined;
    for (const each of position.characters) {
      if (!hasCharacter(each.node.set, code)) continue;
      const after = this.#after(each);
      if (first === undefined || first === after) first = after;
      else others = (others ?? new Set([first])).add(after);
    }
    if (first === undefined) return null;
    return others === undefined ? this.#at(first) : this.#union([...others]);
  }

  #after({ frame, node }: CharacterFrame): StackFrame {
    frame.after ??= this.#onto(frame.below ?? this.#bottom, node.next, 0);
    return frame.after;
  }

  /** Pushes `node`, or nothing at the end of a body, so that tail calls do not grow the stack. */
  #onto(below: StackFrame, node: ProgramNode | null, count: number): StackFrame {
    return node === null ? below : below.above(node, count);
  }

  #at(frame: StackFrame): Position {
    frame.position ??= this.#alone(frame);
    return frame.position;
  }

  /** The position with these stacks; the same object for the same stacks, as long as it is remembered. */
  #union(frames: readonly StackFrame[]): Position {
    if (frames.length > this.#stackLimit) throw tooAmbiguous(`${frames.length} stacks`);
    const numbers = frames.map((frame) => this.#numberOf(frame));
    const key = numbers.sort((a, b) => a - b).join();
    const known = this.#unions.get(key);
    if (known !== undefined) return known;
    if (this.#unions.size >= unionLimit) this.#unions.clear();
    const position = this.#unite(frames);
    this.#unions.set(key, position);
    return position;
  }

  #numberOf(frame: StackFrame): number {
    const number = this.#numbers.get(frame) ?? this.#numbers.size;
    this.#numbers.set(frame, number);
    return number;
  }

  #unite(frames: readonly StackFrame[]): Position {
    const positions = frames.map((frame) => this.#at(frame));
    const characters = new Map<StackFrame, CharacterFrame>();
    for (const position of positions) {
      for (const each of position.characters) characters.set(each.frame, each);
    }
    const complete = positions.some((each) => each.complete);
    return this.#position(frames, [...characters.values()], complete);
  }

  #position(
    frames: readonly StackFrame[],
    characters: readonly CharacterFrame[],
    complete: boolean,
  ): Position {
    this.#positions += 1;
    return { number: this.#positions, frames, characters, complete };
  }

  /** The position with one stack: its epsilon closure. */
  #alone(from: StackFrame): Position {
    const characters: CharacterFrame[] = [];
    const met = [from];
    this.#searches += 1;
    from.search = this.#searches;
    for (let place = 0; place < met.length; place += 1) {
      if (met.length > stepLimit) throw tooAmbiguous(`${stepLimit} steps for one character`);
      const frame = met[place] ?? from;
      if (frame.node?.type === 'character') characters.push({ frame, node: frame.node });
      else this.#enter(frame, met);
    }
    return this.#position([from], characters, this.#bottom.search === this.#searches);
  }

  /** One epsilon step: adds the frames after it that this search has not met. */
  #enter({ node, count, below }: StackFrame, met: StackFrame[]): void {
    if (node === null || below === null) return;
    switch (node.type) {
      case 'choice':
        for (const branch of node.branches) this.#meet(this.#onto(below, branch, 0), met);
        return;
      case 'call': {
        const body = this.#program.body(node.rule);
        this.#meet(this.#onto(this.#onto(below, node.next, 0), body, 0), met);
        return;
      }
      case 'loop': {
        if (count >= node.min) this.#meet(this.#onto(below, node.next, 0), met);
        if (node.max !== null && count >= node.max) return;
        // After the minimum, an unbounded loop no longer needs a count.
        const done = node.max === null ? Math.min(count + 1, node.min) : count + 1;
        // The last repetition leaves no frame, so that what follows it is what follows any text before that.
        const again = done === node.max ? this.#onto(below, node.next, 0) : below.above(node, done);
        this.#meet(this.#onto(again, node.body, 0), met);
      }
    }
  }

  #meet(frame: StackFrame, met: StackFrame[]): void {
    if (frame.search === this.#searches) return;
    frame.search = this.#searches;
    met.push(frame);
  }
}

function tooAmbiguous(what: string): GrammarError {
  return new GrammarError({ reason: `is too ambiguous to match: ${what}` });
}
