/**
 * Chat templates: parsed once, rendered often, with the behaviour of Python's Jinja2 as Hugging Face
 * sets it up (`trim_blocks`, `lstrip_blocks`, loop controls, the `generation` tag, `tojson`,
 * `raise_exception`, `strftime_now`).
 *
 *     source ── split-source ── parse-source (tokenizer and parser of @huggingface/jinja)
 *                                    │
 *                    compile-statement, compile-expression: functions over Python's values
 *
 * A template is untrusted: it works on copies of its input, reaches no JavaScript object, and every
 * render is bounded.
 */
import { TemplateError, TemplateLimitError } from '../format/errors.ts';
import { finish, type Steps } from '../language/expression/steps.ts';
import { comparedTypes } from './compile/compared-types.ts';
import { compileTemplate } from './compile/compile-statement.ts';
import { CompileError } from './compile/evaluate.ts';
import type { Block } from './compile/execute.ts';
import { parseSource } from './compile/parse-source.ts';
import { SourceError } from './compile/split-source.ts';
import type { ObservedRender, RenderOptions, Template, TemplateVariables } from './parsed-template.ts';
import { type ImportOptions, importSteps, importValue } from './values/input.ts';
import { defaultLimits, Runtime, type TemplateLimits, type WorkBudget } from './values/runtime.ts';
import { Scope } from './values/scope.ts';
import { plainText, spansOf, type Text, type TextSpan } from './values/traced-text.ts';
import { Dict, maxMessageLength, PythonError, RaisedError, type ReadKind } from './values/values.ts';

/** Of a source that is one line, no more than this is repeated in errors. */
const maxLineLength = 2000;

export { OwnText } from './values/input.ts';
export { type TemplateLimits, WorkBudget } from './values/runtime.ts';
export type { TextOrigin, TextSpan } from './values/traced-text.ts';
export type { ReadKind } from './values/values.ts';

/** Options of parsing. */
interface TemplateOptions {
  /** The template's name in errors; default `template`. */
  readonly name?: string;
  /** Limits for each render; each has its own default. */
  readonly limits?: Partial<TemplateLimits>;
  /** Work shared by all its renders, and other templates with the same budget; default: no such limit. */
  readonly budget?: WorkBudget;
}

/** How a render is done. */
interface RenderManner extends ImportOptions {
  /** Whether others have their turn meanwhile. */
  readonly inSteps: boolean;
}

const plain: RenderManner = { note: null, traced: false, inSteps: false };
const traced: RenderManner = { ...plain, traced: true };

function collectNames(node: unknown, names: Set<string>): void {
  if (Array.isArray(node)) {
    for (const item of node) collectNames(item, names);
  } else if (node instanceof Map) {
    collectNames([...node.keys(), ...node.values()], names);
  } else if (typeof node === 'object' && node !== null) {
    if ('type' in node && node.type === 'Identifier' && 'value' in node) names.add(String(node.value));
    else collectNames(Object.values(node), names);
  }
}

function isStackOverflow(cause: unknown): boolean {
  return cause instanceof RangeError && /stack/i.test(cause.message);
}

class CompiledTemplate implements Template {
  readonly name: string;
  readonly source: string;
  readonly names: ReadonlySet<string>;
  readonly comparedTypes: ReadonlySet<string>;
  private readonly limits: TemplateLimits;
  private readonly budget: WorkBudget | null;
  private readonly program: Block;

  constructor(source: string, options: TemplateOptions) {
    this.name = options.name ?? 'template';
    if (typeof source !== 'string') throw this.fail('syntax', notText(source), 0, undefined);
    this.source = source;
    this.limits = { ...defaultLimits, ...options.limits };
    this.budget = options.budget ?? null;
    if (source.length > this.limits.source) throw this.exceeded('source');
    const names = new Set<string>();
    try {
      const nodes = parseSource(this.source);
      collectNames(nodes, names);
      this.comparedTypes = comparedTypes(nodes);
      this.program = compileTemplate(nodes);
    } catch (cause) {
      throw this.refuse(cause);
    }
    this.names = names;
  }

  render(variables: TemplateVariables, options: RenderOptions = {}): string {
    return plainText(finish(this.run(variables, options, plain)));
  }

