/** One response, piece by piece: when its grammar begins and ends, what ends it, what it counts, and what it tells. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { DecodingError } from '../../src/format/errors.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import type { GrammarOptions } from '../../src/grammar/grammar-options.ts';
import { literal, optional, sequence } from '../../src/language/expression/expression.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import type { ResponseEvent } from '../../src/parser/events.ts';
import { callGuard } from '../../src/runtime/chat/checks/call-guard.ts';
import { SteeredResponse } from '../../src/runtime/chat/steering/steered-response.ts';
import type { SteeringOptions } from '../../src/runtime/chat/steering/steering-options.ts';
import { normalizeTools } from '../../src/tools/tools.ts';
import { jsonInTags as format } from '../support/sample-formats.ts';

const parameters = {
  type: 'object',
  properties: { n: { type: 'integer', minimum: 1, maximum: 5 }, s: { type: 'string' } },
  required: ['n'],
  additionalProperties: false,
} as const;
const tools = normalizeTools([{ name: 'f', parameters }]);
const generationPrompt = format.turn.start + format.turn.prompt.off;
const call = '<use>\n{"name": "f", "arguments": {"n": 3, "s": "é😀"}}\n</use>';

function open(request: GrammarOptions = {}, more: Partial<SteeringOptions> = {}): SteeredResponse {
  const options = { tools, generationPrompt, ...request };
  const grammar = buildGrammar(format, options);
  const guard = callGuard({}, tools, grammar.report);
  const parser = createResponseParser(format, {
    tools,
    generationPrompt: options.generationPrompt ?? '',
    provenance: guard.enforced,
    validate: guard.validate,
  });
  return new SteeredResponse({
    grammar,
    matcher: grammar.expression === null ? null : createMatcher(grammar.expression),
    parser,
    guard,
    restOf: () => null,
    markers: { leading: () => undefined, splitAtBeginnings: (text) => [{ text, special: false }] },
    stops: [],
    maxTokens: 1000,
    thinkingBudget: 1000,
    reasoningEnd: format.reasoning?.end ?? '',
    unconstrainedAfterCalls: true,
    plainText: false,
    ...more,
  });
}

const piece = (spelling: string | Uint8Array, tokens = 1) => ({ spelling, role: 'text', tokens }) as const;
const bytes = (text: string) => new TextEncoder().encode(text);

/** Takes a text in pieces of these lengths; what is not kept of a piece is taken again. */
function takeAll(response: SteeredResponse, text: string | Uint8Array, lengths: readonly number[]) {
  const events: ResponseEvent[] = [];
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const spelling = text.slice(at, at + (lengths[turn % lengths.length] ?? 1));
    const taken = response.take(piece(spelling));
    events.push(...taken.events);
    at += taken.kept === null ? spelling.length : lengthOf(taken.kept, typeof text);
  }
  return events;
}

function lengthOf(kept: string, type: string): number {
  return type === 'string' ? kept.length : bytes(kept).length;
}

function contentOf(response: SteeredResponse): string | null | undefined {
  return response.finish().message.content;
}

