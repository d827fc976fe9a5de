/** The state of one render: output, budget and clock. */
import { TemplateLimitError } from '../../format/errors.ts';
import type { Steps } from '../../language/expression/steps.ts';
import { lengthOfText, originChanges, type Text, TextBuilder } from './traced-text.ts';

/** Limits for one render of an untrusted template. */
export interface TemplateLimits {
  /**
   * Units of work: expressions, statements, elements, and texts by length. Default 5,000,000, a second or two at worst.
   */
  readonly steps: number;
  /** Characters of output. Default 16,777,216. */
  readonly output: number;
  /** Nesting of macro calls. Default 150. */
  readonly depth: number;
  /** Characters of the template itself, checked when it is parsed. Default 2,097,152. */
  readonly source: number;
}

/** The default limits of a render. */
export const defaultLimits: TemplateLimits = {
  steps: 5_000_000,
  output: 1 << 24,
  depth: 150,
  source: 1 << 21,
};

/** Units of work after which a render in steps gives way: a few milliseconds at worst. */
const stepUnits = 10_000;

/** Work shared by several renders; each takes its steps from here. */
export class WorkBudget {
  /** Units of work, as in `TemplateLimits.steps`. */
  readonly steps: number;
  private used = 0;
  constructor(steps: number) {
    this.steps = steps;
  }
  /** Units left. */
  get left(): number {
    return Math.max(0, this.steps - this.used);
  }
  /** Subtracts used units. */
  take(steps: number): void {
    this.used += steps;
  }
}

/** What a render knows of its input. */
interface RenderInput {
  readonly now: () => Date;
  /** Whether texts of the variables are distinguished from the template's own. */
  readonly traced: boolean;
}

/** One render. Everything that takes time or memory in proportion to its input is charged here. */
export class Runtime {
  /** Current line of the template, from 1. */
  line = 0;
  readonly now: () => Date;
  /** Whether texts of the input are distinguished from the template's own. */
  readonly traced: boolean;
  private readonly template: string;
  private readonly limits: TemplateLimits;
  private readonly budget: WorkBudget | null;
  private readonly allowed: number;
  private output = new TextBuilder();
  private written = 0;
  private steps = 0;
  /** Work that was done when the render last gave way. */
  private gaveWay = 0;
  private depth = 0;

  constructor(input: RenderInput, template: string, limits: TemplateLimits, budget: WorkBudget | null) {
    this.template = template;
    this.limits = limits;
    this.budget = budget;
    this.allowed = Math.min(limits.steps, budget?.left ?? limits.steps);
    this.now = input.now;
    this.traced = input.traced;
  }

  /** Units of work done. */
  get work(): number {
    return this.steps;
  }

  /** Whether a render in steps should give way, which it then does. */
  isDue(): boolean {
    if (this.steps - this.gaveWay < stepUnits) return false;
    this.gaveWay = this.steps;
    return true;
  }

  /** Charges units to the budget. Throws TemplateLimitError if it is used up. */
  charge(units: number): void {
    this.steps += units;
    if (this.steps > this.allowed) throw this.usedUp();
  }

  /** Charges for reading text from end to end. */
  chargeRead(characters: number): void {
    this.charge(1 + (characters >> 4));
  }

  /** Charges for text that is about to be created, before it is created. */
  chargeText(characters: number): void {
    if (characters > this.limits.output) throw this.exceeded('output');
    this.charge(1 + (characters >> 3));
  }

  /** Charges for text whose characters are examined or changed one by one, which costs several times as much. */
  chargeEach(characters: number): void {
    if (characters > this.limits.output) throw this.exceeded('output');
    this.charge(1 + (characters >> 1));
  }

  /** Charges for joining texts. Engines join without copying, so this costs less than creating them. */
  chargeJoin(parts: readonly Text[]): void {
    let characters = 0;
    let changes = 0;
    for (const part of parts) {
      characters += lengthOfText(part);
      changes += originChanges(part);
    }
    if (characters > this.limits.output) throw this.exceeded('output');
    this.charge(parts.length + (characters >> 12) + (changes >> 3));
  }

  /** Adds to the output. */
  write(text: Text): void {
    this.written += lengthOfText(text);
    if (this.written > this.limits.output) throw this.exceeded('output');
    this.output.add(text);
  }

  /** Returns what `body` writes, instead of writing it. */
  capture(body: () => void): Text {
    const outer = this.output;
    this.output = new TextBuilder();
    try {
      body();
      const text = this.output.build();
      this.chargeJoin([text]);
      this.written -= lengthOfText(text);
      return text;
    } finally {
      this.output = outer;
    }
  }

  /** `capture` in steps. */
  *captureSteps(body: Steps<unknown>): Steps<Text> {
    const outer = this.output;
    this.output = new TextBuilder();
    try {
      yield* body;
      const text = this.output.build();
      this.chargeJoin([text]);
      this.written -= lengthOfText(text);
      return text;
    } finally {
      this.output = outer;
    }
  }

  /** `nested` in steps. */
  *nestedSteps<T>(body: Steps<T>): Steps<T> {
    this.depth += 1;
    if (this.depth > this.limits.depth) throw this.exceeded('depth');
    const result = yield* body;
    this.depth -= 1;
    return result;
  }

  /** Runs the body of a macro, one level deeper. */
  nested<T>(body: () => T): T {
    this.depth += 1;
    if (this.depth > this.limits.depth) throw this.exceeded('depth');
    const result = body();
    this.depth -= 1;
    return result;
  }

  /** All that was written. */
  get text(): Text {
    return this.output.build();
  }

  private usedUp(): TemplateLimitError {
    if (this.steps > this.limits.steps || this.budget === null) return this.exceeded('steps');
    return new TemplateLimitError({ template: this.template, limit: 'budget', allowed: this.budget.steps });
  }

  private exceeded(limit: keyof TemplateLimits): TemplateLimitError {
    return new TemplateLimitError({ template: this.template, limit, allowed: this.limits[limit] });
  }
}
