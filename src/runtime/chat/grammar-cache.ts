/** Grammars of earlier requests, and the arguments that they are made of: each schema is compiled once. */

import type { CallsFormat, ChatFormat } from '../../format/chat-format.ts';
import { toolsOfTemplate } from '../../format/compiled-tools.ts';
import type { Tool } from '../../format/messages.ts';
import { sha256 } from '../../format/sha256.ts';
import {
  type BuiltGrammar,
  buildGrammarSteps,
  plainResponseFormat,
  planRequest,
} from '../../grammar/build-grammar.ts';
import { finish, finishInTurns, type Steps } from '../../grammar/expression/steps.ts';
import type { PlainGrammarOptions } from '../../grammar/grammar-options.ts';
import { createMatcher, type Matcher } from '../../grammar/matcher/matcher.ts';
import { callableTools, type ResponseGrammarOptions } from '../../grammar/response-grammar.ts';
import type { SchemaStore } from '../../grammar/stored-schemas.ts';
import { compilerText, ToolArguments } from '../../grammar/tool-arguments.ts';

/** A grammar and a matcher at its beginning, to be cloned. */
export interface ReadyGrammar {
  readonly grammar: BuiltGrammar;
  readonly matcher: Matcher | null;
}

/** Requests that are remembered, and sets of tools; an application has few. */
const capacity = 32;

/** Remembers the grammars of one model. */
export class GrammarCache {
  readonly #known = new Map<string, ReadyGrammar>();
  /** By the compiler's own text; those that were used last stand last. */
  readonly #arguments = new Map<string, readonly ToolArguments[]>();
  readonly #digest: (text: string) => string;

  readonly #store: SchemaStore | null;

  /**
   * `digest`: SHA-256 in hexadecimal digits, where there is a faster one than ours; `store`: where expensive schemas are
   * kept between processes.
   */
  constructor(digest: (text: string) => string = sha256, store: SchemaStore | null = null) {
    this.#digest = digest;
    this.#store = store;
  }

  /** The grammar of a request. Throws what `buildGrammar` throws, and `GrammarError`. */
  get(format: ChatFormat, options: PlainGrammarOptions): ReadyGrammar {
    const key = keyOf(format, options);
    const known = this.#known.get(key);
    return this.#keep(key, known ?? finish(this.#build(format, options, null)));
  }

  /**
   * The same in turns, between which others have theirs and the signal is looked at. Throws its reason, too.
   */
  async prepare(
    format: ChatFormat,
    options: PlainGrammarOptions,
    signal: AbortSignal | undefined,
  ): Promise<ReadyGrammar> {
    const key = keyOf(format, options);
    const known = this.#known.get(key);
    if (known !== undefined) return this.#keep(key, known);
    const request = planRequest(format, options);
    const compiled = request === null ? null : this.#argumentsFor(format, request);
    if (request !== null && compiled !== null)
      await finishInTurns(compiled.add(callableTools(format, request)), signal);
    // Another chat with the same tools may have come first; the two compiled them together.
    const made =
      this.#known.get(key) ?? (await finishInTurns(this.#build(format, options, compiled), signal));
    return this.#keep(key, this.#known.get(key) ?? made);
  }

  *#build(
    format: ChatFormat,
    options: PlainGrammarOptions,
    known: ToolArguments | null,
  ): Steps<ReadyGrammar> {
    const grammar = yield* buildGrammarSteps(
      (of, request) => known ?? this.#argumentsFor(of, request) ?? undefined,
      format,
      options,
      this.#store,
    );
    const { expression } = grammar;
    return { grammar, matcher: expression === null ? null : createMatcher(expression) };
  }

  #keep(key: string, ready: ReadyGrammar): ReadyGrammar {
    // The latest come last, so that the first is the one to forget.
    this.#known.delete(key);
    this.#known.set(key, ready);
    const [oldest] = this.#known.keys();
    if (this.#known.size > capacity && oldest !== undefined) this.#known.delete(oldest);
    return ready;
  }

  /** Where the arguments of these tools are known, or are to be compiled; `null` where none can be called. */
  #argumentsFor(format: ChatFormat, request: ResponseGrammarOptions): ToolArguments | null {
    const tools = callableTools(format, request);
    const { calls } = format;
    if (calls === null || tools.length === 0) return null;
    const compiler = compilerText(format, request);
    const sets = this.#arguments.get(compiler) ?? [];
    const known =
      sets.find((set) => set.lacking(tools) === 0) ??
      compiledAhead({ ...format, calls }, request, tools, compiler, this.#digest) ??
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
  { calls, templateSha256 }: ChatFormat & { readonly calls: CallsFormat },
  request: ResponseGrammarOptions,
  tools: readonly Tool[],
  compiler: string,
  digest: (text: string) => string,
): ToolArguments | undefined {
  const remembered = toolsOfTemplate(templateSha256);
  // Not even a digest is needed where nothing was compiled.
  const own = remembered.length === 0 ? '' : digest(compiler);
  const sets = remembered
    .filter(({ compiled }) => compiled.compiler === own)
    .map(({ compiled: table }) => new ToolArguments(calls, request, { table, digest }));
  const lacking = sets.map((set) => set.lacking(tools));
  const fewest = Math.min(...lacking);
  return fewest < tools.length ? sets[lacking.indexOf(fewest)] : undefined;
}

/** What is absent and what is given as its default are the same request. */
function keyOf({ templateSha256 }: ChatFormat, options: PlainGrammarOptions): string {
  const { toolChoice = 'auto', policy = 'strict', argumentOrder = 'schema' } = options;
  const { tools = [], parallelToolCalls, generationPrompt } = options;
  const responseFormat = plainResponseFormat(options.responseFormat);
  const choices = { toolChoice, parallelToolCalls, responseFormat, generationPrompt, policy, argumentOrder };
  return JSON.stringify([templateSha256, choices, tools]);
}
