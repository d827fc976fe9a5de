/**
 * What is fuzzed: everything that reads what strangers write. Each target makes inputs, as texts that can be kept in
 * files, and tries one; it throws where the outcome is neither a result nor a typed error, or where two ways to the
 * same result differ. `npm run fuzz` draws inputs for as long as it is told; the tests try some, and all kept ones.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { inspectModel, readGgufHeader } from '../../src/hub/index.ts';
import {
  analyzeTemplate,
  buildGrammar,
  IdiolectError,
  normalizeTools,
  parseWithResponseTemplate,
  type ResponseTemplate,
  renderPrompt,
} from '../../src/index.ts';
import { ServerConnection } from '../../src/runtime/servers/server-connection.ts';
import { ggufBytes, tinyParts } from '../support/gguf-parts.ts';
import { lawTools } from '../support/law-tools.ts';
import { parsePieces } from '../support/parse-pieces.ts';
import { jsonInTags, sampleFormats } from '../support/sample-formats.ts';
import { spineTemplates } from '../support/spine-templates.ts';
import { serverDialects } from '../support/tokenizing-server.ts';
import { jsonOf, mutatedText } from './mutated-text.ts';

/** Something that reads what strangers write. */
export interface FuzzTarget {
  readonly inputs: fc.Arbitrary<string>;
  /** Throws, or rejects, where `input` was not dealt with as promised. */
  readonly attempt: (input: string) => void | Promise<void>;
}

/** Typed errors are an answer; all others come through. */
async function typed(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof IdiolectError)) throw error;
  }
}

const templates = (await spineTemplates()).map(({ source }) => source);
const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hello' },
] as const;
const templateParts = [
  ...['{{ ', ' }}', '{%- ', ' -%}', '{% if m %}', '{% endif %}', '{% for x in messages %}', '{% endfor %}'],
  ...[
    '{% macro f(a) %}',
    '{% endmacro %}',
    '{% set x = ',
    ' | tojson',
    ' | trim',
    '.split("<")',
    '[-1:]',
    ' ~ ',
  ],
  ...[
    '{{ raise_exception("no") }}',
    '{{ [[1] * 9] * 9 }}',
    '{% break %}',
    'loop.index0',
    'namespace(a=1)',
    '%}',
  ],
];

/** Template sources: rendered, and analysed. */
const template: FuzzTarget = {
  inputs: mutatedText(templates, templateParts),
  attempt: async (source) => {
    await typed(() => renderPrompt(source, { messages, tools: lawTools }));
    await typed(() => analyzeTemplate(source, { budget: 1_000_000 }));
  },
};

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-fuzz-'));
process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
const honestFile = ggufBytes(tinyParts('{{ messages[0].content }}'));

/** Model files: a small one whose bytes are changed, as `{"place": byte, …, "length": n}`. */
const gguf: FuzzTarget = {
  inputs: fc
    .tuple(
      fc.dictionary(fc.nat(1500).map(String), fc.oneof(fc.nat(255), fc.constantFrom(0, 255, 128)), {
        maxKeys: 12,
      }),
      fc.option(fc.nat(honestFile.length)),
    )
    .map(([bytes, length]) => JSON.stringify(length === null ? bytes : { ...bytes, length })),
  attempt: async (input) => {
    const { length = honestFile.length, ...changes } = JSON.parse(input) as Record<string, number>;
    const bytes = Buffer.from(honestFile);
    for (const [place, byte] of Object.entries(changes)) bytes[Number(place)] = byte;
    const file = path.join(folder, 'model.gguf');
    fs.writeFileSync(file, bytes.subarray(0, length));
    await typed(() => readGgufHeader(file));
  },
};

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
  ...[
    'patternProperties',
    'propertyNames',
    'dependentRequired',
    'minProperties',
    'maxProperties',
    '__proto__',
  ],
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
    '^a+$',
    '(a|b)*c',
    '[',
    '(?=a)b',
    '\\d{2,5}',
    '\\p{L}',
    '__proto__',
    '\ud800',
  ],
  ...[0, 1, -1, 3, 0.1, 1e308, -1e-9, 2 ** 53, 10_000, true, false, null],
];

/** Schemas of a tool that must be called. */
const schema: FuzzTarget = {
  inputs: jsonOf(schemaKeys, schemaLeaves),
  attempt: (input) =>
    typed(() => {
      const parameters = JSON.parse(input) as Readonly<Record<string, unknown>>;
      const tools = [{ type: 'function', function: { name: 'f', parameters } }] as const;
      buildGrammar(jsonInTags, { tools, toolChoice: 'required' });
    }),
};

const toolKeys = [
  ...[
    'type',
    'function',
    'name',
    'description',
    'parameters',
    'inputSchema',
    'input_schema',
    'tools',
    'properties',
  ],
  ...['jsonSchema', '~standard', 'strict', 'execute', 'title', '_def', '__proto__', 'constructor', 'length'],
];

/** Lists of tools. */
const tools: FuzzTarget = {
  inputs: jsonOf(toolKeys, ['function', 'f', 'object', 'a b', '', 'x'.repeat(300), '\u0000', 7, true, null]),
  attempt: (input) => typed(() => normalizeTools(JSON.parse(input))),
};

