/** Large bodies are read one after the other, so a slow one makes way for those that wait. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readBodyBytes } from '../../../src/serve/body/body-bytes.ts';
import { createHandler } from '../../../src/serve/index.ts';
import { writtenModel } from '../../ai-sdk/written-model.ts';
import { anyFormat, question } from '../served-models.ts';

// Time only passes where a test says so.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] }));
afterEach(() => void vi.useRealTimers());

const length = 1 << 20;

/** A request whose body brings so many bytes whenever `bring` is called. */
function arriving() {
  let stream: ReadableStreamDefaultController<Uint8Array> | null = null;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      stream = controller;
    },
  });
  const headers = { 'content-type': 'application/json', 'content-length': String(length) };
  const init = { method: 'POST', headers, body, duplex: 'half' };
  const request = new Request('http://localhost/v1/chat/completions', init as RequestInit);
  return { request, bring: (bytes: number) => stream?.enqueue(new Uint8Array(bytes).fill(0x20)) };
}

const limits = { maxBodyBytes: 2 * length, bodyTimeoutMs: 30_000 };

/** Seconds until a body that brings so many bytes in each of them is given up; `waits`: whether others wait then. */
async function endsAfter(bytes: number, waits: (second: number) => boolean): Promise<number> {
  const { request, bring } = arriving();
  let [second, end] = [0, Number.NaN];
  const read = readBodyBytes(request, limits, () => waits(second)).catch(({ status }) => {
    expect(status).toBe(408);
    end = second;
  });
  while (Number.isNaN(end)) {
    second += 1;
    bring(bytes);
    await vi.advanceTimersByTimeAsync(1000);
  }
  await read;
  return end;
}

describe('a body', () => {
  const [least, ever] = [128 << 10, 30];

  it('that is slow ends after two seconds in which others wait', async () => {
    expect(await endsAfter(1, () => true)).toBe(2);
    expect(await endsAfter(1, (second) => second > 7)).toBe(9);
    expect(await endsAfter(1, (second) => second !== 3 && second > 1)).toBe(5);
  });

  it('that nobody waits for has the time that every body has', async () => {
    expect(await endsAfter(1, () => false)).toBe(ever);
    expect(await endsAfter(1, (second) => second % 2 === 0)).toBe(ever);
  });

  it('that brings as much as it has to is read to its end', async () => {
    const { request, bring } = arriving();
    const read = readBodyBytes(request, { ...limits, maxBodyBytes: length }, () => true);
    for (let sent = 0; sent < length - least; sent += least) {
      bring(least);
      await vi.advanceTimersByTimeAsync(1000);
    }
    bring(least + 1);
    // One byte too many shows that all others were read.
    await expect(read).rejects.toMatchObject({ status: 413 });
  });
});

it('a client that trickles does not keep the turn of the others', async () => {
  const handler = createHandler(writtenModel(anyFormat, []));
  const { request, bring } = arriving();
  const statuses: number[] = [];
  const note = ({ status }: Response) => void statuses.push(status);
  const slow = handler(request).then(note);
  const body = JSON.stringify({ messages: [question], metadata: { text: 'x'.repeat(length) } });
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  const quick = handler(
    new Request('http://localhost/v1/chat/completions', { method: 'POST', headers, body }),
  ).then(note);
  for (let second = 0; second < 3; second += 1) {
    bring(100);
    await vi.advanceTimersByTimeAsync(1000);
  }
  await Promise.all([slow, quick]);
  expect(statuses).toEqual([408, 200]);
  await handler.close();
});
