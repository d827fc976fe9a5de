/** ChatFormat + tools + what was asked → the expression for one response. */
import { markerPlan } from '../codegen/marker-plan.ts';
import type { ChatFormat, Delimiters } from '../format/chat-format.ts';
import { GrammarError, type SchemaIssue, UnsupportedOptionError } from '../format/errors.ts';
import type { JsonSchema, Tool } from '../format/messages.ts';
import { callSection } from './call-grammar.ts';
import { alternatives } from './expression/alternatives.ts';
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
} from './expression/expression.ts';
import { withoutUnused } from './expression/references.ts';
import { RuleSet } from './expression/rule-set.ts';
import { finish, type Steps } from './expression/steps.ts';
import {
  type CompiledSchema,
  compileSchemaSteps,
  jsonSyntax,
  lenientJsonSyntax,
  type Syntax,
} from './json-schema/compile-schema.ts';
import { schemaText } from './json-schema/document/schema-text.ts';
import { grammarAfter } from './matcher/rest-of-grammar.ts';
import type { PromptPosition } from './prompt-position.ts';
import { type SchemaStore, storedOrCompiled } from './stored-schemas.ts';
import { withThoughts } from './thoughts-grammar.ts';
import { type ArgumentOptions, type OfferedTools, ToolArguments } from './tool-arguments.ts';

/** What a response may be. */
export type ResponseShape =
  /** From the trigger on: the calls alone. For a lazy grammar. */
  | 'calls-from-trigger'
  /** Reasoning, then calls and nothing else. */
  | 'calls'
  /** Reasoning, then content of a schema. */
  | 'schema'
  /** Reasoning, then content of a schema or calls. */
  | 'schema-or-calls'
  /** Reasoning, then text in which no call opens. */
  | 'text'
  /** Everything that the format knows, in the order of its regions: the readable specification. */
  | 'whole';

/** Which response a grammar is for. */
export interface ResponseGrammarOptions extends ArgumentOptions {
  readonly shape: ResponseShape;
  readonly prompt: PromptPosition;
  /** Tools that can be called; empty: any name, any arguments. */
  readonly tools: readonly Tool[];
  /** More than one call may be written. */
  readonly parallel: boolean;
  /** Schema of the content for the shapes that need one. */
  readonly contentSchema: JsonSchema;
  /** Where expensive schemas are kept between processes. Default: nowhere. */
  readonly store?: SchemaStore | null;
}

/** The grammar of a response, and what it does not enforce exactly. */
export interface ResponseGrammar {
  readonly grammar: Grammar;
  readonly issues: readonly SchemaIssue[];
}

/** White space that a model may put where regions meet, and after the last one. */
const blank = characterClass([0x20, 0x20], [0x09, 0x0a], [0x0d, 0x0d]);
const maxBlanks = 8;

/** The shapes in which a tool can be called. */
const callingShapes: ReadonlySet<ResponseShape> = new Set([
  'calls-from-trigger',
  'calls',
  'schema-or-calls',
  'whole',
]);

/** The tools whose arguments are part of the grammar. */
export function callableTools(
  { calls }: ChatFormat,
  { shape, tools }: ResponseGrammarOptions,
): readonly Tool[] {
  return calls !== null && callingShapes.has(shape) ? tools : [];
}

/**
 * The grammar of one response, its tools' arguments out of `known` if that is given. Throws what
 * `ToolArguments` and `compileSchema` throw.
 */
export function responseGrammar(
  format: ChatFormat,
  options: ResponseGrammarOptions,
  known?: ToolArguments,
): ResponseGrammar {
  return finish(responseGrammarSteps(format, options, known));
}

/** The same in steps. */
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
 * What of the grammar is left after the end of the prompt that waits for what follows. Where the grammar does
 * not begin so it is text, or a call that is malformed and after which another one begins.
 */
function afterPrompt(grammar: Grammar, { turn }: ChatFormat, prompt: PromptPosition): Grammar {
  const { place, pending, laterCall } = prompt;
  if (pending.trim() === '') return grammar;
  const rest = grammarAfter(grammar, pending) ?? (laterCall === '' ? null : grammarAfter(grammar, laterCall));
  if (rest !== null) return rest;
  // Where each region has a header no call begins within one.
  if (turn.restart && (place === 'call' || place === 'start')) return refuseBrokenHeader();
  return grammar;
}

/** The turn from the place on where the prompt has left it, `answer` after all that comes before it. */
function turnExpression(
  format: ChatFormat,
  { prompt, shape }: ResponseGrammarOptions,
  answer: Expression,
  rules: RuleSet,
): Expression {
  const { lead = '', start } = format.turn;
  const turn = withThoughts({ format, prompt, answer, empty: emptyThoughts(format, shape) }, rules);
  if (prompt.place === 'between-turns') return sequence(literal(start), turn);
  return prompt.untouched && lead !== '' ? sequence(optional(literal(lead)), turn) : turn;
}

