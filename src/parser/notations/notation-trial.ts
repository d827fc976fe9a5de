/** Reads what may be one call in one of several notations, without emitting anything. */
import type { Reader, State } from '../reader.ts';
import { silentReader } from '../silent-reader.ts';
import type { Notation } from '../state-tables.ts';
import type { BegunCall, CallTrial, ForeignCall } from '../steps/step-progress.ts';
import type { SoleValueTrial } from './sole-value.ts';

interface NotationCandidate {
  readonly notation: Notation<State>;
  readonly reader: Reader;
}

/** Why a candidate's reader has stopped: the names of its last states. */
const isWhole = ({ reader }: NotationCandidate) => reader.stateName === 'afterCall';
const isBroken = ({ reader }: NotationCandidate) => reader.stateName === 'inMalformed';

/** See the top of this file. */
export class NotationTrial implements CallTrial {
  private candidates: readonly NotationCandidate[];
  private readonly sole: SoleValueTrial | null;

  /** `offset`: that of the tool's name in the response. `sole` counts if it is a call in no notation. */
  constructor(
    reader: Reader,
    notations: readonly Notation<State>[],
    offset: number,
    sole: SoleValueTrial | null,
  ) {
    this.sole = sole;
    const given = { validate: () => [], specialTokens: [] };
    this.candidates = notations.map((notation) => ({
      notation,
      reader: silentReader(reader, notation.start, offset, given),
    }));
  }

  /** Reads more text; `ended`: the last one. */
  read(text: string, ended: boolean): void {
    for (const { reader } of this.candidates) {
      if (ended) reader.cursor.end(false);
      reader.read(text, false);
    }
    this.candidates = this.candidates.filter((each) => !isBroken(each));
    this.sole?.read(text, ended);
  }

  /** Whether it is no call in any of the notations. */
  get failed(): boolean {
    return this.candidates.length === 0 && this.sole?.failed !== false;
  }

  /** The call, once it is complete: its notation, and its end as an offset. An earlier notation counts first. */
  get whole(): Omit<ForeignCall, 'at'> | null {
    const [first] = this.candidates;
    const sole = first === undefined ? (this.sole?.whole ?? null) : null;
    if (sole !== null) return { notation: null, sole, end: sole.end };
    if (first === undefined || !isWhole(first)) return null;
    return { notation: first.notation.name, sole: null, end: first.reader.cursor.offset };
  }

  /** The call as far as it is certain: its arguments have begun, or no other notation is possible. */
  get begun(): BegunCall | null {
    const [first, second] = this.candidates;
    const started = first?.reader.writer.calls.open ?? null;
    if (first === undefined || started === null) return null;
    if (second !== undefined && started.argumentsAt === started.nameEnd) return null;
    return { toolName: started.name, notation: first.notation.name, nameEnd: started.nameEnd };
  }
}
