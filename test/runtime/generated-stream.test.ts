/** Who may read a response, and in which order. */
import { EventEmitter } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ResponseReadError, StalledError } from '../../src/format/errors.ts';
import { GeneratedChat } from '../../src/runtime/chat/chat-stream.ts';
import { GeneratedStream } from '../../src/runtime/chat/generated-stream.ts';

const message = { role: 'assistant', content: 'Hi' } as const;

const noReport = async () => [];

function response(): GeneratedChat {
  const generate = async function* () {
    yield { type: 'text-delta', id: 'text-0', delta: 'Hi', start: 0, end: 2 } as const;
    return message;
  };
  return new GeneratedChat(generate(), () => ({ role: 'assistant', content: null }), noReport);
}

class Numbers extends GeneratedStream<number, string> {
  override get result(): Promise<string> {
    return super.result;
  }
}

/** Tells the responses that nothing else is running in the process. */
function endingProcess(): () => void {
  const ending = new EventEmitter();
  vi.stubGlobal('process', ending);
  onTestFinished(() => void vi.unstubAllGlobals());
  return () => void ending.emit('beforeExit', 0);
}

const textOf = (answer: Response) => () => answer.text();

function allOf(events: AsyncIterable<unknown>): () => Promise<unknown[]> {
  return async () => {
    const all: unknown[] = [];
    for await (const event of events) all.push(event);
    return all;
  };
}

async function types(stream: GeneratedChat): Promise<string[]> {
  const found: string[] = [];
  for await (const { type } of stream) found.push(type);
  return found;
}

async function* numbers(result: Promise<string>): AsyncGenerator<number, string> {
  yield 1;
  return await result;
}

describe('a response', () => {
  it('is iterated over, and then gives its message, as often as it is asked', async () => {
    const stream = response();
    expect(await types(stream)).toEqual(['text-delta']);
    expect(await stream.message).toEqual(message);
    expect(await stream.message).toEqual(message);
  });

  it('may give its promise before, as long as nobody waits for it', async () => {
    const stream = response();
    const later = stream.message;
    expect(await types(stream)).toEqual(['text-delta']);
    expect(await later).toEqual(message);
  });

  it('that fails tells whoever reads it, and nobody else', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const fail = async function* () {
      yield { type: 'text-delta', id: 'text-0', delta: 'Hi', start: 0, end: 2 } as const;
      throw new RangeError('enough');
    };
    const stream = new GeneratedChat(fail(), () => ({ role: 'assistant', content: null }), noReport);
    const parts = [stream.message, stream.calls];
    await expect(types(stream)).rejects.toThrow('enough');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    for (const part of parts) await expect(part).rejects.toThrow('enough');
  });

  it.each<[string, (stream: GeneratedChat) => () => Promise<unknown>]>([
    ['response', (stream) => textOf(stream.toResponse())],
    ['stream', (stream) => allOf(stream.toReadableStream())],
    ['iterator', (stream) => allOf(stream[Symbol.asyncIterator]())],
  ])(
    'belongs to its %s from the call on, whoever asks for the message before it is read',
    async (_, open) => {
      const stream = response();
      const read = open(stream);
      const later = stream.message;
      await new Promise((resolve) => setImmediate(resolve));
      expect(JSON.stringify(await read())).toContain('Hi');
      expect(await later).toEqual(message);
    },
  );

  it('is not left by whoever has not begun to read it', async () => {
    const left = vi.fn();
    async function* generate(): AsyncGenerator<number, string> {
      yield 1;
      throw new RangeError('enough');
    }
    const stream = new Numbers(generate(), () => 'left', left);
    const events = stream[Symbol.asyncIterator]();
    expect(await events.next()).toEqual({ done: false, value: 1 });
    await stream[Symbol.asyncIterator]().return(undefined);
    expect(left).not.toHaveBeenCalled();
    await expect(events.next()).rejects.toThrow('enough');
    await expect(stream.result).rejects.toThrow('enough');
    const other = new Numbers(generate(), () => 'left', left);
    const leaving = other[Symbol.asyncIterator]();
    await leaving.next();
    await leaving.return(undefined);
    expect(left).toHaveBeenCalledTimes(1);
    expect(await other.result).toBe('left');
  });

  it('is left once, and not by whoever has read it to the end', async () => {
    const left = vi.fn();
    async function* generate(): AsyncGenerator<number, string> {
      yield 1;
      return 'all';
    }
    const read = new GeneratedStream(generate(), () => 'left', left)[Symbol.asyncIterator]();
    expect(await read.next()).toEqual({ done: false, value: 1 });
    expect(await read.next()).toEqual({ done: true, value: undefined });
    await read.return(undefined);
    expect(left).not.toHaveBeenCalled();
    const unread = new GeneratedStream(generate(), () => 'left', left)[Symbol.asyncIterator]();
    await unread.return(undefined);
    await unread.return(undefined);
    expect(left).toHaveBeenCalledTimes(1);
  });

  it.each([0, 1])('tells who awaits its result after %i events that these are not read on', async (read) => {
    const end = endingProcess();
    const stream = new Numbers(numbers(Promise.resolve('all')), () => 'left');
    const events = stream[Symbol.asyncIterator]();
    for (let n = 0; n < read; n += 1) await events.next();
    const failed = expect(stream.result).rejects.toBeInstanceOf(StalledError);
    end();
    await failed;
  });

  it('goes on after a stall in which its reader waited for the engine', async () => {
    const end = endingProcess();
    let finish = (_: string): void => undefined;
    const stream = new Numbers(numbers(new Promise((resolve) => (finish = resolve))), () => 'left');
    const { result } = stream;
    const events = stream[Symbol.asyncIterator]();
    await events.next();
    const last = events.next();
    end();
    finish('all');
    expect(await last).toEqual({ done: true, value: undefined });
    expect(await result).toBe('all');
  });

  it('tells of a later stall as well, and of none once it has ended', async () => {
    const end = endingProcess();
    const stream = new Numbers(numbers(new Promise(() => undefined)), () => 'left');
    const failed = expect(stream.result).rejects.toBeInstanceOf(StalledError);
    const events = stream[Symbol.asyncIterator]();
    const first = events.next();
    end();
    await first;
    end();
    await failed;
    const other = new Numbers(numbers(Promise.resolve('all')), () => 'left');
    expect(await other.result).toBe('all');
    end();
    expect(await other.result).toBe('all');
  });

  it('says so when its events are gone', async () => {
    const awaited = response();
    await awaited.message;
    await expect(types(awaited)).rejects.toBeInstanceOf(ResponseReadError);
    const iterated = response();
    await types(iterated);
    await expect(types(iterated)).rejects.toBeInstanceOf(ResponseReadError);
    expect(await iterated.message).toEqual(message);
  });
});
