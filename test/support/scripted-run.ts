/**
 * A response run without a model: a writer that has a text in mind and draws the tokens for it at
 * random, as long as llama.cpp's own grammar lets them through. Thousands of token boundaries a second.
 */
import type { Llama, LlamaGrammarEvaluationState, LlamaModel } from 'node-llama-cpp';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { PlainGrammarOptions } from '../../src/grammar/grammar-options.ts';
import { finish } from '../../src/language/expression/steps.ts';
import type { ResponseEvent, ResponseMessage } from '../../src/parser/events.ts';
import type { OpenCall } from '../../src/parser/response-parser.ts';
import { callGuard } from '../../src/runtime/chat/checks/call-guard.ts';
import { GrammarCache } from '../../src/runtime/chat/grammar-cache.ts';
import { answerEnds, mayContinue, openEnds } from '../../src/runtime/chat/steering/turn-ends.ts';
import { isUnconstrainedAfterCalls } from '../../src/runtime/engine/chat.ts';
import { ResponseRun } from '../../src/runtime/engine/decoding/response-run.ts';
import { MarkerTokens } from '../../src/runtime/engine/tokens/marker-tokens.ts';
import type { Vocabulary } from '../../src/runtime/engine/tokens/vocabulary.ts';
import { FollowedState } from '../../src/runtime/node-llama-cpp/engine-states.ts';

/** What was written. */
export interface WrittenResponse {
  readonly text: string;
  readonly message: ResponseMessage;
  readonly events: readonly ResponseEvent[];
  /** How many tokens were drawn, and how many came by themselves. */
  readonly sampled: number;
  readonly injected: number;
  /** Texts of the tokens, in order. */
  readonly tokens: readonly number[];
}

/** Options of `writeTokens`. */
export interface WriterOptions {
  readonly model: LlamaModel;
  readonly vocabulary: Vocabulary;
  readonly format: ChatFormat;
  readonly request: PlainGrammarOptions;
  /** The text to write. */
  readonly text: string;
  /** Chooses one of `count` tokens: 0 is the shortest. */
  readonly choose: (count: number) => number;
  /** Write markers as special tokens where the vocabulary has them. */
  readonly special: boolean;
  readonly inject: boolean;
  /** The end of generation that comes after the text. Default: none, and the run is left there. */
  readonly end?: number;
  /** Draw these tokens instead, as far as they lie on the boundaries at hand. */
  readonly natural?: readonly number[];
}

/** The end that was to come after a text is none there: it is not allowed, or it is a marker. */
export class UnendedResponse extends Error {}

/** Writes `text` token by token through a run. Throws when the grammar lets no token of the text through. */
export function writeTokens(options: WriterOptions): WrittenResponse {
  const { vocabulary } = options;
  const { run, markers } = createRun(options);
  const engine = new FollowedState(options.model);
  const text = Buffer.from(options.text).toString('latin1');
  const opening = finish(run.start());
  const tokens: number[] = [...opening.tokens];
  const events: ResponseEvent[] = [...opening.events];
  let sampled = 0;
  let over = opening.over;
  while (!over) {
    const written = bytesOf(vocabulary, tokens);
    if (!text.startsWith(written) && !written.startsWith(text)) {
      throw new Error(`wrote ${JSON.stringify(run.text.slice(-60))} instead of the text`);
    }
    if (written.length >= text.length) break;
    const state = engine.follow(run.mask);
    const token =
      naturalToken(options, written.length) ?? drawToken(options, markers, state, text.slice(written.length));
    acceptInEngine(state, token);
    const step = finish(run.accept({ token }));
    sampled += 1;
    tokens.push(...step.tokens);
    events.push(...step.events);
    over = step.over;
  }
  if (!over && options.end !== undefined) {
    if (!isAllowed(engine.follow(run.mask), options.end))
      throw new UnendedResponse('the response may not end after its text');
    const step = finish(run.accept({ token: options.end }));
    events.push(...step.events);
    if (!step.over) throw new UnendedResponse('the response goes on after its end');
  }
  const end = run.finish();
  events.push(...end.events);
  return { text: run.text, message: end.message, events, sampled, injected: tokens.length - sampled, tokens };
}

const grammars = new GrammarCache();

