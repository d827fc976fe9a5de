/**
 * Prints the grammar of everything that may follow a position: the rest of each stack as a new `root`, then the rules
 * it refers to.
 */
import { referredRules } from '../expression/references.ts';
import type { ExpandedGrammar } from '../expression/until.ts';
import { writeGbnf } from '../gbnf/gbnf.ts';
import { GbnfPrinter, printedNames } from '../gbnf/print-gbnf.ts';
import { rest } from './rest-of-grammar.ts';
import type { Position } from './stacks.ts';

/** A rule as printed, and the rules it refers to. */
interface PrintedRule {
  readonly text: string;
  readonly refers: readonly string[];
}

/** Prints continuations of one grammar; prints each rule only once. */
export class Continuation {
  readonly #grammar: ExpandedGrammar;
  /** Made when an engine first asks for GBNF: masks of our own need none. */
  #printer: GbnfPrinter | undefined;
  readonly #printed = new Map<string, PrintedRule>();

  constructor(grammar: ExpandedGrammar) {
    this.#grammar = grammar;
  }

  get #print(): GbnfPrinter {
    this.#printer ??= new GbnfPrinter(this.#grammar, printedNames(this.#grammar.rules.keys(), null));
    return this.#printer;
  }

  /** GBNF of all texts that may follow `position`. */
  gbnf(position: Position): string {
    const expression = rest(position);
    const root = writeGbnf({ rules: this.#print.root(expression) });
    const needed = new Set(referredRules(expression));
    for (const name of needed) for (const each of this.#rule(name).refers) needed.add(each);
    return root + Array.from(needed, (name) => this.#rule(name).text).join('');
  }

  #rule(name: string): PrintedRule {
    const known = this.#printed.get(name);
    if (known !== undefined) return known;
    const expression = this.#grammar.rules.get(name);
    const printed: PrintedRule = {
      text: writeGbnf({ rules: this.#print.rule(name) }),
      refers: expression === undefined ? [] : [...referredRules(expression)],
    };
    this.#printed.set(name, printed);
    return printed;
  }
}
