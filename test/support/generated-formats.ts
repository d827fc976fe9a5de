/** The formats that are checked in under `generated/`, as data. */
import fs from 'node:fs';
import type { ChatFormat } from '../../src/format/chat-format.ts';

const folder = new URL('../../generated/', import.meta.url);

/** A format and the name of its folder. */
export interface GeneratedFormat {
  readonly name: string;
  readonly format: ChatFormat;
}

let known: readonly GeneratedFormat[] | undefined;

/** All of them, by the name of their folder; the same objects for all, so that parsers and grammars are made once. */
export function generatedFormats(): readonly GeneratedFormat[] {
  known ??= readFormats();
  return known;
}

function readFormats(): readonly GeneratedFormat[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({
      name,
      format: JSON.parse(fs.readFileSync(new URL(`${name}/format.json`, folder), 'utf8')),
    }));
}
