/** Grammars compiled ahead: the same as the compiler's, used for their own requests and for no other. */
import fc from 'fast-check';
import ts from 'typescript';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { sha256 } from '../../src/analysis/sha256.ts';
import type { ChatFormat } from '../../src/chat-format.ts';
import { compileAhead, emitCompiledGrammars } from '../../src/codegen/emit-compiled-grammars.ts';
import {
  buildGrammar,
  buildGrammarWith,
  compileResponse,
  type PlainGrammarOptions,
} from '../../src/grammar/build-grammar.ts';
import { packGrammar, requestText, unpackGrammar } from '../../src/grammar/compiled-grammar.ts';
import type { Tool } from '../../src/messages.ts';
import { type CompiledGrammar, rememberGrammars } from '../../src/runtime/compiled-grammars.ts';
import { GrammarCache } from '../../src/runtime/engines/node-llama-cpp/grammar-cache.ts';
import { llamaTemplate } from '../support/corpora.ts';
import { lawTools } from '../support/law-tools.ts';
import { openTiny } from '../support/small-chats.ts';

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

/** What a module's source hands over when it is loaded. */
function load(source: string): readonly CompiledGrammar[] {
  const handed: CompiledGrammar[] = [];
  const { outputText } = ts.transpileModule(source.replace(/^import .*$/m, ''), {});
  new Function('rememberGrammars', outputText)((grammars: readonly CompiledGrammar[]) =>
    handed.push(...grammars),
  );
  return handed;
}

/** Digest and grammar of a request, as the compiler makes it now. */
function compileNow(of: ChatFormat, options: PlainGrammarOptions) {
  let digest = '';
  const built = buildGrammarWith(
    (given, request) => {
      digest = sha256(requestText(given, request));
      return compileResponse(given, request);
    },
    of,
    options,
  );
  return { digest, built };
}

describe('what is compiled ahead', () => {
  test.each(formats.map((each, index) => [templates[index], each] as const))(
    'equals what the compiler makes, through the source text: %s',
    (_, each) => {
      const tables = load(emitCompiledGrammars('// x', compileAhead(each, lawTools, 'degrade')));
      const { start, prompt } = each.turn;
      for (const toolChoice of ['auto', 'required'] as const) {
        for (const opened of [prompt.unset, prompt.on, prompt.off]) {
          const generationPrompt = start + opened;
          const { digest, built } = compileNow(each, {
            tools: lawTools,
            toolChoice,
            policy: 'degrade',
            generationPrompt,
          });
          const table = tables.filter(({ requests }) => requests.includes(digest));
          expect(table).toHaveLength(1);
          const unpacked = table.map(unpackGrammar);
          expect(unpacked).toEqual([{ grammar: built.expression, issues: built.report }]);
          expect(unpacked.map(({ grammar }) => [...grammar.rules.keys()])).toEqual([
            [...(built.expression?.rules.keys() ?? [])],
          ]);
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
        const rules = new Map([['root', { type: 'class', ranges } as const]]);
        const made = { grammar: { root: 'root', rules }, issues: [] };
        expect(unpackGrammar(packGrammar('', [], made))).toEqual(made);
      }),
    );
  });
});

describe('a table', () => {
  const wide = cityTool('of_a_table', { type: 'string' });
  const options = { tools: [wide], toolChoice: 'required' } as const;
  // It is not what the compiler would make, and so shows where it is used.
  const marked: CompiledGrammar = {
    requests: [compileNow(format, options).digest],
    template: format.templateSha256,
    report: [],
    root: 'root',
    rules: { root: 'from the table' },
  };
  rememberGrammars([marked]);
  const textOf = (of: ChatFormat, asked: PlainGrammarOptions) =>
    new GrammarCache().get(of, asked).grammar.grammar;

  test('is used for its own request, whichever object the tools are', () => {
    expect(textOf(format, options)).toContain('from the table');
    expect(textOf(format, structuredClone(options))).toContain('from the table');
  });

  test.each<[string, ChatFormat, PlainGrammarOptions]>([
    ['a schema', format, { ...options, tools: [cityTool('of_a_table', { enum: ['Bern'] })] }],
    ['a name', format, { ...options, tools: [cityTool('of_another', { type: 'string' })] }],
    ['more tools', format, { ...options, tools: [wide, ...lawTools], policy: 'degrade' }],
    ['the choice', format, { ...options, toolChoice: 'auto' }],
    ['one call', format, { ...options, parallelToolCalls: false }],
    ['the order', format, { ...options, argumentOrder: 'any' }],
    ['the format', { ...format, reasoning: null }, options],
  ])('is not used where another thing is asked: %s', (_, of, asked) => {
    expect(textOf(of, asked)).toBe(buildGrammar(of, asked).grammar);
  });

  test('is unpacked once: what was made of it when a model was loaded is what its request gets', () => {
    const cache = new GrammarCache();
    const ahead = cache.compiledAhead(format);
    const { matcher } = cache.get(format, options);
    expect(ahead).toContain(matcher);
    expect(cache.compiledAhead({ ...format, templateSha256: 'of another template' })).toEqual([]);
  });

  test('is forgotten when a thousand others were used since, and not before', () => {
    const other = (number: number): CompiledGrammar => ({ ...marked, requests: [`other ${number}`] });
    const use = (count: number) =>
      rememberGrammars(Array.from({ length: count }, (_, index) => other(index)));
    rememberGrammars([marked]);
    use(999);
    expect(textOf(format, options)).toContain('from the table');
    use(999);
    expect(textOf(format, options)).toContain('from the table');
    use(1000);
    expect(textOf(format, options)).toBe(buildGrammar(format, options).grammar);
    rememberGrammars([marked]);
  });

  describe('of another version', () => {
    afterEach(() => {
      vi.doUnmock('../../src/version.ts');
      vi.resetModules();
    });

    test('is not used', async () => {
      vi.resetModules();
      vi.doMock('../../src/version.ts', () => ({ toolVersion: '0.0.0-other' }));
      const registry = await import('../../src/runtime/compiled-grammars.ts');
      const cache = await import('../../src/runtime/engines/node-llama-cpp/grammar-cache.ts');
      registry.rememberGrammars([marked]);
      const { grammar } = new cache.GrammarCache().get(format, options);
      expect(grammar.grammar).toBe(buildGrammar(format, options).grammar);
    });
  });
});

test('a chat follows the table of its tools', async () => {
  const wide = [cityTool('of_a_chat', { type: 'string' })];
  const narrow = [cityTool('of_a_chat', { enum: ['Bern', 'Basel'] })];
  const model = await openTiny();
  const { format: learned } = model.templates.toolUse;
  // The tables of narrower tools under the requests of the wider ones: only the table can hold a city back.
  const { prompt, start } = learned.turn;
  const tables = [prompt.unset, prompt.on, prompt.off].map((opened): CompiledGrammar => {
    const asked = { toolChoice: 'required', generationPrompt: start + opened } as const;
    const { expression } = compileNow(learned, { ...asked, tools: narrow }).built;
    if (expression === null) throw new TypeError('required has a grammar');
    const { digest } = compileNow(learned, { ...asked, tools: wide });
    return packGrammar(learned.templateSha256, [digest], { grammar: expression, issues: [] });
  });
  rememberGrammars(tables);
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
