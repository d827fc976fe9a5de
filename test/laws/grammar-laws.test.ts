/**
 * Agreement, soundness and liveness of the grammars of real templates: llama.cpp's engine, XGrammar, Ohm, our
 * own matcher and the parsers are shown the same texts.
 */
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { Tool } from '../../src/format/messages.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { engineMatcher } from '../support/grammar-engine.ts';
import { lawTools } from '../support/law-tools.ts';
import { ohmMatcher } from '../support/ohm.ts';
import { sampled } from '../support/sample.ts';
import { mutate, sampleGrammar, seededRandom } from '../support/sample-grammar.ts';
import { spineTemplates } from '../support/spine-templates.ts';
import { xgrammarMatcher } from '../support/xgrammar.ts';

const samples = process.env.LAWS === 'long' ? 1000 : 10;
const formats = sampled(await spineTemplates(), 4).map(({ name, source }) => ({
  name,
  format: analyzeTemplate(source).format,
}));
const ajv = new Ajv({ strict: false });
const validators = new Map(
  lawTools.map(({ function: { name, parameters } }) => [name, ajv.compile(parameters ?? true)]),
);

/** Strings whose characters are counted or given by patterns: XGrammar knows no `.` for "any character". */
const boundedTool: Tool = {
  type: 'function',
  function: {
    name: 'bounded',
    parameters: {
      type: 'object',
      properties: {
        counted: { type: 'string', minLength: 1, maxLength: 8 },
        matching: { type: 'string', pattern: '^a.+b$' },
        both: { type: 'string', pattern: 'x.y', maxLength: 9 },
        open: { type: 'object' },
      },
      required: ['counted'],
      additionalProperties: false,
    },
  },
};

describe.each(formats)('$name', ({ format }) => {
  const built = buildGrammar(format, { tools: lawTools, toolChoice: 'required' });
  const { grammar, expression } = built;
  if (grammar === null || expression === null) throw new Error('`required` has to be enforced');
  const texts = Array.from({ length: samples }, (_, seed) => sampleGrammar(expression, seededRandom(seed)));

  it('derives only texts that parse, with arguments that Ajv accepts', () => {
    for (const text of texts) {
      const parser = createResponseParser(format, { tools: lawTools });
      parser.feed(text);
      const { message } = parser.finish();
      expect(message.malformed, text).toBeUndefined();
      expect(message.tool_calls?.length, text).toBeGreaterThan(0);
      for (const { function: called } of message.tool_calls ?? []) {
        const validate = validators.get(called.name);
        expect(validate, `${called.name} in ${text}`).toBeDefined();
        expect(validate?.(JSON.parse(called.arguments)), `${text}\n${ajv.errorsText(validate?.errors)}`).toBe(
          true,
        );
      }
    }
  });

  it('is read alike by llama.cpp, Ohm and the matcher, broken texts included', async () => {
    const engine = await engineMatcher(grammar);
    const ohm = ohmMatcher(expression);
    for (const [seed, text] of texts.entries()) {
      for (const each of [text, mutate(text, seededRandom(seed)), mutate(text, seededRandom(seed + 7919))]) {
        const matcher = createMatcher(expression);
        const matched = matcher.accept(each) && matcher.complete;
        // NUL is a character for Ohm, and comes through no sampler.
        const read = each.includes('\0') ? matched : ohm.accepts(each);
        expect({ each, engine: engine.accepts(each), ohm: read }).toEqual({
          each,
          engine: matched,
          ohm: matched,
        });
      }
    }
  });

  it('is read alike by XGrammar, from any place on', async () => {
    const whole = await xgrammarMatcher(grammar);
    // Each rest is a grammar that XGrammar compiles.
    for (const [seed, text] of sampled([...texts.slice(0, 12).entries()], 3)) {
      for (const each of [text, mutate(text, seededRandom(seed))]) {
        const matcher = createMatcher(expression);
        const matched = matcher.accept(each) && matcher.complete;
        expect({ each, accepted: await whole(each) }).toEqual({ each, accepted: matched });
      }
      // What a server is given that goes on with a call.
      const characters = Array.from(text);
      const begun = characters.slice(0, Math.floor((seed / 12) * characters.length)).join('');
      const matcher = createMatcher(expression);
      expect(matcher.accept(begun), begun).toBe(true);
      const rest = await xgrammarMatcher(matcher.gbnf());
      expect({ begun, accepted: await rest(text.slice(begun.length)) }).toEqual({ begun, accepted: true });
      expect({ begun, accepted: await rest(`${text.slice(begun.length)}.`) }).toEqual({
        begun,
        accepted: false,
      });
    }
  });

  it('is read by XGrammar where strings have lengths and patterns', async () => {
    for (const toolChoice of ['auto', 'required'] as const) {
      const bounded = buildGrammar(format, { tools: [boundedTool], toolChoice });
      await expect(xgrammarMatcher(bounded.grammar ?? '')).resolves.toBeTypeOf('function');
    }
  });

  it('keeps every prefix of a derived text alive', async () => {
    const engine = await engineMatcher(grammar);
    for (const text of texts.slice(0, 10)) {
      // The engine asks at every byte whether anything may still come or the text may end.
      expect(engine.run(text), text).toMatchObject({ accepted: true, bytes: Buffer.byteLength(text) });
      const matcher = createMatcher(expression);
      for (const character of text) {
        expect(matcher.accept(character) && (matcher.open || matcher.complete), text).toBe(true);
      }
    }
  });
});
