/**
 * Prints expression trees as Ohm, a PEG for people to read and for tests to match whole texts.
 *
 * All rules are lexical (lower-case names), so that Ohm skips no white space. Ohm requires all alternatives of a
 * choice to have the same arity (number of values). Where arities differ, an alternative that is not a single value
 * becomes a case (`-- members`) or a rule. Both are named for what they contain.
 */
import { GrammarError } from '../../format/errors.ts';
import {
  type CharacterClass,
  type CodePointRange,
  classExcept,
  type Expression,
  type Grammar,
  maxCodePoint,
  type Repeat,
  type Until,
  unreachable,
} from '../expression/expression.ts';
import { definedRule } from '../expression/references.ts';
import { OhmCounts } from './ohm-counts.ts';

/**
 * Prints a grammar as Ohm source named `name`, its start rule first. Except for NUL and lone surrogates, it matches
 * the same texts as the GBNF.
 *
 * @throws GrammarError if `name` is not an identifier or a rule is missing.
 */
export function printOhm(grammar: Grammar, name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new GrammarError({
      reason: `${JSON.stringify(name)} is not an identifier, which Ohm needs as a name`,
    });
  }
  const { root, rules } = grammar;
  const printer = new OhmPrinter(rules.keys());
  const names = [root, ...[...rules.keys()].filter((each) => each !== root)];
  const printed = names.flatMap((each) => printer.printRule(each, definedRule(rules, each)));
  const blocks = [...printed, ...printer.counts.rules()].map(indent);
  const lines = blocks.map((block, place) => (isApart(blocks[place - 1], block) ? `\n${block}` : block));
  return `${name} {\n${lines.join('\n')}\n}\n`;
}

/** A rule of more than two lines stands apart from its neighbours. */
function isApart(before: string | undefined, block: string): boolean {
  return before !== undefined && [before, block].some((each) => each.split('\n').length > 2);
}

/** A printed expression; `arity` is the number of values Ohm makes of it, `binds` its precedence. */
interface OhmText {
  readonly text: string;
  readonly arity: number;
  readonly binds: 'alone' | 'repeat' | 'sequence' | 'choice';
  /** The last rule it refers to, other than its own; absent if there is none. */
  readonly rule?: string | undefined;
  /** Words of the first literal that has any. */
  readonly words?: string | undefined;
}

/** Choices up to this many characters stand on one line. */
const maxLine = 80;

class OhmPrinter {
  readonly counts = new OhmCounts();
  readonly #names: ReadonlyMap<string, string>;
  readonly #taken: Set<string>;
  /** Names of extracted rules, by body. */
  readonly #made = new Map<string, string>();

  constructor(names: Iterable<string>) {
    this.#names = ohmNames(names);
    this.#taken = new Set(this.#names.values());
  }

