/** Fails where sources or pages use words for which the field has plainer ones. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** Each word or phrase, and what to write in its place. */
const words: ReadonlyMap<string, string> = new Map([
  ['behind', 'after'],
  ['beside', 'next to, with'],
  ['quiet', 'plain'],
  ['quietly', 'on the fast path'],
  ['unsaid', 'not emitted'],
  ['rehearse', 'warm up'],
  ['belated', 'late'],
  ['sewn', 'split'],
  ['is let go', 'is released'],
  ['for what is none', 'for anything else'],
  ['for a name that is none', 'for an unknown name'],
  ['is none by itself', 'does not count by itself'],
  ['of which nobody', 'that no one'],
  ['to be had', 'available'],
  ['goes by', 'depends on, uses'],
  ['at the most', 'at most'],
  ['in silence', 'silently'],
]);

const root = path.join(import.meta.dirname, '..');
const listed = execFileSync('git', ['ls-files', 'src', 'docs', 'README.md', 'CONTRIBUTING.md'], {
  cwd: root,
});
const files = listed
  .toString()
  .split('\n')
  .filter((file) => /\.(ts|md)$/.test(file));

/** By itself, or as a part of a name: `behindTurn`, `stateBehindLink`. */
const pattern = new RegExp(
  [...words.keys()].flatMap((word) => [`\\b${word}(?![a-z])`, `${capitalized(word)}(?![a-z])`]).join('|'),
  'g',
);

const found = files
  .filter((file) => fs.existsSync(path.join(root, file)))
  .flatMap((file) => {
    const lines = fs.readFileSync(path.join(root, file), 'utf8').split('\n');
    return lines.flatMap((line, at) =>
      [...line.matchAll(pattern)].map(
        ([word]) => `${file}:${at + 1}: ${word}: write ${words.get(word.toLowerCase())}`,
      ),
    );
  });

for (const line of found) console.error(line);
process.exitCode = found.length === 0 ? 0 : 1;

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
