/** The last guard: what no grammar has written passes its validator, or is not handed out. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { callGuard } from '../../src/runtime/chat/checks/call-guard.ts';
import { guardAnswer } from '../../src/runtime/chat/steering/guarded-answer.ts';
import type { EngineModel } from '../../src/runtime/engine/index.ts';
import { createHandler } from '../../src/serve/index.ts';
import { defineTool, normalizeTools } from '../../src/tools/tools.ts';
import { openKeyedChat, openLlamaKeyedChat } from '../support/small-chats.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 7 } },
  required: ['city', 'days'],
  additionalProperties: false,
} as const;
const tools = [{ name: 'get_weather', parameters }] as const;
const messages = [{ role: 'user', content: 'How warm is it?' }] as const;

/** A call as bare JSON, not as this format marks calls, whose name comes too late to enforce its arguments. */
function late(name: string, input: object): readonly string[] {
  return [JSON.stringify({ arguments: input, name }), '<|im_end|>'];
}

async function open(...turns: readonly (readonly [after: string, pieces: readonly string[]])[]) {
  const model = await openKeyedChat(turns.map(([after, pieces]) => ({ after, pieces })));
  onTestFinished(() => model.dispose());
  return model;
}

const asked = '<|im_start|>user\nHow warm is it?';

async function eventsOf(model: EngineModel, policy?: 'strict' | 'degrade') {
  const chat = model.chat({ messages, tools, toolChoice: 'auto', temperature: 0, ...(policy && { policy }) });
  const types: string[] = [];
  for await (const event of chat) types.push(event.type);
  return { types, message: await chat.message };
}

describe.each(['strict', 'degrade'] as const)('a call that no grammar has written, under %s', (policy) => {
  it('is malformed with all that is wrong with it if it is not valid, and no part of it is announced', async () => {
    const text = late('get_weather', { city: 'Bern', days: 14 });
    const { types, message } = await eventsOf(await open([asked, text]), policy);
    expect(message.tool_calls).toBeUndefined();
    expect(message.malformed).toMatchObject([
      { raw: expect.stringContaining('"days":14'), brokenCall: { toolName: 'get_weather' } },
    ]);
    expect(message.malformed?.[0]?.brokenCall?.problems).toEqual([expect.stringContaining('/days')]);
    expect(types.filter((type) => type.startsWith('tool-'))).toEqual([]);
    expect(types.at(-1)).toBe('finish');
  });

  it('is handed out as validated if it is valid', async () => {
    const { message } = await eventsOf(
      await open([asked, late('get_weather', { city: 'Bern', days: 3 })]),
      policy,
    );
    expect(message.tool_calls).toMatchObject([{ function: { name: 'get_weather' }, assurance: 'validated' }]);
  });

  it('is enforced from its name on, if that comes first', async () => {
    const text = '{"name": "get_weather", "arguments": {"city": "Bern", "days": 3}}';
    const { message } = await eventsOf(await open([asked, [text, '<|im_end|>']]), policy);
    expect(message.tool_calls).toMatchObject([
      { function: { name: 'get_weather', arguments: '{"city": "Bern", "days": 3}' }, assurance: 'enforced' },
    ]);
  });

  it('is enforced under its grammar', async () => {
    const call = '\n{"name": "get_weather", "arguments": {"city": "Bern", "days": 3}}\n';
    const model = await open([asked, ['<tool_call>', call, '</tool_call>', '<|im_end|>']]);
    const { message } = await eventsOf(model, policy);
    expect(message.tool_calls).toMatchObject([{ assurance: 'enforced' }]);
  });
});

