/** Local files named by paths, `file:` addresses, and texts that only look like one. */
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ModelFileError } from '../format/errors.ts';
import { looksLikeReference } from './reference.ts';

/** The path of a file given as a path or a `file:` address. Throws `ModelFileError` for an address of another host. */
export function localPath(file: string | URL, platform: NodeJS.Platform = process.platform): string {
  const text = file instanceof URL ? file.href : file;
  if (!/^file:/i.test(text)) return text;
  try {
    return fileURLToPath(text, { windows: platform === 'win32' });
  } catch (cause) {
    throw new ModelFileError({ file: text, reason: `names no file of this disk: ${String(cause)}`, cause });
  }
}

/** Where the user's programs keep what they can make again (XDG Base Directory Specification). */
export function userCache(environment: NodeJS.ProcessEnv = process.env): string {
  return environment.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
}

/** Where `idiolect try` keeps its result: next to the model's file, with which it is removed. */
export function trialFile(modelFile: string): string {
  return `${modelFile}.tried.json`;
}

/** The reason for which a folder is no model; the same wherever one is given. */
export const folderReason =
  'is a folder; give a file in it: a model (.gguf) or, where that is enough, its chat template';

/** The reason if nothing has that name. */
export function missingReason(file: string): string {
  return missingFileAdvice(file) ?? (/\.(jinja2?|j2|json)$/i.test(file) ? missingTemplate : missingModel);
}

const missingTemplate =
  'no such file; a chat template is in a .jinja file, a tokenizer_config.json, a model (.gguf) or one of the Hub (owner/name)';
const missingModel =
  'no such file, and no model of the Hub (owner/name); `idiolect pull owner/name` downloads one, `idiolect toy` writes a small one';

/** Advice if there is no file of that name; `null` if the name suggests nothing. */
export function missingFileAdvice(file: string): string | null {
  const home = /^~[/\\](.*)$/s.exec(file)?.[1];
  if (home !== undefined) {
    const meant = path.join(os.homedir(), home);
    return `no such file: only shells replace ~ with the home folder; write ${meant}`;
  }
  if (/^https?:\/\//i.test(file) && !looksLikeReference(file))
    return 'is an address, not a file; connectServer() of idiolect/servers talks to servers';
  return null;
}
