/** GBNF, llama.cpp's grammar notation, as data: what `read-gbnf` returns and every printer writes. */
import { gbnfGrammar, requireOption } from '../../format/option-rules.ts';
import type { CodePointRange } from '../expression/expression.ts';

/** A grammar: rules in source order; the start rule is `root`. */
export interface GbnfGrammar {
  readonly rules: readonly GbnfRule[];
}

/** `name ::= body`, with an optional comment on the preceding line. */
export interface GbnfRule {
  readonly name: string;
  readonly body: GbnfNode;
  /** One line, without the `#`. */
  readonly comment?: string;
}

/** The body of a rule, or part of one. */
export type GbnfNode =
  | GbnfLiteral
  | GbnfClass
  | GbnfAny
  | GbnfToken
  | GbnfReference
  | GbnfSequence
  | GbnfChoice
  | GbnfRepeat;

/** `"text"`; the empty literal matches the empty text. */
export interface GbnfLiteral {
  readonly type: 'literal';
  readonly text: string;
}
/** `[a-z]`, `[^"\\]`. Ranges as written: they may overlap, touch, or be reversed and thus empty. */
export interface GbnfClass {
  readonly type: 'class';
  readonly negated: boolean;
  readonly ranges: readonly CodePointRange[];
}
/** `.` */
export interface GbnfAny {
  readonly type: 'any';
}
/** One token of the vocabulary, by id `<[42]>` or by text `<think>`; negated `!<think>`. */
export interface GbnfToken {
  readonly type: 'token';
  readonly negated: boolean;
  /** The id, or the text with its angle brackets. */
  readonly token: number | string;
}
/** Reference to the rule `name`. */
export interface GbnfReference {
  readonly type: 'reference';
  readonly name: string;
}
/** Items in order; no items match the empty text. */
export interface GbnfSequence {
  readonly type: 'sequence';
  readonly items: readonly GbnfNode[];
}
/** `a | b`. */
export interface GbnfChoice {
  readonly type: 'choice';
  readonly alternatives: readonly GbnfNode[];
}
/** `item?`, `item*`, `item+`, `item{m,n}`. `max: null` is unbounded. */
export interface GbnfRepeat {
  readonly type: 'repeat';
  readonly item: GbnfNode;
  readonly min: number;
  readonly max: number | null;
}

/** The highest count that llama.cpp's engine expands; above it, the engine fails or ignores the bound. */
export const engineRepetitionLimit = 2000;

/** Rule names are padded to one column up to this width. */
const nameColumn = 28;
/** Larger grammars are not aligned: padding would be a fifth of their text. */
const maxAlignedRules = 300;
/** Alternatives longer than this go on lines of their own. */
const lineWidth = 100;

/**
 * Prints a grammar: `::=` aligned if it is small, long choices with one alternative per line. Throws
 * `UnsupportedOptionError` if it is not a grammar.
 */
export function writeGbnf(grammar: GbnfGrammar): string {
  requireOption('grammar', grammar, gbnfGrammar);
  const width = columnOf(grammar.rules.map(({ name }) => name));
  let written = '';
  for (const rule of grammar.rules) written += writeRule(rule, width);
  return written;
}

/** Width of the name column; 0 if there are too many rules to align. */
export function columnOf(names: readonly string[]): number {
  if (names.length > maxAlignedRules) return 0;
  return Math.max(0, ...names.filter((name) => name.length <= nameColumn).map((name) => name.length));
}

/** Prints a rule with a line end, its name padded to `width`. */
export function writeRule({ name, body, comment }: GbnfRule, width: number): string {
  const head = `${name.padEnd(width)} ::= `;
  const above = comment === undefined ? '' : `# ${comment}\n`;
  return `${above}${head}${writeBody(body, head.length)}\n`;
}

