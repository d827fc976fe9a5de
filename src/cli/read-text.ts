/** Text files as editors on any system write them. */
import fs from 'node:fs/promises';

/**
 * The text of a file: UTF-8, or UTF-16 where it begins with its byte order mark, as PowerShell's `>` writes.
 * The mark itself is not part of the text. Throws what the file system throws.
 */
export async function readTextFile(file: string): Promise<string> {
  const bytes = await fs.readFile(file);
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
