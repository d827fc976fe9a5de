/** Events as an HTTP response: a JSON text for each, whatever it holds. */
import { expect, it } from 'vitest';
import { IdiolectError, UnsupportedOptionError } from '../../src/format/errors.ts';
import { eventResponse } from '../../src/runtime/chat/event-body.ts';

async function* failing(error: unknown): AsyncGenerator<unknown> {
  yield { type: 'tool-error', toolName: 'f', error };
  throw error;
}

it('says that it is alive while nothing comes, and nothing more once it is over or left', async () => {
  let tell = (): void => undefined;
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  async function* slow(): AsyncGenerator<unknown> {
    await told;
    yield { type: 'text-delta' };
  }
  for (const isLeft of [false, true]) {
    const reader = eventResponse(isLeft ? never() : slow(), {}, 1).body?.getReader();
    const decoder = new TextDecoder();
    const next = async () => decoder.decode((await reader?.read())?.value);
    for (let count = 0; count < 3; count += 1) expect(await next()).toBe(':\n\n');
    if (isLeft) await reader?.cancel();
    else {
      tell();
      let rest = '';
      for (let text = await next(); text !== ''; text = await next()) rest += text;
      expect(rest.replaceAll(':\n\n', '')).toBe('data: {"type":"text-delta"}\n\ndata: [DONE]\n\n');
    }
  }
});

/** Events that never come; leaving ends them. */
function never(): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<never>(() => undefined),
      return: async () => ({ done: true, value: undefined }),
    }),
  };
}

const ours = new UnsupportedOptionError({ option: 'thinking', reason: 'it is none' });

it.each([
  [ours, { code: ours.code, message: ours.message }, { code: ours.code, message: ours.message }],
  [
    new Error('the key is 1234'),
    { code: 'internal', message: 'the tool failed' },
    { code: 'internal', message: 'the response failed' },
  ],
])('an error has a code and a message, within an event and at the end: %s', async (error, inside, last) => {
  const lines = (await eventResponse(failing(error)).text()).split('\n').filter((line) => line !== '');
  expect(lines.slice(1, -1)).toEqual(['event: error']);
  const data = [lines[0], lines.at(-1)].map((line) => JSON.parse(line?.replace(/^data: /, '') ?? ''));
  expect(data).toEqual([
    { type: 'tool-error', toolName: 'f', error: inside },
    { type: 'error', error: last },
  ]);
  expect(error instanceof IdiolectError).toBe(error === ours);
});