function writeBody(body: GbnfNode, indent: number): string {
  if (body.type !== 'choice') return writeNode(body, 'rule');
  const alternatives = body.alternatives.map((each) => writeNode(each, 'alternative'));
  const line = alternatives.join(' | ');
  if (indent + line.length <= lineWidth) return line;
  // A line may break only after `|`: llama.cpp ends the rule at any other line break.
  return alternatives.join(` |\n${' '.repeat(indent)}`);
}

/** The parent of a node, which decides whether the node needs parentheses. */
type Parent = 'rule' | 'alternative' | 'item' | 'repeated';

/** Prints one node. */
function writeNode(node: GbnfNode, place: Parent): string {
  switch (node.type) {
    case 'literal':
      return writeLiteral(node.text);
    case 'class':
      return writeClass(node);
    case 'any':
      return '.';
    case 'token':
      return `${node.negated ? '!' : ''}${typeof node.token === 'number' ? `<[${node.token}]>` : node.token}`;
    case 'reference':
      return node.name;
    case 'sequence':
      return parenthesised(writeAll(node.items, 'item', ' '), place === 'repeated');
    case 'choice':
      return parenthesised(writeAll(node.alternatives, 'alternative', ' | '), place !== 'rule');
    case 'repeat':
      return parenthesised(
        writeNode(node.item, 'repeated') + writeCount(node.min, node.max),
        place === 'repeated',
      );
  }
}

function writeAll(nodes: readonly GbnfNode[], place: Parent, between: string): string {
  let written = '';
  for (const node of nodes) written += (written === '' ? '' : between) + writeNode(node, place);
  return written;
}

/** Fast path: literals that need no escapes. */
const plainText = /^[ !#-[\]-~]*$/;

function writeLiteral(text: string): string {
  if (plainText.test(text)) return `"${text}"`;
  let written = '"';
  for (const char of text) written += escapeCharacter(codePoint(char), '"\\');
  return `${withClearEnds(written)}"`;
}

function parenthesised(text: string, needed: boolean): string {
  return needed ? `(${text})` : text;
}

function writeCount(min: number, max: number | null): string {
  if (max === null) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  if (min === 0 && max === 1) return '?';
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

function writeClass(node: GbnfClass): string {
  const known = writtenClasses.get(node) ?? spellClass(node);
  writtenClasses.set(node, known);
  return known;
}

/** Cached, because classes are shared by many rules. */
const writtenClasses = new WeakMap<GbnfClass, string>();

function spellClass({ negated, ranges }: GbnfClass): string {
  const members = ranges.map(([from, to]) => {
    const first = escapeCharacter(from, classSpecials);
    if (from === to) return first;
    return `${first}${to === from + 1 ? '' : '-'}${escapeCharacter(to, classSpecials)}`;
  });
  return `[${negated ? '^' : ''}${withClearEnds(members.join(''))}]`;
}

/** XGrammar reads all hex digits after `\x`, llama.cpp only two. Both read exactly four after `\u`. */
function withClearEnds(escaped: string): string {
  return escaped.replace(/\\(x[0-9A-F]{2}(?=[0-9A-Fa-f])|.)/gs, (whole, sign: string) =>
    sign.length > 1 ? `\\u00${sign.slice(1)}` : whole,
  );
}

const classSpecials = '[]\\-^';
const namedEscapes = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** A printable character as it is, any other escaped. `specials` need a backslash. */
function escapeCharacter(code: number, specials: string): string {
  const char = String.fromCodePoint(code);
  if (code >= 0x20 && code < 0x7f && !specials.includes(char)) return char;
  const named = namedEscapes.get(char);
  if (named !== undefined) return named;
  // GBNF has no `\^`. A caret is special only at the start of a class.
  if (specials.includes(char)) return char === '^' ? '\\x5E' : `\\${char}`;
  if (char === ' ' || /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(char)) return char;
  if (code <= 0xff) return `\\x${hex(code, 2)}`;
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).toUpperCase().padStart(digits, '0');
}

function codePoint(char: string): number {
  return char.codePointAt(0) ?? 0;
}
