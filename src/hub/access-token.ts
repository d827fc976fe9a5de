/** Finds the user's access token where Hugging Face's own tools look for it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * `HF_TOKEN`, otherwise what `hf auth login` stored: the file named by `HF_TOKEN_PATH`, `$HF_HOME/token`, or
 * `~/.cache/huggingface/token`. `null` if there is none.
 */
export function findAccessToken(environment: NodeJS.ProcessEnv = process.env): string | null {
  return environment.HF_TOKEN?.trim() || storedToken(environment);
}

function storedToken(environment: NodeJS.ProcessEnv): string | null {
  const cache = environment.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  const home = environment.HF_HOME || path.join(cache, 'huggingface');
  try {
    return fs.readFileSync(environment.HF_TOKEN_PATH || path.join(home, 'token'), 'utf8').trim() || null;
  } catch {
    // Nobody is logged in on this machine, or the file is not readable: no token either way.
    return null;
  }
}
