/** Validates `GrammarOptions`: an unknown value must not silently turn enforcement off. */
import {
  anyValue,
  boolean,
  isRecord,
  type OptionRule,
  type OptionRules,
  oneOf,
  string,
} from '../format/option-rules.ts';
import type { GrammarOptions } from './grammar-options.ts';

const toolChoice: OptionRule = {
  expected:
    '"auto", "required", "none", { type: "function", function: { name } } or { type: "allowed_tools", allowed_tools: { mode, tools } }',
  allows: (value) =>
    value === 'auto' || value === 'required' || value === 'none' || namesTool(value) || allowsTools(value),
};

const responseFormat: OptionRule = {
  expected:
    '{ type: "text" }, { type: "json_object" } or, with a schema, { type: "json_schema", json_schema: { schema } }',
  allows: (value) => {
    // A schema next to the type is another server's spelling; accepting it would ignore the schema.
    if (!isRecord(value) || value.schema !== undefined) return false;
    if (value.type !== 'json_schema') return value.type === 'text' || value.type === 'json_object';
    return isRecord(value.json_schema) && value.json_schema.schema !== undefined;
  },
};

/** The rules for `GrammarOptions`. Tools are checked where they are normalised. */
export const grammarRules: OptionRules<GrammarOptions> = {
  tools: anyValue,
  toolChoice,
  parallelToolCalls: boolean,
  responseFormat,
  generationPrompt: string,
  policy: oneOf('strict', 'degrade'),
  argumentOrder: oneOf('schema', 'later', 'any'),
  toolNames: oneOf('offered', 'any'),
};

function namesTool(value: unknown): boolean {
  return isRecord(value) && value.type === 'function' && hasName(value);
}

function allowsTools(value: unknown): boolean {
  if (!isRecord(value) || value.type !== 'allowed_tools' || !isRecord(value.allowed_tools)) return false;
  const { mode, tools } = value.allowed_tools;
  return (mode === 'auto' || mode === 'required') && Array.isArray(tools) && tools.every(hasName);
}

function hasName(value: unknown): boolean {
  return isRecord(value) && isRecord(value.function) && typeof value.function.name === 'string';
}
