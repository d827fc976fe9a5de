/**
 * What no grammar says is checked while it is written: under random weights every call that arrives is valid, in this
 * process and behind a server, and where nothing valid can come the response ends with a typed error.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CheckFailedError } from '../../src/format/errors.ts';
import type { JsonObject, JsonSchema } from '../../src/format/messages.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { foldEvents } from '../../src/parser/index.ts';
import type { ChatOptions, EngineModel } from '../../src/runtime/engine/index.ts';
import { loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { connectServer } from '../../src/servers/index.ts';
import { serveModel } from '../support/model-server.ts';
import { chatTemplate, openTiny, vocabulary } from '../support/small-chats.ts';
import { tinyModelFile } from '../support/small-vocabulary.ts';
import { testLlama } from '../support/test-models.ts';
import { tinyArchitecture } from '../support/tiny-architectures.ts';

const runs = process.env.LAWS === 'long' ? 40 : 2;

function requestOf(parameters: JsonObject, seed: number): ChatOptions {
  return {
    messages: [{ role: 'user', content: 'Go.' }],
    tools: [{ type: 'function', function: { name: 'note', parameters } }],
    toolChoice: 'required',
    parallelToolCalls: false,
    thinking: false,
    temperature: seed % 3 === 0 ? 0 : 1,
    injectForcedText: seed % 2 === 0,
    maxTokens: 400,
    seed,
  };
}

function objectOf(value: JsonSchema): JsonObject {
  const properties = { before: { type: 'boolean' }, value };
  return { type: 'object', properties, required: ['before', 'value'], additionalProperties: false };
}

/** Arrays of distinct items out of few values that no grammar lists, so that equal ones are sampled often. */
function distinct(items: JsonObject, minItems: number): JsonObject {
  return { type: 'array', items, uniqueItems: true, minItems, maxItems: minItems + 1 };
}

const flags = {
  type: 'object',
  properties: { a: { type: 'boolean' }, b: { type: 'boolean' } },
  required: ['a', 'b'],
  additionalProperties: false,
};
const pair = { type: 'array', items: { enum: [1, 2] }, minItems: 2, maxItems: 2 };
const digits = { type: 'number', minimum: 0, maximum: 3 };

const values = fc
  .tuple(fc.constantFrom(flags, pair, digits), fc.integer({ min: 2, max: 4 }), fc.integer({ min: 0, max: 3 }))
  .map(([items, count, form]): JsonSchema => {
    const array = distinct(items, count);
    if (form === 0) return { anyOf: [array, { type: 'null' }] };
    if (form === 1) return { type: 'array', items: array, minItems: 1, maxItems: 2 };
    return form === 2 ? { allOf: [{ $ref: '#/properties/value/$defs/set' }], $defs: { set: array } } : array;
  });

describe('in this process', () => {
  let model: EngineModel;
  beforeAll(async () => {
    model = await openTiny();
  });
  afterAll(() => model.dispose());

  it('every call that arrives is valid, and its events are those of the message', () =>
    fc.assert(
      fc.asyncProperty(values, fc.nat(1000), async (value, seed) => {
        const parameters = objectOf(value);
        const stream = model.chat(requestOf(parameters, seed));
        const report = await stream.report;
        expect(report.map(({ effect, keyword }) => `${effect} ${keyword}`)).toContain('checked uniqueItems');
        const events = [];
        for await (const event of stream) events.push(event);
        const message = await stream.message;
        expect(message.malformed).toBeUndefined();
        expect(foldEvents(events).calls.map(({ arguments: json }) => json)).toEqual(
          message.tool_calls?.map(({ function: called }) => JSON.parse(called.arguments)),
        );
        for (const { function: called } of message.tool_calls ?? [])
          expect(compileValidator(parameters)(JSON.parse(called.arguments))).toEqual([]);
      }),
      { numRuns: runs },
    ));

  it('ends with a typed error where nothing valid can come', async () => {
    const impossible = distinct({ type: 'array', items: { const: 1 }, minItems: 1, maxItems: 1 }, 2);
    const failure = model.chat(requestOf(objectOf(impossible), 2)).message;
    await expect(failure).rejects.toThrow(CheckFailedError);
    await expect(failure).rejects.toMatchObject({
      code: 'check-failed',
      tool: 'note',
      problems: [{ keyword: 'uniqueItems' }],
    });
    // The sequence can be used again.
    const message = await model.chat(requestOf(objectOf({ type: 'boolean' }), 2)).message;
    expect(message.tool_calls).toHaveLength(1);
  });

  it('checks an answer, too', async () => {
    const schema = distinct(flags, 3);
    const { tools: _, toolChoice: __, parallelToolCalls: ___, ...request } = requestOf(schema, 4);
    const stream = model.chat({
      ...request,
      responseFormat: { type: 'json_schema', json_schema: { schema } },
    });
    expect(compileValidator(schema)((await stream.object) as JsonObject)).toEqual([]);
  });
});

it('a model that cannot go back in its state evaluates again', async () => {
  const file = path.join(os.tmpdir(), `idiolect-checked-${process.pid}.gguf`);
  const markers = ['<think>', '</think>', '<tool_call>', '</tool_call>'];
  const controls = ['<|im_start|>', '<|im_end|>'];
  fs.writeFileSync(
    file,
    await tinyArchitecture('recurrent', { vocabulary, markers, controls, chatTemplate }),
  );
  const model = await loadModel(file, { llama: await testLlama(), threads: 1, contextSize: 2048 });
  try {
    const parameters = objectOf(distinct(flags, 4));
    const [call] = (await model.chat(requestOf(parameters, 2)).message).tool_calls ?? [];
    expect(compileValidator(parameters)(JSON.parse(call?.function.arguments ?? 'null'))).toEqual([]);
  } finally {
    await model.dispose();
    fs.rmSync(file);
  }
});

it('a server is asked again before a value that is not valid', async () => {
  const markers = ['<think>', '</think>', '<tool_call>', '</tool_call>'];
  const controls = ['<|im_start|>', '<|im_end|>'];
  const server = await serveModel(
    await tinyModelFile({ vocabulary, markers, controls, chatTemplate }),
    'llama-server',
  );
  try {
    const model = await connectServer({ kind: 'llama-server', url: server.url });
    const parameters = objectOf(distinct(flags, 2));
    const { injectForcedText: _, ...request } = requestOf(parameters, 1);
    const completions = () => server.requests.filter((each) => each.path === '/completion').length;
    let calls = 0;
    for (let seed = 1; seed <= 3; seed += 1) {
      const [call] = (await model.chat({ ...request, seed }).message).tool_calls ?? [];
      expect(compileValidator(parameters)(JSON.parse(call?.function.arguments ?? 'null'))).toEqual([]);
      calls += 1;
    }
    expect(completions()).toBeGreaterThan(calls);
    const impossible = objectOf(
      distinct({ type: 'array', items: { const: 1 }, minItems: 1, maxItems: 1 }, 2),
    );
    const failure = model.chat({ ...request, tools: requestOf(impossible, 1).tools ?? [] }).message;
    await expect(failure).rejects.toMatchObject({ code: 'check-failed', tries: 8 });
  } finally {
    await server.close();
  }
});
