/** Interprets the states of a program: for formats known only at run time, and as the oracle of generated modules. */
import { defineParser } from '../parser/define-parser.ts';
import type { ResponseModule } from '../parser/module-contract.ts';
import type { ParserProgram } from './states.ts';

/** A module that is equivalent to the one generated from `program`. */
export function interpretStates({ states, ...program }: ParserProgram): ResponseModule {
  const named = states.map(({ name, step }) => [name, step] as const);
  return defineParser({ ...program, states: Object.fromEntries(named) });
}
