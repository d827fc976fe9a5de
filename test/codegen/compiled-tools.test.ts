/** Tools compiled ahead: every grammar of theirs is what the compiler makes, and they serve no others. */
import fc from 'fast-check';
import ts from 'typescript';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { type CompiledTools, rememberTools, toolsOfTemplate } from '../../src/format/compiled-tools.ts';
import { SchemaError } from '../../src/format/errors.ts';
import type { Tool, ToolChoice } from '../../src/format/messages.ts';
import { compileAhead, emitCompiledTools } from '../../src/generate/emit-tools.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import type { PlainGrammarOptions } from '../../src/grammar/grammar-options.ts';
import * as compiler from '../../src/json-schema/compile-arguments.ts';
import type { Expression, Grammar } from '../../src/language/expression/expression.ts';
import { packExpression, unpackExpression } from '../../src/language/expression/packed-expression.ts';
import { GrammarCache } from '../../src/runtime/chat/grammar-cache.ts';
import { llamaTemplate } from '../support/corpora.ts';
import { lawTools } from '../support/law-tools.ts';
import { openTiny } from '../support/small-chats.ts';

vi.mock('../../src/json-schema/compile-arguments.ts', { spy: true });

const templates = ['Qwen-Qwen3-0.6B', 'meetkai-functionary-medium-v3.2', 'meta-llama-Llama-3.2-3B-Instruct'];
const formats = await Promise.all(
  templates.map(async (name) => analyzeTemplate((await llamaTemplate(name)).source).format),
);
const [format] = formats as [ChatFormat];

/** A tool of a name of its own, since what is remembered is remembered for the whole process. */
function cityTool(name: string, city: object): Tool {
  const parameters = JSON.parse(
    JSON.stringify({
      type: 'object',
      properties: { city },
      required: ['city'],
      additionalProperties: false,
    }),
  );
  return { type: 'function', function: { name, parameters } };
}

/** What a module's source exports. */
function load(source: string): CompiledTools {
  const exports: { compiledTools?: CompiledTools } = {};
  const { outputText } = ts.transpileModule(source.replace(/^import .*$/m, ''), {
    compilerOptions: { module: ts.ModuleKind.CommonJS },
  });
  new Function('exports', outputText)(exports);
  if (exports.compiledTools === undefined) throw new TypeError('the module exports no compiledTools');
  return exports.compiledTools;
}

/** The grammar with its rules named by the order in which they are come to: names alone say nothing. */
function renamed(grammar: Grammar | null): unknown {
  if (grammar === null) return null;
  const names = new Map([[grammar.root, 0]]);
  const number = (name: string) => {
    const known = names.get(name) ?? names.size;
    names.set(name, known);
    return known;
  };
  const rename = (each: Expression | undefined): unknown =>
    JSON.parse(JSON.stringify(each ?? null), (_, value: unknown) =>
      typeof value === 'object' &&
      value !== null &&
      'type' in value &&
      value.type === 'rule' &&
      'name' in value
        ? { rule: number(String(value.name)) }
        : value,
    );
  const bodies: unknown[] = [];
  for (const [name] of names) bodies.push(rename(grammar.rules.get(name)));
  return bodies;
}

const named = (name: string): ToolChoice => ({ type: 'function', function: { name } });
const some = (mode: 'auto' | 'required', ...names: readonly string[]): ToolChoice => ({
  type: 'allowed_tools',
  allowed_tools: { mode, tools: names.map((name) => ({ type: 'function', function: { name } })) },
});
const [firstName = '', secondName = '', thirdName = ''] = lawTools.map((tool) => tool.function.name);

const requests: readonly PlainGrammarOptions[] = [
  ...(['auto', 'required', named(secondName), some('required', thirdName, firstName)] as const).flatMap(
    (toolChoice) => [{ toolChoice }, { toolChoice, parallelToolCalls: false }],
  ),
  { toolChoice: some('auto', secondName) },
  { toolChoice: 'none' },
  { tools: lawTools.slice(1, 3), toolChoice: 'required' },
];

