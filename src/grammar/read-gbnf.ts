/**
 * Reads GBNF as llama.cpp v0.5.0 reads it (its `grammars/README.md` is the description, its parser the
 * judge): rules that end with the line unless inside parentheses, comments, counts, token terminals.
 */
import * as ohm from 'ohm-js';
import { GrammarError } from '../errors.ts';
import { type CodePointRange, maxCodePoint } from './expression.ts';
import type { GbnfGrammar, GbnfNode, GbnfRule } from './gbnf.ts';

/**
 * `thin` is white space within a line, `wide` goes over lines. In parentheses wide space may stand between
 * elements, elsewhere the end of the line ends the rule: hence two of each rule there. Text is taken in
 * runs, not by characters, for speed.
 */
const syntax = ohm.grammar(String.raw`
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
`);

/**
 * The rules of a GBNF text, as written.
 *
 * @throws GrammarError with line and column where the text is no GBNF, and for nesting too deep to read.
 */
export function readGbnf(text: string): GbnfGrammar {
  try {
    const match = syntax.match(text);
    if (match.failed()) throw new GrammarError({ reason: `is no GBNF: ${match.shortMessage ?? ''}` });
    return { rules: semantics(match).rules() as readonly GbnfRule[] };
  } catch (error) {
    if (error instanceof RangeError) throw new GrammarError({ reason: 'is nested too deeply to read' });
    throw error;
  }
}

const controlEscapes = new Map([
  ['t', '\t'],
  ['r', '\r'],
  ['n', '\n'],
]);

const semantics = syntax.createSemantics();

semantics.addOperation<readonly GbnfRule[]>('rules', {
  file: (_, lines) => lines.children.map((line) => line.rule()),
});

semantics.addOperation<GbnfRule>('rule', {
  line: (name, _1, _2, _3, body, _4, _5) => ({ name: name.sourceString, body: body.node() }),
});

semantics.addOperation<GbnfNode>('node', {
  choice: (first, _1, _2, others) => choiceOf([first, ...others.children]),
  wideChoice: (first, _1, _2, others) => choiceOf([first, ...others.children]),
  sequence: (elements) => sequenceOf(nodesOf(elements)),
  wideSequence: (elements) => sequenceOf(nodesOf(elements)),
  element: (atom, _1, counts, _2) => counts.children.reduce<GbnfNode>(repeated, atom.node()),
  wideElement: (atom, _1, counts, _2) => counts.children.reduce<GbnfNode>(repeated, atom.node()),
  atom_group: (_1, _2, inner, _3) => inner.node(),
  atom_any: (_) => ({ type: 'any' }),
  atom_reference: (name) => ({ type: 'reference', name: name.sourceString }),
  literal: (_1, characters, _2) =>
    literalOf(characters.children.flatMap((each): readonly number[] => each.codes())),
  class: (_1, caret, members, _2) => ({
    type: 'class',
    negated: caret.sourceString !== '',
    ranges: members.children.map((each): CodePointRange => each.range()),
  }),
  token_id: (not, _1, id, _2) => ({
    type: 'token',
    negated: not.sourceString !== '',
    token: Number(id.sourceString),
  }),
  token_text: (not, _1, text, _2) => ({
    type: 'token',
    negated: not.sourceString !== '',
    token: `<${text.sourceString}>`,
  }),
});

semantics.addOperation<{ readonly min: number; readonly max: number | null }>('bounds', {
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

semantics.addOperation<CodePointRange>('range', {
  member_range: (from, _, to) => [from.codes()[0], to.codes()[0]],
  member_one: (character) => {
    const [code]: readonly number[] = character.codes();
    return [code ?? 0, code ?? 0];
  },
});

semantics.addOperation<readonly number[]>('codes', {
  plain: (char) => [codeOf(char.sourceString)],
  plainText: (chars) => Array.from(chars.sourceString, codeOf),
  escape_short: (_, digits) => [Number.parseInt(digits.sourceString, 16)],
  escape_medium: (_, digits) => [Number.parseInt(digits.sourceString, 16)],
  escape_long: (_, digits) => [Number.parseInt(digits.sourceString, 16)],
  escape_sign: (_, char) => [codeOf(controlEscapes.get(char.sourceString) ?? char.sourceString)],
});

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}

/** llama.cpp refuses a count behind something that is empty as written. */
function repeated(item: GbnfNode, count: ohm.Node): GbnfNode {
  if (isEmpty(item)) throw new GrammarError({ reason: `${count.sourceString} has nothing to repeat` });
  return { type: 'repeat', item, ...count.bounds() };
}

function isEmpty(node: GbnfNode): boolean {
  if (node.type === 'literal') return node.text === '';
  if (node.type === 'class') return node.ranges.length === 0;
  return node.type === 'repeat' && node.max === 0;
}

function nodesOf(list: ohm.Node): readonly GbnfNode[] {
  return list.children.map((each): GbnfNode => each.node());
}

function choiceOf(list: readonly ohm.Node[]): GbnfNode {
  const alternatives = list.map((each): GbnfNode => each.node());
  const [only, second] = alternatives;
  return only !== undefined && second === undefined ? only : { type: 'choice', alternatives };
}

function sequenceOf(items: readonly GbnfNode[]): GbnfNode {
  const [only, second] = items;
  if (only === undefined) return { type: 'literal', text: '' };
  return second === undefined ? only : { type: 'sequence', items };
}

/** Codes that no text can hold stand in a literal as classes of their own. */
function literalOf(codes: readonly number[]): GbnfNode {
  const items: GbnfNode[] = [];
  for (const code of codes) {
    const last = items.at(-1);
    if (!isScalar(code)) items.push({ type: 'class', negated: false, ranges: [[code, code]] });
    else if (last?.type === 'literal') {
      items[items.length - 1] = { type: 'literal', text: last.text + String.fromCodePoint(code) };
    } else items.push({ type: 'literal', text: String.fromCodePoint(code) });
  }
  return sequenceOf(items);
}

function isScalar(code: number): boolean {
  return code <= maxCodePoint && (code < 0xd800 || code > 0xdfff);
}
