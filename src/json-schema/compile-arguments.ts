/** Compiles the arguments of one tool to an expression, in a format's notation. */

import type { ArgumentsFormat, EntryArguments, JsonArguments } from '../format/argument-notation.ts';
import { SchemaError, ToolError } from '../format/errors.ts';
import { isObject } from '../format/json-values.ts';
import type { JsonSchema, Tool } from '../format/messages.ts';
import { alternatives } from '../language/expression/alternatives.ts';
import { type Expression, empty, literal, sequence } from '../language/expression/expression.ts';
import { finish, type Steps } from '../language/expression/steps.ts';
import { jsonSpelling } from '../language/regular/spelling.ts';
import { allowedTypes, meansAbsent, propertyPlace, type SchemaPlace } from '../parser/steps/schema-place.ts';
import { type CompiledSchema, type CompileSchemaOptions, compile, Unsatisfiable } from './compile-schema.ts';
import type { ObjectWriting } from './objects/object-writing.ts';
import { writeObjects } from './objects/write-objects.ts';
import type { Compilation, KeyOrdering } from './plan/compilation.ts';
import type { SortedKeys } from './plan/instance-locations.ts';
import type { ObjectShape } from './shapes/shapes.ts';
import { EntryValueWriter } from './write/entry-values.ts';
import { blankOf } from './write/lenient-json.ts';
import {
  freeJsonSyntax,
  indented,
  jsonStyleSyntax,
  lenientJsonSyntax,
  type ObjectNotation,
} from './write/syntax.ts';
import { ValueWriter } from './write/value-writer.ts';

/** Options for compiling a tool's arguments. */
interface CompileArgumentsOptions extends Omit<CompileSchemaOptions, 'syntax' | 'tool' | 'keyOrder'> {
  /**
   * The order of declared keys, at every level. `schema`: the schema's. `later` (default): the same, but up to five
   * optional ones may also come later. `any`: any.
   */
  readonly argumentOrder?: KeyOrdering;
  /**
   * `template` (default): as the format writes them. `free`: JSON in any layout and with any escapes, entries with any
   * white space between them; without effect on JSON in a string. `any`: the same, and JSON with any white space, too,
   * as in a call that a model writes without the format's markers.
   */
  readonly layout?: 'template' | 'free' | 'any';
  /** The text after the arguments, such as `)`; tells quotes that end a value from other quotes. Default: `""`. */
  readonly followedBy?: string;
}

const noArguments: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };

/**
 * Compiles the arguments of `tool` as `format` writes them. Throws `SchemaError` like `compileSchema`, and
 * `ToolError` if the format cannot write these arguments at all.
 */
export function compileArguments(
  tool: Tool,
  format: ArgumentsFormat,
  options: CompileArgumentsOptions,
): CompiledSchema {
  return finish(compileArgumentsSteps(tool, format, options));
}

/** `compileArguments` in steps. */
export function compileArgumentsSteps(
  tool: Tool,
  format: ArgumentsFormat,
  options: CompileArgumentsOptions,
): Steps<CompiledSchema> {
  const { name } = tool.function;
  const parameters = tool.function.parameters ?? noArguments;
  const keyOrder = options.argumentOrder ?? 'later';
  refuseNoSchema(parameters, name);
  const place: SchemaPlace = { schema: parameters, root: parameters };
  return compile(
    parameters,
    { ...options, tool: name, keyOrder },
    { sortKeys: sortedKeysOf(format) },
    (compilation) => {
      const writing =
        format.kind === 'json'
          ? jsonWriting(format, place, compilation, options)
          : entryWriting(format, name, place, compilation, options);
      return writeArguments(compilation, writing, framesOf(format));
    },
  );
}

/** Nested JSON has its own order, even within sorted entries. */
function sortedKeysOf(format: ArgumentsFormat): SortedKeys {
  if (format.kind === 'json') return format.style.sortKeys;
  const inner = format.frames.object.codec === 'nested' ? format.sorted : format.style.sortKeys;
  if (inner === format.sorted) return inner;
  return inner ? 'inner' : 'outermost';
}