describe('what is compiled ahead', () => {
  test.each(formats.map((each, index) => [templates[index], each] as const))(
    'equals what the compiler makes, for every choice, through the source text: %s',
    (_, each) => {
      const compiled = load(emitCompiledTools('// x', compileAhead(each, lawTools, 'degrade')));
      rememberTools(lawTools, compiled);
      const { start, prompt } = each.turn;
      for (const request of requests) {
        for (const opened of new Set([prompt.unset, prompt.on, prompt.off])) {
          const generationPrompt = start + opened;
          const options = { tools: lawTools, ...request, policy: 'degrade', generationPrompt } as const;
          const wanted = buildGrammar(each, options);
          vi.mocked(compiler.compileArgumentsSteps).mockClear();
          const { grammar } = new GrammarCache().get(each, options);
          expect(compiler.compileArgumentsSteps).not.toHaveBeenCalled();
          expect(grammar.report).toEqual(wanted.report);
          expect(renamed(grammar.expression)).toEqual(renamed(wanted.expression));
        }
      }
    },
  );

  test('classes keep every range', () => {
    const range = fc
      .tuple(fc.nat(0x10ffff), fc.nat(0x10ffff))
      .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
    fc.assert(
      fc.property(fc.array(range, { minLength: 1, maxLength: 5 }), (ranges) => {
        const made = { type: 'class', ranges } as const;
        expect(unpackExpression(packExpression(made))).toEqual(made);
      }),
    );
  });
});

/** Compiled tools that are not what the compiler would make, and so show where they are used. */
function marked(
  of: ChatFormat,
  tools: readonly Tool[],
  policy: 'strict' | 'degrade' = 'strict',
): CompiledTools {
  const compiled = compileAhead(of, tools, policy);
  return { ...compiled, arguments: compiled.arguments.map((each) => ({ ...each, value: 'from the table' })) };
}

// Before the modules of this file are loaded anew.
test('a chat follows the table of its tools', async () => {
  const wide = [cityTool('of_a_chat', { type: 'string', maxLength: 78 })];
  const narrow = [cityTool('of_a_chat', { enum: ['Bern', 'Basel'] })];
  const model = await openTiny();
  const { format: learned } = model.templates.toolUse;
  // The arguments of the narrower tool under the schema of the wider one: only the table can hold a city back.
  const [schema] = compileAhead(learned, wide, 'strict').arguments.map((each) => each.schema);
  const compiled = compileAhead(learned, narrow, 'strict');
  const [only] = compiled.arguments;
  if (only === undefined || schema === undefined) throw new TypeError('a tool has arguments');
  rememberTools(wide, { ...compiled, arguments: [{ ...only, schema }] });
  for (const seed of [1, 2, 3]) {
    const { message } = model.chat({
      messages: [{ role: 'user', content: 'Where?' }],
      tools: wide,
      toolChoice: 'required',
      parallelToolCalls: true,
      thinking: false,
      temperature: 1,
      seed,
      maxTokens: 200,
    });
    const [call] = (await message).tool_calls ?? [];
    expect(['{"city": "Bern"}', '{"city": "Basel"}'].map((text) => JSON.parse(text))).toContainEqual(
      JSON.parse(call?.function.arguments ?? 'null'),
    );
  }
  await model.dispose();
});

