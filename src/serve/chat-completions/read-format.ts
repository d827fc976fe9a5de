/** Reads what an answer must be: OpenAI's response formats, and what vLLM, SGLang and llama-server add. */
import { parseJson } from '../../format/json-values.ts';
import { isRecord, requireOption, stringArray } from '../../format/option-rules.ts';
import type { ResponseFormat } from '../../grammar/grammar-options.ts';
import { grammarRules } from '../../grammar/grammar-rules.ts';
import { invalid } from '../errors.ts';
import { type FieldTable, flagRule, listOf, objectRule, readRule, textRule } from '../fields/field-table.ts';
import { objectField, schemaFormat } from '../fields/request-fields.ts';
import type { Body } from '../read-body.ts';

const schema = { type: ['object', 'boolean'], description: 'a JSON Schema' };
/** A schema, or its JSON text. */
const schemaRule = readRule({ anyOf: [schema, { type: 'string' }] });
const choiceRule = listOf(textRule, stringArray.expected);

/** The fields read here. */
export const formatFields = {
  response_format: readRule({
    type: 'object',
    properties: {
      type: { enum: ['text', 'json_object', 'json_schema'] },
      json_schema: { type: 'object', properties: { schema }, required: ['schema'] },
    },
    required: ['type'],
  }),
  json_schema: schemaRule,
  guided_json: schemaRule,
  guided_choice: choiceRule,
  guided_regex: textRule,
  regex: textRule,
  structured_outputs: objectRule({
    json: schemaRule,
    choice: choiceRule,
    regex: textRule,
    json_object: flagRule,
  }),
} as const satisfies FieldTable;

/** What an answer must be. */
export interface AskedFormat {
  readonly responseFormat: ResponseFormat | undefined;
  /** Whether the answer is plain text: the model writes a JSON string, of which the client gets the contents. */
  readonly unquotes: boolean;
}

/** Reads all fields. Throws `RequestError` if more than one format is given. */
export function readFormat(body: Body): AskedFormat {
  const asked = [...readOwn(body), ...readStructured(body)];
  const [first, second] = asked;
  if (second !== undefined)
    throw invalid(second.path, `${second.path}: another format is given already; leave one of them out`);
  return first?.format ?? { responseFormat: undefined, unquotes: false };
}

interface Given {
  readonly path: string;
  readonly format: AskedFormat;
}

function readOwn(body: Body): readonly Given[] {
  const format = body.response_format ?? undefined;
  return [
    ...(format === undefined
      ? []
      : [{ path: 'response_format', format: inJson(readResponseFormat(format)) }]),
    ...readSchema(body.json_schema, 'json_schema'),
    ...readSchema(body.guided_json, 'guided_json'),
    ...readChoice(body.guided_choice, 'guided_choice'),
    ...readRegex(body.guided_regex, 'guided_regex'),
    ...readRegex(body.regex, 'regex'),
  ];
}

/** vLLM's newer name for its guided fields. */
function readStructured(body: Body): readonly Given[] {
  const given = objectField(body, 'structured_outputs') ?? {};
  const other = ['grammar', 'structural_tag'].find((name) => given[name] != null);
  const path = 'structured_outputs';
  if (other !== undefined)
    throw invalid(`${path}.${other}`, `${path}.${other}: use json, choice or regex`, 'unsupported_parameter');
  const any: Given = { path: `${path}.json_object`, format: inJson({ type: 'json_object' }) };
  return [
    ...readSchema(given.json, `${path}.json`),
    ...readChoice(given.choice, `${path}.choice`),
    ...readRegex(given.regex, `${path}.regex`),
    ...(given.json_object === true ? [any] : []),
  ];
}

function readResponseFormat(format: unknown): ResponseFormat {
  // Some servers accept a schema for JSON text here.
  if (isRecord(format) && format.type === 'json_object' && format.schema != null)
    return schemaFormat(format.schema, 'response_format.schema');
  requireOption('response_format', format, grammarRules.responseFormat);
  return format as ResponseFormat;
}

/** A schema, or its JSON text. */
function readSchema(schema: unknown, path: string): readonly Given[] {
  if (schema == null) return [];
  const read = typeof schema === 'string' ? parseJson(schema) : schema;
  return [{ path, format: inJson(schemaFormat(read, path)) }];
}

function readChoice(choices: unknown, path: string): readonly Given[] {
  if (choices == null) return [];
  if (!stringArray.allows(choices)) throw invalid(path, `${path} must be ${stringArray.expected}`);
  return [{ path, format: inText({ enum: choices }) }];
}

/** The whole answer matches, as in vLLM; a pattern of JSON Schema is searched for. */
function readRegex(regex: unknown, path: string): readonly Given[] {
  if (regex == null) return [];
  if (typeof regex !== 'string') throw invalid(path, `${path} must be a string`);
  return [{ path, format: inText({ type: 'string', pattern: `^(?:${regex})$` }) }];
}

function inJson(responseFormat: ResponseFormat): AskedFormat {
  return { responseFormat, unquotes: false };
}

function inText(schema: object): AskedFormat {
  return {
    responseFormat: { type: 'json_schema', json_schema: { schema: schema as never } },
    unquotes: true,
  };
}
