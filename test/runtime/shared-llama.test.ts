/** An engine that cannot be opened: told as a typed error, and not remembered. */
import { getLlama, type Llama } from 'node-llama-cpp';
import { expect, it, onTestFinished, vi } from 'vitest';
import { EngineError } from '../../src/format/errors.ts';
import { sharedLlama } from '../../src/runtime/node-llama-cpp/shared-llama.ts';

vi.mock(import('node-llama-cpp'), async (importOriginal) => ({
  ...(await importOriginal()),
  getLlama: vi.fn(),
}));

it('the error of an engine that cannot be opened says what node-llama-cpp says, and tries again for the next one who asks', async () => {
  const missing = new Error('NoBinaryFound');
  vi.mocked(getLlama).mockRejectedValueOnce(missing);
  const failed = await sharedLlama(false).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(EngineError);
  expect(failed).toMatchObject({ code: 'engine', gpu: null, cause: missing });
  expect(String(failed)).toContain('NoBinaryFound');

  const llama = {} as Llama;
  vi.mocked(getLlama).mockResolvedValueOnce(llama);
  expect(await sharedLlama(false)).toBe(llama);
  expect(await sharedLlama(false)).toBe(llama);
  expect(getLlama).toHaveBeenCalledTimes(2);

  const other = {} as Llama;
  vi.mocked(getLlama).mockResolvedValueOnce(other);
  expect(await sharedLlama('vulkan')).toBe(other);
  expect(getLlama).toHaveBeenLastCalledWith(expect.objectContaining({ gpu: 'vulkan' }));
});

it('the error of an engine that cannot be opened says which flag of Node keeps its test process from starting', async () => {
  process.execArgv.push('--input-type=module');
  onTestFinished(() => void process.execArgv.pop());
  vi.mocked(getLlama).mockRejectedValueOnce(new Error('NoBinaryFound'));
  const failed = await sharedLlama('metal').catch((error: unknown) => error);
  expect(String(failed)).toContain('does not run under --input-type=module: put the program into a file');
});

it('the error of an engine that cannot be opened says of a backend that was asked for by name what to do instead', async () => {
  vi.mocked(getLlama).mockRejectedValueOnce(new Error('NoBinaryFound'));
  const failed = await sharedLlama('cuda').catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 'engine', gpu: 'cuda' });
  expect(String(failed)).toMatch(/with gpu: 'cuda'.*gpu: false/);
});
