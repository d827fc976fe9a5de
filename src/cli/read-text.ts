/** Reads text files as editors on any system write them. */
import fs from 'node:fs/promises';

/**
 * The text of a file: UTF-8, or UTF-16 if it begins with that byte order mark, as PowerShell's `>` writes it. The mark
 * is removed. Throws errors of the file system.
 */
export async function readTextFile(file: string): Promise<string> {
  const bytes = await fs.readFile(file);
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
