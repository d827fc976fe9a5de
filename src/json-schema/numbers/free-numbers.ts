/**
 * Unconstrained numbers and integers. Written by hand because nearly every grammar needs them, and their automata
 * would take most of the time of a first small schema. A test compares them with those automata.
 */
import {
  type CodePointRange,
  characterClass,
  choice,
  type Expression,
  literal,
  optional,
  repeat,
  sequence,
} from '../../language/expression/expression.ts';
import type { RuleSet } from '../../language/expression/rule-set.ts';

const zero = literal('0');
const point = literal('.');
const minus = literal('-');
const digit = characterClass(range('0', '9'));
const nonZero = characterClass(range('1', '9'));
const sign = characterClass(range('+', '+'), range('-', '-'));
const mark = characterClass(range('E', 'E'), range('e', 'e'));

function range(from: string, to: string): CodePointRange {
  return [from.charCodeAt(0), to.charCodeAt(0)];
}

/** Any integer, of up to 21 digits. */
export function anyInteger(rules: RuleSet): Expression {
  return rules.named('any integer', 'integer', () =>
    choice(sequence(optional(minus), nonZero, repeat(digit, 0, 20)), zero),
  );
}

/**
 * Any number: up to 21 digits, 25 after the point, and two of the exponent, so that none reads as infinite.
 * JavaScript prints no other numbers, except for those beyond 1e100 and below 1e-99.
 */
export function anyNumber(rules: RuleSet): Expression {
  return rules.named('any number', 'number', () =>
    sequence(
      optional(minus),
      choice(zero, sequence(nonZero, repeat(digit, 0, 20))),
      optional(sequence(point, repeat(digit, 1, 25))),
      optional(sequence(mark, optional(sign), repeat(digit, 1, 2))),
    ),
  );
}