describe('a table', () => {
  const wide = cityTool('of_a_table', { type: 'string', maxLength: 77 });
  const options = { tools: [wide], toolChoice: 'required' } as const;
  rememberTools([wide], marked(format, [wide]));
  const textOf = (of: ChatFormat, asked: PlainGrammarOptions) =>
    new GrammarCache().get(of, asked).grammar.grammar;

  test.each<[string, PlainGrammarOptions]>([
    ['for its own request', options],
    ['whichever object the tools are', structuredClone(options)],
    ['for the other choice', { ...options, toolChoice: 'auto' }],
    ['for one call', { ...options, parallelToolCalls: false }],
    ['for a named tool', { ...options, toolChoice: named('of_a_table') }],
    [
      'next to a response schema',
      { ...options, toolChoice: 'auto', responseFormat: { type: 'json_object' } },
    ],
    [
      'under another name',
      { ...options, tools: [cityTool('of_another', { type: 'string', maxLength: 77 })] },
    ],
    ['next to new tools', { ...options, tools: [wide, ...lawTools.slice(0, 1)] }],
  ])('is used %s', (_, asked) => {
    expect(textOf(format, asked)).toContain('from the table');
  });

  test.each<[string, ChatFormat, PlainGrammarOptions]>([
    ['a schema', format, { ...options, tools: [cityTool('of_a_table', { enum: ['Bern'] })] }],
    ['the order', format, { ...options, argumentOrder: 'any' }],
    ['the policy', format, { ...options, policy: 'degrade' }],
    ['the format', { ...format, reasoning: null }, options],
  ])('is not used where another thing is asked: %s', (_, of, asked) => {
    expect(textOf(of, asked)).toBe(buildGrammar(of, asked).grammar);
  });

  test('leaves new tools as they are, whatever they call their rules', () => {
    const both = [
      cityTool('arguments', { type: 'integer', minimum: 3 }),
      cityTool('value', { enum: ['x', 'y'] }),
    ];
    rememberTools(both.slice(1), compileAhead(format, both.slice(1), 'strict'));
    const asked = { tools: both, toolChoice: 'required' } as const;
    const { grammar } = new GrammarCache().get(format, asked);
    expect(renamed(grammar.expression)).toEqual(renamed(buildGrammar(format, asked).expression));
  });

  test('is forgotten when a hundred others came since', () => {
    const template = 'of a template that nobody has';
    const set = (number: number): CompiledTools => ({
      compiler: `compiler ${number}`,
      template,
      policy: 'strict',
      arguments: [],
      rules: {},
    });
    for (let number = 0; number < 101; number++) rememberTools([], set(number));
    const kept = toolsOfTemplate(template).map(({ compiled }) => compiled.compiler);
    expect(kept).toHaveLength(100);
    expect(kept[0]).toBe('compiler 100');
    expect(kept).not.toContain('compiler 0');
  });

  describe('of another version', () => {
    afterEach(() => {
      vi.doUnmock('../../src/format/version.ts');
      vi.resetModules();
    });

    test('is not used', async () => {
      vi.resetModules();
      vi.doMock('../../src/format/version.ts', () => ({ toolVersion: '0.0.0-other' }));
      const registry = await import('../../src/format/compiled-tools.ts');
      const cache = await import('../../src/runtime/chat/grammar-cache.ts');
      registry.rememberTools([wide], marked(format, [wide]));
      const { grammar } = new cache.GrammarCache().get(format, options);
      expect(grammar.grammar).toBe(buildGrammar(format, options).grammar);
    });
  });
});

describe('one cache', () => {
  test('compiles each schema once, whatever is asked of its tools', async () => {
    const tools = ['one', 'two', 'three'].map((name, index) =>
      cityTool(name, { type: 'string', maxLength: 40 + index }),
    );
    const choices = ['auto', 'required', named('two'), some('required', 'one', 'three')] as const;
    const wanted = choices.map((toolChoice) =>
      renamed(buildGrammar(format, { tools, toolChoice }).expression),
    );
    const cache = new GrammarCache();
    vi.mocked(compiler.compileArgumentsSteps).mockClear();
    for (const [index, toolChoice] of choices.entries()) {
      const { grammar } = await cache.prepare(format, { tools, toolChoice }, undefined);
      expect(renamed(grammar.expression)).toEqual(wanted[index]);
    }
    const { grammar } = cache.get(format, { tools: tools.slice(1), toolChoice: 'required' });
    expect(grammar.grammar).not.toContain('one-arguments');
    expect(compiler.compileArgumentsSteps).toHaveBeenCalledTimes(tools.length);
  });

  test('says again what is wrong with a schema, for every tool that has it', () => {
    const cache = new GrammarCache();
    const tools = ['left', 'right'].map((name) => cityTool(name, { enum: [] }));
    const toolsAtFault = (toolChoice: ToolChoice): unknown => {
      try {
        return cache.get(format, { tools, toolChoice });
      } catch (error) {
        return error instanceof SchemaError ? [...new Set(error.issues.map(({ tool }) => tool))] : error;
      }
    };
    expect(toolsAtFault('auto')).toEqual(['left', 'right']);
    expect(toolsAtFault('required')).toEqual(['left', 'right']);
    expect(toolsAtFault(named('right'))).toEqual(['right']);
  });
});
