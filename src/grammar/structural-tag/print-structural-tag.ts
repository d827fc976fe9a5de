/**
 * Prints expression trees as structural tags. Free text becomes a node that XGrammar need not compile, four to ten
 * times faster than our automaton: text up to a delimiter becomes a `tag` around `any_text`, text up to the first
 * call `triggered_tags`, calls that contain free text `tags_with_separator`. Everything else is GBNF.
 *
 * Nodes cannot refer to each other, so they repeat what a grammar contains once: where nodes would take too many bytes,
 * a grammar takes their place, down to one for each tool.
 */
import { GrammarError } from '../../format/errors.ts';
import {
  choice,
  type Expression,
  empty,
  type Grammar,
  literal,
  rule,
  sequence,
  type Until,
  until,
} from '../../language/expression/expression.ts';
import { mapChildren } from '../../language/expression/references.ts';
import { expandUntil } from '../../language/expression/until.ts';
import { PartPrinter } from '../../language/gbnf/print-parts.ts';
import { freeText } from './free-text.ts';
import { withListedCharacters } from './listed-characters.ts';
import { areFound } from './marker-search.ts';
import { repeatedCalls } from './repeated-calls.ts';
import { shortText } from './short-text.ts';
import type { TagFormat, TagNode } from './structural-tag.ts';
import { withTextRules } from './text-rules.ts';

/** About this many bytes of JSON, and a tag needs no more grammars in place of nodes. */
const fewBytes = 32_000;
/** Limits for the nodes of one expression, tried in this order. */
const nodeLimits: readonly number[] = [fewBytes, 8000, 2000, 500, 0];
/** A server gets the tag with each request; a larger one is refused. */
const maxBytes = 1_000_000;
/** Characters of all grammars printed for the nodes of a call: where these are deep, each has all that is in the next. */
const maxPrinted = 50_000_000;

/** The structural tag format for all texts of `grammar`. Throws `GrammarError` if it would be too large to send. */
export function printStructuralTag(grammar: Grammar): TagFormat {
  const shared = withSharedText(withListedCharacters(withTextRules(grammar)));
  const expanded = { ...expandUntil(shared), comments: new Map<string, string>() };
  const parts = new PartPrinter(expanded, shortNames(expanded.rules.keys()));
  let bytes = Number.POSITIVE_INFINITY;
  for (const limit of nodeLimits) {
    const printed = new TagPrinter(shared, parts, limit).printCall(rule(grammar.root));
    bytes = printed.bytes;
    if (bytes <= fewBytes || (limit === 0 && bytes <= maxBytes)) return printed.format;
  }
  const reason = `a structural tag of ${bytes} bytes is more than the ${maxBytes} that a server is sent; offer fewer tools, or smaller schemas`;
  throw new GrammarError({ reason });
}

/** Thrown where a call has too much within each other to be nodes. */
class TooMuchWithin extends Error {}

function shortNames(names: Iterable<string>): ReadonlyMap<string, string> {
  return new Map(Array.from(names, (name, index) => [name, `x${index.toString(36)}`]));
}

/** A node. */
interface PrintedNode {
  readonly format: TagFormat;
  /** Whether nothing may follow it, because it has no end. */
  readonly unlimited: boolean;
  /** About the length of its JSON. */
  readonly bytes: number;
}

/** About the length of a node's JSON, apart from its texts and what it contains. */
const nodeBytes = 60;

const anyText: PrintedNode = printed({ type: 'any_text' }, true);

class TagPrinter {
  readonly #grammar: Grammar;
  readonly #parts: PartPrinter;
  /** With more bytes, nodes become a grammar if that is shorter. */
  readonly #limit: number;
  readonly #isFree: (expression: Expression) => boolean;
  #open: ReadonlySet<string> = new Set();
  readonly #rules = new Map<string, PrintedNode | null>();
  #printed = 0;

  constructor(grammar: Grammar, parts: PartPrinter, limit: number) {
    this.#grammar = grammar;
    this.#parts = parts;
    this.#limit = limit;
    this.#isFree = freeText(grammar);
  }

  /** The root, or what follows a trigger: one grammar, if it has too much within each other for nodes. */
  printCall(expression: Expression): PrintedNode {
    const around = this.#open;
    this.#printed = 0;
    try {
      return this.#print(expression);
    } catch (error) {
      if (!(error instanceof TooMuchWithin || error instanceof RangeError)) throw error;
      this.#open = around;
      this.#printed = 0;
      return this.#gbnf(expression);
    }
  }

