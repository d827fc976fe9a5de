/** Reads text files as editors on any system write them. */
import fs from 'node:fs/promises';

/**
 * The text of a file: UTF-8, or UTF-16 if it begins with that byte order mark, as PowerShell's `>` writes it. The mark
 * is removed. Throws errors of the file system.
 */
export async function readTextFile(file: string): Promise<string> {
  const bytes = await readBytes(file);
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

/** The bytes of a file. Throws errors of the file system, which name the file also where it is a folder. */
export async function readBytes(file: string): Promise<Buffer> {
  return fs.readFile(file).catch((error: unknown) => {
    throw error instanceof Error ? Object.assign(error, { path: file }) : error;
  });
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