/** Untyped callers may pass anything. */
function refuseNoSchema(parameters: unknown, tool: string): void {
  if (typeof parameters === 'boolean' || isObject(parameters)) return;
  const reason = 'is not JSON Schema: a schema is an object or a boolean';
  throw new SchemaError([{ tool, pointer: '', keyword: 'schema', effect: 'widened', reason }]);
}

/** The delimiters of the arguments, and what replaces them if there are none. */
interface ArgumentsFrame {
  readonly open: string;
  readonly close: string;
  readonly empty: string | null;
}

function framesOf(format: ArgumentsFormat): ArgumentsFrame {
  if (format.kind === 'entries') return { open: '', close: '', empty: format.empty };
  const quote = format.encoding === 'string' ? '"' : '';
  return { open: quote, close: quote, empty: format.empty };
}

function writeArguments(compilation: Compilation, writing: ObjectWriting, frame: ArgumentsFrame): Expression {
  const { root, locations, document } = compilation;
  const shapes = compilation
    .satisfiable(compilation.shapes(root).get('object') ?? [])
    .filter((shape): shape is ObjectShape => shape.type === 'object');
  if (shapes.length === 0) {
    if (!compilation.isSatisfiable(root)) throw new Unsatisfiable();
    throw new Unsatisfiable('no object is valid against this schema, and the arguments of a tool are one');
  }
  const location = locations.of([document.root]);
  const { some, mayBeEmpty } = writeObjects(shapes, location, 'arguments', writing);
  const { open, close, empty } = frame;
  return alternatives(
    ...(some === null ? [] : [sequence(literal(open), some, literal(close))]),
    ...(mayBeEmpty ? [literal(empty ?? open + writing.object.empty + close)] : []),
  );
}

function jsonWriting(
  format: JsonArguments,
  place: SchemaPlace,
  compilation: Compilation,
  { rules, layout = 'template' }: CompileArgumentsOptions,
): ObjectWriting {
  const isFree = layout !== 'template' && format.encoding === 'value';
  const freely = layout === 'any' ? freeJsonSyntax : lenientJsonSyntax;
  const syntax = isFree ? freely : jsonStyleSyntax(format.style, format.encoding);
  const writer = new ValueWriter(compilation, rules, syntax, rules.freshKey('value'));
  const inner = syntax.margin + (syntax.indent ?? 0);
  return {
    compilation,
    rules,
    object: indented(syntax.object, syntax.indent, syntax.margin),
    blank: blankOf(syntax, rules),
    value: (constraint, location, key, close) =>
      sequence(writer.value(constraint, location, key ?? 'value', inner), literal(close)),
    absent: (key, close) => (meansAbsent(place, key) ? literal(syntax.null + close) : null),
  };
}

function entryWriting(
  format: EntryArguments,
  tool: string,
  place: SchemaPlace,
  compilation: Compilation,
  { rules, followedBy = '', layout = 'template' }: CompileArgumentsOptions,
): ObjectWriting {
  const isFree = layout !== 'template';
  const values = new EntryValueWriter(format, tool, compilation, rules, followedBy);
  const object: ObjectNotation = {
    open: format.open,
    close: format.close,
    separator: isFree ? format.separator.trimEnd() : format.separator,
    empty: format.empty,
    keyOpen: format.entry.open,
    keySpelling: format.entry.open.endsWith('"') ? jsonSpelling(format.style.ascii) : null,
    keyClose: format.entry.key,
    entryClose: format.entry.close.map((part, at, { length }) => {
      if (typeof part !== 'string') return null;
      return isFree && at === length - 1 ? part.trimEnd() : part;
    }),
  };
  if (format.entry.key === '') {
    throw new ToolError({ tool, reason: 'nothing stands between the keys and values of this format' });
  }
  return {
    compilation,
    rules,
    object,
    blank: isFree ? blankOf(freeJsonSyntax, rules) : empty,
    blankAfterKey: empty,
    value: (constraint, location, key, close) => values.value(constraint, location, key, close),
    absent: (key, close) =>
      meansAbsent(place, key) ? values.absent(allowedTypes(propertyPlace(place, key)), close) : null,
    canWrite: (constraint, close) => values.canWrite(constraint, close),
  };
}