/** What may stand for thoughts that are empty. None before free text, which may begin with anything. */
function emptyThoughts({ reasoning }: ChatFormat, shape: ResponseShape): readonly string[] {
  if (reasoning === null || shape === 'text' || shape === 'whole') return [];
  const { empty, emptyWithCalls = empty } = reasoning;
  if (shape === 'calls') return [emptyWithCalls];
  return shape === 'schema' ? [empty] : [...new Set([empty, emptyWithCalls])];
}

/** What a grammar is put together from. */
interface Parts {
  readonly offered: OfferedTools;
  readonly rules: RuleSet;
  /** Content of the schema, for the shapes that have it. */
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
        // What a model has begun by itself is taken as it comes; what it is made to begin has one spelling.
        otherOpeners: fromTrigger ? (format.alternatives?.calls ?? []) : [],
        spellOpener: (text) => (fromTrigger ? spellTrigger(text, options.prompt) : literal(text)),
      },
      rules,
    );
    issues.push(...offered.issues);
    // What a model wrote before the calls it has ended itself.
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

/** Content that the prompt opened ends before the calls; where none was, what stands in its place. */
function contentBeforeCalls(format: ChatFormat, prompt: PromptPosition): Expression {
  const open = openContent(format, prompt);
  const { empty = '' } = format.content;
  if (open !== null) return literal(open.close.trimEnd());
  if (prompt.begun || prompt.place === 'call' || empty === '') return literal('');
  // After thoughts the prompt may have written it.
  return prompt.place === 'answer' ? optional(literal(empty)) : literal(empty);
}

/** The wrapper of the answer that the prompt has opened; `null` where none is open. */
export function openContent({ content }: ChatFormat, { place }: PromptPosition): Delimiters | null {
  if (place === 'content') return content;
  return place === 'content-with-calls' ? content.withCalls : null;
}

/**
 * A lazy grammar begins at the opener's first marker; where the prompt wrote the beginning of it, at what is
 * left, but a later call has all of it.
 */
function spellTrigger(opener: string, prompt: PromptPosition): Expression {
  const whole = opener.trimStart();
  const rest = restOfOpener(whole, prompt);
  const marker = opener.trim();
  if (rest === whole || marker === '') return literal(rest);
  return rest === '' ? optional(literal(marker)) : alternatives(literal(rest), literal(whole));
}

/** What is left of an opener after what the prompt wrote of it. */
export function restOfOpener(opener: string, { pending }: PromptPosition): string {
  const written = pending.trimStart();
  return written !== '' && opener.startsWith(written) ? opener.slice(written.length) : opener;
}

/** Content of the schema that is asked for; nothing where the response has another shape. */
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
  // What is checked is taken back and written again; that has to give another value, and not another layout of it.
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
 * Free text up to a call's opener, then the calls; or free text alone. Calls without a marker of their own stand
 * alone, and an answer whose own marker holds the opener begins with that.
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
 * `expression` after the first occurrence of `text` in its leading literal. Throws GrammarError where it begins with
 * something else: text would then be followed by the opener twice, or by half of it.
 */
function dropLeading(expression: Expression, text: string): Expression {
  const [first, ...rest] = expression.type === 'sequence' ? expression.items : [expression];
  const at = first?.type === 'literal' ? first.text.indexOf(text) : -1;
  if (first?.type !== 'literal' || at < 0) {
    throw new GrammarError({ reason: `calls do not begin with their opener ${JSON.stringify(text)}` });
  }
  return sequence(literal(first.text.slice(at + text.length)), ...rest);
}

/** Where the prompt began an opener that calls and content share, it is the content's that goes on. */
function textWithoutCalls(format: ChatFormat, { tools, prompt }: ResponseGrammarOptions): Expression {
  const opener = triggerText(format);
  const text = opener === '' ? without() : without(...distinctTriggers(format, opener, tools));
  const { open } = format.content;
  const begins = (marker: string): boolean => restOfOpener(marker, prompt) !== marker;
  const isShared = openContent(format, prompt) === null && begins(opener) && begins(open);
  return isShared ? sequence(literal(open), text) : text;
}

/**
 * `opener`, with which calls begin; where thoughts or an answer may begin with it too (` to=self`, ` to=f`),
 * each of its continuations with the name of a tool.
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
  // What holds a shorter one begins a call too.
  return words.filter((word) => !words.some((other) => other !== word && word.includes(other)));
}

/** The text at which a lazy grammar starts: the opener of the first call without white space around it. */
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
