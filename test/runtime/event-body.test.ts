/** Events as an HTTP response: a JSON text for each, whatever it holds. */
import { expect, it } from 'vitest';
import { IdiolectError, UnsupportedOptionError } from '../../src/format/errors.ts';
import { eventResponse } from '../../src/runtime/chat/event-body.ts';

async function* failing(error: unknown): AsyncGenerator<unknown> {
  yield { type: 'tool-error', toolName: 'f', error };
  throw error;
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
