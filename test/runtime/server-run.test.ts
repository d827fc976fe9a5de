/** The run of a server's response, against a server that goes on with a text wherever it is asked to. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createGbnfMatcher } from '../../src/language/gbnf/gbnf-expression.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import type { ResponseEvent, ResponseMessage } from '../../src/parser/events.ts';
import { callGuard } from '../../src/runtime/chat/checks/call-guard.ts';
import { GrammarCache } from '../../src/runtime/chat/grammar-cache.ts';
import { ServerRun } from '../../src/servers/server-run.ts';
import { mergeEvents } from '../../src/testing/index.ts';
import { llamaTemplate } from '../support/corpora.ts';

const { source } = await llamaTemplate('Qwen-Qwen3-0.6B');
const { format } = analyzeTemplate(source);
const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      },
    },
  },
] as const;

const grammars = new GrammarCache();

function newRun(
  options: { thinkingBudget?: number; maxTokens?: number; toolChoice?: 'required' } = {},
  grammar = buildGrammar(format, { tools, toolChoice: options.toolChoice ?? 'auto' }),
) {
  const guard = callGuard({ toolChoice: options.toolChoice ?? 'auto' }, tools, grammar.report);
  const parser = createResponseParser(format, {
    tools,
    provenance: guard.enforced,
    validate: guard.validate,
  });
  const matcher = grammar.expression === null ? null : createMatcher(grammar.expression);
  return new ServerRun({
    grammar,
    matcher,
    parser,
    guard,
    restOf: (call, written) =>
      grammars.restOf(format, { tools, toolChoice: options.toolChoice ?? 'auto' }, call, written),
    stops: [],
    maxTokens: options.maxTokens ?? 10_000,
    thinkingBudget: options.thinkingBudget ?? Number.POSITIVE_INFINITY,
    reasoningEnd: format.reasoning?.end ?? '',
    plainText: false,
  });
}

interface Served {
  readonly message: ResponseMessage;
  readonly events: readonly ResponseEvent[];
  /** Where each request began, and whether it was constrained. */
  readonly requests: readonly { readonly at: number; readonly constrained: boolean }[];
}

/** Serves `text` in pieces of these lengths, over and over; each request goes on where the run has got to. */
function serve(run: ServerRun, text: string, lengths: readonly number[], readsOn = false): Served {
  const events: ResponseEvent[] = [...run.start().events];
  const requests: { at: number; constrained: boolean }[] = [];
  for (let next = 'ask-again', turn = 0; next === 'ask-again'; ) {
    let at = run.text.length;
    requests.push({ at, constrained: run.grammar !== null });
    run.ask(readsOn && run.grammar === null);
    for (next = 'go-on'; next === 'go-on'; ) {
      const piece = text.slice(at, at + (lengths[turn++ % lengths.length] ?? 1));
      at += piece.length;
      const advance = run.take({ text: piece, tokens: 1, finish: at >= text.length ? 'stop' : null });
      events.push(...advance.events);
      next = advance.next;
    }
  }
  const { events: last, message } = run.finish();
  return { message, events: [...events, ...last], requests };
}

const called =
  '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Bern 🏔 <tool_call>"}}\n</tool_call>';
const texts = [
  `<think>\nA <tool_call> opens it.\n</think>\n\nI look. ${called}`,
  `${called}\n${called}`,
  `<think>\n<tool_call>\n</think>\n\n${called}`,
  'No call: a <tool_ is none.',
  `<think>\nOne.\n</think>\n\nx < 3, so\n\n${called}`,
];