const markers = sampleFormats.flatMap(([, format]) => [...format.preservedTokens, ...format.stops]);
const responses = [
  '<use>\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": 2}}\n</use>',
  'Well.',
];
const responseParts = [
  ...markers,
  '{"',
  '"}',
  '\\u',
  '\\',
  '[',
  ']',
  "'",
  'get_weather',
  'null',
  '1e5',
  '\ud83d',
];

/** Responses, in every format: nothing is thrown, and the cut does not matter. */
const parser: FuzzTarget = {
  inputs: mutatedText(responses, responseParts),
  attempt: (text) => {
    for (const [name, format] of sampleFormats) {
      const whole = parsePieces(format, text, [], { tools: lawTools });
      const cuts = Array.from({ length: text.length }, (_, at) => at).filter((at) => at % 3 === 0);
      const cut = parsePieces(format, text, cuts, { tools: lawTools });
      if (!isDeepStrictEqual(whole.message, cut.message)) throw new Error(`${name}: the cut matters`);
    }
  },
};

const fieldKeys = [
  ...[
    'open',
    'close',
    'open_pattern',
    'close_pattern',
    'content',
    'repeats',
    'transform',
    'join',
    'coerce',
    'lazy',
  ],
  ...['content_args', 'parser', 'fields', 'pattern', 'type', 'function', 'name', 'optional', '__proto__'],
];
const fieldLeaves = [
  ...[
    '<v>',
    '</v>',
    '',
    '(?P<n>a+)*b',
    '(.*)*',
    '(?:a|a)*$',
    '(?<=a)b',
    '[',
    '\\1',
    'json',
    'text',
    'xml-inline',
  ],
  ...['{content}', '{n}', 'a', '\n', 'string', true, false, null, 0, -1, 1e9],
];
const reply = `<v>${'a'.repeat(60)}b</v>{"name": "f", "arguments": {"a": [1, "b"]}}<v>`;

/** Fields of response templates, and what they make of a response. */
const responseTemplate: FuzzTarget = {
  inputs: fc
    .tuple(jsonOf(fieldKeys, fieldLeaves), jsonOf(fieldKeys, fieldLeaves))
    .map(([first, second]) => `{"start_anchor": "@", "fields": {"content": ${first}, "v": ${second}}}`),
  attempt: (input) =>
    typed(() => {
      const given: ResponseTemplate = JSON.parse(input);
      parseWithResponseTemplate(given, reply, { prefix: '', tools: lawTools });
    }),
};

const answers = [
  '{"tokens": [{"id": 1, "piece": "a"}]}',
  '{"tokens": [1], "token_strs": ["a"], "text": ["a"]}',
  '{"data": [{"id": "m", "max_model_len": 10}], "chat_template": "x"}',
  'data: {"content": "a", "stop": false}\n\ndata: {"content": "", "stop": true}\n\n',
  'data: {"choices": [{"text": "a", "finish_reason": null, "token_ids": [1]}]}\n\ndata: [DONE]\n\n',
];
const answerParts = [
  'data: ',
  '\n\n',
  ': x\n',
  'event: error\n',
  '{"error": ',
  '[',
  ']',
  '{}',
  'null',
  '1e999',
  '"',
];
const completion = {
  prompt: [1],
  grammar: null,
  stops: [],
  preservedTokens: [],
  maxTokens: 9,
  sampling: {},
  free: false,
};

/** Answers of a server to every question, in every dialect. */
const server: FuzzTarget = {
  inputs: mutatedText(answers, answerParts),
  attempt: async (body) => {
    const fetch = async (): Promise<Response> => new Response(body);
    const connection = new ServerConnection({ url: 'http://server.test', fetch, timeoutMs: 5000 });
    for (const dialect of Object.values(serverDialects)) {
      await typed(() => connection.ask(dialect.describe, undefined));
      await typed(() => connection.ask(dialect.tokenize('a', 'm', true), undefined));
      await typed(async () => {
        for await (const _ of connection.stream(dialect.complete(completion, 'm'), undefined));
      });
    }
  },
};

const hubInfo =
  '{"id": "o/m", "sha": "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00", "gated": false, "private": false}';
const hubTree =
  '[{"type": "file", "path": "m.gguf", "size": 100, "oid": "a", "lfs": {"oid": "a", "size": 100}}]';
const hubParts = [
  '"path": "../m.gguf"',
  '"size": -1',
  '"size": 1e99',
  'null',
  '[]',
  '{}',
  ',',
  '"a": ',
  '[[[[',
  '"',
];

/** Answers of the Hub: of a model, of its files, and bytes of a file, as a list of texts. */
const hub: FuzzTarget = {
  inputs: fc
    .tuple(mutatedText([hubInfo], hubParts), mutatedText([hubTree], hubParts), fc.string())
    .map((answers) => JSON.stringify(answers)),
  attempt: (input) =>
    typed(() => {
      const [info = '', tree = '', bytes = ''] = JSON.parse(input) as readonly string[];
      const fetch = async (address: unknown): Promise<Response> => {
        const text = String(address);
        const body = text.includes('/tree/') ? tree : text.includes('/resolve/') ? bytes : info;
        return new Response(body, { headers: { 'content-type': 'application/json' } });
      };
      return inspectModel('owner/model', { fetch, endpoint: 'https://hub.test' });
    }),
};

/** By name, as on the command line. */
export const fuzzTargets: Readonly<Record<string, FuzzTarget>> = {
  template,
  gguf,
  schema,
  tools,
  parser,
  'response-template': responseTemplate,
  server,
  hub,
};
