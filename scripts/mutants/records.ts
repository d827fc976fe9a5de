/**
 * What is known of mutants: those that change nothing (`equivalent.json`, written by hand, each with its reason), the
 * scores of files (`scores.json`, checked in), and what an earlier run found (`.cache/mutants`, which only saves time).
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Mutant } from './mutations.ts';

export const root = path.join(import.meta.dirname, '../..');
const cache = path.join(root, '.cache/mutants');

/** A mutant that no test can find. */
export interface Equivalent {
  readonly file: string;
  /** The line before the change, without white space around it. */
  readonly line: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** How many mutants of a file were tried, how many a test killed, and how many no test can find. */
export interface Score {
  readonly mutants: number;
  readonly killed: number;
  readonly equivalent: number;
}

/** The test file that found a mutant, and its text's hash then. */
export interface Kill {
  readonly test: string;
  readonly hash: string;
}

/** Those that are listed. */
export const equivalents: readonly Equivalent[] =
  readJson(path.join(import.meta.dirname, 'equivalent.json')) ?? [];
const scoresFile = path.join(import.meta.dirname, 'scores.json');

/** Why no test can find the mutant, or null. */
export function whyEquivalent(mutant: Mutant, source: string): string | null {
  const line = source.split('\n')[mutant.line - 1]?.trim();
  const from = source.slice(mutant.start, mutant.end);
  const known = equivalents.find(
    (each) =>
      each.file === mutant.file && each.line === line && each.from === from && each.to === mutant.text,
  );
  return known?.reason ?? null;
}

/** The checked-in scores by file. */
export function recordedScores(): Readonly<Record<string, Score>> {
  return readJson<Record<string, Score>>(scoresFile) ?? {};
}

/** Replaces the scores of the files given. */
export function recordScores(scores: Readonly<Record<string, Score>>): void {
  const sorted = Object.entries({ ...recordedScores(), ...scores })
    .filter(([file]) => fs.existsSync(path.join(root, file)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  fs.writeFileSync(scoresFile, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

export function sourceOf(file: string): string {
  return fs.readFileSync(path.join(root, file), 'utf8');
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** What a value of `name` was when it was kept under `key`, or null. */
export function kept<T>(name: string, key: string): T | null {
  const entry = readJson<{ readonly key: string; readonly value: T }>(path.join(cache, `${name}.json`));
  return entry?.key === key ? entry.value : null;
}

export function keep(name: string, key: string, value: unknown): void {
  const file = path.join(cache, `${name}.json`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify({ key, value }));
}

function readJson<T>(file: string): T | null {
  if (!fs.existsSync(file)) return null;
  return JSON.parse(fs.readFileSync(file, 'utf8')) as T;
}
