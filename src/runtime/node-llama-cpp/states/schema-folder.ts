/** A folder in which compiled schemas are kept between processes. */
import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { UnsupportedOptionError } from '../../../format/errors.ts';
import type { SchemaStore } from '../../../grammar/stored-schemas.ts';

/**
 * The store in `folder`, which is made if it is not there. Throws `UnsupportedOptionError` where it cannot be made.
 * Several processes can have the same.
 */
export function schemaFolder(folder: string): SchemaStore {
  try {
    fs.mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new UnsupportedOptionError({
      option: 'schemaCache',
      reason: `cannot be used as a folder: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
  const fileOf = (name: string) => path.join(folder, `${name}.json`);
  return {
    digest: (text) => createHash('sha256').update(text).digest('hex'),
    read: (name) => orNull(() => fs.readFileSync(fileOf(name), 'utf8')),
    write: (name, text) => {
      const part = path.join(folder, `${name}.${randomUUID()}.part`);
      // Readers see all of it or nothing; a full disk costs the next process its time, and no more.
      orNull(() => {
        fs.writeFileSync(part, text);
        fs.renameSync(part, fileOf(name));
      });
    },
  };
}

/** What `run` gives; `null` where the file system refuses. */
function orNull<Result>(run: () => Result): Result | null {
  try {
    return run();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
