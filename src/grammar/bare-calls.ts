/**
 * Calls as bare JSON, as models write them in place of their format's own: next to an answer in JSON, whose first brace a
 * model would otherwise take for that of the call.
 */
import { unless } from '../format/error-class.ts';
import { SchemaError } from '../format/errors.ts';
import type { JsonSchema, Tool } from '../format/messages.ts';
import { compileSchema, lenientJsonSyntax } from '../json-schema/compile-schema.ts';
import { oneOf } from '../language/expression/alternatives.ts';
import {
  characterClass,
  type Expression,
  literal,
  repeat,
  sequence,
} from '../language/expression/expression.ts';
import type { RuleSet } from '../language/expression/rule-set.ts';
import type { ArgumentOptions } from './grammar-options.ts';

const blanks = repeat(characterClass([0x20, 0x20], [0x09, 0x0a], [0x0d, 0x0d]), 0, 8);
const noArguments = { type: 'object', properties: {}, additionalProperties: false } as const;

/** A call of each tool, `{"name": "f", "arguments": {…}}`, but of those whose schema a grammar cannot enforce in full. */
export function bareCalls(
  tools: readonly Tool[],
  { policy, argumentOrder: keyOrder }: ArgumentOptions,
  rules: RuleSet,
): readonly Expression[] {
  return tools.flatMap(({ function: { name, parameters } }) => {
    const options = { rules, syntax: lenientJsonSyntax, tool: name, policy, keyOrder };
    const compiled = unless(SchemaError, () => compileSchema(objectsOf(parameters ?? noArguments), options));
    if (compiled === null || compiled.issues.length > 0) return [];
    return [bareCall(name, rules.add('bare-arguments', compiled.expression))];
  });
}

/** The objects that are valid: the arguments of a call are one, whatever else the schema allows. */
function objectsOf(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema && { type: 'object' };
  const { type } = schema;
  const isObject = type === undefined || (Array.isArray(type) && type.includes('object'));
  return isObject ? { ...schema, type: 'object' } : schema;
}

function bareCall(name: string, input: Expression): Expression {
  const texts = ['{', '"name"', ':', JSON.stringify(name), ','];
  const head = texts.flatMap((text) => [literal(text), blanks]);
  const key = oneOf(['"arguments"', '"parameters"']);
  return sequence(...head, key, blanks, literal(':'), blanks, input, blanks, literal('}'));
}
