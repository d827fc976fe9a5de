/** The state of one render: output, budget, clock and scopes. */
import { TemplateLimitError } from '../../format/errors.ts';
import type { Dict, Value } from './values.ts';

/** Bounds for one render of an untrusted template. */
export interface TemplateLimits {
  /**
   * Units of work: statements, calls, elements, and texts by their length. Default 5,000,000, a
   * second or two at worst.
   */
  readonly steps: number;
  /** Characters of output. Default 16,777,216. */
  readonly output: number;
  /** Macro calls inside each other. Default 150. */
  readonly depth: number;
}

/** What bounds a render unless told otherwise. */
export const defaultLimits: TemplateLimits = { steps: 5_000_000, output: 1 << 24, depth: 150 };

/** One render. Everything that takes time or memory in proportion to its input charges it here. */
export class Runtime {
  /** Line of the template where the render stands, from 1. */
  line = 0;
  readonly now: () => Date;
  /** What the caller gave. */
  readonly variables: Dict;
  private readonly template: string;
  private readonly limits: TemplateLimits;
  private output = '';
  private written = 0;
  private steps = 0;
  private depth = 0;

  constructor(template: string, limits: TemplateLimits, now: () => Date, variables: Dict) {
    this.template = template;
    this.limits = limits;
    this.now = now;
    this.variables = variables;
  }

  /** Takes units from the budget. Throws TemplateLimitError when it is used up. */
  charge(units: number): void {
    this.steps += units;
    if (this.steps > this.limits.steps) throw this.exceeded('steps');
  }

  /** Charges for text that is about to be made, before it is made. */
  chargeText(characters: number): void {
    if (characters > this.limits.output) throw this.exceeded('output');
    this.charge(1 + (characters >> 3));
  }

  /** Charges for joined text. Engines join without copying, so this costs less than making it. */
  chargeJoin(characters: number): void {
    if (characters > this.limits.output) throw this.exceeded('output');
    this.charge(1 + (characters >> 12));
  }

  /** Adds to the output. */
  write(text: string): void {
    this.written += text.length;
    if (this.written > this.limits.output) throw this.exceeded('output');
    this.output += text;
  }

  /** What `body` writes, instead of writing it. */
  capture(body: () => void): string {
    const outer = this.output;
    this.output = '';
    try {
      body();
      this.chargeJoin(this.output.length);
      this.written -= this.output.length;
      return this.output;
    } finally {
      this.output = outer;
    }
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
  get text(): string {
    return this.output;
  }

  private exceeded(limit: keyof TemplateLimits): TemplateLimitError {
    return new TemplateLimitError({ template: this.template, limit, allowed: this.limits[limit] });
  }
}

/** Names and their values; what is not here is looked up further out, and then in the variables. */
export class Scope {
  readonly names = new Map<string, Value>();
  readonly runtime: Runtime;
  private readonly outer: Scope | null;
  constructor(runtime: Runtime, outer: Scope | null) {
    this.runtime = runtime;
    this.outer = outer;
  }
  /** A name's value, or `undefined` when nothing defines it. */
  lookup(name: string): Value | undefined {
    for (let scope: Scope | null = this; scope !== null; scope = scope.outer) {
      const value = scope.names.get(name);
      if (value !== undefined) return value;
    }
    return this.runtime.variables.get(name);
  }
}
