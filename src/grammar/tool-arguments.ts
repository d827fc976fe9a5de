/**
 * Compiles each tool's arguments once, into one rule set shared by the grammars of all tool choices (all tools, one
 * named tool, some tools, one call or several).
 */
import type { ChatFormat } from '../format/chat-format.ts';
import type { CompiledArguments, CompiledTools } from '../format/compiled-tools.ts';
import { SchemaError, type SchemaIssue, ToolError } from '../format/errors.ts';
import type { Tool } from '../format/messages.ts';
import { withoutUndefined } from '../format/option-rules.ts';
import { toolVersion } from '../format/version.ts';
import { compileArgumentsSteps } from '../json-schema/compile-arguments.ts';
import type { CompiledSchema } from '../json-schema/compile-schema.ts';
import { schemaText, wholeText } from '../json-schema/document/schema-text.ts';
import { type Expression, literal } from '../language/expression/expression.ts';
import { packExpression, unpackExpression } from '../language/expression/packed-expression.ts';
import { referredRules } from '../language/expression/references.ts';
import { RuleSet } from '../language/expression/rule-set.ts';
import { finish, type Steps } from '../language/expression/steps.ts';
import { argumentLayout, type CallsRegion } from '../layout/calls-region.ts';
import { plainSchema } from '../tools/plain-schema.ts';
import type { ArgumentOptions } from './grammar-options.ts';
import type { OfferedTool, OfferedTools } from './offered-tools.ts';
import { type SchemaStore, storedOrCompiled } from './stored-schemas.ts';

/** Arguments compiled ahead of time, and the digest (SHA-256) that names their schemas. */
interface CompiledAhead {
  readonly table: CompiledTools;
  readonly digest: (text: string) => string;
}

/** Cache key for everything that compiled arguments depend on except the schemas: compiler version, format, options. */
export function compilerText(format: ChatFormat, { policy, argumentOrder }: ArgumentOptions): string {
  return JSON.stringify([toolVersion, format, policy, argumentOrder]);
}

/** The schemas of `tools` for comparison, in steps: as text, `null` for one that is too large. */
export function* schemaTexts(tools: readonly Tool[]): Steps<readonly (string | null)[]> {
  const texts: (string | null)[] = [];
  for (const { function: tool } of tools) {
    texts.push(schemaText(tool.parameters));
    yield;
  }
  return texts;
}

/** The arguments of tools in one format, compiled on demand or taken from those compiled ahead. */
export class ToolArguments {
  readonly #calls: CallsRegion;
  readonly #options: ArgumentOptions;
  readonly #rules = new RuleSet();
  /** Keyed by the schema's text: servers offer the same arguments under many names. */
  readonly #known = new Map<string, CompiledSchema | SchemaError>();
  /** Schemas too large to compare as text. */
  readonly #large = new WeakMap<Tool, CompiledSchema | SchemaError>();
  readonly #announced = new Set<string>();
  readonly #packed: ReadonlyMap<string, CompiledArguments>;
  readonly #ahead: CompiledAhead | null;
  readonly #store: SchemaStore | null;
  /** The compilation in progress, for any request: two cannot write rules into the set at once. */
  #pending: Steps<void> | null = null;

  constructor(
    calls: CallsRegion,
    options: ArgumentOptions,
    ahead: CompiledAhead | null = null,
    store: SchemaStore | null = null,
  ) {
    this.#store = store;
    this.#calls = calls;
    this.#options = options;
    this.#ahead = ahead;
    this.#packed = new Map(ahead?.table.arguments.map((each) => [each.schema, each]));
    if (ahead !== null) this.#rules.reserve(Object.keys(ahead.table.rules));
  }