function createRun(options: WriterOptions): { readonly run: ResponseRun; readonly markers: MarkerTokens } {
  const { format, vocabulary, request } = options;
  const { grammar, matcher } = grammars.get(format, request);
  const markers = new MarkerTokens(vocabulary, format.preservedTokens);
  const guard = callGuard(request, request.tools ?? [], grammar.report);
  const parser = createResponseParser(format, {
    provenance: guard.enforced,
    validate: guard.validate,
    tools: request.tools ?? [],
    generationPrompt: request.generationPrompt ?? '',
    specialTokens: grammar.expression === null || grammar.lazy ? markers.texts : [],
  });
  const limits = {
    stops: [],
    openEnds: openEnds(format),
    answerEnds: answerEnds(format),
    continues: (marker: string, text: string) => mayContinue(format, parser.position, marker, text),
    maxTokens: 100_000,
    thinkingBudget: 100_000,
    reasoningEnd: '',
    plainText: false,
    restOf: (call: OpenCall, text: string) => grammars.restOf(format, request, call, text),
    unconstrainedAfterCalls: isUnconstrainedAfterCalls(format, grammar),
  };
  return {
    run: new ResponseRun({ ...options, ...limits, grammar, matcher, markers, parser, guard }),
    markers,
  };
}

/** One character per byte. */
function bytesOf(vocabulary: Vocabulary, tokens: readonly number[]): string {
  return tokens.map((token) => Buffer.from(vocabulary.bytesOf(token)).toString('latin1')).join('');
}

/** The natural token that begins after `written` bytes, if one does. */
function naturalToken({ natural = [], vocabulary }: WriterOptions, written: number): number | undefined {
  let position = 0;
  return natural.find((token) => {
    const begins = position === written;
    position += vocabulary.bytesOf(token).length;
    return begins;
  });
}

/** A token with which `rest` (one character per byte) begins. */
function drawToken(
  options: WriterOptions,
  markers: MarkerTokens,
  state: LlamaGrammarEvaluationState | undefined,
  rest: string,
): number {
  const { vocabulary, choose, special } = options;
  const [next] = special
    ? markers.texts.map((text) => nextMarker(rest, text)).sort((a, b) => a.at - b.at)
    : [];
  const marker = next?.at === 0 ? markers.leading(next.text) : undefined;
  const candidates = marker === undefined ? plainTokens(vocabulary, rest.slice(0, next?.at)) : [marker.token];
  const allowed = candidates.filter((token) => isAllowed(state, token));
  const token = allowed[choose(allowed.length)];
  if (token === undefined) throw new Error(`no token for ${JSON.stringify(rest.slice(0, 40))} is allowed`);
  return token;
}

/** Where a marker's token comes next, in bytes; ordinary tokens may not run into it. */
function nextMarker(rest: string, text: string): { readonly at: number; readonly text: string } {
  const at = rest.indexOf(Buffer.from(text).toString('latin1'));
  return { at: at < 0 ? rest.length : at, text };
}

const known = new WeakMap<Vocabulary, Map<string, number>>();
const longest = 16;

/** Tokens of ordinary text with which `rest` begins, shortest first. */
function plainTokens(vocabulary: Vocabulary, rest: string): number[] {
  const byBytes = known.get(vocabulary) ?? readTokens(vocabulary);
  known.set(vocabulary, byBytes);
  const tokens: number[] = [];
  for (let length = 1; length <= Math.min(longest, rest.length); length++) {
    const token = byBytes.get(rest.slice(0, length));
    if (token !== undefined) tokens.push(token);
  }
  return tokens;
}

function readTokens(vocabulary: Vocabulary): Map<string, number> {
  const tokens = new Map<string, number>();
  for (let token = 0; token < vocabulary.size; token++) {
    if (!vocabulary.isSpecial(token) && !vocabulary.endsGeneration(token)) {
      tokens.set(bytesOf(vocabulary, [token]), token);
    }
  }
  return tokens;
}

/** The part of the addon that is used here; internal to node-llama-cpp. */
interface Addon {
  readonly _bindings: {
    readonly AddonSampler: {
      canBeNextTokenForGrammarEvaluationState(state: unknown, token: number): boolean;
      acceptGrammarEvaluationStateToken(state: unknown, token: number): void;
    };
  };
}

/** llama.cpp would let the sampler choose it. */
function isAllowed(state: LlamaGrammarEvaluationState | undefined, token: number): boolean {
  return (
    state === undefined ||
    addonOf(state)._bindings.AddonSampler.canBeNextTokenForGrammarEvaluationState(innerState(state), token)
  );
}

function addonOf(state: LlamaGrammarEvaluationState): Addon {
  return Reflect.get(state, '_llama') as Addon & Llama;
}

function innerState(state: LlamaGrammarEvaluationState): unknown {
  return Reflect.get(state, '_state');
}

/** Tells llama.cpp's state about a sampled token, as the sampler does. */
function acceptInEngine(state: LlamaGrammarEvaluationState | undefined, token: number): void {
  if (state !== undefined)
    addonOf(state)._bindings.AddonSampler.acceptGrammarEvaluationStateToken(innerState(state), token);
}