describe('a response whose calls are enforced', () => {
  it('is the same however it is cut, in text and in bytes', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(lengths, fc.boolean(), fc.constantFrom('', 'Höm. <us', 'é'), (sizes, isText, before) => {
        const text = `${before}${call}\n${call}`;
        const response = open();
        const events = takeAll(response, isText ? text : bytes(text), sizes);
        expect(response.text).toBe(text);
        events.push(...response.end(null));
        const { events: last, message } = response.finish();
        expect(message.content ?? '').toBe(before);
        const expected = {
          function: { name: 'f', arguments: '{"n": 3, "s": "é😀"}' },
          assurance: 'enforced',
        };
        expect(message.tool_calls).toMatchObject([expected, expected]);
        expect(message.malformed).toBeUndefined();
        const all = [...events, ...last];
        expect(all.filter(({ type }) => type === 'tool-call')).toHaveLength(2);
        expect(all.map((event) => (event.type === 'text-delta' ? event.delta : '')).join('')).toBe(before);
        expect(all.at(-1)).toMatchObject({ type: 'finish', usage: response.count.usage });
        expect(response.count.total).toBeGreaterThan(0);
      }),
      { numRuns: 60 },
    );
  });

  it('begins its grammar with the opener, and keeps of a token what the grammar allows', () => {
    const response = open();
    response.take(piece('Hm. '));
    expect([response.constrained, response.matcher, response.free, response.changes]).toEqual([
      false,
      null,
      true,
      0,
    ]);
    expect(response.take(piece('So <use>\n{"wrong')).kept).toBe('So <use>');
    expect([response.constrained, response.free, response.changes]).toEqual([true, false, 1]);
    expect(response.text).toBe('Hm. So <use>');
    expect(response.matcher?.allows('\n{"name": "f"')).toBe(true);
    expect(response.matcher?.allows('\n{"name": "g"')).toBe(false);
    expect(response.finished).toBe(false);
  });

  it('keeps the whole of a token that the grammar allows', () => {
    const response = open();
    expect(response.take(piece('<use>\n{"na')).kept).toBeNull();
    expect(response.text).toBe('<use>\n{"na');
    expect(response.matcher?.allows('me": "f"')).toBe(true);
  });

  it('keeps of a token that ends inside a character what comes before it', () => {
    const response = open();
    const torn = bytes('<use>\né').slice(0, -1);
    expect(response.take(piece(torn)).kept).toBe('<use>');
    expect(response.take(piece('\n{"name": "f", ')).kept).toBeNull();
    expect(response.text).toBe('<use>\n{"name": "f", ');
  });

  it('is free again after a call, and its grammar begins again with the next', () => {
    const response = open();
    takeAll(response, call, [7]);
    expect(response.text).toBe(call);
    expect([response.constrained, response.matcher, response.free, response.over]).toEqual([
      false,
      null,
      true,
      false,
    ]);
    const { changes } = response;
    expect(changes).toBe(2);
    takeAll(response, `\n${call.slice(0, 20)}`, [5]);
    expect([response.constrained, response.changes]).toEqual([true, 3]);
  });

  it('stays under its grammar after a call where only that may follow', () => {
    const response = open({}, { unconstrainedAfterCalls: false });
    takeAll(response, call, [7]);
    expect([response.constrained, response.changes]).toEqual([true, 1]);
    expect(response.matcher?.allows('\n<use>')).toBe(true);
    expect(response.matcher?.allows('text')).toBe(false);
  });

  it('is over where the grammar allows nothing more', () => {
    const response = open(
      { toolChoice: 'required', parallelToolCalls: false },
      { unconstrainedAfterCalls: false },
    );
    takeAll(response, call.slice(0, -1), [7]);
    expect([response.finished, response.over]).toEqual([false, false]);
    response.take(piece(call.slice(-1)));
    expect([response.finished, response.over, response.cut]).toEqual([true, true, false]);
    expect(response.finish().message.tool_calls).toHaveLength(1);
  });

  it('has a grammar from its first piece on where a call is demanded', () => {
    const response = open({ toolChoice: 'required' });
    expect([response.constrained, response.changes, response.inOpenCall]).toEqual([true, 1, false]);
    expect(response.matcher?.allows('<use>')).toBe(true);
    expect(response.matcher?.allows('Hm')).toBe(false);
  });

  it('does not search text that was injected for openers', () => {
    const response = open();
    response.write(piece('<use>'));
    expect(response.constrained).toBe(false);
    response.take(piece('\n<use>'));
    expect(response.constrained).toBe(true);
    expect(response.text).toBe('<use>\n<use>');
  });

  it('takes thoughts about calls for thoughts', () => {
    const response = open({ generationPrompt: `${format.turn.start}<muse>\n` });
    takeAll(response, 'I may <use>\n{"x"} it.', [5]);
    expect(response.constrained).toBe(false);
    takeAll(response, '\n</muse>\n\n<use>', [4]);
    expect(response.constrained).toBe(true);
  });
});

it('a response gives what it has written, from offsets that may lie in the prompt', () => {
  const guard = callGuard({}, tools, []);
  const response = open({}, { guard });
  response.take(piece('abcdef'));
  const { enforced } = guard;
  expect([enforced.textOf(2, 4), enforced.textOf(0, 1), enforced.textOf(-3, 2)]).toEqual(['cd', 'a', 'ab']);
});

