/**
 * Parses GBNF as llama.cpp v0.5.0 does (its `grammars/README.md` describes it, its parser decides): rules that end at
 * the line end except in parentheses, comments, counts, token terminals.
 *
 * Parsing megabytes with Ohm as a whole would take minutes and gigabytes. So the text is split into rules, their
 * leaves are parsed separately, and each distinct rule shape is parsed once.
 */
import * as ohm from 'ohm-js';
import { GrammarError } from '../../format/errors.ts';
import { requireOption, string } from '../../format/option-rules.ts';
import { type CodePointRange, maxCodePoint } from '../expression/expression.ts';
import { cutRules, isBlank } from './cut-gbnf.ts';
import type { GbnfGrammar, GbnfNode, GbnfRule } from './gbnf.ts';

/**
 * `thin` is white space within a line; `wide` also spans lines. Wide space is allowed between elements only in
 * parentheses, hence two versions of each rule there. Leaves are spelled out for invalid texts: those are parsed as a
 * whole, to report what was expected where.
 */
const syntaxSource = String.raw`
  Gbnf {
    file = wide line*
    line = name thin "::=" wide choice (newline | end) wide

    choice      = sequence ("|" wide sequence)*
    sequence    = element*
    element     = atom thin (count<thin> thin)*
    wideChoice  = wideSequence ("|" wide wideSequence)*
    wideSequence = wideElement*
    wideElement = atom wide (count<wide> wide)*

    count<gap>  = "*"                                              -- any
                | "+"                                              -- some
                | "?"                                              -- maybe
                | "{" gap number gap "}"                           -- exactly
                | "{" gap number gap "," gap number? gap "}"       -- between

    atom        = literal | class
                | "(" wide wideChoice ")"                          -- group
                | "."                                              -- any
                | name                                             -- reference
                | token
    literal     = "\"" (plainText | escape)* "\""
    class       = "[" "^"? (~"]" member)* "]"
    member      = character "-" ~"]" character                     -- range
                | character                                        -- one
    token       = "!"? "<[" number "]>"                            -- id
                | "!"? "<" (~">" any)* ">"                         -- text

    character   = plain | escape
    plain       = ~"\\" any
    plainText   = (~"\\" ~"\"" any)+
    escape      = "\\x" hex2                                       -- short
                | "\\u" hex4                                       -- medium
                | "\\U" hex8                                       -- long
                | "\\" ("t" | "r" | "n" | "\\" | "\"" | "[" | "]" | "-")  -- sign

    hex2        = hexDigit hexDigit
    hex4        = hex2 hex2
    hex8        = hex4 hex4
    name        = ("a".."z" | "A".."Z" | "0".."9" | "-")+
    number      = ("0".."9")+
    thin        = (" " | "\t" | comment)*
    wide        = (" " | "\t" | "\r" | "\n" | comment)*
    comment     = "#" (~"\r" ~"\n" any)*
    newline     = "\r\n" | "\r" | "\n"
  }
`;

/** The structure of a rule body; leaves are filled in, in source order. */
type RuleShape =
  | { readonly type: 'leaf' }
  | { readonly type: 'sequence'; readonly items: readonly RuleShape[] }
  | { readonly type: 'choice'; readonly alternatives: readonly RuleShape[] }
  | { readonly type: 'repeat'; readonly item: RuleShape; readonly count: Count };

/** A count as written: `{2,5}`. */
interface Count {
  readonly written: string;
  readonly min: number;
  readonly max: number | null;
}

/**
 * Parses GBNF text to rules, in source order.
 *
 * @throws GrammarError with line and column for invalid GBNF, and for nesting that is too deep;
 * UnsupportedOptionError if `text` is not a string.
 */
export function readGbnf(text: string): GbnfGrammar {
  requireOption('text', text, string);
  try {
    return { rules: readRules(text) };
  } catch (error) {
    if (error instanceof RangeError) throw new GrammarError({ reason: 'is nested too deeply to read' });
    throw error;
  }
}

