/** How many threads compute, if nobody says. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** What a process may use of a machine. */
interface Processors {
  /** Cores that calculate: two threads on one share its units, and gain nothing. */
  readonly physical: number;
  /** Processors that this process may run on. */
  readonly available: number;
  /** The share of processor time that its control group is given, in processors; `null`: no limit. */
  readonly quota: number | null;
  /** Processes that wanted to run during the last minute, on average. */
  readonly load: number;
}

/** Models below this size in bytes spend more time waiting for a second thread than it saves. */
const smallModel = 64_000_000;

/**
 * The number of threads for a model of this size. Threads wait for each other by spinning, so that one which does not
 * get a processor holds up all: there are never more than the process is given, and on a machine whose processors are
 * all in use only as many as would be its fair share.
 */
export function computeThreads(bytes: number, { physical, available, quota, load }: Processors): number {
  if (bytes < smallModel) return 1;
  const given = Math.min(physical, available, quota ?? available);
  const share = load < available ? given : given / (1 + load / available);
  return Math.max(1, Math.floor(share));
}

/** Reads what this process may use. `physical`: as the engine counted them. */
export function readProcessors(physical: number): Processors {
  const [load = 0] = os.loadavg();
  return { physical, available: os.availableParallelism(), quota: readQuota(), load };
}

/**
 * The smallest limit of processor time of this process's control group and those around it, in processors; `null` if
 * there is none. `root`: where `/proc` and `/sys` are.
 */
export function readQuota(root = '/'): number | null {
  const folders = readText(path.join(root, 'proc/self/cgroup'))
    .split('\n')
    .flatMap((line) => {
      const [, kinds = '', group] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      if (group === undefined || !(kinds === '' || kinds.split(',').includes('cpu'))) return [];
      // In a container, the group's own folder is the root.
      return around(path.posix.join('/', group)).map((each) => path.join(root, 'sys/fs/cgroup', kinds, each));
    });
  const limits = folders.map(quotaOf).filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}

/** A folder and those that it lies in. */
function around(folder: string): string[] {
  return folder === '/' ? ['/'] : [folder, ...around(path.posix.dirname(folder))];
}

function quotaOf(folder: string): number | null {
  const second = /^(\d+) (\d+)/.exec(readText(path.join(folder, 'cpu.max')));
  const [quota, period] = second
    ? [second[1], second[2]]
    : [readText(path.join(folder, 'cpu.cfs_quota_us')), readText(path.join(folder, 'cpu.cfs_period_us'))];
  const limit = Number(quota) / Number(period);
  return limit > 0 && Number.isFinite(limit) ? limit : null;
}

function readText(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8').trim();
  } catch {
    return ''; // not Linux, or not mounted
  }
}