  printRule(name: string, expression: Expression): string[] {
    const printed = definedRule(this.#names, name);
    const before = this.#made.size;
    const body =
      expression.type === 'choice'
        ? this.#cases(expression.alternatives, printed)
        : ` = ${this.#print(expression, printed).text}`;
    const made = [...this.#made].slice(before);
    return [`${printed}${body}`, ...made.map(([text, rule]) => `${rule} = ${text}`)];
  }

  /** Prints a choice at the top of a rule: one case per line, or all on one if they are short and need no labels. */
  #cases(alternatives: readonly Expression[], owner: string): string {
    const printed = alternatives.map((each) => {
      const text = this.#print(each, owner);
      // A case label applies to the whole case.
      return text.arity === 1 ? text : { ...text, text: parenthesised(text, 'sequence') };
    });
    const line = printed.map(({ text }) => text).join(' | ');
    if (line.length <= maxLine && printed.every(({ arity }) => arity === 1)) return ` = ${line}`;
    const width = Math.min(60, Math.max(...printed.map(({ text }) => text.length)));
    const labels = new Set<string>();
    const lines = printed.map(({ text, arity, ...named }, index) => {
      const begin = `${index === 0 ? ' =' : '  |'} ${text}`;
      if (arity === 1) return begin;
      const label = freshName(labelOf(named, owner) ?? `case${index + 1}`, labels);
      return `${begin}${' '.repeat(Math.max(0, width - text.length) + 2)}-- ${label}`;
    });
    return lines.join('\n');
  }

  #print(expression: Expression, owner: string): OhmText {
    switch (expression.type) {
      case 'literal':
        return { ...alone(quote(expression.text)), words: wordsOf(expression.text) };
      case 'class':
        return printClass(expression);
      case 'sequence':
        return inSequence(expression.items.map((item) => this.#print(item, owner)));
      case 'choice':
        return this.#choice(
          expression.alternatives.map((each) => this.#print(each, owner)),
          owner,
        );
      case 'repeat':
        return this.#repeat(expression, owner);
      case 'until':
        return this.#until(expression, owner);
      case 'rule':
        return reference(definedRule(this.#names, expression.name), owner);
      default:
        return unreachable(expression);
    }
  }

  #repeat({ item, min, max }: Repeat, owner: string): OhmText {
    const printed = this.#print(item, owner);
    const sign = min === 0 && max === 1 ? '?' : max !== null || min > 1 ? undefined : min === 0 ? '*' : '+';
    if (sign !== undefined) return repeated(printed, sign);
    // Extract a rule rather than print the item twice.
    const repeats = printed.binds === 'alone' || min === 0 ? printed : this.#makeRule(printed, owner);
    const single = parenthesised(this.#single(repeats, owner), 'alone');
    const parts = [
      ...this.counts.exactly(single, min),
      ...(max === null ? [`${single}*`] : this.counts.atMost(single, max - min)),
    ];
    return inSequence(parts.map((text) => ({ text, arity: 1, binds: 'repeat' })));
  }

  #until({ branches, mayEnd }: Until, owner: string): OhmText {
    const stops = inChoice(branches.map(({ delimiter }) => alone(quote(delimiter))));
    const text: OhmText = { text: `(~${parenthesised(stops, 'alone')} any)*`, arity: 1, binds: 'repeat' };
    const endings = branches.flatMap(({ delimiter, next }) =>
      next === null ? [] : [inSequence([alone(quote(delimiter)), this.#print(next, owner)])],
    );
    if (endings.length === 0) return mayEnd ? text : inSequence([text, alone('~""')]);
    const ending = this.#choice(endings, owner);
    return inSequence([text, mayEnd ? repeated(ending, '?') : ending]);
  }

  /** Prints alternatives inline if their arities agree; otherwise extracts those that are not a single value. */
  #choice(alternatives: readonly OhmText[], owner: string): OhmText {
    const agree = alternatives.every(({ arity }) => arity === alternatives[0]?.arity);
    return inChoice(agree ? alternatives : alternatives.map((each) => this.#single(each, owner)));
  }

  /** Makes an expression a single value; extracts a rule if it has several values or none. */
  #single(printed: OhmText, owner: string): OhmText {
    return printed.arity === 1 ? printed : this.#makeRule(printed, owner);
  }

  /** Name for a rule extracted from `owner`. */
  #partName(printed: OhmText, owner: string): string {
    const label = labelOf(printed, owner);
    const name = owner + (label === undefined ? 'Part' : capitalized(label));
    return this.#taken.has(name) ? `${name}Part` : name;
  }

  #makeRule(printed: OhmText, owner: string): OhmText {
    const same = this.#made.get(printed.text);
    if (same !== undefined) return alone(same);
    const name = freshName(this.#partName(printed, owner), this.#taken);
    this.#made.set(printed.text, name);
    return { ...printed, ...alone(name) };
  }
}

/** A label for an expression in rule `owner`: the last other rule it refers to, or its first words. */
function labelOf({ rule, words }: Pick<OhmText, 'rule' | 'words'>, owner: string): string | undefined {
  if (rule === undefined) return words;
  const isWithin = rule.startsWith(owner) && /^[A-Z]/.test(rule.slice(owner.length));
  return isWithin ? rule.charAt(owner.length).toLowerCase() + rule.slice(owner.length + 1) : rule;
}

/** The words of a text as an identifier: `toolCall` for `</tool_call>`; `undefined` if there are none. */
function wordsOf(text: string): string | undefined {
  const [first, ...more] = text.match(/[A-Za-z][A-Za-z0-9]*/g) ?? [];
  return first === undefined ? undefined : first.toLowerCase() + more.slice(0, 2).map(capitalized).join('');
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function alone(text: string): OhmText {
  return { text, arity: 1, binds: 'alone' };
}

function reference(rule: string, owner: string): OhmText {
  return rule === owner ? alone(rule) : { ...alone(rule), rule };
}

function repeated(item: OhmText, sign: '?' | '*' | '+'): OhmText {
  return { ...item, text: parenthesised(item, 'alone') + sign, binds: 'repeat' };
}

function inSequence(items: readonly OhmText[]): OhmText {
  const visible = items.filter(({ text }) => text !== '""');
  const [only, second] = visible;
  if (only === undefined) return alone('""');
  if (second === undefined) return only;
  const text = visible.map((item) => parenthesised(item, 'sequence')).join(' ');
  const arity = visible.reduce((sum, item) => sum + item.arity, 0);
  return { text, arity, binds: 'sequence', ...namesIn(visible) };
}

/** Joins alternatives, which all have the same arity. */
function inChoice(alternatives: readonly OhmText[]): OhmText {
  const [only, second] = alternatives;
  if (only !== undefined && second === undefined) return only;
  const text = alternatives.map((each) => each.text).join(' | ');
  return { text, arity: only?.arity ?? 1, binds: 'choice', ...namesIn(alternatives) };
}

function namesIn(parts: readonly OhmText[]): Pick<OhmText, 'rule' | 'words'> {
  const rule = parts.findLast((part) => part.rule !== undefined)?.rule;
  return { rule, words: parts.find(({ words }) => words !== undefined)?.words };
}

const precedence = ['alone', 'repeat', 'sequence', 'choice'] as const;

/** Adds parentheses if the expression binds more loosely than `place` allows. */
function parenthesised({ text, binds }: OhmText, place: OhmText['binds']): string {
  return precedence.indexOf(binds) > precedence.indexOf(place) ? `(${text})` : text;
}

/** The class, or its complement as "any but these" if that is shorter. */
function printClass({ ranges }: CharacterClass): OhmText {
  const complement = classExcept(ranges).ranges;
  if (complement.length === 0) return alone('any');
  if (ranges.at(-1)?.[1] === maxCodePoint && complement.length <= ranges.length) {
    return { text: `~${parenthesised(printRanges(complement), 'alone')} any`, arity: 1, binds: 'sequence' };
  }
  return printRanges(ranges);
}

function printRanges(ranges: readonly CodePointRange[]): OhmText {
  const char = (code: number): string => quote(String.fromCodePoint(code));
  const texts = ranges.flatMap(([from, to]) => {
    if (from === 0x30 && to === 0x39) return ['digit'];
    return to - from < 2 ? [...new Set([char(from), char(to)])] : [`${char(from)}..${char(to)}`];
  });
  return inChoice(texts.map(alone));
}

const namedEscapes = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['"', '\\"'],
  ['\\', '\\\\'],
]);

function quote(text: string): string {
  const escaped = Array.from(text, (char) => {
    const visible = char === ' ' || /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(char);
    return namedEscapes.get(char) ?? (visible ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
  });
  return `"${escaped.join('')}"`;
}

/** Ohm's built-in rules. */
const builtInRules = [
  ...['any', 'end', 'space', 'spaces', 'letter', 'digit', 'hexDigit', 'alnum', 'lower', 'upper'],
  ...['unicodeLtmo', 'caseInsensitive', 'applySyntactic', 'listOf', 'nonemptyListOf', 'emptyListOf'],
];

/** Unique Ohm names that avoid built-in rules: `get-weather` → `getWeather`. */
function ohmNames(names: Iterable<string>): Map<string, string> {
  const taken = new Set(builtInRules);
  const printed = new Map<string, string>();
  for (const name of names) {
    const camel = name.replace(/[^A-Za-z0-9]+(.?)/g, (_, next: string) => next.toUpperCase());
    const lower = camel.charAt(0).toLowerCase() + camel.slice(1);
    const base = /^[a-z]/.test(lower) ? lower : `rule${camel}`;
    if (taken.has(base)) {
      printed.set(name, freshName(`${base}Rule`, taken));
    } else {
      taken.add(base);
      printed.set(name, base);
    }
  }
  return printed;
}

function freshName(base: string, taken: Set<string>): string {
  let name = base;
  for (let number = 2; taken.has(name); number += 1) name = `${base}${number}`;
  taken.add(name);
  return name;
}

function indent(block: string): string {
  return block.replace(/^/gm, '  ');
}
