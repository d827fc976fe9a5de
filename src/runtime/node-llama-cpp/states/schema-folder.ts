/** A folder that stores compiled schemas between processes. */
import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { codeOf } from '../../../format/error-class.ts';
import { UnsupportedOptionError } from '../../../format/errors.ts';
import type { SchemaStore } from '../../../grammar/stored-schemas.ts';

/**
 * The store in `folder`, which is created if necessary. Throws `UnsupportedOptionError` if it cannot be created.
 * Several processes may share it.
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
      // Written atomically; if the disk is full, the next process only loses time.
      orNull(() => {
        fs.writeFileSync(part, text);
        fs.renameSync(part, fileOf(name));
      });
    },
  };
}

/** The result of `run`; `null` if the file system fails. */
function orNull<Result>(run: () => Result): Result | null {
  try {
    return run();
  } catch (error) {
    if (codeOf(error) !== null) return null;
    throw error;
  }
}
