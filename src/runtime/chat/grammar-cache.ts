/** Caches grammars of earlier requests, and the arguments in them: each schema is compiled once. */

import type { ChatFormat } from '../../format/chat-format.ts';
import { toolsOfTemplate } from '../../format/compiled-tools.ts';
import { withoutUndefined } from '../../format/option-rules.ts';
import { sha256 } from '../../format/sha256.ts';
import {
  buildGrammarSteps,
  plainResponseFormat,
  plainResponseSteps,
  planRequest,
} from '../../grammar/build-grammar.ts';
import type { BuiltGrammar } from '../../grammar/built-grammar.ts';
import type { PlainGrammarOptions } from '../../grammar/grammar-options.ts';
import { openCallGrammar, type RestNotation, restNotations } from '../../grammar/open-call-grammar.ts';
import { callableTools, type ResponseGrammarOptions } from '../../grammar/response-grammar.ts';
import type { SchemaStore } from '../../grammar/stored-schemas.ts';
import { compilerText, schemaTexts, ToolArguments } from '../../grammar/tool-arguments.ts';
import { TooCostly } from '../../json-schema/compile-schema.ts';
import { finish, finishInTurns, type Steps } from '../../language/expression/steps.ts';
import { createMatcher, createMatcherSteps, type Matcher } from '../../language/matcher/matcher.ts';
import { type CallsLayout, turnLayout } from '../../layout/turn-layout.ts';
import type { OpenCall } from '../../parser/response-parser.ts';
import { AheadStore, type CompileAhead } from './ahead-store.ts';

/** A grammar, and a matcher at its beginning, to be cloned. */
export interface ReadyGrammar {
  readonly grammar: BuiltGrammar;
  readonly matcher: Matcher | null;
}

/** How many requests, and sets of tools, are cached; an application has few. */
const capacity = 32;
/** How many rests of calls are cached: a few for each tool. */
const maxRests = 256;

/** Caches the grammars of one model. */
export class GrammarCache {
  readonly #known = new Map<string, ReadyGrammar>();
  /** By the compiler's key; in order of last use. */
  readonly #arguments = new Map<string, readonly ToolArguments[]>();
  /** Rests of calls, in order of their making. */
  readonly #rests = new Map<string, Matcher | null>();
  readonly #digest: (text: string) => string;
  readonly #store: SchemaStore | null;
  readonly #ahead: { readonly store: AheadStore; readonly compile: CompileAhead } | null;

  /**
   * `digest`: SHA-256 in hexadecimal digits, if there is a faster implementation; `store`: stores costly schemas
   * between processes; `compile`: compiles them elsewhere.
   */
  constructor(
    digest: (text: string) => string = sha256,
    store: SchemaStore | null = null,
    compile: CompileAhead | null = null,
  ) {
    this.#digest = digest;
    this.#ahead = compile === null ? null : { store: new AheadStore(digest, store), compile };
    this.#store = this.#ahead?.store ?? store;
  }

  /** The grammar of a request. Throws the errors of `buildGrammar`, and `GrammarError`. */
  get(format: ChatFormat, options: PlainGrammarOptions): ReadyGrammar {
    const key = keyOf(format, options);
    const known = this.#known.get(key);
    return this.#keep(key, known ?? this.#atOnce(() => finish(this.#build(format, options, null))));
  }

  /** Runs what compiles whatever it needs. Begins again if it meets what was only tried for another request. */
  #atOnce<Result>(run: () => Result): Result {
    if (this.#ahead === null) return run();
    for (;;) {
      try {
        return this.#ahead.store.unlimited(run);
      } catch (error) {
        if (!(error instanceof TooCostly)) throw error;
      }
    }
  }