describe('what a grammar only notes', () => {
  // No grammar remembers keys that nothing lists.
  const three = { type: 'object', minProperties: 3, additionalProperties: { type: 'integer' } } as const;
  const twice = '{"a": 1, "a": 2, "a": 3}';

  it('is found out in an answer, which is malformed then', async () => {
    const model = await open([asked, [twice, '<|im_end|>']]);
    const responseFormat = { type: 'json_schema', json_schema: { name: 'x', schema: three } } as const;
    const chat = model.chat({ messages, responseFormat, temperature: 0 });
    await expect(chat.object).rejects.toThrow(/fewer than 3/);
    expect(await chat.message).toMatchObject({ content: null, malformed: [{ raw: twice }] });
    expect((await chat.report).map(({ effect, keyword }) => [effect, keyword])).toEqual([
      ['noted', 'minProperties'],
    ]);
  });

  it('is found out in a call, which is not handed out', async () => {
    const call = ['<tool_call>', `\n{"name": "f", "arguments": ${twice}}\n`, '</tool_call>', '<|im_end|>'];
    const model = await open([asked, call]);
    const message = await model.chat({ messages, tools: [{ name: 'f', parameters: three }], temperature: 0 })
      .message;
    expect(message.tool_calls).toBeUndefined();
    expect(message.malformed?.[0]?.reason).toMatch(/fewer than 3/);
  });
});

describe('what only the schema of a library says', () => {
  const notBern = (city: string) => city !== 'Bern';
  const schemas = {
    once: z.object({ city: z.string().refine(notBern, 'it is far away') }),
    later: z.object({ city: z.string().refine(async (city) => notBern(city), 'it is far away') }),
  };
  const call = (city: string) => [
    '<tool_call>',
    `\n{"name": "f", "arguments": {"city": "${city}"}}\n`,
    '</tool_call>',
  ];
  const answerTo = async (city: string, schema: keyof typeof schemas, pieces = call(city)) => {
    const model = await open([asked, [...pieces, '<|im_end|>']]);
    return model.chat({ messages, tools: [{ name: 'f', parameters: schemas[schema] }], temperature: 0 })
      .message;
  };

  it('is asked before a call is handed out', async () => {
    const { tool_calls, malformed } = await answerTo('Bern', 'once');
    expect(tool_calls).toBeUndefined();
    expect(malformed).toMatchObject([{ brokenCall: { toolName: 'f', problems: ['city: it is far away'] } }]);
    expect((await answerTo('Oslo', 'once')).tool_calls).toMatchObject([{ assurance: 'enforced' }]);
  });

  it('is asked of a call that no grammar wrote', async () => {
    const { tool_calls, malformed } = await answerTo('Bern', 'once', [...late('f', { city: 'Bern' })]);
    expect(tool_calls).toBeUndefined();
    expect(malformed).toMatchObject([{ brokenCall: { problems: ['city: it is far away'] } }]);
  });

  it('is left to whoever executes the call, if it takes time', async () => {
    expect((await answerTo('Bern', 'later')).tool_calls).toHaveLength(1);
  });
});

it('what a library throws is a problem', () => {
  class Throwing {
    readonly '~standard' = {
      version: 1,
      vendor: 'own',
      jsonSchema: { input: () => ({ type: 'object' }) },
      validate: () => {
        throw new Error('no');
      },
    };
  }
  const parameters = new Throwing();
  const given = [{ name: 'f', parameters }];
  const guard = callGuard({ tools: given }, normalizeTools(given), []);
  expect(guard.validate('f', {})).toEqual(['its library cannot validate it: no']);
});

it('a tool that is not allowed is never called', () => {
  const guard = callGuard(
    {
      toolChoice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
    },
    normalizeTools([{ name: 'f' }, { name: 'g' }]),
    [],
  );
  expect([guard.validate('f', {}), guard.validate('g', {})]).toEqual([[], [expect.stringContaining('"g"')]]);
});

it('an opener after which nothing comes is a message that says so', async () => {
  // A script in JavaScript closes the call that it has opened; this one has nothing to say until the context ends.
  const turns = [{ after: asked, pieces: ['<tool_call>', '<|im_end|>'] }];
  const model = await openLlamaKeyedChat(turns, { contextSize: 512 });
  onTestFinished(() => model.dispose());
  const { types, message } = await eventsOf(model);
  expect(message.tool_calls).toBeUndefined();
  expect(types.at(-1)).toBe('finish');
});

const told =
  '<|im_start|>user\n<tool_response>\nError: nothing was called: /days must be <= 7\n</tool_response>';

