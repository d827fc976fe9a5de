/** Ohm as a judge of whole texts: the PEG reading of an expression tree. */
import * as ohm from 'ohm-js';
import type { Grammar } from '../../src/language/expression/expression.ts';
import { printOhm } from '../../src/language/ohm/print-ohm.ts';

/** Matches whole texts with the Ohm grammar that `printOhm` writes. */
export function ohmMatcher(grammar: Grammar): { accepts(text: string): boolean } {
  const compiled = ohm.grammar(printOhm(grammar, 'Tested'));
  return { accepts: (text) => compiled.match(text).succeeded() };
}
