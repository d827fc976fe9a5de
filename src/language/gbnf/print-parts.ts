/** Prints parts of one grammar as grammars of their own: an expression as `root`, then the rules that it refers to. */
import type { Expression } from '../expression/expression.ts';
import { referredRules } from '../expression/references.ts';
import type { ExpandedGrammar } from '../expression/until.ts';
import { writeGbnf } from './gbnf.ts';
import { GbnfPrinter, printedNames } from './print-gbnf.ts';

/** A rule as printed, and the rules it refers to. */
interface PrintedRule {
  readonly text: string;
  readonly refers: readonly string[];
}

/** Prints parts of one grammar; prints each rule only once. */
export class PartPrinter {
  readonly #grammar: ExpandedGrammar;
  readonly #printer: GbnfPrinter;
  readonly #printed = new Map<string, PrintedRule>();

  /** `names` maps rules to their printed names. Default: their own. */
  constructor(
    grammar: ExpandedGrammar,
    names: ReadonlyMap<string, string> = printedNames(grammar.rules.keys(), null),
  ) {
    this.#grammar = grammar;
    this.#printer = new GbnfPrinter(grammar, names);
  }

  /** GBNF of all texts of `expression`, which contains no `until`. */
  gbnf(expression: Expression): string {
    const root = writeGbnf({ rules: this.#printer.root(expression) });
    const needed = new Set(referredRules(expression));
    for (const name of needed) for (const each of this.#rule(name).refers) needed.add(each);
    return root + Array.from(needed, (name) => this.#rule(name).text).join('');
  }

  #rule(name: string): PrintedRule {
    const known = this.#printed.get(name);
    if (known !== undefined) return known;
    const expression = this.#grammar.rules.get(name);
    const printed: PrintedRule = {
      text: writeGbnf({ rules: this.#printer.rule(name) }),
      refers: expression === undefined ? [] : [...referredRules(expression)],
    };
    this.#printed.set(name, printed);
    return printed;
  }
}