it('a run answers a refused call with its problems, and calls nothing', async () => {
  const execute = vi.fn(() => 'sun');
  const refused = late('get_weather', { city: 'Bern', days: 14 });
  const model = await open([asked, refused], [told, ['At most seven days.', '<|im_end|>']]);
  const tool = defineTool({ name: 'get_weather', parameters, execute });
  const run = model.runTools({ messages, tools: [tool], temperature: 0 });
  const outcomes = [];
  for await (const event of run) if (event.type === 'tool-error') outcomes.push(event);
  expect(execute).not.toHaveBeenCalled();
  expect(outcomes).toMatchObject([{ toolName: 'get_weather', content: expect.stringContaining('/days') }]);
  expect((await run.messages).slice(1)).toMatchObject([
    { role: 'assistant', tool_calls: [{ function: { name: 'get_weather' } }] },
    { role: 'tool', content: expect.stringContaining('/days') },
    { role: 'assistant', content: 'At most seven days.' },
  ]);
});

describe('over HTTP', () => {
  it.each(['whole', 'streamed'])('no refused call leaves: %s', async (kind) => {
    const model = await open([asked, late('get_weather', { city: 'Bern', days: 14 })]);
    const body = { messages, tools: [{ type: 'function', function: tools[0] }], stream: kind === 'streamed' };
    const request = new Request('http://localhost/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ temperature: 0, ...body }),
    });
    const response = await createHandler(model)(request);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).not.toContain('"tool_calls"');
    expect(text).toContain('/days');
  });
});

describe('a call in thoughts under a grammar that allows any text there', () => {
  const written = '<think>Then <call>{"n": 9}</call>';
  const guardOf = (text: string, open: string) => {
    const { enforced } = callGuard({}, normalizeTools([{ name: 'f' }]), [], { open, close: '</think>' });
    enforced.reset((start, end) => text.slice(start, end));
    enforced.begin(0);
    return enforced;
  };
  const place = (text: string) => [text.indexOf('{'), text.indexOf('}') + 1] as const;

  it.each([
    ['opened by the model', '<think>', written],
    ['opened by the prompt', '', written.slice('<think>'.length)],
  ])('is not enforced: %s', (_, open, text) => {
    expect(guardOf(text, open).isEnforced('f', ...place(text), 0)).toBe(false);
  });

  it.each([
    ['closed', '<think>', written.replace('<call>', '</think><call>')],
    ['never opened', '<think>', written.slice('<think>Then '.length)],
    ['opened by the prompt and closed', '', '</think><call>{"n": 9}</call>'],
  ])('is enforced if they are over: %s', (_, open, text) => {
    expect(guardOf(text, open).isEnforced('f', ...place(text), 0)).toBe(true);
  });
});

