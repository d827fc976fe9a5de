/** How a command is started, on Windows as well. */
import fs from 'node:fs';
import path from 'node:path';
import { ToolListError } from '../../format/errors.ts';

/** What `spawn` gets. */
interface SpawnedCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** The arguments are quoted already (Windows). */
  readonly verbatim: boolean;
}

/** The machine, for tests. */
interface Machine {
  readonly platform?: NodeJS.Platform;
  readonly env?: NodeJS.ProcessEnv;
  readonly isFile?: (file: string) => boolean;
}

/**
 * The command that ends a process and those that it started: on Windows, a script's `cmd.exe` would end alone, and the
 * server go on. `null` where a signal does it.
 */
export function endCommand(
  pid: number,
  platform: NodeJS.Platform = process.platform,
): readonly string[] | null {
  return platform === 'win32' ? ['taskkill', '/pid', String(pid), '/t', '/f'] : null;
}

/** What `cmd.exe` replaces or takes as its own, also between quotes. */
const interpreted = /["%!^&|<>\r\n]/;

/**
 * Windows starts programs (`.exe`) only; `npx`, and all that npm installs, are scripts (`npx.cmd`) for `cmd.exe`. An
 * argument that `cmd.exe` would not pass on as it is makes a `ToolListError`.
 */
export function spawnedCommand(
  [program = '', ...args]: readonly string[],
  { platform = process.platform, env = process.env, isFile = isFileHere }: Machine = {},
): SpawnedCommand {
  const script = platform === 'win32' ? findScript(program, env, isFile) : null;
  if (script === null) return { file: program, args, verbatim: false };
  const wrong = [script, ...args].find((word) => interpreted.test(word));
  if (wrong !== undefined) {
    const reason = `${path.win32.basename(script)} is run by cmd.exe, which does not pass on ${JSON.stringify(wrong)} as it is; start the server's script with node`;
    throw new ToolListError({ source: [program, ...args].join(' '), reason });
  }
  const line = [script, ...args].map((word) => `"${word}"`).join(' ');
  return {
    file: env.ComSpec ?? 'cmd.exe',
    args: ['/d', '/s', '/c', `"${line}"`],
    verbatim: true,
  };
}

/** The script that a name stands for; `null` if it is a program, or nothing that is found. */
function findScript(
  program: string,
  env: NodeJS.ProcessEnv,
  isFile: (file: string) => boolean,
): string | null {
  const endings = (env.PATHEXT ?? '.COM;.EXE;.BAT;.CMD').toLowerCase().split(';').filter(Boolean);
  const folders = /[\\/:]/.test(program)
    ? ['']
    : ['', ...(env.Path ?? env.PATH ?? '').split(';').filter(Boolean)];
  const hasEnding = endings.includes(path.win32.extname(program).toLowerCase());
  for (const folder of folders) {
    const file = folder === '' ? program : path.win32.join(folder, program);
    const found = (hasEnding ? [''] : endings).map((ending) => file + ending).find(isFile);
    if (found !== undefined) return /\.(?:cmd|bat)$/i.test(found) ? found : null;
  }
  return null;
}

function isFileHere(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}
