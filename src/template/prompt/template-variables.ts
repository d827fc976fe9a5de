/** The variables that a caller adds for a template. */
import { UnsupportedOptionError } from '../../format/errors.ts';

/** Entries at all depths: each costs many times its bytes. No template reads a thousandth as many. */
const maxVariables = 5_000;

/** What the renderer itself sets, and the option that decides it. */
const ownVariables: ReadonlyMap<string, string> = new Map([
  ['messages', 'messages'],
  ['tools', 'tools'],
  ['add_generation_prompt', 'addGenerationPrompt, or continueFinalMessage'],
  ['bos_token', 'bosToken'],
  ['eos_token', 'eosToken'],
]);

/** A variable that is not accepted (`null`: all of them together), and why. */
interface VariableProblem {
  readonly name: string | null;
  readonly reason: string;
}

/** The first variable that would replace one of the renderer's own, or that they are too many; `null` if neither. */
export function variableProblem(variables: Readonly<Record<string, unknown>>): VariableProblem | null {
  for (const name of ownVariables.keys())
    if (Object.hasOwn(variables, name)) return { name, reason: `is set by what is rendered; leave it out` };
  const isTooMany = entriesLeft(variables, maxVariables) < 0;
  return isTooMany ? { name: null, reason: `must have at most ${maxVariables} entries at all depths` } : null;
}

/** Throws `UnsupportedOptionError`, which names the variable and the option to use in its place. */
export function requireVariables(variables: Readonly<Record<string, unknown>> | undefined): void {
  const problem = variables === undefined ? null : variableProblem(variables);
  if (problem === null) return;
  const { name, reason } = problem;
  if (name === null) throw new UnsupportedOptionError({ option: 'templateVariables', reason });
  const instead = `${reason}; the option for it is ${ownVariables.get(name)}`;
  throw new UnsupportedOptionError({ option: `templateVariables.${name}`, reason: instead });
}

/** How many entries may still come after those of `value`; negative from the first that is one too many. */
function entriesLeft(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return most;
  const entries: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let left = most - entries.length;
  for (const entry of entries) {
    if (left < 0) return left;
    left = entriesLeft(entry, left);
  }
  return left;
}
