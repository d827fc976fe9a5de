/** Schemas, and lists of tools. */
import { isObject } from '../../src/format/json-values.ts';
import type { JsonObject, JsonValue } from '../../src/format/messages.ts';
import { buildGrammar, normalizeTools } from '../../src/index.ts';
import { examples } from '../json-schema/documented-examples.ts';
import { lawTools } from '../support/law-tools.ts';
import { jsonInTags, tagged } from '../support/sample-formats.ts';
import { type FuzzTarget, typed } from './fuzz-target.ts';
import { mutatedJson } from './mutated-json.ts';

const schemaKeys = [
  ...[
    'type',
    'properties',
    'required',
    'items',
    'prefixItems',
    'additionalProperties',
    'enum',
    'const',
    '$ref',
  ],
  ...[
    'anyOf',
    'oneOf',
    'allOf',
    'not',
    'if',
    'then',
    'else',
    'minimum',
    'maximum',
    'multipleOf',
    'minLength',
  ],
  ...['maxLength', 'pattern', 'format', 'minItems', 'maxItems', 'uniqueItems', 'contains', '$defs', 'a', 'b'],
  ...['patternProperties', 'propertyNames', 'dependentRequired', 'dependentSchemas', 'unevaluatedItems'],
  ...[
    'unevaluatedProperties',
    'minProperties',
    'maxProperties',
    'minContains',
    'exclusiveMinimum',
    '$anchor',
  ],
  ...['$id', '$schema', '$dynamicRef', 'definitions', 'dependencies', 'nullable', '__proto__', '\ud800', ''],
];
const schemaLeaves = [
  ...[
    'object',
    'array',
    'string',
    'integer',
    'number',
    'null',
    'boolean',
    '#',
    '#/$defs/a',
    '#/properties/a',
  ],
  ...[
    'a',
    'date-time',
    'uuid',
    'ipv6',
    'uri',
    '^a+$',
    '(a|b)*c',
    '[',
    '(?=a)b',
    '\\d{2,5}',
    '\\p{L}',
    '^(a?){50}',
  ],
  ...['__proto__', '\ud800', '#/a%', 'http://json-schema.org/draft-07/schema#'],
  ...[0, 1, -1, 3, 0.1, 1e308, -1e-9, 2 ** 53, 10_000, true, false, null],
];
const recursive = {
  type: 'object',
  properties: { a: { $ref: '#/$defs/a' }, b: { type: 'array', items: { $ref: '#' }, uniqueItems: true } },
  $defs: { a: { anyOf: [{ type: 'null' }, { type: 'object', properties: { a: { $ref: '#/$defs/a' } } }] } },
};
const documented = Object.values(examples).map(({ schema }) => ({
  type: 'object',
  properties: { a: schema, b: { type: 'integer' } },
  required: ['a'],
}));
const described = lawTools.map((tool) => tool.function.parameters);

/** Schemas of a tool that must be called: enforced or refused, as JSON, and as text in tags. */
export const schema: FuzzTarget = {
  seeds: [recursive, ...documented, ...described].map((each) => JSON.stringify(each)),
  near: (input) => mutatedJson([JSON.parse(input)], schemaKeys, schemaLeaves),
  attempt: async (input) => {
    const parameters = JSON.parse(input) as Readonly<Record<string, unknown>>;
    const given = [{ type: 'function', function: { name: 'f', parameters } }] as const;
    await typed(() => buildGrammar(jsonInTags, { tools: given, toolChoice: 'required' }));
    await typed(() => buildGrammar(tagged, { tools: given, toolChoice: 'required', policy: 'degrade' }));
  },
};

/** An input of these, if it is an object: anything else is refused where tools come in. */
export function schemaOf(input: string): JsonObject | null {
  const given: JsonValue = JSON.parse(input);
  return isObject(given) ? given : null;
}

const toolKeys = [
  ...['type', 'function', 'name', 'description', 'parameters', 'inputSchema', 'input_schema', 'tools'],
  ...['properties', 'jsonSchema', '~standard', 'strict', 'execute', 'title', '_def', 'get_weather'],
  ...['__proto__', 'constructor', 'length', 'outputSchema', 'annotations', 'required'],
];
const toolLeaves = [
  ...['function', 'f', 'object', 'a b', '', 'x'.repeat(300), '\u0000', '\ud800', 'get_weather'],
  ...[7, true, null, {}, []],
];
const functions = lawTools.map((tool) => tool.function);
const toolLists = [
  lawTools,
  functions,
  {
    tools: functions.map(({ name, description, parameters }) => ({
      name,
      description,
      inputSchema: parameters,
    })),
  },
  functions.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
  Object.fromEntries(functions.map(({ name, ...rest }) => [name, rest])),
  functions.map(({ name, parameters }) => ({ type: 'function', name, parameters, strict: true })),
];

/** Lists of tools, in every style. */
export const tools: FuzzTarget = {
  seeds: toolLists.map((each) => JSON.stringify(each)),
  near: (input) => mutatedJson([JSON.parse(input)], toolKeys, toolLeaves),
  attempt: (input) => typed(() => normalizeTools(JSON.parse(input))),
};
