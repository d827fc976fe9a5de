/**
 * A response of which the end can be taken back: events of a value that is still to be judged are kept until it is,
 * and what was written is remembered, so that the response can be put together again without its end.
 */
import { CheckFailedError } from '../../../format/errors.ts';
import type { ResponseEvent } from '../../../parser/events.ts';
import {
  SteeredResponse,
  type SteeringOptions,
  type TakenPiece,
  type WrittenPiece,
  type WrittenResponse,
} from '../steered-response.ts';
import type { PromptUsage } from '../token-usage.ts';
import { type CheckFailure, CheckWatch, type ResponseChecks } from './response-checks.ts';

type Change =
  | { readonly type: 'take' | 'write'; readonly piece: WrittenPiece }
  | { readonly type: 'recount'; readonly instead: number; readonly tokens: number };

/** Follows one response; without checks, as it stands. */
export class RevocableResponse {
  readonly #options: SteeringOptions;
  readonly #checks: ResponseChecks | null;
  #response: SteeredResponse;
  #watch: CheckWatch | null;
  #changes: Change[] = [];
  /** Events that came and were not given out. */
  #kept: ResponseEvent[] = [];
  /** Changes whose events were given out. */
  #settled = 0;
  /** Events of `#changes` that were given out before. */
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

  /** Where the response stands. Pieces and prompts are told to the revocable response, never to this one. */
  get now(): SteeredResponse {
    return this.#response;
  }

  /** Something of the response is checked. */
  get checked(): boolean {
    return this.#checks !== null;
  }

  /** What is wrong with the value that closed last; what follows it says nothing. */
  get failure(): CheckFailure | null {
    return this.#failure;
  }

  /** Characters of the checked value that is read, as JSON. */
  get valueLength(): number {
    return this.#watch?.length ?? 0;
  }

  /** Where the last value began that was not valid: characters of the checked value, as JSON. */
  get failedAt(): number {
    return this.#lastFailure?.start ?? Number.POSITIVE_INFINITY;
  }

  /** The changes so far: a place to which to go back. */
  get length(): number {
    return this.#changes.length;
  }

  /** The earliest place to which one can go back: what came before was given out. */
  get settled(): number {
    return this.#settled;
  }

  /** The engine sampled something. Its events are kept for `release`. */
  take(piece: WrittenPiece): Pick<TakenPiece, 'kept'> {
    const { events, kept } = this.#response.take(piece);
    this.#add({ type: 'take', piece }, events);
    return { kept };
  }

  /** Something was written for the model. */
  write(piece: WrittenPiece): void {
    this.#add({ type: 'write', piece }, this.#response.write(piece));
  }

  /** `tokens` in place of as many as the last piece was counted for. */
  recount(instead: number, tokens: number): void {
    this.#response.recount(instead, tokens);
    this.#add({ type: 'recount', instead, tokens }, []);
  }

  /** The engine ended the response. Throws what the response throws. */
  end(last: string | null): void {
    this.#follow(this.#response.end(last));
  }

  /** The prompt as the engine took it. */
  follow(prompt: PromptUsage): void {
    this.#prompt = prompt;
    this.#response.follow(prompt);
  }

  /** So many of the conversation's messages were left out to make room for the response. */
  drop(messages: number): void {
    this.#dropped = messages;
    this.#response.drop(messages);
  }

  /** The events that can be given out by now: nothing that is open can still take them back. */
  release(): readonly ResponseEvent[] {
    if (this.#failure !== null || this.#watch?.pending === true) return [];
    return this.#giveOut();
  }

  /** Takes back all changes but the first `length`, and starts again from there. */
  goBack(length: number): void {
    if (length < this.#settled) throw new RangeError('what was given out cannot be taken back');
    const changes = this.#changes.slice(0, length);
    const given = this.#given;
    this.#options.parser.reset();
    this.#response = new SteeredResponse(this.#options);
    if (this.#prompt !== null) this.#response.follow(this.#prompt);
    if (this.#dropped !== null) this.#response.drop(this.#dropped);
    this.#watch = this.#checks === null ? null : new CheckWatch(this.#checks);
    this.#changes = [];
    this.#kept = [];
    this.#failure = null;
    for (const change of changes) this.#apply(change);
    this.#kept = this.#kept.slice(given);
  }

  /** No more pieces. Throws `CheckFailedError` where the value that now ends is not valid. */
  finish(left: boolean): WrittenResponse {
    const { events, message } = this.#response.finish(left);
    if (!left) this.#follow(events);
    else this.#kept.push(...events);
    if (this.#failure !== null && !left) throw this.failed(0);
    return { events: this.#giveOut(), message };
  }

  /** That after `tries` no valid value has come. */
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

  #follow(events: readonly ResponseEvent[]): void {
    this.#kept.push(...events);
    for (const event of events) this.#failure ??= this.#watch?.follow(event) ?? null;
    this.#lastFailure = this.#failure ?? this.#lastFailure;
  }

  #giveOut(): readonly ResponseEvent[] {
    const events = this.#kept;
    this.#kept = [];
    this.#given += events.length;
    if (events.length > 0) this.#settled = this.#changes.length;
    return events;
  }
}
