/** Grammars, of schemas and in GBNF: walks in which each mask has the tokens that are accepted, and no others. */
import { isDeepStrictEqual } from 'node:util';
import { lintGbnf, readGbnf, writeGbnf } from '../../src/index.ts';
import {
  createMaskVocabulary,
  createTokenMatcher,
  type MaskGrammar,
  schemaGrammar,
} from '../../src/masks/index.ts';
import { hasManyDigits, isValid } from '../json-schema/judge-values.ts';
import { type Random, seededRandom } from '../support/sample-grammar.ts';
import { type FuzzTarget, numberOf, typed } from './fuzz-target.ts';
import { mutatedText } from './mutated-text.ts';
import { schema, schemaOf } from './tool-targets.ts';

const letters = Array.from('abcdexyz0123456789TZ "{}[]:,.+-_@\\\n/é€');
const texts = [
  ...letters,
  ...letters.flatMap((first) => letters.slice(0, 8).map((second) => first + second)),
  ...['true', 'false', 'null', '": "', '{"', '"}', '", "', '": ', ', "', '\\"', '\\u00', '2024-', 'title'],
];
/** The beginnings of characters are tokens, too; the last but one stands for no text. */
const vocabulary = createMaskVocabulary({
  tokens: [...texts, Uint8Array.of(0xe2), Uint8Array.of(0x82, 0xac), null, '<|end|>'],
  ends: [texts.length + 3],
});
const ids = Array.from({ length: vocabulary.size - 1 }, (_, id) => id);
const longestWalk = 60;

/** What a walk wrote, if it could end there. Throws where a mask and the matcher differ. */
function walk(grammar: MaskGrammar, random: Random): string | null {
  const matcher = createTokenMatcher(vocabulary, grammar);
  let written = '';
  for (let step = 0; step < longestWalk; step += 1) {
    const allowed = ids.filter((id) => matcher.allows(id));
    const accepted = ids.filter((id) => matcher.clone().accept(id));
    if (!isDeepStrictEqual(allowed, accepted))
      throw new Error(`after ${JSON.stringify(written)}, a mask is wrong`);
    if (matcher.complete && (allowed.length === 0 || random() < 0.3)) return written;
    const forced = matcher.forced();
    const text = forced === '' ? chosen(allowed, random) : forced;
    // A step over half a character, or to none at all: what can never end is refused before, or told of.
    if (text === null || !matcher.acceptText(text)) return null;
    written += text;
  }
  return null;
}

/** The text of one of `allowed`, mostly of one that ends something; `null` if none has a text. */
function chosen(allowed: readonly number[], random: Random): string | null {
  const named = allowed.flatMap((id) => texts[id] ?? []);
  const closing = named.filter((text) => /^["}\]]/.test(text));
  const from = closing.length > 0 && random() < 0.5 ? closing : named;
  return from[Math.floor(random() * from.length)] ?? null;
}

/** Schemas: what a walk writes is JSON, and valid where the report owns up to nothing. */
export const masks: FuzzTarget = {
  seeds: schema.seeds,
  near: schema.near,
  attempt: async (input) => {
    const given = schemaOf(input);
    if (given === null) return;
    const random = seededRandom(numberOf(input));
    const layout = random() < 0.5 ? 'any' : 'compact';
    await typed(() => {
      const { expression, report } = schemaGrammar(given, { layout, policy: 'degrade' });
      const written = walk({ expression }, random);
      if (written === null) return;
      const value = JSON.parse(written);
      if (report.length > 0 || hasManyDigits(written)) return;
      if (isValid(given, value) === false) throw new Error(`written, and invalid: ${written}`);
    });
  },
};

const grammars = [
  'root ::= "<call>" name "(" args? ")" "</call>"\nname ::= "f" | "get" [a-z_]{1,8}\nargs ::= arg ("," arg)*\narg ::= [0-9]+ | "\\"" [^"\\\\]* "\\""\n',
  'root ::= item{2,5} | (item "x"){,3} "y"+\nitem ::= [a-c] | [^a-z\\n] "é"? | "\\u20AC"\n',
  '# values\nroot ::= object\nvalue ::= object | array | string | number | "true" | "null"\nobject ::= "{" ws (pair ("," ws pair)*)? "}"\npair ::= string ":" ws value\narray ::= "[" ws (value ("," ws value)*)? "]"\nstring ::= "\\"" ([^"\\\\\\x7F\\x00-\\x1F] | "\\\\" ["\\\\/bfnrt])* "\\""\nnumber ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)?\nws ::= [ \\n]*\n',
  'root ::= "a" root "b" | . . | <[17]> | !<[17]> ("c"\n  | "d")\n',
];
const parts = [
  ...[
    '::=',
    ' | ',
    '(',
    ')',
    '[',
    ']',
    '[^',
    '"',
    '\\"',
    '\\',
    '\n',
    '#',
    '*',
    '+',
    '?',
    '{2}',
    '{0,3}',
    '{,9}',
  ],
  ...[
    '{2000}',
    '{2001}',
    '{3,1}',
    '<[1]>',
    '!<[1]>',
    '.',
    'root',
    'root ::= ',
    'a ::= a | ""\n',
    '\\u',
    '\\x',
  ],
  ...['\\U0010FFFF', '[z-a]', '""', '[]', '\ud800', '\u0000', '-', 'a-b', '99999999999'],
];

/** GBNF: what is written of a grammar is read as the same one. */
export const gbnf: FuzzTarget = {
  seeds: grammars,
  near: (text) => mutatedText([text], parts),
  attempt: async (text) => {
    await typed(() => {
      const grammar = readGbnf(text);
      lintGbnf(grammar);
      const written = writeGbnf(grammar);
      const again = writeGbnf(readGbnf(written));
      if (again !== written) throw new Error(`${written} is read as ${again}`);
      walk(text, seededRandom(numberOf(text)));
    });
  },
};
