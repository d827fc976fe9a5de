/** Finds calls that the parser has begun to read without a trigger, so that the rest of them is enforced. */
import type { Matcher } from '../../../language/matcher/matcher.ts';
import type { ResponseParser } from '../../../parser/response-parser.ts';
import type { SteeringOptions } from './steering-options.ts';

/** A call whose rest can be enforced. */
interface EnforceableCall {
  /** After what has been written of it. */
  readonly matcher: Matcher;
  /** Offset from which its grammar applies. */
  readonly from: number;
  readonly toolName: string;
}

/** Watches the parser of one response. */
export class OpenCallWatch {
  readonly #parser: ResponseParser;
  readonly #restOf: SteeringOptions['restOf'];
  /** Where the latest call was tried; a call that did not fit there is left to its validator. */
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(parser: ResponseParser, restOf: SteeringOptions['restOf']) {
    this.#parser = parser;
    this.#restOf = restOf;
  }

  /** The call at the end of `written` that has begun since the last one; `null` if there is none, or it does not fit. */
  find(written: string): EnforceableCall | null {
    const call = this.#parser.openCall;
    if (call === null || call.from <= this.#triedAt || call.from < 0) return null;
    this.#triedAt = call.from;
    const matcher = this.#restOf(call, written.slice(call.from));
    return matcher === null ? null : { matcher, from: call.from, toolName: call.toolName };
  }
}
