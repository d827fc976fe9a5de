/** Builds the expression of one response from the format, the tools and the request. */
import { markerPlan } from '../codegen/marker-plan.ts';
import type { ChatFormat, Delimiters } from '../format/chat-format.ts';
import { GrammarError, type SchemaIssue, UnsupportedOptionError } from '../format/errors.ts';
import type { JsonSchema, Tool } from '../format/messages.ts';
import {
  type CompiledSchema,
  compileSchemaSteps,
  jsonSyntax,
  lenientJsonSyntax,
  type Syntax,
} from '../json-schema/compile-schema.ts';
import { schemaText } from '../json-schema/document/schema-text.ts';
import { alternatives } from '../language/expression/alternatives.ts';
import {
  characterClass,
  type Expression,
  type Grammar,
  literal,
  optional,
  repeat,
  sequence,
  untilOrEnd,
  without,
} from '../language/expression/expression.ts';
import { withoutUnused } from '../language/expression/references.ts';
import { RuleSet } from '../language/expression/rule-set.ts';
import { finish, type Steps } from '../language/expression/steps.ts';
import { grammarAfter } from '../language/matcher/rest-of-grammar.ts';
import { callSection } from './call-grammar.ts';
import type { PromptPosition } from './prompt-position.ts';
import { withReasoning } from './reasoning-grammar.ts';
import { type SchemaStore, storedOrCompiled } from './stored-schemas.ts';
import { type ArgumentOptions, type OfferedTools, ToolArguments } from './tool-arguments.ts';

/** What a response may contain. */
export type ResponseShape =
  /** The calls alone, starting at the trigger; for a lazy grammar. */
  | 'calls-from-trigger'
  /** Reasoning, then only calls. */
  | 'calls'
  /** Reasoning, then content that conforms to a schema. */
  | 'schema'
  /** Reasoning, then content that conforms to a schema, or calls. */
  | 'schema-or-calls'
  /** Reasoning, then text that contains no call opener. */
  | 'text'
  /** Everything the format allows, in order of its regions; serves as a readable specification. */
  | 'whole';

/** Options of a response's grammar. */
export interface ResponseGrammarOptions extends ArgumentOptions {
  readonly shape: ResponseShape;
  readonly prompt: PromptPosition;
  /** Tools that can be called; empty allows any name with any arguments. */
  readonly tools: readonly Tool[];
  /** Allows more than one call. */
  readonly parallel: boolean;
  /** Schema of the content; used by `schema` and `schema-or-calls`. */
  readonly contentSchema: JsonSchema;
  /** Keeps the results of expensive schemas between processes. Default: none. */
  readonly store?: SchemaStore | null;
}

/** The grammar of a response, and the schema keywords it does not enforce exactly. */
export interface ResponseGrammar {
  readonly grammar: Grammar;
  readonly issues: readonly SchemaIssue[];
}

/** White space allowed between regions and after the last one. */
const blank = characterClass([0x20, 0x20], [0x09, 0x0a], [0x0d, 0x0d]);
const maxBlanks = 8;

/** Shapes that contain tool calls. */
const callingShapes: ReadonlySet<ResponseShape> = new Set([
  'calls-from-trigger',
  'calls',
  'schema-or-calls',
  'whole',
]);

/** The tools whose arguments become part of the grammar. */
export function callableTools(
  { calls }: ChatFormat,
  { shape, tools }: ResponseGrammarOptions,
): readonly Tool[] {
  return calls !== null && callingShapes.has(shape) ? tools : [];
}

/**
 * Builds the grammar of one response, reusing compiled arguments in `known`. Throws what `ToolArguments` and
 * `compileSchema` throw.
 */
export function responseGrammar(
  format: ChatFormat,
  options: ResponseGrammarOptions,
  known?: ToolArguments,
): ResponseGrammar {
  return finish(responseGrammarSteps(format, options, known));
}

/** `responseGrammar` in steps. */
export function* responseGrammarSteps(
  format: ChatFormat,
  options: ResponseGrammarOptions,
  known?: ToolArguments,
): Steps<ResponseGrammar> {
  const library =
    known ?? (format.calls === null ? null : new ToolArguments(format.calls, options, null, options.store));
  const tools = callableTools(format, options);
  if (library !== null) yield* library.add(tools);
  const offered = library?.offer(tools) ?? { tools: [], issues: [] };
  const rules = library?.branch() ?? new RuleSet();
  const content = yield* contentSteps(format, options, rules);
  const parts: Parts = { offered, rules, content: content.expression, issues: [...content.issues] };
  const answer = answerExpression(format, options, parts);
  const fromTrigger = options.shape === 'calls-from-trigger';
  const root = fromTrigger ? answer : turnExpression(format, options, answer, parts.rules);
  const whole = parts.rules.grammar('root', root);
  const grammar = fromTrigger ? whole : afterPrompt(whole, format, options.prompt);
  return { grammar: withoutUnused(grammar), issues: parts.issues };
}

