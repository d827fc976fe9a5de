/** Ends a response at a stop string, however it is tokenised: text that may become a stop is held back. */

/** A stretch of a response, before parsing. */
export interface TextPiece {
  readonly text: string;
  /**
   * `marker`: a special token that the format has. `control`: one that it does not have, which is not text. A stop
   * never begins or ends inside either.
   */
  readonly role: 'text' | 'marker' | 'control';
}

/**
 * A text that ends a response, unless one of the texts in `unless` follows and makes it the opener of something else.
 */
export interface OpenEnd {
  readonly text: string;
  readonly unless: readonly string[];
}

/** The result of passing a piece. */
export interface PassedPieces {
  /** The pieces that may be shown, in order. */
  readonly pieces: readonly TextPiece[];
  /** Whether a stop was found after them; text after it is ignored. */
  readonly stopped: boolean;
  /** The stop. */
  readonly stop?: string;
}

/** Searches one response for the texts that end it. */
export class StopWatch {
  readonly #ends: readonly OpenEnd[];
  #held: readonly TextPiece[] = [];

  constructor(stops: readonly string[], openEnds: readonly OpenEnd[] = []) {
    this.#ends = [...stops.filter((stop) => stop !== '').map(always), ...openEnds];
  }

  /** Adds a piece; `more`: additional stops for it. */
  pass(piece: TextPiece, more: readonly string[] = []): PassedPieces {
    const ends = [...this.#ends, ...more.map(always)];
    const pieces = [...this.#held, piece];
    const text = textOf(pieces);
    this.#held = [];
    const found = ends.flatMap((end) => findEnd(text, end, pieces) ?? []);
    // The response ends here, so an undecided end before it is an end, too.
    if (found.some(({ open }) => !open)) {
      const first = found.reduce((one, other) => (other.place < one.place ? other : one));
      return { pieces: piecesUpTo(pieces, first.place), stopped: true, stop: first.text };
    }
    const kept = [
      ...found.map(({ place }) => text.length - place),
      ...ends.map((end) => heldLength(text, end.text, pieces)),
    ];
    const shown = text.length - Math.max(0, ...kept);
    this.#held = piecesFrom(pieces, shown);
    return { pieces: piecesUpTo(pieces, shown), stopped: false };
  }

  /**
   * The engine ended the response with a token that it may not have delivered: `last`, or `null` if unknown. Returns
   * the held text without the beginning of the stop that this token completes.
   */
  end(last: string | null): readonly TextPiece[] {
    const pieces = this.cutOff();
    const text = textOf(pieces);
    const lengths = this.#ends.map((end) =>
      Math.max(completedLength(text, end.text, last ?? ''), heldButLast(text, end.text, pieces)),
    );
    return piecesUpTo(pieces, text.length - Math.max(0, ...lengths));
  }

  /** Ends the text: returns the held text, up to an end that nothing has followed. */
  cutOff(): readonly TextPiece[] {
    const pieces = this.release();
    const text = textOf(pieces);
    const places = this.#ends.flatMap((end) => findEnd(text, end, pieces)?.place ?? []);
    return piecesUpTo(pieces, Math.min(text.length, ...places));
  }

  /** Returns held text that did not become a stop. */
  release(): readonly TextPiece[] {
    const held = this.#held;
    this.#held = [];
    return held;
  }
}

function always(text: string): OpenEnd {
  return { text, unless: [] };
}

function textOf(pieces: readonly TextPiece[]): string {
  return pieces.map(({ text }) => text).join('');
}

/** An end found in a text; `open`: the following text may still change its meaning. */
interface FoundEnd {
  readonly text: string;
  readonly place: number;
  readonly open: boolean;
}

/** The first position where `end` occurs, or may occur once more text comes. */
function findEnd(text: string, end: OpenEnd, pieces: readonly TextPiece[]): FoundEnd | null {
  let place = findStop(text, end.text, pieces, 0);
  while (place >= 0) {
    const after = text.slice(place + end.text.length);
    if (!end.unless.some((other) => after.startsWith(other))) {
      return { text: end.text, place, open: end.unless.some((other) => other.startsWith(after)) };
    }
    place = findStop(text, end.text, pieces, place + 1);
  }
  return null;
}

/** Position of `stop` in `text` from `from` on, without cutting a special token; or -1. */
function findStop(text: string, stop: string, pieces: readonly TextPiece[], from: number): number {
  let place = text.indexOf(stop, from);
  while (place >= 0 && (cutsToken(pieces, place) || cutsToken(pieces, place + stop.length))) {
    place = text.indexOf(stop, place + 1);
  }
  return place;
}

/** Length of the longest suffix of `text` that is a proper prefix of `stop`. */
function heldLength(text: string, stop: string, pieces: readonly TextPiece[]): number {
  for (let length = Math.min(text.length, stop.length - 1); length > 0; length--) {
    if (text.endsWith(stop.slice(0, length)) && !cutsToken(pieces, text.length - length)) return length;
  }
  return 0;
}

/** Length of the suffix of `text` that is a stop together with the token `last`. */
function completedLength(text: string, stop: string, last: string): number {
  const length = stop.length - last.length;
  return last !== '' && stop.endsWith(last) && text.endsWith(stop.slice(0, length)) ? length : 0;
}

/** The same for an unknown last token: everything is there except what looks like one special token. */
function heldButLast(text: string, stop: string, pieces: readonly TextPiece[]): number {
  const length = heldLength(text, stop, pieces);
  return lastToken.test(stop.slice(length)) ? length : 0;
}

const lastToken = /^(?:<[^<>]+>|\[[^[\]]+\])$/;

/** Whether `place` is inside a special token. */
function cutsToken(pieces: readonly TextPiece[], place: number): boolean {
  let start = 0;
  for (const { text, role } of pieces) {
    if (role !== 'text' && start < place && place < start + text.length) return true;
    start += text.length;
  }
  return false;
}

function piecesUpTo(pieces: readonly TextPiece[], end: number): readonly TextPiece[] {
  return slicePieces(pieces, 0, end);
}

function piecesFrom(pieces: readonly TextPiece[], start: number): readonly TextPiece[] {
  return slicePieces(pieces, start, Number.POSITIVE_INFINITY);
}

function slicePieces(pieces: readonly TextPiece[], from: number, to: number): readonly TextPiece[] {
  let start = 0;
  return pieces.flatMap((piece) => {
    const text = piece.text.slice(Math.max(0, from - start), Math.max(0, to - start));
    start += piece.text.length;
    return text === '' ? [] : [{ ...piece, text }];
  });
}