/** Parses each shape once and fills it with the leaves of every rule that has it. */
function readRules(text: string): readonly GbnfRule[] {
  const shapes = new Map<string, RuleShape>();
  const rules: GbnfRule[] = [];
  let end = 0;
  for (const rule of cutRules(text)) {
    const shape = shapes.get(rule.shape) ?? parseShape(rule.shape) ?? refuse(text, end);
    shapes.set(rule.shape, shape);
    rules.push({ name: rule.name, body: fill(shape, rule.leaves.values()) });
    end = rule.end;
  }
  return isBlank(text, end) ? rules : refuse(text, end);
}

/** A body of dots is valid GBNF, too. */
function parseShape(shape: string): RuleShape | null {
  const match = gbnf().syntax.match(`name ::= ${shape}`);
  return match.succeeded() ? gbnf().semantics(match).shape() : null;
}

/** Throws for the error after `start`. The text before it is blanked, which keeps line and column. */
function refuse(text: string, start: number): never {
  const line = text.slice(0, start).lastIndexOf('\n') + 1;
  const before = text.slice(0, line).replace(/[^\n]+/g, '') + ' '.repeat(start - line);
  const failure = gbnf().syntax.match(before + text.slice(start));
  throw new GrammarError({ reason: `is not GBNF: ${failure.failed() ? failure.shortMessage : ''}` });
}

interface GbnfSyntax {
  readonly syntax: ohm.Grammar;
  readonly semantics: ohm.Semantics;
}

let built: GbnfSyntax | null = null;

/** Built on first use: it takes Ohm a quarter of a second, and most programs never read GBNF. */
function gbnf(): GbnfSyntax {
  if (built === null) {
    const syntax = ohm.grammar(syntaxSource);
    built = { syntax, semantics: createSemantics(syntax) };
  }
  return built;
}

function createSemantics(syntax: ohm.Grammar): ohm.Semantics {
  const semantics = syntax.createSemantics();
  semantics.addOperation<RuleShape>('shape', {
    file: (_, lines) => lines.child(0).shape(),
    line: (_1, _2, _3, _4, body, _5, _6) => body.shape(),
    choice: (first, _1, _2, others) => choiceOf([first, ...others.children]),
    wideChoice: (first, _1, _2, others) => choiceOf([first, ...others.children]),
    sequence: (elements) => ({ type: 'sequence', items: shapesOf(elements.children) }),
    wideSequence: (elements) => ({ type: 'sequence', items: shapesOf(elements.children) }),
    element: (atom, _1, counts, _2) => counts.children.reduce<RuleShape>(repeated, atom.shape()),
    wideElement: (atom, _1, counts, _2) => counts.children.reduce<RuleShape>(repeated, atom.shape()),
    atom_group: (_1, _2, inner, _3) => inner.shape(),
    atom_any: (_) => ({ type: 'leaf' }),
    atom_reference: (_) => ({ type: 'leaf' }),
    literal: (_1, _2, _3) => ({ type: 'leaf' }),
    class: (_1, _2, _3, _4) => ({ type: 'leaf' }),
    token: (_) => ({ type: 'leaf' }),
  });

  semantics.addOperation<Omit<Count, 'written'>>('bounds', {
    count_any: (_) => ({ min: 0, max: null }),
    count_some: (_) => ({ min: 1, max: null }),
    count_maybe: (_) => ({ min: 0, max: 1 }),
    count_exactly: (_1, _2, count, _3, _4) => {
      const number = Number(count.sourceString);
      return { min: number, max: number };
    },
    count_between: (_1, _2, min, _3, _4, _5, max, _6, _7) => ({
      min: Number(min.sourceString),
      max: max.sourceString === '' ? null : Number(max.sourceString),
    }),
  });
  return semantics;
}

function shapesOf(nodes: readonly ohm.Node[]): readonly RuleShape[] {
  return nodes.map((each): RuleShape => each.shape());
}

function choiceOf(nodes: readonly ohm.Node[]): RuleShape {
  const alternatives = shapesOf(nodes);
  const [only, second] = alternatives;
  return only !== undefined && second === undefined ? only : { type: 'choice', alternatives };
}

function repeated(item: RuleShape, count: ohm.Node): RuleShape {
  return { type: 'repeat', item, count: { written: count.sourceString, ...count.bounds() } };
}