/**
 * Removes the prompt's pending text from the front of the grammar. If the grammar cannot begin with it, the pending
 * text is plain text or a malformed call, and the grammar stays as it is.
 */
function afterPrompt(grammar: Grammar, { turn }: ChatFormat, prompt: PromptPosition): Grammar {
  const { place, pending, laterCall } = prompt;
  if (pending.trim() === '') return grammar;
  const rest = grammarAfter(grammar, pending) ?? (laterCall === '' ? null : grammarAfter(grammar, laterCall));
  if (rest !== null) return rest;
  // If every region has a header, no call can begin inside the malformed one.
  if (turn.restart && (place === 'call' || place === 'start')) return refuseBrokenHeader();
  return grammar;
}

/** The rest of the turn from the prompt's position: whatever precedes the answer, then `answer`. */
function turnExpression(
  format: ChatFormat,
  { prompt, shape }: ResponseGrammarOptions,
  answer: Expression,
  rules: RuleSet,
): Expression {
  const { lead = '', start } = format.turn;
  const turn = withReasoning({ format, prompt, answer, empty: emptyReasoning(format, shape) }, rules);
  if (prompt.place === 'between-turns') return sequence(literal(start), turn);
  return prompt.untouched && lead !== '' ? sequence(optional(literal(lead)), turn) : turn;
}

/** Texts that may replace empty reasoning. None before free text, which can begin with anything. */
function emptyReasoning({ reasoning }: ChatFormat, shape: ResponseShape): readonly string[] {
  if (reasoning === null || shape === 'text' || shape === 'whole') return [];
  const { empty, emptyWithCalls = empty } = reasoning;
  if (shape === 'calls') return [emptyWithCalls];
  return shape === 'schema' ? [empty] : [...new Set([empty, emptyWithCalls])];
}

/** The parts of a grammar. */
interface Parts {
  readonly offered: OfferedTools;
  readonly rules: RuleSet;
  /** Content that conforms to the schema; empty for the other shapes. */
  readonly content: Expression;
  readonly issues: SchemaIssue[];
}

function answerExpression(
  format: ChatFormat,
  options: ResponseGrammarOptions,
  { offered, rules, content, issues }: Parts,
): Expression {
  const calls = () => {
    const fromTrigger = options.shape === 'calls-from-trigger';
    const section = callSection(
      requireCalls(format),
      {
        tools: offered.tools,
        parallel: options.parallel,
        // After a trigger, the model has already chosen an opener, so all spellings are accepted. Otherwise the
        // grammar forces a single one.
        otherOpeners: fromTrigger ? (format.alternatives?.calls ?? []) : [],
        spellOpener: (text) => (fromTrigger ? spellTrigger(text, options.prompt) : literal(text)),
      },
      rules,
    );
    issues.push(...offered.issues);
    // In a free response, the model closes the content before the calls itself.
    const isFree = fromTrigger || options.shape === 'whole';
    const before = isFree ? literal('') : contentBeforeCalls(format, options.prompt);
    return sequence(before, section, repeat(blank, 0, maxBlanks));
  };
  switch (options.shape) {
    case 'calls-from-trigger':
    case 'calls':
      return calls();
    case 'schema':
      return content;
    case 'schema-or-calls':
      return alternatives(content, calls());
    case 'text':
      return rules.add('answer', textWithoutCalls(format, options));
    case 'whole':
      return rules.add('answer', format.calls === null ? without() : textThenCalls(format, calls()));
  }
}

function requireCalls(format: ChatFormat) {
  if (format.calls !== null) return format.calls;
  throw new UnsupportedOptionError({
    option: 'toolChoice',
    reason: 'this chat template renders no tool calls, so none can be required',
  });
}

/** What precedes the calls: the close of content that the prompt opened, otherwise the marker for no content. */
function contentBeforeCalls(format: ChatFormat, prompt: PromptPosition): Expression {
  const open = openContent(format, prompt);
  const { empty = '' } = format.content;
  if (open !== null) return literal(open.close.trimEnd());
  if (prompt.begun || prompt.place === 'call' || empty === '') return literal('');
  // After reasoning, the prompt may already contain the marker.
  return prompt.place === 'answer' ? optional(literal(empty)) : literal(empty);
}

/** The delimiters of the content that the prompt opened; `null` if it opened none. */
export function openContent({ content }: ChatFormat, { place }: PromptPosition): Delimiters | null {
  if (place === 'content') return content;
  return place === 'content-with-calls' ? content.withCalls : null;
}

/**
 * The opener of the calls from its first marker on. If the prompt contains its beginning, the first call needs only
 * the rest, but later calls need the whole opener.
 */
function spellTrigger(opener: string, prompt: PromptPosition): Expression {
  const whole = opener.trimStart();
  const rest = restOfOpener(whole, prompt);
  const marker = opener.trim();
  if (rest === whole || marker === '') return literal(rest);
  return rest === '' ? optional(literal(marker)) : alternatives(literal(rest), literal(whole));
}