describe('a response of a server', () => {
  it('is the same however it is cut, and its calls are constrained', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 6 }),
        (text, lengths) => {
          const served = serve(newRun(), text, lengths);
          const parser = createResponseParser(format, { tools });
          const events = [...parser.feed(text), ...parser.finish().events];
          const calls = served.message.tool_calls?.map(({ assurance, ...call }) => {
            expect(assurance).toBe('enforced');
            return call;
          });
          expect({ ...served.message, tool_calls: calls }).toEqual(parser.finish().message);
          expect(mergeEvents(served.events)).toMatchObject(mergeEvents(events));
          const constrained = served.requests.filter((request) => request.constrained);
          expect(constrained.length).toBe(served.message.tool_calls === undefined ? 0 : 1);
        },
      ),
    );
  });

  it('has a call in JSON constrained from its name on', () => {
    const text = '{"name": "get_weather", "arguments": {"city": "Bern"}}';
    for (const lengths of [[1], [7], [3, 11]]) {
      const { message, requests } = serve(newRun(), text, lengths);
      expect(message.tool_calls).toMatchObject([{ assurance: 'enforced' }]);
      expect(requests.map(({ constrained }) => constrained)).toEqual([false, true, false]);
    }
  });

  it('takes one request that reads on for calls that are as they must be, in any pieces', () => {
    const bare = '{"name": "get_weather", "arguments": {"city": "Bern"}}';
    const own = texts.filter((text) => text.includes(called));
    for (const text of [bare, `\n\n${bare}`, `[${bare}]`, `\`\`\`json\n${bare}\n\`\`\``, ...own]) {
      for (const lengths of [[1], [5], [3, 11]]) {
        const { message, requests } = serve(newRun(), text, lengths, true);
        expect(message.tool_calls?.[0]).toMatchObject({ assurance: 'enforced' });
        expect(requests).toEqual([{ at: 0, constrained: false }]);
      }
    }
  });

  it.each(['', '<tool_call>\n'])(
    'is asked for again where a call is not as it must be, after %j',
    (opener) => {
      const before = `${opener}{"name": "get_weather", "arguments": {`;
      for (const lengths of [[1], [4], [9]]) {
        const run = newRun();
        run.start();
        run.ask(true);
        const pieces = piecesOf(`${before}"town": 1}}`, lengths);
        const next = pieces.map((text) => run.take({ text, tokens: 1, finish: null }).next);
        expect(next.filter((each) => each !== 'go-on')[0]).toBe('ask-again');
        expect(run.text).toBe(pieces.slice(0, next.indexOf('ask-again')).join(''));
        const rest = `${before}"city": "Bern"}}`.slice(run.text.length);
        expect(createMatcherOf(run.grammar).allows(rest)).toBe(true);
      }
    },
  );

  it('has a call constrained as soon as its marker is whole', () => {
    const text = texts[0] ?? '';
    const { requests } = serve(newRun(), text, [1]);
    const opened = text.lastIndexOf('<tool_call>\n{') + '<tool_call>'.length;
    expect(requests).toEqual([
      { at: 0, constrained: false },
      { at: opened, constrained: true },
    ]);
  });

  it('keeps what a piece has after the marker where the grammar allows it, and only there', () => {
    const run = newRun();
    run.start();
    const advance = run.take({ text: '<tool_call>\n{"name": "get_w', tokens: 1, finish: null });
    expect(advance.next).toBe('ask-again');
    expect(run.text).toBe('<tool_call>\n{"name": "get_w');
    const other = newRun();
    other.start();
    other.take({ text: '<tool_call>\n{"name": "send_mail', tokens: 1, finish: null });
    expect(other.text).toBe('<tool_call>');
    expect(createMatcherOf(other.grammar).allows('\n{"name": "get_weather"')).toBe(true);
  });

  it('goes on with a call in which the model ended freely, and not with one that is whole', () => {
    const run = newRun();
    run.start();
    expect(run.take({ text: '<tool_call>', tokens: 1, finish: 'stop' }).next).toBe('ask-again');
    expect(run.grammar).not.toBeNull();
    const whole = newRun();
    whole.start();
    expect(whole.take({ text: called, tokens: 9, finish: 'stop' }).next).toBe('over');
    const cut = newRun();
    cut.start();
    expect(cut.take({ text: '<tool_call>', tokens: 1, finish: 'length' }).next).toBe('over');
    expect(cut.finish().events.at(-1)).toMatchObject({ type: 'finish', reason: 'length' });
  });

  it.each([{}, { toolChoice: 'required' as const }])(
    'has its thoughts ended by the budget (%o)',
    (options) => {
      const run = newRun({ thinkingBudget: 3, ...options });
      run.start();
      const pieces = ['<think>', '\n', 'one ', 'two ', 'three ', 'four ', 'five '];
      const turned = pieces.findIndex(
        (text) => run.take({ text, tokens: 1, finish: null }).next === 'ask-again',
      );
      expect(pieces[turned]).toBe('three ');
      expect(run.text).toBe(`${pieces.slice(0, turned + 1).join('')}${format.reasoning?.end}`);
      expect(run.finish().message.reasoning_content).toMatch(/^one/);
    },
  );

  it.each([null, 'length'] as const)('is over where nothing but white space may follow (%s)', (finish) => {
    const schema = { type: 'object', properties: {}, additionalProperties: false };
    const grammar = buildGrammar(format, {
      responseFormat: { type: 'json_schema', json_schema: { schema } },
    });
    const run = newRun({}, grammar);
    run.start();
    expect(run.take({ text: '{', tokens: 1, finish: null }).next).toBe('go-on');
    expect(run.take({ text: '}', tokens: 1, finish }).next).toBe('over');
    const { message, events } = run.finish();
    expect(message.content).toBe('{}');
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
    expect(createMatcherOf(grammar.grammar).allows('{}\n')).toBe(true);
  });

  it('is cut at the limit of tokens, whatever the server makes of it', () => {
    const piece = fc.record({
      text: fc.constantFrom('a', 'b ', '. '),
      tokens: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.array(piece, { minLength: 31 }),
        (maxTokens, pieces) => {
          const run = newRun({ maxTokens });
          run.start();
          const beyond = pieces.find((each) => run.take({ ...each, finish: null }).next === 'over');
          expect(beyond).toBeDefined();
          const { usage } = run;
          const { reasoningTokens, textTokens, callTokens } = usage;
          expect(reasoningTokens + textTokens + callTokens).toBeLessThanOrEqual(maxTokens);
          expect(run.finish().events.at(-1)).toMatchObject({ type: 'finish', reason: 'length' });
        },
      ),
    );
    // A last token that the limit still holds is taken, and so is what the server says of it.
    const whole = newRun({ maxTokens: 2 });
    whole.start();
    expect(whole.take({ text: 'Yes', tokens: 2, finish: null }).next).toBe('go-on');
    expect(whole.take({ text: '', tokens: 0, finish: 'stop' }).next).toBe('over');
    expect(whole.finish().events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  });

  it.each([{}, { toolChoice: 'required' as const }])('has no thoughts without a budget (%o)', (options) => {
    const run = newRun({ thinkingBudget: 0, ...options });
    run.start();
    // The white space of the marker is not waited for: a token of thoughts could come with it, or instead.
    expect(run.take({ text: '<think>', tokens: 1, finish: null }).next).toBe('ask-again');
    expect(run.text).toBe(`<think>${format.reasoning?.end}`);
    expect(run.finish().message.reasoning_content).toBeUndefined();
  });
});

/** A text in pieces of these lengths, over and over. */
function piecesOf(text: string, lengths: readonly number[]): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0, turn = 0; at < text.length; at += pieces.at(-1)?.length ?? 1)
    pieces.push(text.slice(at, at + (lengths[turn++ % lengths.length] ?? 1)));
  return pieces;
}

function createMatcherOf(gbnf: string | null) {
  if (gbnf === null) throw new Error('the response is free');
  return createGbnfMatcher(gbnf);
}

it('the run of a response takes more events at once than a function takes arguments', () => {
  const run = newRun({}, buildGrammar(format));
  const { events } = run.take({ text: `${called}\n`.repeat(40_000), tokens: 1, finish: 'stop' });
  expect(events.filter(({ type }) => type === 'tool-call')).toHaveLength(40_000);
  expect(run.finish().message.tool_calls).toHaveLength(40_000);
});
