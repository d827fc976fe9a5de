/**
 * The arguments of tools as rules of one set, each compiled once: the grammars of every choice (all tools,
 * one by name, some, with one call or several) are put together from the same rules.
 */
import type { CallsFormat, ChatFormat } from '../format/chat-format.ts';
import type { CompiledArguments, CompiledTools } from '../format/compiled-tools.ts';
import { SchemaError, type SchemaIssue } from '../format/errors.ts';
import type { Tool } from '../format/messages.ts';
import { toolVersion } from '../format/version.ts';
import { plainSchema } from '../tools/plain-schema.ts';
import { type OfferedTool, textAfterArguments } from './call-grammar.ts';
import { type Expression, literal } from './expression/expression.ts';
import { packExpression, unpackExpression } from './expression/packed-expression.ts';
import { referredRules } from './expression/references.ts';
import { RuleSet } from './expression/rule-set.ts';
import { finish, type Steps } from './expression/steps.ts';
import { compileArgumentsSteps } from './json-schema/compile-arguments.ts';
import type { CompiledSchema } from './json-schema/compile-schema.ts';
import { schemaText } from './json-schema/document/schema-text.ts';
import { type SchemaStore, storedOrCompiled } from './stored-schemas.ts';
import { checkToolName, spellName } from './tool-names.ts';

/** How schemas are compiled. */
export interface ArgumentOptions {
  readonly policy: 'strict' | 'degrade';
  readonly argumentOrder: 'schema' | 'any';
}

/** What was compiled ahead, and the digest (SHA-256) by which it names schemas. */
export interface CompiledAhead {
  readonly table: CompiledTools;
  readonly digest: (text: string) => string;
}

/** Tools as a grammar offers them, and every keyword of theirs that it does not enforce exactly. */
export interface OfferedTools {
  readonly tools: readonly OfferedTool[];
  readonly issues: readonly SchemaIssue[];
}

/**
 * All but the schemas that arguments are made of, as one text: the compiler's version, the format, the
 * options. With equal texts equal schemas give equal arguments.
 */
export function compilerText(format: ChatFormat, { policy, argumentOrder }: ArgumentOptions): string {
  return JSON.stringify([toolVersion, format, policy, argumentOrder]);
}

/** The arguments of tools in one format. What is asked for is compiled, or taken from what was compiled ahead. */
export class ToolArguments {
  readonly #calls: CallsFormat;
  readonly #options: ArgumentOptions;
  readonly #rules = new RuleSet();
  /** By the schema as text: servers offer the same arguments under many names. */
  readonly #known = new Map<string, CompiledSchema | SchemaError>();
  /** Schemas that are too large to be compared. */
  readonly #large = new WeakMap<Tool, CompiledSchema | SchemaError>();
  readonly #announced = new Set<string>();
  readonly #packed: ReadonlyMap<string, CompiledArguments>;
  readonly #ahead: CompiledAhead | null;
  readonly #store: SchemaStore | null;
  /** The schema that is being compiled, for whichever request: the rules of two cannot be written at once. */
  #underway: Steps<void> | null = null;

  constructor(
    calls: CallsFormat,
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

  /** Of how many of `tools` the arguments are neither there nor announced. */
  lacking(tools: readonly Tool[]): number {
    const texts = tools.map(({ function: { parameters } }) => schemaText(parameters));
    return texts.filter((text) => text === null || !this.#comesTo(text)).length;
  }

  /** A set of rules to write a grammar with; what it refers to here is in it. */
  branch(): RuleSet {
    return this.#rules.branch();
  }

  /**
   * Compiles the arguments of `tools` ahead of `offer`, which throws what is wrong with them. A call for the same
   * tools meanwhile adds to this set, too.
   */
  *add(tools: readonly Tool[]): Steps<void> {
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
   * All `tools` with their arguments. Throws `ToolError` for a name that the format cannot write, and one
   * `SchemaError` for all schemas that are refused.
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
        refused.push(...ofTool);
        return [];
      }
      issues.push(...ofTool);
      return [{ name: literal(spellName(name, this.#calls)), arguments: compiled.expression }];
    });
    if (refused.length > 0) throw new SchemaError(refused);
    return { tools: offered, issues };
  }

  /** The arguments of `tools` as a table. Throws what `offer` throws. */
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
    for (;;) {
      yield* this.#finishUnderway();
      const known = text === null ? this.#large.get(tool) : this.#known.get(text);
      if (known !== undefined) return known;
      const unpacked = this.#unpack(text);
      if (unpacked === null) this.#underway = this.#compile(tool, text);
      else this.#keep(tool, text, unpacked);
    }
  }

  *#finishUnderway(): Steps<void> {
    for (let steps = this.#underway; steps !== null; steps = this.#underway) {
      if (steps.next().done === true) this.#underway = null;
      else yield;
    }
  }

  *#compile(tool: Tool, text: string | null): Steps<void> {
    const rules = this.#rules;
    const followedBy = textAfterArguments(this.#calls);
    try {
      const { policy, argumentOrder } = this.#options;
      const options = { policy, argumentOrder, rules, followedBy };
      const { arguments: format } = this.#calls;
      const store = text === null ? null : this.#store;
      const madeOf = ['arguments', format, followedBy, policy, argumentOrder, text];
      const compiled = yield* storedOrCompiled(store, madeOf, rules, () =>
        compileArgumentsSteps(tool, format, options),
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

  #comesTo(text: string): boolean {
    return this.#known.has(text) || this.#announced.has(text) || this.#isPacked(text);
  }

  #isPacked(text: string): boolean {
    return this.#ahead !== null && this.#packed.has(this.#ahead.digest(text));
  }

  #unpack(text: string | null): CompiledSchema | null {
    const packed =
      text === null || this.#ahead === null ? undefined : this.#packed.get(this.#ahead.digest(text));
    if (packed === undefined) return null;
    const expression = unpackExpression(packed.value);
    this.#defineRules(expression);
    return { expression, issues: packed.report, steps: 0 };
  }

  /** Unpacks the rules that `expression` comes to, which no other arguments had unpacked yet. */
  #defineRules(expression: Expression): void {
    const table = new Map(Object.entries(this.#ahead?.table.rules ?? {}));
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

/** The schema of a tool as text; `null` where it is too large to be compared; the error where it is not a schema. */
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