describe('a response that leaves its grammar', () => {
  const begun = '<use>\n{"name": "f", "arguments": {"n": 3, "s": "';

  it('has no position in it any more, and no part of it is enforced', () => {
    const response = open({ toolChoice: 'required' });
    takeAll(response, '<use>\n{"name": "f", "arguments": {"n": ', [9]);
    response.take(piece('9'));
    expect([response.constrained, response.matcher]).toEqual([true, null]);
    takeAll(response, '}}\n</use>', [9]);
    const { tool_calls, malformed } = response.finish().message;
    expect(tool_calls).toBeUndefined();
    expect(malformed).toMatchObject([{ brokenCall: { toolName: 'f' } }]);
  });

  it('goes on in it after a character that was left incomplete in a string', () => {
    const response = open({ toolChoice: 'required' });
    takeAll(response, begun, [9]);
    response.take(piece(bytes('é').slice(0, 1)));
    response.take(piece(bytes('"}')));
    expect(response.matcher?.allows('}\n</use>')).toBe(true);
    takeAll(response, '}\n</use>', [9]);
    const [made] = response.finish().message.tool_calls ?? [];
    expect(JSON.parse(made?.function.arguments ?? '')).toEqual({ n: 3, s: '\ufffd' });
    expect(made?.assurance).toBe('validated');
  });

  it('cannot end in the middle of it', () => {
    const response = open();
    takeAll(response, begun, [9]);
    expect(() => response.end(null)).toThrow(DecodingError);
    expect(response.over).toBe(false);
    const plain = open({}, { plainText: true });
    takeAll(plain, begun, [9]);
    expect([plain.constrained, plain.free]).toEqual([true, true]);
    plain.end(null);
    expect(plain.over).toBe(true);
  });
});

describe('a call in another notation', () => {
  const [head, rest] = ['{"name": "f", "arguments": {"n": ', '3, "s": "x"}}'];
  /** Lets a call go on as it does here; `more` may follow it. */
  const restOf =
    (more = ''): SteeringOptions['restOf'] =>
    ({ from }, written) => {
      const whole = sequence(literal((head + rest).slice(from)), optional(literal(more)));
      const matcher = createMatcher(new RuleSet().grammar('root', whole));
      return matcher.accept(written) ? matcher : null;
    };
  const stateOf = (response: SteeredResponse) => [
    response.inOpenCall,
    response.constrained,
    response.free,
    response.over,
    response.changes,
  ];

  it('is enforced from where it can be told on, and nothing after it', () => {
    for (const unconstrainedAfterCalls of [true, false]) {
      const response = open({}, { restOf: restOf(), unconstrainedAfterCalls });
      takeAll(response, head, [4]);
      expect(stateOf(response)).toEqual([true, true, false, false, 1]);
      expect([response.matcher?.allows('3'), response.matcher?.allows('4')]).toEqual([true, false]);
      takeAll(response, rest, [4]);
      expect(stateOf(response)).toEqual([false, false, true, false, 2]);
      expect(response.matcher).toBeNull();
      expect(response.finish().message.tool_calls).toMatchObject([
        { function: { name: 'f', arguments: '{"n": 3, "s": "x"}' }, assurance: 'enforced' },
      ]);
    }
  });

  it('says nothing of a call that the model writes freely after it', () => {
    for (const n of [4, 9]) {
      const response = open({}, { restOf: restOf() });
      takeAll(response, `${head}${rest}\n{"name": "f", "arguments": {"n": ${n}}}`, [4]);
      const { tool_calls: [, free] = [], malformed = [] } = response.finish().message;
      expect([free?.assurance, malformed.length]).toEqual(n === 4 ? ['validated', 0] : [undefined, 1]);
    }
  });

  it('is all that is enforced of the text, up to its last character', () => {
    const guard = callGuard({}, tools, []);
    const response = open({}, { restOf: restOf(), guard });
    takeAll(response, head + rest, [4]);
    takeAll(response, ' And more.', [4]);
    const [from, end] = [head.length, head.length + rest.length];
    const covered = [0, 1, 5].map((more) => guard.enforced.covers(from, end + more));
    expect(covered).toEqual([true, false, false]);
  });

  it('may be written by one token, after which the response is free', () => {
    const response = open({}, { restOf: restOf() });
    expect(response.take(piece(head + rest)).kept).toBeNull();
    expect(stateOf(response)).toEqual([false, false, true, false, 0]);
    const later = open({}, { restOf: restOf() });
    later.take(piece(head.slice(0, 20)));
    later.take(piece(head.slice(20) + rest.slice(0, -1)));
    expect(stateOf(later)).toEqual([true, true, false, false, 1]);
    later.take(piece(rest.slice(-1)));
    expect(stateOf(later)).toEqual([false, false, true, false, 2]);
  });

  it('goes on as long as something may follow it', () => {
    const response = open({}, { restOf: restOf(' !') });
    takeAll(response, head + rest, [4]);
    expect(stateOf(response)).toEqual([true, true, false, false, 1]);
    expect(response.finished).toBe(false);
    takeAll(response, ' !', [4]);
    expect(stateOf(response)).toEqual([false, false, true, false, 2]);
  });

  it('is left alone where nothing can enforce it, in the middle of a character, and after the end', () => {
    const unknown = open({}, { restOf: () => null });
    takeAll(unknown, head, [4]);
    expect(stateOf(unknown)).toEqual([false, false, true, false, 0]);
    const torn = open({}, { restOf: () => createMatcher(new RuleSet().grammar('root', literal(''))) });
    takeAll(torn, head.slice(0, 20), [4]);
    torn.take(piece(Uint8Array.of(...bytes(`${head.slice(20)}3, "s": "`), 0xc3)));
    expect(stateOf(torn)).toEqual([false, false, true, false, 0]);
    const stopped = open({}, { restOf: restOf(), stops: ['3'] });
    takeAll(stopped, head.slice(0, 20), [4]);
    stopped.take(piece(`${head.slice(20)}3, "s`));
    expect(stateOf(stopped)).toEqual([false, false, true, true, 0]);
  });
});