  *renderSteps(variables: TemplateVariables, options: RenderOptions = {}): Steps<string> {
    return plainText(yield* this.run(variables, options, { ...plain, inSteps: true }));
  }

  renderObserved(variables: TemplateVariables, options: RenderOptions = {}): ObservedRender {
    const reads = new Map<string, Set<ReadKind>>();
    const note = (path: string, kind: ReadKind): void => {
      const kinds = reads.get(path);
      if (kinds === undefined) reads.set(path, new Set([kind]));
      else kinds.add(kind);
    };
    const text = finish(this.run(variables, options, { ...plain, note }));
    return { text: plainText(text), reads };
  }

  renderSpans(variables: TemplateVariables, options: RenderOptions = {}): readonly TextSpan[] {
    return spansOf(finish(this.run(variables, options, traced)));
  }

  *renderSpansSteps(variables: TemplateVariables, options: RenderOptions = {}): Steps<readonly TextSpan[]> {
    return spansOf(yield* this.run(variables, options, { ...traced, inSteps: true }));
  }

  private *run(variables: TemplateVariables, options: RenderOptions, how: RenderManner): Steps<Text> {
    const scope = yield* this.start(variables, options, how);
    const { runtime } = scope;
    yield;
    try {
      if (how.inSteps) yield* this.program.steps(scope);
      else this.program.run(scope);
    } catch (cause) {
      throw this.explain(cause, runtime.line);
    } finally {
      this.budget?.take(runtime.work);
    }
    yield;
    return runtime.text;
  }

  private *start(variables: TemplateVariables, options: RenderOptions, how: RenderManner): Steps<Scope> {
    const now = () => options.now ?? new Date();
    try {
      const imported = how.inSteps ? yield* importSteps(variables, how) : importValue(variables, '', how);
      const runtime = new Runtime({ now, traced: how.traced }, this.name, this.limits, this.budget);
      return new Scope(runtime, imported instanceof Dict ? imported : new Dict());
    } catch (cause) {
      throw this.explain(cause, 0);
    }
  }

  /** The error for a failure before the first render. */
  private refuse(cause: unknown): Error {
    if (isStackOverflow(cause)) return this.exceeded('depth');
    if (cause instanceof SourceError)
      return this.fail('syntax', cause.message, cause.place.line, cause, cause.place.column);
    if (cause instanceof CompileError) return this.fail('syntax', cause.message, cause.line, cause);
    return this.fail('syntax', cause instanceof Error ? cause.message : String(cause), 0, cause);
  }

  private explain(cause: unknown, line: number): Error {
    if (cause instanceof TemplateLimitError) return cause;
    if (cause instanceof RaisedError) return this.fail('raised', cause.message, line, cause);
    if (cause instanceof PythonError) return this.fail('runtime', cause.message, line, cause);
    if (isStackOverflow(cause)) return this.exceeded('depth');
    return this.fail('runtime', cause instanceof Error ? cause.message : String(cause), line, cause);
  }

  private exceeded(limit: 'depth' | 'source'): TemplateLimitError {
    return new TemplateLimitError({ template: this.name, limit, allowed: this.limits[limit] });
  }

  /** `line`, `column`: 0 if they are not known. */
  private fail(
    kind: TemplateError['kind'],
    reason: string,
    line: number,
    cause: unknown,
    column = 0,
  ): TemplateError {
    const sourceLine = line > 0 ? this.source.split(/\r\n?|\n/, line)[line - 1] : undefined;
    const where = {
      ...(line > 0 && { line }),
      ...(column > 0 && { column }),
      ...(sourceLine !== undefined && { sourceLine: sourceLine.slice(0, maxLineLength) }),
    };
    const short = reason.slice(0, maxMessageLength);
    return new TemplateError({ template: this.name, reason: short, kind, cause, ...where });
  }
}

/** Callers in JavaScript may pass the value in a configuration file: nothing, or a list of named templates. */
function notText(source: unknown): string {
  const given = source === null ? 'null' : Array.isArray(source) ? 'a list' : typeof source;
  return `a chat template is text, and this is ${given}: pass one template's source`;
}

/** Parses a chat template. Throws TemplateError of kind `syntax`, or TemplateLimitError. */
export function parseTemplate(source: string, options: TemplateOptions = {}): Template {
  return new CompiledTemplate(source, options);
}
