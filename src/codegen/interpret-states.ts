/** Runs the states of a program without generating code: the oracle of generated modules, and the fallback. */
import { defineParser } from '../parser/define-parser.ts';
import type { ResponseModule } from '../parser/module-contract.ts';
import type { ParserProgram } from './states.ts';

/** A module that does what the module generated from `program` does. */
export function interpretStates({ states, ...program }: ParserProgram): ResponseModule {
  const named = states.map(({ name, step }) => [name, step] as const);
  return defineParser({ ...program, states: Object.fromEntries(named) });
}
