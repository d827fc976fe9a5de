/** What identifies a chat template. */
import { sha256 } from './sha256.ts';

/**
 * The SHA-256 of a template's source with line feeds as its line ends: Jinja reads all line ends alike, and a checkout
 * may have replaced them.
 */
export function templateFingerprint(source: string): string {
  return sha256(source.replace(/\r\n?/g, '\n'));
}
