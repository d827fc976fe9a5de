/** What is typed while an answer is written. */
import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { openLineInput } from '../../src/cli/chat/line-input.ts';

/** A terminal in which `keys` were typed while an answer was written, and how often it was interrupted. */
function typedMeanwhile(keys: string) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: vi.fn() });
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as unknown as typeof process.stdin);
  const stdout = Object.assign(new PassThrough(), { isTTY: true });
  vi.spyOn(process, 'stdout', 'get').mockReturnValue(stdout as unknown as typeof process.stdout);
  const input = openLineInput('› ');
  const interrupt = vi.fn();
  const release = input.listen(interrupt);
  stdin.emit('data', Buffer.from(keys));
  release();
  return { input, interrupt };
}

afterEach(() => {
  vi.restoreAllMocks();
});

it('what is typed meanwhile begins the next lines', async () => {
  const { input, interrupt } = typedMeanwhile('one\u001b[A\rtwo\r');
  expect([await input.next(), await input.next()]).toEqual(['one', 'two']);
  expect(interrupt).not.toHaveBeenCalled();
});

it('what is typed meanwhile may be the end, after the lines before it', async () => {
  const { input } = typedMeanwhile('one\r\u0004two\r');
  expect([await input.next(), await input.next(), await input.next()]).toEqual(['one', null, null]);
});

it('what is typed meanwhile is no end within a line', async () => {
  const { input } = typedMeanwhile('one\u0004 line\r');
  expect(await input.next()).toBe('one line');
});

it('what is typed meanwhile may interrupt', () => {
  expect(typedMeanwhile('\u0003').interrupt).toHaveBeenCalledOnce();
});
