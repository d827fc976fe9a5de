/** Grammars of earlier requests, and those of generated tools: the same tools and choices are compiled once. */
import { createHash } from 'node:crypto';
import type { ChatFormat } from '../../../chat-format.ts';
import {
  type BuiltGrammar,
  buildGrammarWith,
  type CompileResponse,
  compileResponse,
  type PlainGrammarOptions,
  plainResponseFormat,
} from '../../../grammar/build-grammar.ts';
import { requestText, unpackGrammar } from '../../../grammar/compiled-grammar.ts';
import type { Grammar } from '../../../grammar/expression.ts';
import { createMatcher, type Matcher } from '../../../grammar/matcher.ts';
import type { ResponseGrammar, ResponseGrammarOptions } from '../../../grammar/response-grammar.ts';
import {
  type CompiledGrammar,
  grammarsOfTemplate,
  hasGrammars,
  rememberedGrammar,
} from '../../compiled-grammars.ts';

/** A grammar and a matcher at its beginning, to be cloned. */
export interface ReadyGrammar {
  readonly grammar: BuiltGrammar;
  readonly matcher: Matcher | null;
}

/** Requests that are remembered; an application has few sets of tools. */
const capacity = 32;

/** Remembers the grammars of one model. */
export class GrammarCache {
  readonly #known = new Map<string, ReadyGrammar>();
  readonly #unpacked = new WeakMap<CompiledGrammar, ResponseGrammar>();
  readonly #matchers = new WeakMap<Grammar, Matcher>();

  /** The grammar of a request. Throws what `buildGrammar` throws, and `GrammarError`. */
  get(format: ChatFormat, options: PlainGrammarOptions): ReadyGrammar {
    const key = keyOf(format, options);
    const ready = this.#known.get(key) ?? this.#build(format, options);
    // The latest come last, so that the first is the one to forget.
    this.#known.delete(key);
    this.#known.set(key, ready);
    const [oldest] = this.#known.keys();
    if (this.#known.size > capacity && oldest !== undefined) this.#known.delete(oldest);
    return ready;
  }

  /** Matchers of the grammars that were compiled ahead for this template. Throws `GrammarError`. */
  compiledAhead({ templateSha256 }: ChatFormat): readonly Matcher[] {
    const latest = grammarsOfTemplate(templateSha256).slice(-capacity);
    return latest.map((table) => this.#matcherOf(this.#unpack(table).grammar));
  }

  #build(format: ChatFormat, options: PlainGrammarOptions): ReadyGrammar {
    const compile: CompileResponse = (of, request) => this.#recallOrCompile(of, request);
    const grammar = buildGrammarWith(compile, format, options);
    return { grammar, matcher: grammar.expression === null ? null : this.#matcherOf(grammar.expression) };
  }

  /** What `generate --tools` compiled ahead, where it was for exactly this request; else the compiler. */
  #recallOrCompile(format: ChatFormat, request: ResponseGrammarOptions): ResponseGrammar {
    if (!hasGrammars()) return compileResponse(format, request);
    const digest = createHash('sha256').update(requestText(format, request)).digest('hex');
    const known = rememberedGrammar(digest);
    return known === undefined ? compileResponse(format, request) : this.#unpack(known);
  }

  #unpack(table: CompiledGrammar): ResponseGrammar {
    const unpacked = this.#unpacked.get(table) ?? unpackGrammar(table);
    this.#unpacked.set(table, unpacked);
    return unpacked;
  }

  #matcherOf(grammar: Grammar): Matcher {
    const matcher = this.#matchers.get(grammar) ?? createMatcher(grammar);
    this.#matchers.set(grammar, matcher);
    return matcher;
  }
}

function keyOf({ templateSha256 }: ChatFormat, options: PlainGrammarOptions): string {
  const { tools, toolChoice, parallelToolCalls, generationPrompt, policy, argumentOrder } = options;
  const responseFormat = plainResponseFormat(options.responseFormat);
  const choices = { toolChoice, parallelToolCalls, responseFormat, generationPrompt, policy, argumentOrder };
  return JSON.stringify([templateSha256, choices, tools]);
}
