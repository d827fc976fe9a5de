/** Inputs of a target that reached code which none before them had, kept in a folder from run to run. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** See the top of this file. */
export class KeptInputs {
  readonly #folder: string;
  readonly #inputs: string[];
  readonly #longest: number;

  /** `longest`: UTF-16 units. Inputs that grow from run to run take long, and seldom reach more. */
  constructor(folder: string, longest: number) {
    fs.mkdirSync(folder, { recursive: true });
    this.#folder = folder;
    this.#longest = longest;
    this.#inputs = fs.readdirSync(folder).map((name) => fs.readFileSync(path.join(folder, name), 'utf8'));
  }

  get inputs(): readonly string[] {
    return this.#inputs;
  }

  keep(input: string): void {
    if (input.length > this.#longest) return;
    this.#inputs.push(input);
    writeInput(this.#folder, input);
  }
}

/** Writes `input` into `folder`, under a name that is made from it. Returns its path. */
export function writeInput(folder: string, input: string): string {
  fs.mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${createHash('sha256').update(input).digest('hex').slice(0, 12)}.txt`);
  fs.writeFileSync(file, input);
  return file;
}