/** `opener` without the part that the prompt already contains. */
export function restOfOpener(opener: string, { pending }: PromptPosition): string {
  const written = pending.trimStart();
  return written !== '' && opener.startsWith(written) ? opener.slice(written.length) : opener;
}

/** Compiles the content's schema; empty for shapes without one. */
function* contentSteps(
  format: ChatFormat,
  { shape, contentSchema, policy, prompt, store = null }: ResponseGrammarOptions,
  rules: RuleSet,
): Steps<Omit<CompiledSchema, 'steps'>> {
  if (shape !== 'schema' && shape !== 'schema-or-calls') return { expression: literal(''), issues: [] };
  const text = schemaText(contentSchema);
  const compileIn = (syntax: Syntax) =>
    storedOrCompiled(text === null ? null : store, ['response', syntax.lenient, policy, text], rules, () =>
      compileSchemaSteps(contentSchema, { rules, syntax, tool: '', policy }),
    );
  const lenient = yield* compileIn(lenientJsonSyntax);
  // A value that fails a `checked` keyword is rewound and sampled again. Canonical JSON makes the retry a different
  // value, not the same one in another layout.
  const isChecked = lenient.issues.some(({ effect }) => effect === 'checked');
  const { expression, issues } = isChecked ? yield* compileIn(jsonSyntax) : lenient;
  const open = openContent(format, prompt);
  const content = sequence(
    literal(open === null ? format.content.open.trimStart() : ''),
    rules.add('response', expression),
    literal((open ?? format.content).close.trimEnd()),
    repeat(blank, 0, maxBlanks),
  );
  return { expression: content, issues };
}

/**
 * Free text up to a call opener followed by calls, or free text alone. Calls without a marker cannot follow text.
 * Content whose opening marker contains the call opener gets an alternative that begins with that marker.
 */
function textThenCalls(format: ChatFormat, calls: Expression): Expression {
  const opener = triggerText(format);
  if (opener === '') return without();
  const { open, empty = '' } = format.content;
  if ((markerPlan(format).calls?.opener ?? '') === '') {
    return alternatives(sequence(optional(literal(empty)), calls), without(opener));
  }
  const answer = untilOrEnd({ delimiter: opener, next: dropLeading(calls, opener) });
  return open.includes(opener) ? alternatives(sequence(literal(open), without(opener)), answer) : answer;
}

/**
 * Removes everything up to and including `text` from the leading literal of `expression`. Throws `GrammarError` if
 * that literal does not contain `text`; the opener would otherwise appear twice or only in part.
 */
function dropLeading(expression: Expression, text: string): Expression {
  const [first, ...rest] = expression.type === 'sequence' ? expression.items : [expression];
  const at = first?.type === 'literal' ? first.text.indexOf(text) : -1;
  if (first?.type !== 'literal' || at < 0) {
    throw new GrammarError({ reason: `calls do not begin with their opener ${JSON.stringify(text)}` });
  }
  return sequence(literal(first.text.slice(at + text.length)), ...rest);
}

/** Free text without calls. If the prompt ends in a prefix that calls and content share, force the content's marker. */
function textWithoutCalls(format: ChatFormat, { tools, prompt }: ResponseGrammarOptions): Expression {
  const opener = triggerText(format);
  const text = opener === '' ? without() : without(...distinctTriggers(format, opener, tools));
  const { open } = format.content;
  const begins = (marker: string): boolean => restOfOpener(marker, prompt) !== marker;
  const isShared = openContent(format, prompt) === null && begins(opener) && begins(open);
  return isShared ? sequence(literal(open), text) : text;
}

/**
 * Words that identify a call: `opener`, or, if reasoning or content can begin with it too (` to=self`, ` to=f`),
 * `opener` followed by each tool's name.
 */
export function distinctTriggers(
  format: ChatFormat,
  opener: string,
  tools: readonly Tool[],
): readonly string[] {
  const { reasoning, content, calls, alternatives = {} } = format;
  const starts = [reasoning?.start ?? '', content.open];
  const others = [...starts, ...(alternatives.reasoning ?? []), ...(alternatives.content ?? [])];
  const [head] = calls?.head ?? [];
  const named = typeof head === 'object' && head.hole === 'name';
  if (!named || !others.some((other) => other.includes(opener))) return [opener];
  const words = tools.map((tool) => opener + tool.function.name);
  // Drop words that contain another one: the shorter word already triggers.
  return words.filter((word) => !words.some((other) => other !== word && word.includes(other)));
}

/** The text at which a lazy grammar starts: the opener of the first call, without surrounding white space. */
export function triggerText(format: ChatFormat): string {
  const { calls } = markerPlan(format);
  return calls?.opener || (calls?.opening ?? '');
}

function refuseBrokenHeader(): never {
  throw new UnsupportedOptionError({
    option: 'continueFinalMessage',
    reason: 'the prompt ends inside a header that this format cannot continue',
  });
}
