/** The default number of threads: within what the process may use. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  computeThreads,
  readProcessors,
  readQuota,
} from '../../src/runtime/node-llama-cpp/compute-threads.ts';

const large = 4_000_000_000;
const processors = fc.record({
  physical: fc.integer({ min: 1, max: 128 }),
  available: fc.integer({ min: 1, max: 256 }),
  quota: fc.option(fc.double({ min: 0.1, max: 64, noNaN: true }), { nil: null }),
  load: fc.double({ min: 0, max: 500, noNaN: true }),
});

describe('the number of threads', () => {
  it('is never more than what the process is given, and at least one', () => {
    fc.assert(
      fc.property(processors, fc.integer({ min: 0, max: large }), (given, bytes) => {
        const { physical, available, quota } = given;
        const threads = computeThreads(bytes, given);
        expect(Number.isInteger(threads)).toBe(true);
        expect(threads).toBeGreaterThanOrEqual(1);
        expect(threads).toBeLessThanOrEqual(Math.max(1, Math.min(physical, available, quota ?? available)));
      }),
    );
  });

  it('does not grow with the load', () => {
    fc.assert(
      fc.property(processors, fc.double({ min: 0, max: 100, noNaN: true }), (given, more) => {
        const busier = { ...given, load: given.load + more };
        expect(computeThreads(large, busier)).toBeLessThanOrEqual(computeThreads(large, given));
      }),
    );
  });

  it.each([
    [
      'the physical cores of an idle machine',
      large,
      { physical: 8, available: 16, quota: null, load: 0.5 },
      8,
    ],
    ['the quota of a container', large, { physical: 8, available: 16, quota: 2.5, load: 0.5 }, 2],
    [
      'one on a machine with twelve times too much to do',
      large,
      { physical: 2, available: 2, quota: null, load: 25 },
      1,
    ],
    ['one for a small model', 2_000_000, { physical: 8, available: 16, quota: null, load: 0 }, 1],
  ])('is %s', (_, bytes, given, threads) => expect(computeThreads(bytes, given)).toBe(threads));

  it('is read here as well', () => {
    const here = readProcessors(4);
    expect(computeThreads(large, here)).toBeLessThanOrEqual(os.availableParallelism());
  });
});

describe('the quota of a control group', () => {
  const folder = (files: Readonly<Record<string, string>>): string => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'cgroup-'));
    for (const [file, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      fs.writeFileSync(path.join(root, file), text);
    }
    return root;
  };

  it.each([
    ['of a container', { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/cpu.max': '150000 100000\n' }, 1.5],
    ['without a limit', { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/cpu.max': 'max 100000\n' }, null],
    [
      'around its own',
      {
        'proc/self/cgroup': '0::/user.slice/app.scope\n',
        'sys/fs/cgroup/user.slice/app.scope/cpu.max': 'max 100000\n',
        'sys/fs/cgroup/user.slice/cpu.max': '400000 100000\n',
      },
      4,
    ],
    [
      'of the first version',
      {
        'proc/self/cgroup': '12:memory:/docker/ab\n3:cpu,cpuacct:/docker/ab\n',
        'sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '200000\n',
        'sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
      },
      2,
    ],
    [
      'of the first version, without a limit',
      {
        'proc/self/cgroup': '3:cpu:/\n',
        'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
        'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      },
      null,
    ],
    ['where there is none', {}, null],
    ['that is damaged', { 'proc/self/cgroup': 'x\n0::\n', 'sys/fs/cgroup/cpu.max': '5 0\n' }, null],
  ] as const)('%s', (_, files, quota) => expect(readQuota(folder(files))).toBe(quota));
});
