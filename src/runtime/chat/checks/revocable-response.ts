/**
 * A response whose end can be revoked. Events of a value are held until it has been checked, and all changes are
 * logged, so that the response can be rebuilt without the last ones.
 */
import { CheckFailedError } from '../../../format/errors.ts';
import type { Steps } from '../../../language/expression/steps.ts';
import type { ResponseEvent } from '../../../parser/events.ts';
import { SteeredResponse } from '../steering/steered-response.ts';
import type { SteeringOptions } from '../steering/steering-options.ts';
import type { TakenPiece, WrittenPiece, WrittenResponse } from '../steering/written-piece.ts';
import type { PromptUsage } from '../token-usage.ts';
import { type CheckFailure, CheckWatch, type ResponseChecks } from './response-checks.ts';

/** Changes that are replayed in one step. */
const replayedAtOnce = 32;

type Change =
  | { readonly type: 'take' | 'write'; readonly piece: WrittenPiece }
  | { readonly type: 'recount'; readonly instead: number; readonly tokens: number };

/** Follows one response. Without checks, nothing is held or logged. */
export class RevocableResponse {
  readonly #options: SteeringOptions;
  #checks: ResponseChecks | null;
  #response: SteeredResponse;
  #watch: CheckWatch | null;
  #changes: Change[] = [];
  /** Events held back. */
  #kept: ResponseEvent[] = [];
  /** How many changes are final, because their events were released. */
  #released = 0;
  /** Number of events released. */
  #given = 0;
  #failure: CheckFailure | null = null;
  #lastFailure: CheckFailure | null = null;
  #prompt: PromptUsage | null = null;
  #dropped: number | null = null;

  constructor(options: SteeringOptions, checks: ResponseChecks | null) {
    this.#options = options;
    this.#checks = checks;
    this.#response = new SteeredResponse(options);
    this.#watch = checks === null ? null : new CheckWatch(checks);
  }

  /** The current response, for reading only: changes must go through the revocable response. */
  get now(): SteeredResponse {
    return this.#response;
  }

  /** Whether the response has checks. */
  get checked(): boolean {
    return this.#checks !== null;
  }

  /** Why the latest closed value is invalid; text after it is ignored. */
  get failure(): CheckFailure | null {
    return this.#failure;
  }

  /** Length of the checked value so far, as JSON. */
  get valueLength(): number {
    return this.#watch?.length ?? 0;
  }

  /** Where the latest invalid value begins, as an offset in the checked value. */
  get failedAt(): number {
    return this.#lastFailure?.start ?? Number.POSITIVE_INFINITY;
  }

  /** Whether only a library refused the latest invalid value. */
  get isLibrarys(): boolean {
    return this.#lastFailure?.fromLibrary === true;
  }

  /** The number of changes so far, for `goBack`. */
  get length(): number {
    return this.#changes.length;
  }

  /** The minimum for `goBack`: the number of changes whose events were released. */
  get released(): number {
    return this.#released;
  }

  /** No library is asked any more: whoever hands out a call asks, and says what is wrong. */
  *leaveToGuard(): Steps<void> {
    if (this.#checks !== null) this.#checks = { ...this.#checks, libraries: new Map() };
    this.#lastFailure = null;
    yield* this.goBack(this.length);
  }

  /** Adds a sampled piece. `release` returns its events. */
  take(piece: WrittenPiece): Pick<TakenPiece, 'kept'> {
    const { events, kept } = this.#response.take(piece);
    this.#add({ type: 'take', piece }, events);
    return { kept };
  }

  /** Adds an injected piece. */
  write(piece: WrittenPiece): void {
    this.#add({ type: 'write', piece }, this.#response.write(piece));
  }

  /** Recounts the latest piece as `tokens` tokens instead of `instead`. */
  recount(instead: number, tokens: number): void {
    this.#response.count.recount(instead, tokens);
    this.#add({ type: 'recount', instead, tokens }, []);
  }

  /** The engine ended the response. Throws what the response throws. */
  end(last: string | null): void {
    this.#follow(this.#response.end(last));
  }

  /** Records the engine's figures for the prompt: its length, and how much of it was cached. */
  follow(prompt: PromptUsage): void {
    this.#prompt = prompt;
    this.#response.count.follow(prompt);
  }

  /** Records how many messages were dropped to make room for the response. */
  drop(messages: number): void {
    this.#dropped = messages;
    this.#response.count.drop(messages);
  }

  /** The events that can no longer be revoked. */
  release(): readonly ResponseEvent[] {
    if (this.#failure !== null || this.#watch?.pending === true) return [];
    return this.#giveOut();
  }

  /** Revokes all changes but the first `length`, by replaying those on a new response. Nothing is asked of it meanwhile. */
  *goBack(length: number): Steps<void> {
    if (length < this.#released) throw new RangeError('what was given out cannot be taken back');
    const changes = this.#changes.slice(0, length);
    const given = this.#given;
    this.#options.parser.reset();
    this.#response = new SteeredResponse(this.#options);
    if (this.#prompt !== null) this.#response.count.follow(this.#prompt);
    if (this.#dropped !== null) this.#response.count.drop(this.#dropped);
    this.#watch = this.#checks === null ? null : new CheckWatch(this.#checks);
    this.#changes = [];
    this.#kept = [];
    this.#failure = null;
    for (const [index, change] of changes.entries()) {
      this.#apply(change);
      if (index % replayedAtOnce === 0) yield;
    }
    this.#kept = this.#kept.slice(given);
  }

  /** Ends the response; `left`: the caller has stopped reading. Throws `CheckFailedError` for an invalid last value. */
  finish(left: boolean): WrittenResponse {
    const { events, message } = this.#response.finish(left);
    if (!left) this.#follow(events);
    else this.#keep(events);
    if (this.#failure !== null && !left) throw this.failed(0);
    return { events: this.#giveOut(), message };
  }

  /** The error for a response without a valid value after `tries` attempts. */
  failed(tries: number): CheckFailedError {
    const { tool = '', problems = [] } = this.#lastFailure ?? {};
    return new CheckFailedError({ tool, problems, tries, text: this.#response.text });
  }

  #apply(change: Change): void {
    if (change.type === 'recount') this.recount(change.instead, change.tokens);
    else if (change.type === 'take') this.take(change.piece);
    else this.write(change.piece);
  }

  #add(change: Change, events: readonly ResponseEvent[]): void {
    if (this.#checks !== null) this.#changes.push(change);
    this.#follow(events);
  }

  /** One by one, because a server may answer with more events than a function takes arguments. */
  #keep(events: readonly ResponseEvent[]): void {
    for (const event of events) this.#kept.push(event);
  }

  #follow(events: readonly ResponseEvent[]): void {
    this.#keep(events);
    for (const event of events) this.#failure ??= this.#watch?.follow(event) ?? null;
    this.#lastFailure = this.#failure ?? this.#lastFailure;
  }

  #giveOut(): readonly ResponseEvent[] {
    const events = this.#kept;
    this.#kept = [];
    this.#given += events.length;
    if (events.length > 0) this.#released = this.#changes.length;
    return events;
  }
}
