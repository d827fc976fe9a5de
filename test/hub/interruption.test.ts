import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { withClaim } from '../../src/hub/claim.ts';
import { downloadFile } from '../../src/hub/download-file.ts';
import { openPartialFile } from '../../src/hub/partial-file.ts';
import { bundledScript } from '../support/bundled-script.ts';
import type { SeenRequest } from '../support/fake-hub.ts';
import { type Fixture, startFixture, toolModel } from './hub-fixture.ts';

const chunkSize = 65_536;
const connections = 4;
const model = toolModel(2_000_000);
const repositories = { 'org/model': { files: { 'm.gguf': model } } };
function startProcess({ hub, cache }: Fixture): ChildProcess {
  const pull = [
    bundledScript('test/hub/pull-process.ts'),
    hub.endpoint,
    cache,
    'org/model',
    String(chunkSize),
  ];
  return spawn(process.execPath, pull, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Requests for chunks; the look at the header asks for more at once. */
function chunkRequests(requests: readonly SeenRequest[]): readonly SeenRequest[] {
  return requests.filter(({ range }) => range !== null && range.end - range.start < chunkSize);
}

function exited(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', resolve));
}

/** The blob, its name, the revision, and the note that the blob was hashed. */
const filesOfAModel = 4;

async function killAfter(
  child: ChildProcess,
  fixture: Fixture,
  bytes: number,
  lateMs: number,
): Promise<void> {
  const done = exited(child);
  const fetched = (): number => chunkRequests(fixture.hub.requests).reduce((sum, { sent }) => sum + sent, 0);
  while (child.exitCode === null && fetched() < bytes) await new Promise((resolve) => setTimeout(resolve, 2));
  await new Promise((resolve) => setTimeout(resolve, lateMs));
  child.kill('SIGKILL');
  await done;
}

/** How often chunks were asked for again: what the kill cost. */
function repeated(requests: readonly SeenRequest[]): number {
  const cdn = chunkRequests(requests).filter(({ host }) => host === 'cdn');
  return cdn.length - new Set(cdn.map(({ range }) => range?.start)).size;
}

describe('killed at any moment and pulled again', () => {
  const moments = process.env.LAWS === 'long' ? 50 : 2;
  test.each(Array.from({ length: moments }, (_, index) => [index + 1, moments] as const))(
    'in part %i of %i of the bytes: the right bytes, at most one chunk per connection twice',
    async (part, parts) => {
      const fixture = await startFixture({ repositories, speed: 2_000_000 });
      // From before the first byte to after the last one.
      const moment = ((part - Math.random()) / parts) * 1.1 - 0.05;
      const late = Math.random() * 30;
      await killAfter(startProcess(fixture), fixture, moment * model.length, late);
      const context = `killed at ${moment} of the bytes and ${late} ms`;
      fixture.hub.speed = Number.POSITIVE_INFINITY;
      const { files } = await fixture.pull('org/model', { chunkSize, connections });
      expect(fs.readFileSync(files[0]).equals(model), context).toBe(true);
      expect(repeated(fixture.hub.requests), context).toBeLessThanOrEqual(connections);
      expect(fixture.cachedFiles(), context).toHaveLength(filesOfAModel);
    },
  );
});

test('what a process leaves that is killed at the very end is removed, and nothing fetched again', async () => {
  const fixture = await startFixture({ repositories });
  const { files } = await fixture.pull('org/model');
  const blob = fs.realpathSync(files[0]);
  const dead = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await exited(dead);
  const host = Buffer.from(os.hostname()).toString('base64url').slice(0, 60);
  const folder = path.dirname(path.dirname(blob));
  const remains = [
    `${blob}.idiolect.${chunkSize}`,
    `${blob}.idiolect.1`,
    `${blob}.${host}.${dead.pid}.a.claim`,
    path.join(folder, `names.${host}.${dead.pid}.a.claim`),
    path.join(folder, 'names.new'),
  ];
  for (const file of remains) fs.writeFileSync(file, '');
  const before = fixture.hub.requests.length;
  await fixture.pull('org/model');
  expect(fixture.cachedFiles()).toHaveLength(filesOfAModel);

  expect(chunkRequests(fixture.hub.requests.slice(before))).toEqual([]);
});

test('two processes that pull the same file fetch it once, and both have it', async () => {
  const fixture = await startFixture({ repositories });
  // Slow enough that the second comes while the first is at work.
  fixture.hub.fault = ({ host, range }) =>
    host === 'cdn' && range !== null && range.end - range.start < chunkSize
      ? { type: 'slow', speed: 150_000 }
      : undefined;
  const both = [startProcess(fixture), startProcess(fixture)];
  expect(await Promise.all(both.map(exited))).toEqual([0, 0]);
  expect(repeated(fixture.hub.requests)).toBe(0);
  expect(fs.readFileSync((await fixture.pull('org/model')).files[0]).equals(model)).toBe(true);
  expect(fixture.cachedFiles()).toHaveLength(filesOfAModel);
});

describe('a claim', () => {
  test('is held by one at a time, whoever comes when', async () => {
    const { cache } = await startFixture();
    let holders = 0;
    let turns = 0;
    const work = async (): Promise<void> => {
      expect(++holders).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      holders--;
      turns++;
    };
    await Promise.all(Array.from({ length: 6 }, () => withClaim(cache, 'x', {}, work)));
    expect(turns).toBe(6);
    expect(fs.readdirSync(cache)).toEqual([]);
  });

  test('of a dead process, or of one unheard of for a minute, holds nobody up', async () => {
    const { cache } = await startFixture();
    const host = Buffer.from(os.hostname()).toString('base64url').slice(0, 60);
    const dead = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await exited(dead);
    fs.writeFileSync(path.join(cache, `x.${host}.${dead.pid}.a.claim`), '');
    const silent = path.join(cache, 'x.elsewhere.1.b.claim');
    fs.writeFileSync(silent, '');
    const longAgo = new Date(Date.now() - 120_000);
    fs.utimesSync(silent, longAgo, longAgo);
    let waits = 0;
    await withClaim(cache, 'x', { onWait: () => void waits++ }, async () => undefined);
    expect(waits).toBe(0);
    expect(fs.readdirSync(cache)).toEqual([]);
  });

  test('of a living one is waited for until the waiting is aborted', async () => {
    const { cache } = await startFixture();
    fs.writeFileSync(path.join(cache, 'x.elsewhere.1.a.claim'), '');
    let waits = 0;
    const controller = new AbortController();
    const onWait = () => {
      waits++;
      setTimeout(() => controller.abort(), 300);
    };
    const options = { signal: controller.signal, onWait };
    await expect(withClaim(cache, 'x', options, async () => undefined)).rejects.toThrow(/abort/i);
    expect(waits).toBe(1);
    expect(fs.readdirSync(cache)).toEqual(['x.elsewhere.1.a.claim']);
  });
});

test('a record that does not fit its data is not believed', async () => {
  const { cache } = await startFixture();
  const layout = { file: path.join(cache, 'data'), size: 1000, chunkSize: 100 };
  const first = await openPartialFile(layout);
  await first.write(0, new Uint8Array(100));
  await first.finish(0);
  await first.close();
  const again = await openPartialFile(layout);
  expect([again.doneBytes(), again.isDone(0), again.isDone(1)]).toEqual([100, true, false]);
  await again.close();
  fs.rmSync(layout.file);
  const lost = await openPartialFile(layout);
  expect(lost.doneBytes()).toBe(0);
  await lost.close();
  const other = await openPartialFile({ ...layout, chunkSize: 300 });
  expect([other.doneBytes(), other.chunkCount, ...other.bounds(3)]).toEqual([0, 4, 900, 1000]);
  await other.close();
});

test('a disk that fills up on the way is told as such, and at once', async () => {
  const { hub, cache } = await startFixture({ repositories });
  const partial = await openPartialFile({ file: path.join(cache, 'data'), size: model.length, chunkSize });
  onTestFinished(() => partial.close());
  const write = async (): Promise<void> => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  };
  const request = {
    name: 'm.gguf',
    url: `${hub.endpoint}/org/model/resolve/main/m.gguf`,
    size: model.length,
    fetch,
    connections,
    signal: new AbortController().signal,
    stallMs: 10_000,
    retryMs: 10_000,
    onBytes: () => undefined,
  };
  await expect(downloadFile({ ...partial, write }, request)).rejects.toMatchObject({
    code: 'disk-full',
    folder: cache,
  });
});