  #print(expression: Expression): PrintedNode {
    const nodes = this.#isFree(expression) ? this.#printFree(expression) : null;
    if (nodes !== null && nodes.bytes <= this.#limit) return nodes;
    const grammar = this.#gbnf(expression);
    return nodes === null || grammar.bytes < nodes.bytes ? grammar : nodes;
  }

  #printFree(expression: Expression): PrintedNode | null {
    switch (expression.type) {
      case 'sequence':
        return this.#sequence(expression.items);
      case 'choice':
        return this.#choice(expression.alternatives);
      case 'repeat':
        return expression.min === 0 && expression.max === 1 ? this.#choice([expression.item, empty]) : null;
      case 'until':
        return this.#until(expression);
      case 'rule':
        return this.#rule(expression.name);
      default:
        return null;
    }
  }

  #rule(name: string): PrintedNode | null {
    const known = this.#rules.get(name);
    if (known !== undefined) return known;
    const body = this.#grammar.rules.get(name);
    // Recursion cannot be expressed by nodes.
    if (body === undefined || this.#open.has(name)) return null;
    const around = this.#open;
    this.#open = new Set(around).add(name);
    const repeated = repeatedText(name, body, this.#grammar.rules);
    const printed = repeated === null ? this.#printFree(body) : this.#triggered(repeated, false);
    this.#open = around;
    this.#rules.set(name, printed);
    return printed;
  }

  /** Adjacent items without free text become one grammar. */
  #sequence(items: readonly Expression[]): PrintedNode {
    const parts: PrintedNode[] = [];
    let bound: Expression[] = [];
    const flush = (): void => {
      if (bound.length > 0) parts.push(this.#gbnf(sequence(...bound)));
      bound = [];
    };
    for (let at = 0; at < items.length; at += 1) {
      const item = items[at] ?? empty;
      const calls = this.#isFree(item) ? this.#calls(items, at) : null;
      if (!this.#isFree(item)) {
        bound.push(item);
        continue;
      }
      flush();
      parts.push(calls?.printed ?? this.#print(item));
      at = calls?.last ?? at;
    }
    flush();
    return joined(parts);
  }

  /** Repeated calls from `start` on, and the index of their last item. */
  #calls(
    items: readonly Expression[],
    start: number,
  ): { readonly printed: PrintedNode; readonly last: number } | null {
    const calls = repeatedCalls(items, start);
    if (calls === null) return null;
    const { body, separator, repetitionAt } = calls;
    const call = this.#print(sequence(...body));
    const next = items[repetitionAt + 1];
    if (call.unlimited || (next !== undefined && next.type !== 'literal')) return null;
    const format: TagFormat = {
      type: 'tags_with_separator',
      tags: [{ type: 'tag', begin: '', content: call.format, end: '' }],
      separator,
      at_least_one: true,
      stop_after_first: false,
    };
    const several = printed(format, true, [call], separator);
    if (next === undefined) return { printed: several, last: repetitionAt };
    return { printed: tagged('', several, next.text), last: repetitionAt + 1 };
  }

  /** Either all alternatives are unlimited, or none is. */
  #choice(alternatives: readonly Expression[]): PrintedNode | null {
    const bound = alternatives.filter((each) => !this.#isFree(each));
    const free = alternatives.filter((each) => this.#isFree(each)).map((each) => this.#print(each));
    const parts = bound.length === 0 ? free : [...free, this.#gbnf(choice(...bound))];
    const [first] = parts;
    if (first === undefined || parts.some(({ unlimited }) => unlimited !== first.unlimited)) return null;
    return parts.length === 1 ? first : either(parts);
  }

  #until({ branches, mayEnd }: Until): PrintedNode | null {
    if (branches.length === 0) return mayEnd ? anyText : null;
    if (branches.some(({ next }) => next === null)) return null;
    // XGrammar misses a trigger that begins inside a partial match of another. That call is unconstrained, but the
    // parser still finds it.
    if (mayEnd) return this.#triggered(branches);
    const [only, second] = branches;
    if (only === undefined || second !== undefined || !areFound([only.delimiter])) return null;
    const next = only.next ?? empty;
    const head = tagged('', anyText, only.delimiter);
    return isEmpty(next) ? head : joined([head, this.#print(next)]);
  }

  /** `once`: nothing follows the first call. */
  #triggered(branches: Until['branches'], once = true): PrintedNode | null {
    const contents = branches.map(({ next }) => this.printCall(next ?? empty));
    if (contents.every(({ unlimited }) => !unlimited)) return triggeredTags(branches, contents, once);
    if (!once) return null;
    const [only, second] = branches;
    const [content] = contents;
    if (only === undefined || content === undefined || second !== undefined) return null;
    // A trigger needs an end, but repeated calls have none, so they follow a text of their own. What remains is free
    // text without calls: a trigger that one fixed call must follow. Any call will do.
    const one = shortText(only.next ?? empty, this.#grammar);
    if (one === null) return null;
    const several = joined([tagged('', anyText, only.delimiter), content]);
    return either([triggeredTags(branches, [this.#gbnf(literal(one))], once), several]);
  }

  /** A grammar has its own end. */
  #gbnf(expression: Expression): PrintedNode {
    if (expression.type === 'literal' && expression.text !== '')
      return printed({ type: 'const_string', value: expression.text }, false, [], expression.text);
    const grammar = this.#parts.gbnf(expression);
    this.#printed += grammar.length;
    if (this.#printed > maxPrinted) throw new TooMuchWithin();
    return printed({ type: 'grammar', grammar }, false, [], grammar);
  }
}

function printed(
  format: TagFormat,
  unlimited: boolean,
  inner: readonly PrintedNode[] = [],
  text = '',
): PrintedNode {
  const within = inner.reduce((sum, { bytes }) => sum + bytes, JSON.stringify(text).length);
  return { format, unlimited, bytes: nodeBytes + within };
}

function tagged(
  begin: string,
  content: PrintedNode,
  end: string,
): PrintedNode & { readonly format: TagNode } {
  const format: TagNode = { type: 'tag', begin, content: content.format, end };
  return { ...printed(format, false, [content], begin + end), format };
}

/** The branches of text up to a call, after which the same text follows again: the body of the rule `name`. */
function repeatedText(name: string, body: Expression, rules: Grammar['rules']): Until['branches'] | null {
  if (body.type !== 'until' || !body.mayEnd || body.branches.length === 0) return null;
  const branches = body.branches.map(({ delimiter, next }) => {
    const items = next?.type === 'sequence' ? next.items : [];
    const last = items.at(-1);
    const again = last?.type === 'rule' ? last.name : null;
    const other = rules.get(again ?? '');
    return again === name || (other?.type === 'rule' && other.name === name)
      ? { delimiter, next: sequence(...items.slice(0, -1)) }
      : null;
  });
  return branches.every((branch) => branch !== null) ? branches : null;
}

function triggeredTags(
  branches: Until['branches'],
  contents: readonly PrintedNode[],
  once: boolean,
): PrintedNode {
  const triggers = branches.map(({ delimiter }) => delimiter);
  const tags = triggers.map((begin, at) => tagged(begin, contents[at] ?? anyText, ''));
  const format = {
    type: 'triggered_tags',
    triggers,
    tags: tags.map((tag) => tag.format),
    at_least_one: false,
    stop_after_first: once,
  } as const;
  return printed(format, true, tags, triggers.join());
}

/** All are unlimited, or none is. */
function either(parts: readonly PrintedNode[]): PrintedNode {
  const elements = parts.map(({ format }) => format);
  return printed({ type: 'or', elements }, parts[0]?.unlimited === true, parts);
}

function isEmpty(expression: Expression): boolean {
  return expression.type === 'literal' && expression.text === '';
}

function joined(parts: readonly PrintedNode[]): PrintedNode {
  const elements = parts.flatMap(({ format }) => (format.type === 'sequence' ? format.elements : [format]));
  const [only, second] = parts;
  if (only !== undefined && second === undefined) return only;
  return printed({ type: 'sequence', elements }, parts.at(-1)?.unlimited === true, parts);
}

/**
 * Makes every text up to a delimiter a rule of its own, so that the places where it occurs share one automaton:
 * `until("</x>", rest)` becomes `text rest`, with `text ::= until("</x>")`. The grammar matches the same texts.
 */
function withSharedText(grammar: Grammar): Grammar {
  const rules = new Map<string, Expression>();
  const made = new Map<string, string>();
  const shared = (text: Until): Expression => {
    const key = JSON.stringify(text);
    const known = made.get(key);
    if (known !== undefined) return rule(known);
    let number = made.size + 1;
    while (grammar.rules.has(`free-${number}`)) number += 1;
    const name = `free-${number}`;
    made.set(key, name);
    rules.set(name, text);
    return rule(name);
  };
  const rewrite = (expression: Expression): Expression => {
    const inner = mapChildren(expression, rewrite);
    if (inner.type !== 'until') return inner;
    const [only, second] = inner.branches;
    if (inner.mayEnd || only?.next == null || second !== undefined) return shared(inner);
    return sequence(shared(until({ delimiter: only.delimiter, next: empty })), only.next);
  };
  for (const [name, body] of grammar.rules) rules.set(name, rewrite(body));
  return { root: grammar.root, rules };
}
