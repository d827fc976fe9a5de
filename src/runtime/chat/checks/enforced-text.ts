/** Which stretches of a response its grammar wrote. */
import type { JsonObject } from '../../../format/messages.ts';
import type { Provenance } from '../../../parser/provenance.ts';

interface EnforcedSpan {
  readonly start: number;
  /** The tool whose call alone it is; `null` if it may be calls of any. */
  readonly toolName: string | null;
  /** Infinite while the grammar is in force. */
  end: number;
  /** Whether it may still be thoughts, in which the grammar allows any text, calls included. */
  mayBeThoughts: boolean;
}

/** How a grammar tells thoughts at the beginning of a response. */
export interface EnforcedThoughts {
  /** What they begin with; empty if the prompt has opened them. */
  readonly open: string;
  readonly close: string;
}

/** Follows the grammar of one response. All positions are offsets into the response. */
export class EnforcedText implements Provenance {
  /** Tools whose schemas their grammar enforces in full. A grammar may also allow calls of any other. */
  readonly #tools: ReadonlySet<string>;
  readonly #thoughts: EnforcedThoughts | null;
  readonly problemsOf: (toolName: string, input: JsonObject) => readonly string[];
  #spans: EnforcedSpan[] = [];
  #read: (start: number, end: number) => string = () => '';

  /** `problemsOf`: what no grammar says about the arguments of a tool. */
  constructor(
    tools: ReadonlySet<string>,
    thoughts: EnforcedThoughts | null = null,
    problemsOf: EnforcedText['problemsOf'] = () => [],
  ) {
    this.problemsOf = problemsOf;
    this.#tools = tools;
    this.#thoughts = thoughts;
  }

  /** Starts over with a response whose text `read` returns. */
  reset(read: (start: number, end: number) => string): void {
    this.#spans = [];
    this.#read = read;
  }

  /** The grammar allows the text from `start` on. `toolName`: it is that of the rest of one call of this tool. */
  begin(start: number, toolName: string | null = null): void {
    this.end(start);
    const mayBeThoughts = this.#thoughts !== null && start <= 0;
    this.#spans.push({ start, toolName, end: Number.POSITIVE_INFINITY, mayBeThoughts });
  }

  /** The grammar is no longer in force at `end`, or has lost the text there. */
  end(end: number): void {
    const last = this.#spans.at(-1);
    if (last !== undefined && last.end > end) last.end = end;
  }

  /** Whether the grammar allowed all text from `start` to `end`. */
  covers(start: number, end: number): boolean {
    return this.#covering(start, end) !== undefined;
  }

  /**
   * A call that the parser reads in thoughts that nothing has closed is text to the grammar. So is one in the arguments
   * of a tool that is not on offer; those are text, or malformed, to the parser.
   */
  isEnforced(toolName: string, start: number, end: number, otherTextEnd: number): boolean {
    if (!this.#tools.has(toolName)) return false;
    const span = this.#covering(start, end);
    if (span === undefined || span.start < otherTextEnd) return false;
    if (span.toolName !== null && span.toolName !== toolName) return false;
    if (span.mayBeThoughts) span.mayBeThoughts = this.#isThinking(span.start, start);
    return !span.mayBeThoughts;
  }

  #covering(start: number, end: number): EnforcedSpan | undefined {
    return this.#spans.find((span) => span.start <= start && end <= span.end);
  }

  #isThinking(from: number, to: number): boolean {
    if (this.#thoughts === null) return false;
    const { open, close } = this.#thoughts;
    const text = this.#read(from, to).trimStart();
    return text.startsWith(open) && !text.includes(close);
  }

  textOf(start: number, end: number): string {
    return this.#read(start, end);
  }
}
