/** Reads what may be one call in one of several notations, without emitting anything. */
import type { CallNotationName } from '../../format/call-notations.ts';
import type { Reader, State } from '../reader.ts';
import { silentReader } from '../silent-reader.ts';
import type { Notation } from '../state-tables.ts';
import type { BegunCall, CallTrial } from '../steps/step-progress.ts';

interface Candidate {
  readonly notation: Notation<State>;
  readonly reader: Reader;
}

/** Why a candidate's reader has stopped: the names of its last states. */
const isWhole = ({ reader }: Candidate) => reader.stateName === 'afterCall';
const isBroken = ({ reader }: Candidate) => reader.stateName === 'inMalformed';

/** See the top of this file. */
export class NotationTrial implements CallTrial {
  private candidates: readonly Candidate[];

  /** `offset`: that of the tool's name in the response. */
  constructor(reader: Reader, notations: readonly Notation<State>[], offset: number) {
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
  }

  /** Whether it is no call in any of the notations. */
  get failed(): boolean {
    return this.candidates.length === 0;
  }

  /** The call, once it is complete: its notation, and its end as an offset. An earlier notation counts first. */
  get whole(): { readonly notation: CallNotationName; readonly end: number } | null {
    const [first] = this.candidates;
    if (first === undefined || !isWhole(first)) return null;
    return { notation: first.notation.name, end: first.reader.cursor.offset };
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