/** Builds the node of a shape; consumes its leaves. */
function fill(shape: RuleShape, leaves: Iterator<string>): GbnfNode {
  switch (shape.type) {
    case 'leaf':
      return readLeaf(leaves.next().value ?? '');
    case 'sequence':
      return sequenceOf(shape.items.map((item) => fill(item, leaves)));
    case 'choice':
      return { type: 'choice', alternatives: shape.alternatives.map((each) => fill(each, leaves)) };
    case 'repeat':
      return repeat(fill(shape.item, leaves), shape.count);
  }
}

function sequenceOf(items: readonly GbnfNode[]): GbnfNode {
  const [only, second] = items;
  if (only === undefined) return { type: 'literal', text: '' };
  return second === undefined ? only : { type: 'sequence', items };
}

/** llama.cpp rejects a count after an empty element. */
function repeat(item: GbnfNode, { written, min, max }: Count): GbnfNode {
  if (isEmpty(item)) throw new GrammarError({ reason: `${written} has nothing to repeat` });
  return { type: 'repeat', item, min, max };
}

function isEmpty(node: GbnfNode): boolean {
  if (node.type === 'literal') return node.text === '';
  if (node.type === 'class') return node.ranges.length === 0;
  return node.type === 'repeat' && node.max === 0;
}

/** Parses one leaf. */
function readLeaf(written: string): GbnfNode {
  switch (written.charAt(0)) {
    case '"':
      return readLiteral(written.slice(1, -1));
    case '[':
      return readClass(written.slice(1, -1));
    case '.':
      return { type: 'any' };
    case '<':
      return { type: 'token', negated: false, token: readToken(written) };
    case '!':
      return { type: 'token', negated: true, token: readToken(written.slice(1)) };
    default:
      return { type: 'reference', name: written };
  }
}

/** Text without escapes and lone surrogates. */
const plainText = /^[^\\\p{Cs}]*$/u;
const character = String.raw`\\x..|\\u.{4}|\\U.{8}|\\.|[^]`;
const characters = new RegExp(character, 'gu');
const members = new RegExp(`(${character})(?:-(${character}))?`, 'gu');

/** Code points that no string can hold become classes of their own. */
function readLiteral(text: string): GbnfNode {
  if (plainText.test(text)) return { type: 'literal', text };
  const items: GbnfNode[] = [];
  for (const [written] of text.matchAll(characters)) {
    const code = readCharacter(written);
    const last = items.at(-1);
    if (!isScalar(code)) items.push({ type: 'class', negated: false, ranges: [[code, code]] });
    else if (last?.type === 'literal') {
      items[items.length - 1] = { type: 'literal', text: last.text + String.fromCodePoint(code) };
    } else items.push({ type: 'literal', text: String.fromCodePoint(code) });
  }
  const [only, second] = items;
  return only !== undefined && second === undefined ? only : { type: 'sequence', items };
}

function readClass(inner: string): GbnfNode {
  const negated = inner.startsWith('^');
  const ranges: CodePointRange[] = [];
  for (const [, from = '', to = from] of inner.slice(negated ? 1 : 0).matchAll(members)) {
    ranges.push([readCharacter(from), readCharacter(to)]);
  }
  return { type: 'class', negated, ranges };
}

/** The number of `<[42]>`, otherwise the text with its brackets. */
function readToken(written: string): number | string {
  const id = /^<\[(\d+)\]>$/.exec(written)?.[1];
  return id === undefined ? written : Number(id);
}

const controls = new Map([
  ['t', '\t'],
  ['r', '\r'],
  ['n', '\n'],
]);

/** The code point of a possibly escaped character. */
function readCharacter(written: string): number {
  if (written.length < 2 || !written.startsWith('\\')) return written.codePointAt(0) ?? 0;
  const sign = written.charAt(1);
  if (/[xuU]/.test(sign)) return Number.parseInt(written.slice(2), 16);
  return (controls.get(sign) ?? sign).codePointAt(0) ?? 0;
}

function isScalar(code: number): boolean {
  return code <= maxCodePoint && (code < 0xd800 || code > 0xdfff);
}
