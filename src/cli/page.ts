/** Finds, reads and opens the pages of this package. */
import { spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { codeOf } from '../format/error-class.ts';
import { UnsupportedOptionError } from '../format/errors.ts';

/** The folder into which `npm run build` writes a page; the package contains it, a clone must build it. */
export function builtPage(name: 'inspector' | 'chat'): string {
  const root = path.dirname(createRequire(import.meta.url).resolve('idiolect/package.json'));
  return path.join(root, 'dist', name);
}

/** The text of the page in `folder`. Throws `UnsupportedOptionError` if it was not built. */
export async function readPage(folder: string): Promise<string> {
  try {
    return await fs.readFile(path.join(folder, 'index.html'), 'utf8');
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw cause;
    const reason = `the page is not built, ${folder} has no index.html; in a clone, run: npm run build`;
    throw new UnsupportedOptionError({ option: '--open', reason });
  }
}

/** Opens a page in the user's browser. Does nothing without a screen or a browser. */
export function openBrowser(url: string): void {
  const { platform, env } = process;
  const [command, ...args] = browserCommand(url, platform, env);
  if (command === undefined || 'CI' in env) return;
  const browser = spawn(command, args, { stdio: 'ignore', detached: true });
  browser.on('error', () => undefined);
  browser.unref();
}

/** What opens a page; nothing without a screen. Linux within Windows (WSL) has the browser of Windows. */
export function browserCommand(
  url: string,
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
): readonly string[] {
  if (platform === 'darwin') return ['open', url];
  if (platform === 'win32') return ['cmd', '/c', 'start', '', url];
  if ('DISPLAY' in env || 'WAYLAND_DISPLAY' in env || platform !== 'linux') return ['xdg-open', url];
  return 'WSL_DISTRO_NAME' in env ? ['cmd.exe', '/c', 'start', '', url] : [];
}
