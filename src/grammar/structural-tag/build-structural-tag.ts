/** Builds the structural tag of one request: the whole response as XGrammar enforces it in vLLM, SGLang and others. */
import type { ChatFormat } from '../../format/chat-format.ts';
import { type SchemaIssue, UnsupportedOptionError } from '../../format/errors.ts';
import {
  boolean,
  chatFormat,
  type OptionRules,
  readOptions,
  requireOption,
} from '../../format/option-rules.ts';
import type { Grammar } from '../../language/expression/expression.ts';
import { grammarAfter } from '../../language/matcher/rest-of-grammar.ts';
import { turnLayout } from '../../layout/turn-layout.ts';
import { normalizeTools } from '../../tools/tools.ts';
import { buildGrammar, planRequest } from '../build-grammar.ts';
import type { BuiltGrammar } from '../built-grammar.ts';
import type { GrammarOptions, PlainGrammarOptions } from '../grammar-options.ts';
import { grammarRules } from '../grammar-rules.ts';
import type { ResponseGrammarOptions } from '../response-grammar.ts';
import { callBeginnings } from '../triggers.ts';
import { autoResponse } from './auto-response.ts';
import { printStructuralTag } from './print-structural-tag.ts';
import { relaxGrammar } from './relax-grammar.ts';
import type { StructuralTag } from './structural-tag.ts';

/** Options for building a structural tag. */
export interface StructuralTagOptions extends GrammarOptions {
  /**
   * Under `auto`, also enforces the arguments of calls that the model writes as JSON in place of its format's own: at the
   * beginning of an answer, bare, in a list, a code fence or a marker, and in the usual layouts. For up to twelve tools,
   * and formats whose own calls contain no free text. What such an answer quotes as a call must be a valid one, too. A
   * server compiles such a tag some fifteen times as long. Default: false; chats do not need it, because they follow the calls.
   */
  readonly jsonCalls?: boolean;
}

const tagRules: OptionRules<StructuralTagOptions> = { ...grammarRules, jsonCalls: boolean };

/** The structural tag of one request. */
export interface BuiltStructuralTag {
  /** Covers the response from its first token; `null` if there is nothing to enforce. */
  readonly tag: StructuralTag | null;
  /**
   * The same language as an expression tree, for matching. Allows slightly more than the grammar of the same request;
   * see `relaxGrammar`.
   */
  readonly expression: Grammar | null;
  /** Special tokens that must reach the parser as text. */
  readonly preservedTokens: readonly string[];
  /** Strings at which generation ends. */
  readonly stops: readonly string[];
  /** Every schema keyword that is not enforced exactly; empty if all are. */
  readonly report: readonly SchemaIssue[];
}

/**
 * Builds the structural tag of one request. Unlike a grammar, it needs no triggers and covers the response from its
 * first token even with `toolChoice: 'auto'`. Throws what `buildGrammar` throws, `GrammarError` for a tag of more than a
 * megabyte, and `UnsupportedOptionError` if the prompt ends inside a call that cannot be continued.
 */
export function buildStructuralTag(format: ChatFormat, given: StructuralTagOptions = {}): BuiltStructuralTag {
  requireOption('format', format, chatFormat);
  const { jsonCalls = false, ...options } = readOptions(given, tagRules);
  const plain = { ...options, tools: normalizeTools(options.tools ?? []) };
  return structuralTagOf(format, plain, buildGrammar(format, plain), jsonCalls);
}

/** Builds the tag of a grammar that exists already. */
export function structuralTagOf(
  format: ChatFormat,
  options: PlainGrammarOptions,
  built: BuiltGrammar,
  jsonCalls = false,
): BuiltStructuralTag {
  const { preservedTokens, stops, report } = built;
  const request = planRequest(format, options);
  const whole = request === null ? null : wholeResponse(format, request, built, jsonCalls);
  const expression = whole === null ? null : relaxGrammar(whole);
  const tag: StructuralTag | null =
    expression === null ? null : { type: 'structural_tag', format: printStructuralTag(expression) };
  return { tag, expression, preservedTokens, stops, report };
}

/** The tag of a grammar, such as that of the rest of a response. Throws `GrammarError` if it is too large. */
export function tagOfGrammar(grammar: Grammar): StructuralTag {
  return { type: 'structural_tag', format: printStructuralTag(grammar) };
}

/** The grammar from the first token on, even if the given one is lazy. */
function wholeResponse(
  format: ChatFormat,
  request: ResponseGrammarOptions,
  { expression, lazy, triggers }: BuiltGrammar,
  jsonCalls: boolean,
): Grammar | null {
  if (expression === null || !lazy) return expression;
  const { prompt, tools } = request;
  if (prompt.place === 'ended') return null;
  if (prompt.place === 'call') {
    const rest = grammarAfter(expression, prompt.pending) ?? grammarAfter(expression, prompt.laterCall);
    return rest ?? refusePrompt('ends inside of a call that is not one of the tools');
  }
  const beginnings = callBeginnings(format, tools);
  const whole = autoResponse({
    layout: turnLayout(format),
    request,
    calls: expression,
    triggers,
    beginnings,
    jsonCalls,
  });
  return whole ?? refusePrompt('leaves calls that do not begin with a marker');
}

function refusePrompt(reason: string): never {
  throw new UnsupportedOptionError({ option: 'generationPrompt', reason: `the prompt ${reason}` });
}
