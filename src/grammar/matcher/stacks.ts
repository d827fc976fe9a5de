/**
 * Where a text can stand in a grammar: a set of stacks.
 *
 * A stack is a chain of frames, and equal stacks are the same object, because a frame keeps the frames
 * that were ever put on it. So what can come after a frame is worked out once and remembered there; in a
 * grammar where the next character decides, moving over a character is then a test and a pointer.
 */
import { GrammarError } from '../../format/errors.ts';
import { hasCharacter } from './lookup-set.ts';
import { type CharacterNode, countLimit, type Program, type ProgramNode } from './program.ts';

/** One level of a stack: go on at `node`, of which `count` repetitions are done, then at `below`. */
export class Frame {
  readonly node: ProgramNode | null;
  readonly count: number;
  readonly below: Frame | null;
  #above: Map<number, Frame> | undefined;
  /** What can come from here, once it has been asked. */
  reach: Reach | undefined;
  /** The frame after this one's character, once it has been asked. */
  after: Frame | undefined;
  /** The position that is this stack alone, once it has been asked. */
  position: Position | undefined;

  constructor(node: ProgramNode | null, count: number, below: Frame | null) {
    this.node = node;
    this.count = count;
    this.below = below;
  }

  /** The frame for `node` on top of this one. */
  above(node: ProgramNode, count: number): Frame {
    const key = node.index * countLimit + count;
    this.#above ??= new Map();
    const known = this.#above.get(key);
    if (known !== undefined) return known;
    const frame = new Frame(node, count, this);
    this.#above.set(key, frame);
    return frame;
  }
}

/** The characters that can come next, and whether the text may end. */
export interface Reach {
  readonly characters: readonly CharacterFrame[];
  readonly complete: boolean;
}
/** A frame whose node is a character. */
export interface CharacterFrame {
  readonly frame: Frame;
  readonly node: CharacterNode;
}

/** Where a text stands: what it went on to (`frames`), and what can come there. */
export interface Position extends Reach {
  readonly frames: readonly Frame[];
}

/** The most stacks at once where a caller sets no other. */
export const defaultStackLimit = 1000;
/** The most steps from one character to the next. */
const stepLimit = 100_000;

/** Moves positions through one program. */
export class Stacks {
  readonly #program: Program;
  readonly #stackLimit: number;
  /** Below everything: when it is reached the text may end. */
  readonly #ground = new Frame(null, 0, null);

  constructor(program: Program, stackLimit: number) {
    this.#program = program;
    this.#stackLimit = stackLimit;
  }

  /** The position before any text. */
  start(root: string): Position {
    const body = this.#program.body(root);
    return this.#at(body === null ? this.#ground : this.#ground.above(body, 0));
  }

  /** The position after `code`, or `null` where it is not allowed. */
  advance(position: Position, code: number): Position | null {
    let first: Frame | undefined;
    let others: Set<Frame> | undefined;
    for (const each of position.characters) {
      if (!hasCharacter(each.node.set, code)) continue;
      const after = this.#after(each);
      if (first === undefined || first === after) first = after;
      else others = (others ?? new Set([first])).add(after);
    }
    if (first === undefined) return null;
    return others === undefined ? this.#at(first) : this.#union([...others]);
  }

  #after({ frame, node }: CharacterFrame): Frame {
    frame.after ??= this.#onto(frame.below ?? this.#ground, node.next, 0);
    return frame.after;
  }

  /** The frame to go on at: the end of a body goes on below, so that stacks do not grow by tail calls. */
  #onto(below: Frame, node: ProgramNode | null, count: number): Frame {
    return node === null ? below : below.above(node, count);
  }

  #at(frame: Frame): Position {
    frame.position ??= { frames: [frame], ...this.#reach(frame) };
    return frame.position;
  }

  #union(frames: readonly Frame[]): Position {
    if (frames.length > this.#stackLimit) throw tooAmbiguous(`${frames.length} stacks`);
    const reaches = frames.map((frame) => this.#reach(frame));
    const characters = new Map<Frame, CharacterFrame>();
    for (const reach of reaches) {
      for (const each of reach.characters) characters.set(each.frame, each);
    }
    return { frames, characters: [...characters.values()], complete: reaches.some((each) => each.complete) };
  }

  /** Follows everything that takes no character. */
  #reach(from: Frame): Reach {
    if (from.reach !== undefined) return from.reach;
    const characters: CharacterFrame[] = [];
    const seen = new Set([from]);
    for (const frame of seen) {
      if (seen.size > stepLimit) throw tooAmbiguous(`${stepLimit} steps for one character`);
      if (frame.node?.type === 'character') characters.push({ frame, node: frame.node });
      else for (const next of this.#enter(frame)) seen.add(next);
    }
    from.reach = { characters, complete: seen.has(this.#ground) };
    return from.reach;
  }

  /** One step that takes no character. */
  #enter({ node, count, below }: Frame): Frame[] {
    if (node === null || below === null) return [];
    switch (node.type) {
      case 'choice':
        return node.branches.map((branch) => this.#onto(below, branch, 0));
      case 'call': {
        const body = this.#program.body(node.rule);
        return [this.#onto(this.#onto(below, node.next, 0), body, 0)];
      }
      case 'loop': {
        const leave = count >= node.min ? [this.#onto(below, node.next, 0)] : [];
        if (node.max !== null && count >= node.max) return leave;
        // Beyond the minimum an unbounded loop need not count.
        const done = node.max === null ? Math.min(count + 1, node.min) : count + 1;
        return [...leave, this.#onto(below.above(node, done), node.body, 0)];
      }
      case 'character':
        return [];
    }
  }
}

function tooAmbiguous(what: string): GrammarError {
  return new GrammarError({ reason: `is too ambiguous to match: ${what}` });
}
