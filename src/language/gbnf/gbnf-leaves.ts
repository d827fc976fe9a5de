/** Parses the leaves of GBNF: names, literals, character classes, tokens. */
import { type CodePointRange, maxCodePoint } from '../expression/expression.ts';
import type { GbnfNode } from './gbnf.ts';

/** Parses one leaf. */
export function readLeaf(written: string): GbnfNode {
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
