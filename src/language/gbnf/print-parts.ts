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
  /** Made when an engine first asks for GBNF: masks of our own need none. */
  #printer: GbnfPrinter | undefined;
  readonly #names: ReadonlyMap<string, string> | undefined;
  readonly #printed = new Map<string, PrintedRule>();

  /** `names` maps rules to their printed names. Default: their own. */
  constructor(grammar: ExpandedGrammar, names?: ReadonlyMap<string, string>) {
    this.#grammar = grammar;
    this.#names = names;
  }

  get #print(): GbnfPrinter {
    this.#printer ??= new GbnfPrinter(
      this.#grammar,
      this.#names ?? printedNames(this.#grammar.rules.keys(), null),
    );
    return this.#printer;
  }

  /** GBNF of all texts of `expression`, which contains no `until`. */
  gbnf(expression: Expression): string {
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