describe('an answer to a schema', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer', maximum: 5 } } } as const;
  const format = { type: 'json_schema', json_schema: { schema } } as const;
  const finished = (content: string) => ({
    events: [{ type: 'finish', reason: 'stop', start: 8, end: 8 }] as const,
    message: { role: 'assistant', content } as const,
  });
  const answer = { start: 0, end: 8 };

  it('is enforced if the grammar wrote all of it', () => {
    const guard = callGuard({ responseFormat: format }, [], []);
    guard.enforced.begin(0);
    expect(guardAnswer(guard, answer, finished('{"n": 3}')).message).toMatchObject({ assurance: 'enforced' });
  });

  it('is validated where calls are allowed in its place, since it may be one that was read as text', () => {
    const tools = [{ type: 'function', function: { name: 'get', parameters: {} } }] as const;
    const guard = callGuard({ responseFormat: format, tools }, [...tools], []);
    guard.enforced.begin(0);
    expect(guardAnswer(guard, answer, finished('{"n": 3}')).message.assurance).toBe('validated');
    const { message } = guardAnswer(guard, answer, finished('{"n": 9}'));
    expect(message).toMatchObject({ content: null, malformed: [{ raw: '{"n": 9}' }] });
  });

  it('is validated, or malformed, from where the grammar lost it', () => {
    const guard = callGuard({ responseFormat: format }, [], []);
    guard.enforced.begin(0);
    guard.enforced.end(4);
    expect(guardAnswer(guard, answer, finished('{"n": 3}')).message.assurance).toBe('validated');
    const { events, message } = guardAnswer(guard, answer, finished('{"n": 9}'));
    expect(message).toMatchObject({ content: null, malformed: [{ raw: '{"n": 9}' }] });
    expect(events.map(({ type }) => type)).toEqual(['malformed', 'finish']);
  });

  it('is not enforced if the parser ended it before the grammar did', () => {
    const guard = callGuard({ responseFormat: format }, [], []);
    guard.enforced.begin(0);
    const rest = { type: 'malformed', raw: '"}', expected: [], reason: 'x', start: 15, end: 17 } as const;
    const { events, message } = finished('{"a": "b');
    const { content, malformed } = guardAnswer(guard, answer, {
      events: [rest, ...events],
      message: { ...message, malformed: [rest] },
    }).message;
    expect(content).toBeNull();
    expect(malformed).toMatchObject([rest, { raw: '{"a": "b', reason: 'the answer is not JSON' }]);
  });

  it('that the prompt has begun is known to fit only as a whole', () => {
    const guard = callGuard({ responseFormat: format }, [], []);
    guard.enforced.begin(0);
    const begun = { start: -6, end: 2 };
    expect(guardAnswer(guard, begun, finished('{"n": 3}')).message.assurance).toBe('enforced');
    expect(guardAnswer(guard, begun, finished('Well, {"n": 3}'))).toEqual(finished('Well, {"n": 3}'));
    guard.enforced.end(1);
    expect(guardAnswer(guard, begun, finished('{"n": 3}')).message.assurance).toBe('validated');
    expect(guardAnswer(guard, begun, finished('Well, {"n": 9}')).message.malformed).toHaveLength(1);
  });

  it('after thoughts in the same text is judged, and the text is not known to fit', () => {
    const guard = callGuard({ responseFormat: format, reasoningFormat: 'none' }, [], []);
    guard.enforced.begin(0);
    const judged = (content: string) => guardAnswer(guard, answer, finished(content), '</think>\n\n');
    const thought = '<think>\nIs it {"n": 9}?\n</think>\n\n';
    expect(judged('{"n": 3}').message.assurance).toBe('enforced');
    expect(judged(`${thought}{"n": 3}`)).toEqual(finished(`${thought}{"n": 3}`));
    guard.enforced.end(4);
    expect(judged(`${thought}{"n": 3}`)).toEqual(finished(`${thought}{"n": 3}`));
    expect(judged(`${thought}{"n": 9}`).message).toMatchObject({ content: null, malformed: [{}] });
    // Next to a call, thoughts alone are no answer.
    const { events, message } = finished(thought);
    const called = { events, message: { ...message, tool_calls: [] } };
    expect(guardAnswer(guard, answer, called, '</think>\n\n')).toEqual(called);
  });

  it('is not text next to a call that is demanded', () => {
    const named = { type: 'function', function: { name: 'f' } } as const;
    const choices = [
      'required',
      named,
      { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [named] } },
    ] as const;
    const tools = [{ type: 'function', function: { name: 'f', parameters: {} } }] as const;
    for (const toolChoice of choices) {
      const guard = callGuard({ responseFormat: format, tools, toolChoice }, [...tools], []);
      guard.enforced.begin(0);
      expect(guardAnswer(guard, answer, finished('I look.'))).toEqual(finished('I look.'));
    }
  });

  it('is not enforced by a grammar that leaves keywords out', () => {
    const issue = { tool: '', pointer: '/n', keyword: 'maximum', effect: 'widened', reason: 'x' } as const;
    const guard = callGuard({ responseFormat: format }, [], [issue]);
    guard.enforced.begin(0);
    expect(guardAnswer(guard, answer, finished('{"n": 9}')).message.malformed).toHaveLength(1);
  });
});

