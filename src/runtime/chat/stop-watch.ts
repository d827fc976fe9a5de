/** Ends a response at a text, however it is cut into tokens: keeps back what may become a stop. */

/** A stretch of a response on its way to the parser. */
export interface TextPiece {
  readonly text: string;
  /**
   * `marker`: one special token that the format knows. `control`: one that it does not know, and that is no
   * text. A stop that covers a part of either is none.
   */
  readonly role: 'text' | 'marker' | 'control';
}

/** What came of a piece. */
export interface PassedPieces {
  /** What can be shown, in order. */
  readonly pieces: readonly TextPiece[];
  /** A stop was found after it; nothing after it counts. */
  readonly stopped: boolean;
}

/** Watches one response for the texts that end it. */
export class StopWatch {
  readonly #stops: readonly string[];
  #held: readonly TextPiece[] = [];

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== '');
  }

  /** More of the response; `more`: texts that are stops here, too. */
  pass(piece: TextPiece, more: readonly string[] = []): PassedPieces {
    const all = [...this.#stops, ...more];
    const pieces = [...this.#held, piece];
    const text = pieces.map((each) => each.text).join('');
    this.#held = [];
    const stops = all.map((stop) => findStop(text, stop, pieces)).filter((place) => place >= 0);
    if (stops.length > 0) return { pieces: piecesUpTo(pieces, Math.min(...stops)), stopped: true };
    const kept = Math.max(0, ...all.map((stop) => heldLength(text, stop, pieces)));
    const shown = text.length - kept;
    this.#held = piecesFrom(pieces, shown);
    return { pieces: piecesUpTo(pieces, shown), stopped: false };
  }

  /**
   * The engine ended the response, at a token that it may not show: `last`, or `null` where it does not say.
   * Returns what was kept back, without the beginning of the stop that the token completes.
   */
  end(last: string | null): readonly TextPiece[] {
    const pieces = this.release();
    const text = pieces.map((each) => each.text).join('');
    const lengths = this.#stops.map((stop) =>
      Math.max(completedLength(text, stop, last ?? ''), heldButLast(text, stop, pieces)),
    );
    return piecesUpTo(pieces, text.length - Math.max(0, ...lengths));
  }

  /** What was kept back; it became no stop. */
  release(): readonly TextPiece[] {
    const held = this.#held;
    this.#held = [];
    return held;
  }
}

/** Where `stop` stands in `text`, with no special token cut; -1 where it does not. */
function findStop(text: string, stop: string, pieces: readonly TextPiece[]): number {
  let place = text.indexOf(stop);
  while (place >= 0 && (cutsToken(pieces, place) || cutsToken(pieces, place + stop.length))) {
    place = text.indexOf(stop, place + 1);
  }
  return place;
}

/** Length of the longest end of `text` that is a proper beginning of `stop`. */
function heldLength(text: string, stop: string, pieces: readonly TextPiece[]): number {
  for (let length = Math.min(text.length, stop.length - 1); length > 0; length--) {
    if (text.endsWith(stop.slice(0, length)) && !cutsToken(pieces, text.length - length)) return length;
  }
  return 0;
}

/** Length of the end of `text` that is a stop together with the token `last`. */
function completedLength(text: string, stop: string, last: string): number {
  const length = stop.length - last.length;
  return last !== '' && stop.endsWith(last) && text.endsWith(stop.slice(0, length)) ? length : 0;
}

/** The same whatever the last token was: all of the stop is there but one that looks like a special token. */
function heldButLast(text: string, stop: string, pieces: readonly TextPiece[]): number {
  const length = heldLength(text, stop, pieces);
  return lastToken.test(stop.slice(length)) ? length : 0;
}

const lastToken = /^(?:<[^<>]+>|\[[^[\]]+\])$/;

/** `place` lies within a special token. */
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
