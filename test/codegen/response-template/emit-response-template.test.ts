/** Modules generated from response templates do what the templates do. */
import fc from 'fast-check';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { ResponseFieldError, ResponseTemplateError } from '../../../src/format/errors.ts';
import { emitResponseTemplate } from '../../../src/response-template/from-format/emit-response-template.ts';
import type {
  RegionEvent,
  ResponseTemplate,
  ResponseTemplateOptions,
  ResponseTemplateParser,
} from '../../../src/response-template/index.ts';
import * as runtime from '../../../src/response-template/index.ts';
import { samples, tagged } from '../../response-template/sample-templates.ts';

type CreateParser = (options: ResponseTemplateOptions) => ResponseTemplateParser;

/** Runs the source text of a generated module. */
function generated(template: ResponseTemplate): CreateParser {
  const { outputText } = ts.transpileModule(emitResponseTemplate(template), {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const exports: { createParser?: CreateParser } = {};
  const require = (name: string) => {
    expect(name).toBe('idiolect/response-template');
    return runtime;
  };
  new Function('exports', 'require', outputText)(exports, require);
  if (exports.createParser === undefined) throw new Error('no parser was exported');
  return exports.createParser;
}

function outcome(create: CreateParser, chunks: readonly string[], tools: readonly unknown[] = []): unknown {
  const events: RegionEvent[] = [];
  try {
    const parser = create({ prefix: '', tools });
    for (const chunk of chunks) events.push(...parser.feed(chunk));
    const finished = parser.finish();
    return { events: [...events, ...finished.events], message: finished.message };
  } catch (error) {
    if (!(error instanceof ResponseFieldError)) throw error;
    return { refused: error.message, events };
  }
}

/** A text that would end a comment and begin a template literal's placeholder. */
const breakout = ['*/ `$', '{x}` //'].join('');

/** Templates whose names and texts could break out of source text. */
const nasty: ResponseTemplate = {
  defaults: { role: 'assistant', __proto__: 1, "it's": null },
  start_anchor: "'`\u2028\\",
  fields: {
    'tool-calls': {
      open: breakout,
      close_pattern: '\\n*/',
      content: 'json',
      transform: ['{content.a}', { '{content}': '{content.b}', "['x']": 'lit' }, 1, true, []],
    },
    'tool calls': { open: '\u2028', close: "'", content: 'kv-lines', repeats: true },
    each: {
      open: '[',
      close: '}]',
      content: 'json',
      transform_each: true,
      transform: { n: '{n}' },
      content_args: {},
    },
    '': { close: '"' },
  },
};

describe.each([
  ...samples,
  {
    name: 'nasty',
    template: nasty,
    pieces: [breakout, '{"a":1,"b":[]}', '\n*/', '\u2028', 'k: v', "'", '"', 'x'],
  },
])('$name', ({ template, pieces }) => {
  it('parses as its template does', () => {
    const created = generated(template);
    const responses = fc.array(fc.constantFrom(...pieces), { maxLength: 10 });
    fc.assert(
      fc.property(responses, (chunks) => {
        const loaded: CreateParser = (options) => runtime.createResponseTemplateParser(template, options);
        expect(outcome(created, chunks)).toEqual(outcome(loaded, chunks));
      }),
      { numRuns: 200 },
    );
  });

  it('is the same source every time, and has no syntax error', () => {
    const source = emitResponseTemplate(template);
    expect(emitResponseTemplate(structuredClone(template))).toBe(source);
    const { diagnostics } = ts.transpileModule(source, { reportDiagnostics: true });
    expect(diagnostics).toEqual([]);
  });
});

describe('the emitted module', () => {
  it('shows its regions and the type of its message', () => {
    const source = emitResponseTemplate(tagged.template);
    expect(source).toContain('//   <think>·thinking·</think>\n');
    expect(source).toContain('  readonly content?: string;\n');
    expect(source).toContain(
      "  readonly tool_calls?: readonly { readonly type: 'function'; readonly function: JsonValue }[];\n",
    );
  });

  it('is not made of a template that is not valid', () => {
    expect(() => emitResponseTemplate({ start_anchor: '', fields: { a: {} } })).toThrow(
      ResponseTemplateError,
    );
  });
});
