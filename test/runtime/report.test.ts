/** What grammars enforce otherwise than written is on what a chat and a run return, before the first token. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SchemaError, UnsupportedOptionError } from '../../src/format/errors.ts';
import type { EngineModel } from '../../src/runtime/engine/index.ts';
import { openTiny } from '../support/small-chats.ts';

const messages = [{ role: 'user', content: 'How warm is it?' }] as const;

/** A tool of which one keyword cannot be enforced. */
function storing(name: string) {
  const tags = { type: 'string', pattern: '^(.)\\1$' };
  return { name, parameters: { type: 'object', properties: { tags }, additionalProperties: false } };
}

const [first, second] = [storing('first'), storing('second')];
const request = { messages, tools: [first, second], policy: 'degrade', maxTokens: 1 } as const;
const issue = (tool: string) =>
  expect.objectContaining({ tool, pointer: '/properties/tags', keyword: 'pattern', effect: 'widened' });

let model: EngineModel;
beforeAll(async () => {
  model = await openTiny();
});
afterAll(() => model.dispose());

describe('the report', () => {
  it('of a chat is that of its grammar, and leaves the response to be read', async () => {
    const answer = model.chat(request);
    const report = await answer.report;
    expect(report).toEqual([issue('first'), issue('second')]);
    expect(report).toEqual(model.preview(request).grammar.report);
    const types: string[] = [];
    for await (const { type } of answer) types.push(type);
    expect(types.at(-1)).toBe('finish');
    expect(await answer.report).toEqual(report);
    expect((await answer.message).role).toBe('assistant');
  });

  it('is empty where everything is enforced as written', async () => {
    const tools = [{ name: 'third', parameters: { type: 'object', additionalProperties: false } }];
    expect(await model.chat({ messages, tools }).report).toEqual([]);
    expect(await model.chat({ messages }).report).toEqual([]);
  });

  it('of a run tells of all tools, also where the first response has but one', async () => {
    const run = model.runTools({ ...request, execute: () => 'stored' });
    expect(await run.report).toEqual([issue('first'), issue('second')]);
    expect((await run.message).role).toBe('assistant');
    const toolChoice = { type: 'function', function: { name: 'second' } } as const;
    expect(await model.chat({ ...request, toolChoice }).report).toEqual([issue('second')]);
    expect(await model.runTools({ ...request, toolChoice }).report).toEqual([
      issue('second'),
      issue('first'),
    ]);
  });

  it('rejects like the response, whoever asks first', async () => {
    const answer = model.chat({ ...request, policy: 'strict' });
    await expect(answer.report).rejects.toThrow(SchemaError);
    await expect(answer.message).rejects.toThrow(SchemaError);
    const run = model.runTools({ ...request, policy: 'strict' });
    await expect(run.report).rejects.toThrow(SchemaError);
    await expect(model.chat({ ...request, maxTokens: -1 }).report).rejects.toThrow(UnsupportedOptionError);
  });

  it('that nobody awaits is no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    void model.chat({ ...request, policy: 'strict' }).report;
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });
});
