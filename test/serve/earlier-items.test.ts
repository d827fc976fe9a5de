/** Items that a client names in place of sending them again, as the AI SDK's default model for OpenAI does. */
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { ItemMemory } from '../../src/serve/item-memory.ts';
import {
  answer,
  anyFormat,
  oneCall,
  question,
  type Served,
  serveTurns,
  weatherTool,
} from './served-models.ts';

let served: Served | null = null;
afterEach(async () => {
  await served?.close();
  served = null;
});

interface Item {
  readonly type: string;
  readonly id: string;
  readonly call_id?: string;
}

async function ask(
  input: unknown,
  fields: object = {},
): Promise<{ status: number; output: Item[]; text: string }> {
  served ??= await serveTurns(anyFormat, [{ ...oneCall, reasoning_content: 'Bern.' }, answer, answer]);
  const response = await fetch(`${served.url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input, tools: [{ type: 'function', ...weatherTool.function }], ...fields }),
  });
  const text = await response.text();
  const last = text.split('\n').findLast((line) => line.startsWith('data: ')) ?? '';
  const body = JSON.parse(fields === streamed ? last.slice(6) : text);
  return { status: response.status, output: (body.response ?? body).output ?? [], text };
}

const streamed = { stream: true };
const refer = ({ id }: Item) => ({ type: 'item_reference', id });

it.each([{}, streamed])('a tool loop by references, %j', async (fields) => {
  const user = { role: 'user', content: question.content };
  const { output } = await ask([user], fields);
  expect(output.map(({ type }) => type)).toEqual(['reasoning', 'function_call']);
  const result = { type: 'function_call_output', call_id: output.at(-1)?.call_id, output: '21' };
  const second = await ask([user, ...output.map(refer), result], fields);
  expect(second.status).toBe(200);
  expect(served?.model.asked[1]?.messages).toMatchObject([
    question,
    { role: 'assistant', reasoning_content: 'Bern.', tool_calls: [{ id: output.at(-1)?.call_id }] },
    { role: 'tool', content: '21' },
  ]);
  const third = await ask([user, ...[...output, ...second.output].map(refer), user], fields);
  expect(third.status).toBe(200);
});

it('an item that is not to be stored is not, and the error says what to do', async () => {
  const user = { role: 'user', content: question.content };
  const { output } = await ask([user], { store: false });
  const { status, text } = await ask([user, ...output.map(refer)]);
  expect(status).toBe(400);
  expect(text).toContain('store: false');
});

it('the memory holds the latest items that fit, and no more than its limit', () => {
  const ids = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 });
  fc.assert(
    fc.property(ids, fc.integer({ min: 0, max: 300 }), (added, limit) => {
      const memory = new ItemMemory(limit);
      const size = JSON.stringify({ id: '10', text: 'x' }).length;
      const items = added.map((number) => ({ id: String(10 + number), text: 'x' }));
      for (const item of items) memory.remember([item]);
      const latest = [...new Set([...items].reverse().map(({ id }) => id))];
      const kept = latest.slice(0, Math.floor(limit / size));
      for (const id of latest) expect(memory.recall(id) !== undefined).toBe(kept.includes(id));
    }),
  );
});