  /** Like `get`, but yields to other tasks in between and checks the signal. Also throws the signal's reason. */
  async prepare(
    format: ChatFormat,
    options: PlainGrammarOptions,
    signal: AbortSignal | undefined,
  ): Promise<ReadyGrammar> {
    for (let hasAsked = false; ; hasAsked = true) {
      try {
        return await finishInTurns(this.#prepare(format, options), signal);
      } catch (error) {
        if (!(error instanceof TooCostly) || this.#ahead === null) throw error;
      }
      // A second time, it met what was only tried for another request.
      if (!hasAsked)
        this.#ahead.store.add(await this.#ahead.compile({ format, options: plainOptions(options) }, signal));
    }
  }

  *#prepare(format: ChatFormat, options: PlainGrammarOptions): Steps<ReadyGrammar> {
    yield* plainResponseSteps(options.responseFormat);
    yield;
    const key = keyOf(format, options);
    const known = this.#known.get(key);
    if (known !== undefined) return this.#keep(key, known);
    yield;
    const request = planRequest(format, options);
    yield;
    const compiled = request === null ? null : yield* this.#argumentsFor(format, request);
    // In one step with it: another request with the same tools finds them announced.
    if (request !== null && compiled !== null) yield* compiled.add(callableTools(format, request));
    // Another chat with the same tools may have finished first; both compiled them together.
    const made = this.#known.get(key) ?? (yield* this.#build(format, options, compiled));
    return this.#keep(key, this.#known.get(key) ?? made);
  }

  /**
   * A matcher for the rest of a call that the model has begun by itself, after `written`, the text from `call.from` on;
   * `null` if it cannot be enforced. `options` are those of the response.
   */
  restOf(format: ChatFormat, options: PlainGrammarOptions, call: OpenCall, written: string): Matcher | null {
    const { calls } = turnLayout(format);
    if (calls === null) return null;
    for (const notation of restNotations(calls, call)) {
      const matcher = this.#rest(format, options, call.toolName, notation)?.clone() ?? null;
      if (matcher?.accept(written) === true) return matcher;
    }
    return null;
  }

  #rest(
    format: ChatFormat,
    options: PlainGrammarOptions,
    toolName: string,
    notation: RestNotation,
  ): Matcher | null {
    const key = JSON.stringify([keyOf(format, options), toolName, notation]);
    const known = this.#rests.get(key);
    if (known !== undefined) return known;
    const made = this.#atOnce(() => this.#buildRest(format, options, toolName, notation));
    this.#rests.set(key, made);
    const [oldest] = this.#rests.keys();
    if (this.#rests.size > maxRests && oldest !== undefined) this.#rests.delete(oldest);
    return made;
  }

  #buildRest(
    format: ChatFormat,
    options: PlainGrammarOptions,
    toolName: string,
    notation: RestNotation,
  ): Matcher | null {
    const request = planRequest(format, options);
    const library = request === null ? null : finish(this.#argumentsFor(format, request));
    const tool = request?.tools.find((each) => each.function.name === toolName);
    const { calls } = turnLayout(format);
    if (request === null || library === null || calls === null || tool === undefined) return null;
    const grammar = openCallGrammar({ calls, library, options: request }, tool, notation);
    return grammar === null ? null : createMatcher(grammar);
  }

  *#build(
    format: ChatFormat,
    options: PlainGrammarOptions,
    known: ToolArguments | null,
  ): Steps<ReadyGrammar> {
    const grammar = yield* buildGrammarSteps(
      (of, request) => known ?? finish(this.#argumentsFor(of, request)) ?? undefined,
      format,
      options,
      this.#store,
    );
    const { expression } = grammar;
    yield;
    return { grammar, matcher: expression === null ? null : yield* createMatcherSteps(expression) };
  }

  #keep(key: string, ready: ReadyGrammar): ReadyGrammar {
    // Moved to the end, so that the first entry is the least recently used.
    this.#known.delete(key);
    this.#known.set(key, ready);
    const [oldest] = this.#known.keys();
    if (this.#known.size > capacity && oldest !== undefined) this.#known.delete(oldest);
    return ready;
  }

  /** The compiled arguments of these tools, or the slot for compiling them; `null` if no tool can be called. */
  *#argumentsFor(format: ChatFormat, request: ResponseGrammarOptions): Steps<ToolArguments | null> {
    const tools = callableTools(format, request);
    const { calls } = turnLayout(format);
    if (calls === null || tools.length === 0) return null;
    const compiler = compilerText(format, request);
    const texts = yield* schemaTexts(tools);
    const sets = this.#arguments.get(compiler) ?? [];
    const known =
      sets.find((set) => set.lacking(texts) === 0) ??
      compiledAhead(format.templateSha256, calls, request, texts, compiler, this.#digest) ??
      new ToolArguments(calls, request, null, this.#store);
    this.#arguments.delete(compiler);
    this.#arguments.set(compiler, [...sets.filter((set) => set !== known), known].slice(-capacity));
    const [oldest] = this.#arguments.keys();
    if (this.#arguments.size > capacity && oldest !== undefined) this.#arguments.delete(oldest);
    return known;
  }
}

/** What `generate --tools` compiled with this compiler: the set that lacks the fewest of `tools`. */
function compiledAhead(
  templateSha256: string,
  calls: CallsLayout,
  request: ResponseGrammarOptions,
  texts: readonly (string | null)[],
  compiler: string,
  digest: (text: string) => string,
): ToolArguments | undefined {
  const remembered = toolsOfTemplate(templateSha256);
  // If nothing was compiled, not even a digest is needed.
  const own = remembered.length === 0 ? '' : digest(compiler);
  const sets = remembered
    .filter(({ compiled }) => compiled.compiler === own)
    .map(({ compiled: table }) => new ToolArguments(calls, request, { table, digest }));
  const lacking = sets.map((set) => set.lacking(texts));
  const fewest = Math.min(...lacking);
  return fewest < texts.length ? sets[lacking.indexOf(fewest)] : undefined;
}

/** The options that a grammar depends on, as data. */
function plainOptions(options: PlainGrammarOptions): PlainGrammarOptions {
  const {
    tools,
    toolChoice,
    policy,
    argumentOrder,
    parallelToolCalls,
    generationPrompt,
    bareCalls,
    oneLine,
    toolNames,
    thinkingBudget,
  } = options;
  const responseFormat = plainResponseFormat(options.responseFormat);
  return withoutUndefined({
    ...{ tools, toolChoice, policy, argumentOrder, parallelToolCalls, generationPrompt },
    ...{ bareCalls, oneLine, toolNames, thinkingBudget, responseFormat },
  });
}

/** An absent option and its default are the same request. */
function keyOf({ templateSha256 }: ChatFormat, options: PlainGrammarOptions): string {
  const { toolChoice = 'auto', policy = 'strict', argumentOrder = 'later' } = options;
  const {
    tools = [],
    parallelToolCalls,
    generationPrompt,
    bareCalls = false,
    oneLine = false,
    toolNames = 'offered',
    thinkingBudget,
  } = options;
  const responseFormat = plainResponseFormat(options.responseFormat);
  const request = { toolChoice, parallelToolCalls, responseFormat, generationPrompt };
  const choices = [policy, argumentOrder, bareCalls, oneLine, toolNames, thinkingBudget === undefined];
  return JSON.stringify([templateSha256, request, ...choices, tools]);
}
