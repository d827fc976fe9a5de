/**
 * Ends a response at a stop string in its answer. It reads the events of the parser, so thoughts, markers and arguments
 * are no part of what it searches; text that may become a stop is held back.
 */
import type {
  Finish,
  PossibleCall,
  ResponseEvent,
  ResponseMessage,
  TextDelta,
} from '../../../parser/events.ts';

/** Where an answer ends. */
interface FoundStop {
  readonly stop: string;
  /** Its offset in the response. */
  readonly place: number;
}

/** The last events and the message. */
interface Finished {
  readonly events: readonly ResponseEvent[];
  readonly message: ResponseMessage;
}

/** Searches the answer of one response. */
export class AnswerStops {
  readonly #stops: readonly string[];
  #held: TextDelta | null = null;
  #found: FoundStop | null = null;
  /** Length of the answer's text from the stop on. */
  #excess = 0;
  #hasEnded = false;

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== '');
  }

  /** Whether the answer has ended. */
  get hasFound(): boolean {
    return this.#found !== null;
  }

  /** Cuts `text` wherever a stop may end, so that little is read beyond one. */
  split(text: string): readonly string[] {
    const lastCharacters = new Set(this.#stops.map((stop) => stop.slice(-1)));
    const parts: string[] = [];
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      if (!lastCharacters.has(text.charAt(at))) continue;
      parts.push(text.slice(from, at + 1));
      from = at + 1;
    }
    return from === text.length ? parts : [...parts, text.slice(from)];
  }

  /** The events that may be shown. */
  pass(events: readonly ResponseEvent[]): readonly ResponseEvent[] {
    if (this.#stops.length === 0) return events;
    return events.flatMap((event) => {
      if (this.#found !== null) return this.#afterStop(event, this.#found);
      return event.type === 'text-delta' ? this.#searchOwn(event) : [...this.#release(), event];
    });
  }

  /** What the prompt has begun of the answer stands at negative offsets, and is not searched. */
  #searchOwn(event: TextDelta): readonly ResponseEvent[] {
    if (event.start >= 0) return this.#search(event);
    const [begun, own] = event.end <= 0 ? [event, null] : cutAt(event, -event.start);
    return own === null ? [begun] : [begun, ...this.#search(own)];
  }

  /** The end of the response, without what the answer has from the stop on. `searches`: whether a stop may be in it. */
  finish({ events, message }: Finished, searches: boolean): Finished {
    const passed = searches || this.hasFound ? this.pass(events) : [...this.#release(), ...events];
    const found = this.#found;
    if (found === null) return { events: passed, message };
    const { content, malformed = [], repaired = [], possible_calls: possible = [], ...rest } = message;
    const before = {
      malformed: upTo(malformed, found),
      repaired: upTo(repaired, found),
      possible: possible.flatMap((each) => possibleUpTo(each, found)),
    };
    return {
      events: passed,
      message: {
        ...rest,
        content: content?.slice(0, content.length - this.#excess) ?? null,
        ...(before.malformed.length > 0 ? { malformed: before.malformed } : {}),
        ...(before.repaired.length > 0 ? { repaired: before.repaired } : {}),
        ...(before.possible.length > 0 ? { possible_calls: before.possible } : {}),
      },
    };
  }

  #search(event: TextDelta): readonly ResponseEvent[] {
    const whole = this.#held === null ? event : joined(this.#held, event);
    this.#held = null;
    const [first] = this.#stops
      .map((stop) => ({ stop, at: whole.delta.indexOf(stop) }))
      .filter(({ at }) => at >= 0)
      .sort((one, other) => endOf(one) - endOf(other) || one.at - other.at);
    const length = whole.delta.length;
    const shown = first?.at ?? length - Math.max(...this.#stops.map((stop) => begun(whole.delta, stop)));
    const [head, rest] = cutAt(whole, shown);
    if (first === undefined) this.#held = rest;
    else {
      this.#found = { stop: first.stop, place: head.end };
      this.#excess = length - first.at;
    }
    return shown === 0 ? [] : [head];
  }

  #release(): readonly ResponseEvent[] {
    const held = this.#held;
    this.#held = null;
    return held === null ? [] : [held];
  }

  #afterStop(event: ResponseEvent, found: FoundStop): readonly ResponseEvent[] {
    const { stop, place } = found;
    if (event.type === 'text-delta') this.#excess += event.delta.length;
    if (event.type === 'finish') return [stopped(event, stop)];
    if (event.type === 'possible-call') return possibleUpTo(event, found);
    if (event.type !== 'text-end' || this.#hasEnded) return [];
    this.#hasEnded = true;
    return [{ ...event, start: place, end: place }];
  }
}

/** The one that is complete first counts, so that the pieces do not matter. */
function endOf({ stop, at }: { readonly stop: string; readonly at: number }): number {
  return at + stop.length;
}

function stopped(event: Finish, stopSequence: string): Finish {
  return { ...event, reason: event.reason === 'length' ? 'stop' : event.reason, stopSequence };
}

function upTo<Told extends { readonly start: number }>(all: readonly Told[], { place }: FoundStop): Told[] {
  return all.filter(({ start }) => start < place);
}

/** What may be a call is told where its text has ended, which is at the stop. */
function possibleUpTo(call: PossibleCall, { place }: FoundStop): readonly PossibleCall[] {
  if (call.at >= place) return [];
  return [{ ...call, start: Math.min(call.start, place), end: Math.min(call.end, place) }];
}

function joined(held: TextDelta, event: TextDelta): TextDelta {
  return { ...event, delta: held.delta + event.delta, start: held.start };
}

/** The event up to `length` units of its text, and the rest; `null` if there is none. */
function cutAt(event: TextDelta, length: number): readonly [TextDelta, TextDelta | null] {
  if (length === event.delta.length) return [event, null];
  const place = Math.min(event.end, event.start + length);
  return [
    { ...event, delta: event.delta.slice(0, length), end: place },
    { ...event, delta: event.delta.slice(length), start: place },
  ];
}

/** Length of the longest suffix of `text` that is a proper prefix of `stop`. */
function begun(text: string, stop: string): number {
  for (let length = Math.min(text.length, stop.length - 1); length > 0; length--) {
    if (text.endsWith(stop.slice(0, length))) return length;
  }
  return 0;
}
