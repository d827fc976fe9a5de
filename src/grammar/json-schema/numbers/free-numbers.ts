/**
 * Numbers and integers without constraints, written by hand: nearly every grammar has them, and making their
 * automata would be most of the time that a first small schema takes. A test holds them to those automata.
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
} from '../../expression/expression.ts';
import type { RuleSet } from '../../expression/rule-set.ts';

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
  return rules.named('any integer', 'integer', () => {
    const more = rules.named('any integer: more digits', 'integer', () => repeat(digit, 0, 20));
    return choice(sequence(minus, nonZero, more), zero, sequence(nonZero, more));
  });
}

/** Any number, of up to 21 digits, 25 after the point, and with an exponent that keeps it finite. */
export function anyNumber(rules: RuleSet): Expression {
  return named(rules, 'whole', () => {
    const unsigned = [sequence(zero, afterZero(rules)), sequence(nonZero, afterDigit(rules))];
    return choice(sequence(minus, choice(...unsigned)), ...unsigned);
  });
}

function named(rules: RuleSet, part: string, build: () => Expression): Expression {
  return rules.named(`any number: ${part}`, 'number', build);
}

function afterZero(rules: RuleSet): Expression {
  return named(rules, 'after zero', () =>
    optional(choice(sequence(point, fraction(rules)), sequence(mark, exponent(rules)))),
  );
}

/** After one digit from 1 to 9; with no more of them before the point, the exponent may have three. */
function afterDigit(rules: RuleSet): Expression {
  return named(rules, 'after digit', () => {
    const longExponent = sequence(mark, largeExponent(rules));
    const withFraction = sequence(point, digit, repeat(digit, 0, 24), optional(longExponent));
    const rest = choice(sequence(point, fraction(rules)), sequence(mark, exponent(rules)));
    const longer = sequence(digit, repeat(digit, 0, 19), optional(rest));
    return optional(choice(withFraction, longer, longExponent));
  });
}

function fraction(rules: RuleSet): Expression {
  return named(rules, 'fraction', () =>
    sequence(digit, repeat(digit, 0, 24), optional(sequence(mark, exponent(rules)))),
  );
}

/** Up to 99. */
function exponent(rules: RuleSet): Expression {
  return named(rules, 'exponent', () => {
    const digits = sequence(digit, optionalDigit(rules));
    return choice(sequence(sign, digits), digits);
  });
}

/** Up to 307. */
function largeExponent(rules: RuleSet): Expression {
  return named(rules, 'large exponent', () => {
    const others = sequence(characterClass(range('0', '0'), range('4', '9')), optionalDigit(rules));
    const twoDigits = named(rules, 'two digits', () => repeat(digit, 0, 2));
    const upToSeven = named(rules, 'up to 07', () =>
      optional(choice(sequence(zero, optional(characterClass(range('0', '7')))), nonZero)),
    );
    const low = sequence(characterClass(range('1', '2')), twoDigits);
    const unsigned = [others, low, sequence(literal('3'), upToSeven)];
    return choice(sequence(sign, choice(...unsigned)), ...unsigned);
  });
}

function optionalDigit(rules: RuleSet): Expression {
  return named(rules, 'optional digit', () => optional(digit));
}
