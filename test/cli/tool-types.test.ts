/** Types of tools: source text that is always sound, whatever strangers write into their schemas. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { printToolTypes } from '../../src/cli/generate/tool-types.ts';
import type { Tool } from '../../src/format/messages.ts';
import { emitTools } from '../../src/generate/emit-tools.ts';
import { readToolList } from '../../src/tools/read-tool-list.ts';
import { llamaTemplate } from '../support/corpora.ts';

const runs = process.env.LAWS === 'long' ? 500 : 25;
const { format } = analyzeTemplate((await llamaTemplate('Qwen-Qwen3-0.6B')).source);

async function source(tools: readonly Tool[]): Promise<string> {
  const { files } = emitTools(format, tools, await printToolTypes(tools, 'test'), 'degrade');
  return files.get('tools.ts') ?? '';
}

/** Problems that the compiler has with the text and a use of it; imports are left open. */
function problems(text: string, use = ''): string[] {
  const types =
    'declare module "idiolect" { export type Tool = object; export interface ToolCallEvent { toolCallId: string; toolName: string; arguments: object } }\n' +
    'declare module "idiolect/parser" { export function rememberTools(tools: readonly object[], compiled: object): void }';
  const files = new Map([
    ['/m.ts', `${text}\n${use}`],
    ['/t.d.ts', types],
    ['/tools.compiled.ts', 'export const compiledTools = {};'],
  ]);
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { readFile, getSourceFile } = host;
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.fileExists = (name) => files.has(name) || ts.sys.fileExists(name);
  host.getSourceFile = (name, language) => {
    const own = files.get(name);
    return own === undefined ? getSourceFile(name, language) : ts.createSourceFile(name, own, language);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

const nasty = [
  '*/ export const evil = 1; /*',
  'a\'b"c`d\\',
  'line\u2028two\r\n\u0000three',
  '@deprecated',
  '__proto__',
  'tool_call',
  'ToolArguments',
  'ünï ✓',
];

const text = fc.oneof(fc.constantFrom(...nasty), fc.string({ maxLength: 12 }));
const { schema } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record({ type: fc.constantFrom('string', 'integer', 'null', 'boolean'), description: text }),
    fc.record({ enum: fc.array(fc.oneof(text, fc.integer()), { minLength: 1, maxLength: 3 }) }),
    fc.constantFrom(
      { $ref: '#' },
      { $ref: '#/$defs/x' },
      { $ref: '#/nowhere' },
      { $ref: 'file:///etc/passwd' },
      { $ref: 'http://localhost:1/x.json' },
      { tsType: 'any; export const evil = 1' },
      { type: 'string', enum: ['a'], tsEnumNames: ['A = 1} export const evil = 1; enum X {'] },
    ),
    fc.record({
      type: fc.constant('object'),
      title: text,
      properties: fc.dictionary(text, tie('schema'), { maxKeys: 3 }),
      additionalProperties: fc.boolean(),
    }),
    fc.record({
      type: fc.constant('array'),
      prefixItems: fc.array(tie('schema'), { maxLength: 2 }),
      minItems: fc.nat(3),
    }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
  ),
}));

test.each([{ enum: 'x' }, { type: 5 }, { required: 'a' }, { properties: 5 }, { anyOf: {} }, { items: 5 }])(
  'a keyword that means nothing is left out of the types: %j',
  async (schema) => {
    const [tools, plain] = [schema, {}].map((a) =>
      readToolList([{ name: 't', parameters: { type: 'object', properties: { a } } }], 'test'),
    );
    expect(await printToolTypes(tools ?? [], 'test')).toBe(await printToolTypes(plain ?? [], 'test'));
  },
);

test('whatever a schema says, the file compiles, declares nothing but types of its own, and is made again alike', async () => {
  const tools = fc.uniqueArray(
    fc.record({ name: text.filter((name) => name !== ''), description: text, schema, x: schema }),
    {
      minLength: 1,
      maxLength: 3,
      selector: ({ name }) => name,
    },
  );
  await fc.assert(
    fc.asyncProperty(tools, async (drawn) => {
      const list = drawn.map(({ name, description, schema: root, x }) => ({
        name,
        description,
        inputSchema: { properties: { root }, $defs: { x } },
      }));
      const read = readToolList(list, 'test');
      const types = await printToolTypes(read, 'test');
      expect(types).toBe(await printToolTypes(read, 'test'));
      const file = ts.createSourceFile('/m.ts', types, ts.ScriptTarget.ES2022);
      const kinds = file.statements.map(({ kind }) => kind);
      const allowed = [ts.SyntaxKind.InterfaceDeclaration, ts.SyntaxKind.TypeAliasDeclaration];
      expect(kinds.filter((kind) => !allowed.includes(kind))).toEqual([]);
      expect(ts.transpileModule(types, { reportDiagnostics: true }).diagnostics).toEqual([]);
    }),
    { numRuns: runs },
  );
}, 120_000);

const tools = readToolList(
  [
    {
      name: 'get_weather',
      description: 'The weather.',
      inputSchema: {
        type: 'object',
        properties: {
          city: { type: 'string', description: 'x'.repeat(120) },
          unit: { enum: ['c', 'f'] },
          at: { $ref: '#/$defs/Point' },
          pair: {
            type: 'array',
            prefixItems: [{ type: 'string' }, { type: 'number' }],
            minItems: 2,
            items: false,
          },
          few: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } },
        },
        required: ['city'],
        additionalProperties: false,
        $defs: { Point: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
      },
    },
    { name: 'stop' },
  ],
  'test',
);

test('`name` narrows `arguments`', async () => {
  const file = await source(tools);
  const use = `
declare const call: ToolCall;
if (call.name === 'get_weather') {
  const city: string = call.arguments.city;
  const unit: 'c' | 'f' | undefined = call.arguments.unit;
  const x: number | undefined = call.arguments.at?.x;
  const pair: [string, number] | undefined = call.arguments.pair;
  const few: (string | number)[] | undefined = call.arguments.few;
}
const fine: ToolCall = { id: '', name: 'stop', arguments: {} };
const wrong: ToolCall = { id: '', name: 'stop', arguments: { a: 1 } };
const lacking: ToolCall = { id: '', name: 'get_weather', arguments: {} };`;
  expect(problems(file, use)).toEqual([
    expect.stringContaining("'number' is not assignable to type 'never'"),
    expect.stringContaining("Property 'city' is missing"),
  ]);
});

test('the file needs no formatting and no lint', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const command = [
    `${root}/node_modules/@biomejs/biome/bin/biome`,
    'check',
    '--write',
    '--stdin-file-path=test/cli/tools.ts',
  ];
  const text = await source(tools);
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: root,
    input: text,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stdout).toBe(text);
});
