/**
 * Arguments that a model writes as `null` although they are optional and their schema allows no `null`: it means that
 * they are absent, and no delta has them.
 */
import { AbsentMembers } from './absent-members.ts';

/** Emits JSON for a stretch of the response. */
type Emit = (delta: string, start: number, end: number) => void;

/** The deltas of one call, without its absent arguments. */
export class AbsentArguments {
  private readonly members: AbsentMembers;
  private readonly emit: Emit;
  /** The stretch that no delta covers yet. */
  private start = 0;
  private end = 0;

  /** `names`: the arguments that are absent if they are `null`. */
  constructor(names: ReadonlySet<string>, emit: Emit) {
    this.members = new AbsentMembers(names);
    this.emit = emit;
  }

  /** The arguments left out. */
  get names(): readonly string[] {
    return this.members.keys;
  }

  /** Whether an argument is held back. */
  get isHolding(): boolean {
    return this.members.isHolding;
  }

  /** Reads JSON of the arguments, and emits what is certain. */
  input(json: string, start: number, end: number): void {
    if (start !== this.end) this.cover();
    if (this.start === this.end) this.start = start;
    this.end = end;
    this.send(this.members.write(json));
  }

  /** Covers the text so far by a delta, before an event that is none; what is held back follows later. */
  cover(): void {
    if (this.start < this.end) this.emitUpToHere('');
  }

  /** Emits what is held back, because the call breaks off at `at`. */
  breakOff(at: number): void {
    this.sendAt(at, this.members.end());
    this.cover();
  }

  /** Takes note that the value at `at` is no `null`. */
  expectValue(at: number): void {
    this.sendAt(at, this.members.expectValue());
  }

  private sendAt(at: number, json: string): void {
    if (this.start === this.end) {
      this.start = at;
      this.end = at;
    }
    this.send(json);
  }

  private send(json: string): void {
    if (json !== '') this.emitUpToHere(json);
  }

  private emitUpToHere(json: string): void {
    const { start, end } = this;
    this.start = end;
    this.emit(json, start, end);
  }
}