describe('the verdict on an answer', () => {
  const parameters = z.object({
    n: z
      .int()
      .max(5)
      .refine((n) => n !== 3, 'three is taken'),
  });
  const schema = { type: 'object', properties: { n: { type: 'integer', maximum: 5 } } } as const;
  const effects = ['none', 'widened', 'checked', 'narrowed', 'noted'] as const;
  const cases = [true, false].flatMap((wrote) =>
    [true, false].flatMap((asksLibrary) =>
      ['{"n": 1}', '{"n": 3}', '{"n": 9}', '{"n"'].map((text) => ({ wrote, asksLibrary, text })),
    ),
  );

  it.each(effects)('trusts what a grammar wrote as far as its report goes: %s', (effect) => {
    const issue = { tool: '', pointer: '/n', keyword: 'maximum', reason: 'x' };
    const report = effect === 'none' ? [] : [{ ...issue, effect }];
    for (const { wrote, asksLibrary, text } of cases) {
      const json_schema = { name: 'x', schema: asksLibrary ? parameters : schema };
      const guard = callGuard({ responseFormat: { type: 'json_schema', json_schema } }, [], report);
      const isChecked = !wrote || effect === 'widened' || effect === 'noted';
      const found = (problem: string, is: boolean) => (is ? [expect.stringContaining(problem)] : []);
      expect(guard.judgeAnswer?.(text, wrote), JSON.stringify({ wrote, asksLibrary, text })).toEqual({
        assurance: wrote && effect !== 'widened' ? 'enforced' : 'validated',
        problems: [
          ...found('is not JSON', text === '{"n"' && (isChecked || asksLibrary)),
          ...found('three is taken', text === '{"n": 3}' && asksLibrary),
          // Its library is asked where the schema has not refused it already.
          ...found('/n', text === '{"n": 9}' && isChecked),
          ...found('Too big', text === '{"n": 9}' && !isChecked && asksLibrary),
        ],
      });
    }
  });

  it('is not given where none is asked for', () => {
    expect(callGuard({}, [], []).judgeAnswer).toBeNull();
    expect(callGuard({ responseFormat: { type: 'text' } }, [], []).judgeAnswer).toBeNull();
  });

  it('relies on what is checked while it is written, and only where it is', () => {
    const responseFormat = { type: 'json_schema', json_schema: { name: 'x', schema } } as const;
    const report = (tool: string) => [
      { tool, pointer: '/n', keyword: 'maximum', effect: 'checked', reason: 'x' } as const,
    ];
    const assuranceOf = (tool: string, options: object, hasThoughts: boolean) =>
      callGuard({ responseFormat, ...options }, [], report(tool), null, hasThoughts).judgeAnswer?.(
        '{"n": 1}',
        true,
      ).assurance;
    const inText = { reasoningFormat: 'none' } as const;
    expect(assuranceOf('', {}, true)).toBe('enforced');
    expect(assuranceOf('', inText, false)).toBe('enforced');
    expect(assuranceOf('', inText, true)).toBe('validated');
    expect(assuranceOf('f', inText, true)).toBe('enforced');
  });
});

describe('a call whose schema is too large to check', () => {
  const anyOf = Array.from({ length: 8100 }, (_, index) => ({ required: [`k${index}`] }));
  const given = [
    { name: 'large', parameters: { type: 'object', anyOf } },
    { name: 'small', parameters: { type: 'object' } },
    { name: 'none' },
  ] as const;

  it.each(['widened', 'noted'] as const)('is enforced as far as its grammar goes, which is %s', (effect) => {
    const report = given.map(
      ({ name }) => ({ tool: name, pointer: '', keyword: 'anyOf', effect, reason: 'x' }) as const,
    );
    const { enforced } = callGuard({}, normalizeTools(given), report);
    enforced.begin(0);
    const isEnforced = (name: string) => enforced.isEnforced(name, 0, 9, 0);
    expect(given.map(({ name }) => isEnforced(name))).toEqual([true, effect === 'noted', effect === 'noted']);
    expect(enforced.problemsOf('large', {})).toEqual([]);
  });
});

it('a call that its grammar says in full is not checked again', () => {
  const { enforced } = callGuard({}, normalizeTools(tools), []);
  const noted = { tool: 'get_weather', pointer: '', keyword: 'x', effect: 'noted', reason: 'x' } as const;
  expect(enforced.problemsOf('get_weather', {})).toEqual([]);
  expect(callGuard({}, normalizeTools(tools), [noted]).enforced.problemsOf('get_weather', {})).not.toEqual(
    [],
  );
});