  /** Number of schemas, of `schemaTexts`, whose arguments are neither available nor about to be compiled. */
  lacking(texts: readonly (string | null)[]): number {
    return texts.filter((text) => text === null || !this.#isAvailable(text)).length;
  }

  /** A rule set for one grammar; it already contains the rules of the arguments. */
  branch(): RuleSet {
    return this.#rules.branch();
  }

  /** Compiles the arguments of `tools` ahead of `offer`, which throws their errors. Concurrent calls share the work. */
  *add(tools: readonly Tool[]): Steps<void> {
    // At once, so that another request with the same tools finds them announced.
    for (const tool of tools) {
      const text = textOf(tool);
      if (typeof text === 'string') this.#announced.add(text);
    }
    for (const tool of tools) {
      yield* this.#argumentsOf(tool);
      yield;
    }
  }

  /**
   * All `tools` with their arguments. Throws `ToolError` for a name that the format cannot write, and a single
   * `SchemaError` for all rejected schemas.
   */
  offer(tools: readonly Tool[]): OfferedTools {
    const issues: SchemaIssue[] = [];
    const refused: SchemaIssue[] = [];
    const offered = tools.flatMap((tool): readonly OfferedTool[] => {
      const { name } = tool.function;
      checkToolName(name, this.#calls);
      const compiled = finish(this.#argumentsOf(tool));
      const ofTool = compiled.issues.map((issue) => ({ ...issue, tool: name }));
      if (compiled instanceof SchemaError) {
        for (const issue of ofTool) refused.push(issue);
        return [];
      }
      for (const issue of ofTool) issues.push(issue);
      return [{ name: literal(spellName(name, this.#calls)), arguments: compiled.expression }];
    });
    if (refused.length > 0) throw new SchemaError(refused);
    return { tools: offered, issues };
  }

  /** The arguments of `tools` as a table for generated files. Throws what `offer` throws. */
  pack(tools: readonly Tool[], digest: (text: string) => string): Pick<CompiledTools, 'arguments' | 'rules'> {
    this.offer(tools);
    const packed = Array.from(this.#known, ([text, compiled]): readonly CompiledArguments[] =>
      compiled instanceof SchemaError
        ? []
        : [{ schema: digest(text), value: packExpression(compiled.expression), report: compiled.issues }],
    );
    const rules = Array.from(this.#rules.rules, ([name, body]) => [name, packExpression(body)] as const);
    return { arguments: packed.flat(), rules: Object.fromEntries(rules) };
  }

  *#argumentsOf(tool: Tool): Steps<CompiledSchema | SchemaError> {
    const text = textOf(tool);
    if (text instanceof SchemaError) return text;
    yield;
    for (;;) {
      yield* this.#finishPending();
      const known = text === null ? this.#large.get(tool) : this.#known.get(text);
      if (known !== undefined) return known;
      const unpacked = this.#unpack(text);
      if (unpacked === null) this.#pending = this.#compile(tool, text);
      else this.#keep(tool, text, unpacked);
    }
  }

  *#finishPending(): Steps<void> {
    for (let steps = this.#pending; steps !== null; steps = this.#pending) {
      // If it throws, the next request begins anew.
      this.#pending = null;
      if (steps.next().done === true) return;
      this.#pending = steps;
      yield;
    }
  }

  *#compile(tool: Tool, text: string | null): Steps<void> {
    const rules = this.#rules;
    const { afterArguments: followedBy } = this.#calls;
    const layout = argumentLayout(this.#calls);
    try {
      const { policy, argumentOrder } = this.#options;
      const options = { policy, argumentOrder, rules, followedBy, layout };
      const { arguments: format } = this.#calls;
      const { parameters } = tool.function;
      const name = text ?? (parameters === undefined ? null : wholeText(parameters));
      const store = name === null ? null : this.#store;
      const cacheKey = ['arguments', format, followedBy, policy, argumentOrder, layout, name];
      const compiled = yield* storedOrCompiled(store, cacheKey, rules, (trial) =>
        compileArgumentsSteps(tool, format, { ...options, ...withoutUndefined({ trial }) }),
      );
      const expression = rules.add(`${tool.function.name}-arguments`, compiled.expression);
      this.#keep(tool, text, { ...compiled, expression });
    } catch (error) {
      this.#keep(tool, text, asRefusal(error));
    }
  }

  #keep(tool: Tool, text: string | null, compiled: CompiledSchema | SchemaError): void {
    if (text === null) this.#large.set(tool, compiled);
    else this.#known.set(text, compiled);
  }

  #isAvailable(text: string): boolean {
    return this.#known.has(text) || this.#announced.has(text) || this.#isPacked(text);
  }

  #isPacked(text: string): boolean {
    return this.#ahead !== null && this.#packed.has(this.#ahead.digest(text));
  }

  #unpack(text: string | null): CompiledSchema | null {
    if (text === null || this.#ahead === null) return null;
    const { table, digest } = this.#ahead;
    const packed = this.#packed.get(digest(text));
    if (packed === undefined) return null;
    const expression = unpackExpression(packed.value);
    this.#defineRules(expression, table);
    return { expression, issues: packed.report, steps: 0 };
  }

  /** Unpacks the rules that `expression` uses, directly or indirectly, if they are not unpacked yet. */
  #defineRules(expression: Expression, { rules }: CompiledTools): void {
    const table = new Map(Object.entries(rules));
    const needed = new Set(referredRules(expression));
    for (const name of needed) {
      const packed = table.get(name);
      if (packed === undefined) continue;
      const body = unpackExpression(packed);
      if (!this.#rules.define(name, body)) continue;
      for (const each of referredRules(body)) needed.add(each);
    }
  }
}

/** A tool's schema as text; `null` if it is too large to compare, the error if it is not a schema. */
function textOf({ function: { name, parameters } }: Tool): string | null | SchemaError {
  try {
    if (parameters !== undefined) plainSchema(parameters, name);
  } catch (error) {
    return asRefusal(error);
  }
  return schemaText(parameters);
}

function asRefusal(error: unknown): SchemaError {
  if (error instanceof SchemaError) return error;
  throw error;
}

/** `name` as written in the format: escaped if the call is JSON. */
function spellName(name: string, calls: CallsRegion): string {
  return calls.envelope === null ? name : JSON.stringify(name).slice(1, -1);
}

/**
 * Throws `ToolError` for a name that a parser could not read back: empty, padded, with control characters, or
 * containing the text that ends a name.
 */
function checkToolName(name: string, calls: CallsRegion): void {
  const reason = unwritableBecause(name, calls);
  if (reason !== null)
    throw new ToolError({ tool: name, reason: `this format cannot write the name: ${reason}` });
}

function unwritableBecause(name: string, calls: CallsRegion): string | null {
  if (name === '') return 'it is empty';
  if (name.trim() !== name) return 'it begins or ends with white space';
  if (/\p{Cc}/u.test(name)) return 'it holds a control character';
  if (/\p{Cs}/u.test(name)) return 'it holds half a surrogate pair';
  if (calls.envelope !== null) return null;
  if (/\s/.test(name)) return 'it holds white space';
  const { text: after, core: terminator } = calls.afterName;
  if (terminator === '') {
    const begin = calls.argumentsOpen.core;
    return begin !== '' && name.includes(begin) ? `it holds ${begin}, with which arguments begin` : null;
  }
  if (/^\s+\w/.test(after)) return null;
  if (name.includes(terminator)) return `it holds ${JSON.stringify(terminator)}, which ends a name`;
  const [first] = terminator;
  if (first !== undefined && name.includes(first))
    return `it holds ${JSON.stringify(first)}, with which the text after a name begins`;
  return null;
}
