/** Validates after a call what a grammar does not enforce, in the grammar's own reading of schemas. */
import { unless } from '../../format/error-class.ts';
import { SchemaError } from '../../format/errors.ts';
import type { JsonSchema, JsonValue } from '../../format/messages.ts';
import { BudgetExceeded } from '../../language/expression/budget.ts';
import { plainSchema } from '../../tools/plain-schema.ts';
import { type SchemaInput, toJsonSchema } from '../../tools/standard-schema.ts';
import { SchemaDocument, type SchemaNode } from '../document/schema-document.ts';
import { Evaluator } from './evaluate.ts';
import { isTooLarge, tooLarge } from './schema-size.ts';
import type { ValidationFailure } from './verdict.ts';

export type { ValidationFailure } from './verdict.ts';

/** A failure in one line: where, and what is expected there. */
export function describeFailure({ pointer, message }: ValidationFailure): string {
  return `${pointer === '' ? '(root)' : pointer} ${message}`;
}

/** Returns the problems of a value, at most a thousand; empty if it is valid. */
export type Validate = (value: JsonValue) => readonly ValidationFailure[];

/** How to read a schema; the defaults are those of a chat. */
export interface ValidationOptions {
  /** Other documents that references may use, by URI. */
  readonly documents?: ReadonlyMap<string, JsonSchema>;
  /** Whether `format` restricts strings (default) or is only an annotation. */
  readonly formats?: 'assert' | 'ignore';
}

/**
 * Compiles a validator for `schema`, given as JSON Schema or as a library's object. Throws `SchemaError` if it is not
 * a schema, its library cannot export it as JSON, it is too large, a reference leads nowhere, or a pattern is none. The
 * validator also throws it for a value that never stops leading from one reference to the next.
 */
export function compileValidator(schema: SchemaInput, tool = '', options: ValidationOptions = {}): Validate {
  const { root, prepare, validatorOf } = nodeValidators(
    plainSchema(toJsonSchema(schema), tool),
    tool,
    options,
  );
  prepare();
  return validatorOf(root);
}

/** Validators for the sub-schemas of one schema. */
export interface NodeValidators {
  readonly document: SchemaDocument;
  readonly root: SchemaNode;
  /** Throws what `compileValidator` throws for what any value may reach; without it, the validators throw it. */
  prepare(): void;
  validatorOf(node: SchemaNode): Validate;
}

/** Validators for `schema` and its parts. Throws `SchemaError` if it is too large. */
export function nodeValidators(
  schema: JsonSchema,
  tool: string,
  { documents = new Map(), formats = 'assert' }: ValidationOptions = {},
): NodeValidators {
  const document = attempt(tool, () => {
    if (isTooLarge(schema)) throw new RangeError(tooLarge);
    return new SchemaDocument(schema, documents);
  });
  const evaluator = new Evaluator(document, { formats });
  return {
    document,
    root: document.root,
    prepare: () => attempt(tool, () => evaluator.prepare(document.root)),
    validatorOf: (node) => (value) =>
      attempt(tool, () => unless([BudgetExceeded], () => evaluator.failures(node, value)) ?? [tooMuchWork]),
  };
}

/** The whole value is refused: what a part of it is would turn around under `not`. */
const tooMuchWork: ValidationFailure = {
  pointer: '',
  keyword: 'pattern',
  message: 'holds a text that takes too many steps to compare with a pattern',
};

function attempt<T>(tool: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    const reason = `it cannot be checked: ${error instanceof Error ? error.message : String(error)}`;
    throw new SchemaError([{ tool, pointer: '', keyword: 'schema', effect: 'widened', reason }]);
  }
}
