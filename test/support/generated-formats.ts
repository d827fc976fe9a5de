/** The formats that are checked in under `generated/`, as data. */
import fs from 'node:fs';
import type { ChatFormat } from '../../src/format/chat-format.ts';

const folder = new URL('../../generated/', import.meta.url);

/** All of them, by the name of their folder. */
export function generatedFormats(): readonly { readonly name: string; readonly format: ChatFormat }[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({
      name,
      format: JSON.parse(fs.readFileSync(new URL(`${name}/format.json`, folder), 'utf8')),
    }));
}
