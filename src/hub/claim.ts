/**
 * A claim on a name between processes: one holds it, the others wait, and a killed holder blocks no one.
 *
 * Each process announces itself with its own file and then looks for others. A process that finds none holds the
 * claim; one that finds another withdraws and tries again. Of two that announce at once, at least one sees the other,
 * so both never hold it. A claim is dead if its process no longer runs on this machine, or has not touched its file
 * for a while (other machines, shared folders).
 *
 * Node has no advisory locks that the system releases, and proper-lockfile, the package for this, makes everyone wait
 * for a timeout after a kill, because it does not know whose lock it finds.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { codeOf } from '../format/error-class.ts';
import { follow } from '../format/on-abort.ts';
import { removeFile } from './busy-files.ts';
import { makeFolder } from './make-folder.ts';

/** Options of a claim. */
interface ClaimOptions {
  /** Aborts waiting. */
  readonly signal?: AbortSignal | undefined;
  /** Called once if another process holds the claim. */
  readonly onWait?: (() => void) | undefined;
}

const heartbeatMs = 5_000;
const deadAfterMs = 60_000;
const pollMs = 100;

/**
 * Runs `work` while no other process holds the claim `name` in `folder`. The signal given to `work` aborts when the
 * claim is lost, which only happens if this process stood still for a minute.
 */
export async function withClaim<T>(
  folder: string,
  name: string,
  options: ClaimOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  await makeFolder(folder);
  const own = path.join(folder, `${name}.${encodeHost()}.${process.pid}.${randomUUID()}.claim`);
  await takeClaim(folder, name, own, options);
  const lost = new AbortController();
  const forget = follow(lost, options.signal);
  const heartbeat = setInterval(() => {
    fs.utimes(own, new Date(), new Date()).catch((cause: unknown) => lost.abort(cause));
  }, heartbeatMs);
  heartbeat.unref();
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(heartbeat);
    forget();
    await removeFile(own);
  }
}

async function takeClaim(folder: string, name: string, own: string, options: ClaimOptions): Promise<void> {
  for (let waited = false; ; ) {
    options.signal?.throwIfAborted();
    if (!(await othersClaim(folder, name, own))) {
      await fs.writeFile(own, '', { flag: 'wx' });
      if (!(await othersClaim(folder, name, own))) return;
      await removeFile(own);
    } else if (!waited) {
      waited = true;
      options.onWait?.();
    }
    // Random, so that two processes do not keep finding each other.
    await wait(pollMs * (0.5 + Math.random()), undefined, options.signal ? { signal: options.signal } : {});
  }
}

/** Whether another living process claims `name`; removes claims of dead ones. */
async function othersClaim(folder: string, name: string, own: string): Promise<boolean> {
  const files = await fs.readdir(folder);
  const claims = files.filter((file) => file.startsWith(`${name}.`) && file.endsWith('.claim'));
  for (const file of claims.filter((claim) => claim !== path.basename(own))) {
    const claim = path.join(folder, file);
    if (await isAlive(claim)) return true;
    await removeFile(claim);
  }
  return false;
}

async function isAlive(claim: string): Promise<boolean> {
  const stats = await fs.stat(claim).catch(() => null);
  if (stats === null || Date.now() - stats.mtimeMs > deadAfterMs) return false;
  const [host, pid] = path.basename(claim).split('.').slice(-4, -2);
  return host !== encodeHost() || processExists(Number(pid));
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    return codeOf(error) === 'EPERM';
  }
}

/** The machine's name in characters that are safe in a part of a file name. */
function encodeHost(): string {
  return Buffer.from(os.hostname()).toString('base64url').slice(0, 60) || 'unknown';
}