describe('a limit of tokens', () => {
  it('counts what was taken and what was injected', () => {
    const response = open({}, { maxTokens: 5 });
    expect(response.tokensLeft).toBe(5);
    response.take(piece('a', 2));
    expect(response.tokensLeft).toBe(3);
    response.write(piece('b', 2));
    expect(response.tokensLeft).toBe(1);
    response.take(piece('c', 3));
    expect(response.tokensLeft).toBe(0);
    const { usage } = response.count;
    expect([usage.completionTokens, response.over]).toEqual([7, false]);
  });

  it.each([
    [2, false],
    [3, false],
    [4, true],
  ])('of 3 fits 3 tokens, and cuts the response off with more: %i', (count, isCut) => {
    const response = open({}, { maxTokens: 3 });
    const tokens = Array.from({ length: count }, (_, token) => token);
    expect(response.fit(tokens)).toEqual(tokens.slice(0, 3));
    expect([response.cut, response.over]).toEqual([isCut, isCut]);
  });

  it('is told as the reason of the end', () => {
    const response = open();
    response.take(piece('a'));
    response.cutOff();
    expect(response.over).toBe(true);
    expect(response.finish().events.at(-1)).toMatchObject({ type: 'finish', reason: 'length' });
    const ended = open();
    ended.take(piece('a'));
    ended.end(null);
    expect(ended.over).toBe(true);
    expect(ended.finish().events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  });
});

describe('a character that is left incomplete at the end', () => {
  const begun = () => {
    const response = open();
    response.take(piece('a'));
    response.take(piece(bytes('é').slice(0, 1)));
    return response;
  };

  it('becomes U+FFFD if the model has ended with it', () => {
    const response = begun();
    response.end(null);
    expect(contentOf(open())).toBe('');
    expect(begun().finish().message.content).toBe('a\ufffd');
  });

  it('is dropped if the response was cut off or left', () => {
    const cut = begun();
    cut.cutOff();
    expect([contentOf(cut), begun().finish(true).message.content]).toEqual(['a', 'a']);
  });
});

describe('thoughts whose budget is spent', () => {
  const thinking = { generationPrompt: `${format.turn.start}<muse>\n` };
  const end = format.reasoning?.end;

  it('are closed, where a character is whole and the response goes on', () => {
    const response = open(thinking, { thinkingBudget: 2 });
    response.take(piece('one'));
    expect(response.closing).toBeNull();
    response.take(piece(bytes('é').slice(0, 1)));
    expect(response.closing).toBeNull();
    response.take(piece(bytes('é').slice(1)));
    expect(response.closing).toBe(end);
    response.cutOff();
    expect(response.closing).toBeNull();
  });

  it('are closed under a grammar that allows it', () => {
    const response = open({ ...thinking, toolChoice: 'required' }, { thinkingBudget: 1 });
    response.take(piece('one'));
    expect([response.constrained, response.closing]).toEqual([true, end]);
    response.write(piece(end ?? ''));
    expect(response.closing).toBeNull();
    expect(response.matcher?.allows('<use>')).toBe(true);
  });

  it('are followed by the beginning of an answer, which is a grammar of its own', () => {
    const matcher = createMatcher(new RuleSet().grammar('root', literal('xyz')));
    const answerStart = () => ({
      matcher,
      closer: end ?? '',
      hasBegun: (text: string) => text.includes('y'),
    });
    const response = open(thinking, { thinkingBudget: 1, answerStart });
    response.take(piece('one'));
    expect([response.afterThoughts, response.constrained, response.changes]).toEqual([false, false, 0]);
    response.write(piece(end ?? ''));
    expect([response.afterThoughts, response.constrained, response.changes]).toEqual([true, true, 1]);
    expect([response.matcher?.allows('x'), response.matcher?.allows('y')]).toEqual([true, false]);
    response.write(piece('x'));
    expect([response.afterThoughts, response.changes]).toEqual([true, 1]);
    response.take(piece('y'));
    expect([response.afterThoughts, response.constrained, response.changes]).toEqual([false, false, 2]);
    expect(response.matcher).toBeNull();
    expect(contentOf(response)).toBe('xy');
  });

  it('are followed by a call, of which the beginning may be injected', () => {
    const matcher = createMatcher(new RuleSet().grammar('root', literal('<use>')));
    const answerStart = () => ({
      matcher,
      closer: end ?? '',
      hasBegun: (text: string) => text.includes('>'),
    });
    const response = open(thinking, { thinkingBudget: 1, answerStart });
    response.take(piece('one'));
    response.write(piece(end ?? ''));
    response.write(piece('<use>'));
    expect([response.afterThoughts, response.constrained]).toEqual([false, true]);
    expect([response.matcher?.allows('\n{"name": "f"'), response.matcher?.allows('\n{"name": "g"')]).toEqual([
      true,
      false,
    ]);
  });

  it('are not closed where nothing closes them', () => {
    const response = open(thinking, { thinkingBudget: 0, reasoningEnd: '' });
    response.take(piece('one'));
    expect(response.closing).toBeNull();
  });
});

describe('the opener of a call', () => {
  it('takes nothing of the character that is revoked after it', () => {
    const response = open();
    expect(response.take(piece(bytes('<use>é').slice(0, -1))).kept).toBe('<use>');
    takeAll(response, bytes(call.slice('<use>'.length)), [5]);
    const { tool_calls, malformed } = response.finish().message;
    expect(malformed).toBeUndefined();
    expect(tool_calls).toMatchObject([{ function: { name: 'f' }, assurance: 'enforced' }]);
  });

  it('counts as a special token alone, if the model has one', () => {
    const markers = {
      leading: () => ({}),
      splitAtBeginnings: (text: string) => [{ text, special: false }],
    };
    const constrained = (['marker', 'text'] as const).map((role) => {
      const response = open({}, { markers });
      response.take({ spelling: '<use>', role, tokens: 1 });
      return response.constrained;
    });
    expect(constrained).toEqual([true, false]);
  });
});

describe('a text that ends a response', () => {
  it('may be a control token, spelled as text or in bytes', () => {
    for (const spelling of ['<over>', bytes('<over>')]) {
      const response = open({}, { stops: ['<over>'] });
      response.take(piece('a'));
      response.take({ spelling, role: 'control', tokens: 1 });
      expect([response.over, contentOf(response)]).toEqual([true, 'a']);
    }
  });

  it('is told if it is the caller’s, and not if it is the format’s', () => {
    const stopSequences = { texts: ['STOP'], within: 'response', thoughtsAreText: false } as const;
    for (const [text, stopSequence] of [
      ['a STOP b', 'STOP'],
      ['a <over> b', undefined],
    ] as const) {
      const response = open({}, { stops: ['<over>'], stopSequences });
      const { kept } = response.take(piece(text));
      expect([kept, response.over]).toEqual([null, true]);
      const { events, message } = response.finish();
      expect(message.content).toBe('a ');
      const told = { stopSequence: undefined, ...events.at(-1) };
      expect(told).toMatchObject({ type: 'finish', reason: 'stop', stopSequence });
    }
  });

  it('counts in thoughts where markers and thoughts count, and not where only answers do', () => {
    const request = { generationPrompt: `${format.turn.start}<muse>\n` };
    for (const within of ['response', 'answer'] as const) {
      const stopSequences = { texts: ['STOP'], within, thoughtsAreText: false };
      const response = open(request, { stopSequences });
      response.take(piece('a STOP b'));
      expect(response.over).toBe(within === 'response');
    }
  });

  it('of the answer does not count in thoughts that are part of its text', () => {
    const generationPrompt = `${format.turn.start}<muse>\n`;
    const parser = createResponseParser(format, { tools, generationPrompt, reasoningFormat: 'none' });
    const stopSequences = { texts: ['STOP'], within: 'answer', thoughtsAreText: true } as const;
    const response = open({ generationPrompt }, { stopSequences, parser });
    takeAll(response, 'a STOP b\n</muse>\n\nSo', [4]);
    expect(response.over).toBe(false);
    takeAll(response, ' STOP c', [4]);
    expect(response.over).toBe(true);
    const content = contentOf(response) ?? '';
    expect([content.includes('a STOP b'), content.endsWith('So '), content.includes('c')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('may be a token that is no text', () => {
    const response = open({}, { stops: ['<over>'] });
    response.take(piece('a'));
    response.take({ spelling: bytes('<over>'), role: 'control', tokens: 1 });
    expect([response.over, response.text]).toEqual([true, 'a']);
    expect(contentOf(response)).toBe('a');
  });

  it('is asked for where an answer is written, with what is new of it', () => {
    const asked: [string, number][] = [];
    const answerEnds = (text: string, length: number) => {
      asked.push([text, length]);
      return ['!'];
    };
    const response = open({ generationPrompt: `${format.turn.start}<muse>\n` }, { answerEnds });
    takeAll(response, 'hm!', [3]);
    expect([asked, response.over]).toEqual([[], false]);
    takeAll(response, '\n</muse>\n\nSo', [20]);
    takeAll(response, ' it is! Yes', [20]);
    expect(asked).toEqual([['hm!\n</muse>\n\nSo it is! Yes', 11]]);
    expect(response.over).toBe(true);
    expect(contentOf(response)).toBe('So it is');
  });

  it('of the caller does not count where the grammar or the format writes', () => {
    const stopSequences = { texts: ['use', 'STOP'], within: 'answer', thoughtsAreText: false } as const;
    const marked = open({}, { stopSequences });
    marked.take({ spelling: '<use>', role: 'marker', tokens: 1 });
    expect([marked.over, marked.constrained]).toEqual([false, true]);
    const schema = { type: 'object', properties: { s: { type: 'string' } }, required: ['s'] } as const;
    const responseFormat = { type: 'json_schema', json_schema: { schema } } as const;
    const answer = '{"s": "a STOP b"}';
    const written = open({ tools: [], responseFormat }, { stopSequences });
    const events = written.take(piece(answer)).events;
    expect(events.filter(({ type }) => type === 'text-delta')).toHaveLength(1);
    expect(written.finish().message.content).toBe(answer);
  });

  it('does not count within a call', () => {
    const response = open({}, { stops: ['é'] });
    takeAll(response, call, [9]);
    expect(response.over).toBe(false);
    expect(response.finish().message.tool_calls).toHaveLength(1);
  });
});

it('a grammar that does not begin with its own opener is an error', () => {
  const other = buildGrammar(format, { tools, generationPrompt, toolChoice: 'none' });
  const grammar = buildGrammar(format, { tools, generationPrompt });
  const matcher = other.expression === null ? null : createMatcher(other.expression);
  expect(() => open({}, { grammar, matcher: null }).take(piece('<use>'))).toThrow(DecodingError);
  if (matcher !== null)
    expect(() => open({}, { grammar, matcher }).take(piece('<use>'))).toThrow(DecodingError);
});
