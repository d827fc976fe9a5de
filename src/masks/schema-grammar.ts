/** The grammar of the JSON values of a schema, without a chat around it. */
import type { SchemaIssue } from '../format/errors.ts';
import { type OptionRules, oneOf, readOptions } from '../format/option-rules.ts';
import { compileSchema, jsonSyntax, lenientJsonSyntax } from '../json-schema/compile-schema.ts';
import { assumeBuildable } from '../language/expression/check-grammar.ts';
import type { Grammar } from '../language/expression/expression.ts';
import { RuleSet } from '../language/expression/rule-set.ts';
import { type SchemaInput, toJsonSchema } from '../tools/standard-schema.ts';

/** How values are written, and what happens to what cannot be enforced. */
export interface SchemaGrammarOptions {
  /** `any`: JSON in any layout; `compact`: one line, `{"a": 1}`. Default: `any`. */
  readonly layout?: 'any' | 'compact';
  /** `strict` refuses what can be neither enforced nor checked; `degrade` reports it. Default: `strict`. */
  readonly policy?: 'strict' | 'degrade';
}

/** A grammar, and what of its schema it does not enforce exactly. */
export interface SchemaGrammar {
  readonly expression: Grammar;
  readonly report: readonly SchemaIssue[];
}

const optionRules: OptionRules<SchemaGrammarOptions> = {
  layout: oneOf('any', 'compact'),
  policy: oneOf('strict', 'degrade'),
};

/**
 * The values of `schema`: JSON Schema, or an object of a library such as zod.
 *
 * @throws SchemaError if it cannot be enforced, UnsupportedOptionError for a wrong option.
 */
export function schemaGrammar(schema: SchemaInput, given: SchemaGrammarOptions = {}): SchemaGrammar {
  const { layout = 'any', policy = 'strict' } = readOptions(given, optionRules);
  const rules = new RuleSet();
  const { expression, issues } = compileSchema(toJsonSchema(schema), {
    rules,
    syntax: layout === 'any' ? lenientJsonSyntax : jsonSyntax,
    tool: '',
    policy,
  });
  const grammar = rules.grammar('root', expression);
  // The compiler builds each rule that it names, and each value begins with a character: a test looks at them all.
  assumeBuildable(grammar);
  return { expression: grammar, report: issues };
}
