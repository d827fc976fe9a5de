/**
 * Texts up to a delimiter, for XGrammar. A rule for each character of the delimiter that has come already is what our
 * engines want: with them, the next character decides. XGrammar tries the whole vocabulary at each of them, which takes
 * half a second and more for a delimiter of a dozen characters. It follows all readings at once, though, so here one
 * repetition stands for all of it, over pieces that are not the delimiter: a twentieth of the time.
 */
import {
  choice,
  type Expression,
  exceptCharacters,
  type Grammar,
  literal,
  optional,
  repeat,
  rule,
  sequence,
  type Until,
} from '../expression/expression.ts';

/** Whether a text can be said so. */
export function isQuick(text: Until): boolean {
  return delimitersOf(text) !== null;
}

/** The same texts, in rules of this kind wherever the delimiter allows it. */
export function withQuickTexts(grammar: Grammar): Grammar {
  const made = new Map<string, Expression>();
  const names = new Map<string, string>();
  const nameOf = (kind: string, delimiter: string): string => {
    const key = `${kind} ${delimiter}`;
    let name = names.get(key) ?? kind;
    for (let number = 2; !names.has(key) && isTaken(name); number += 1) name = `${kind}-${number}`;
    names.set(key, name);
    return name;
  };
  const isTaken = (name: string): boolean => grammar.rules.has(name) || made.has(name);

  const rewrite = (expression: Expression): Expression => {
    switch (expression.type) {
      case 'sequence':
        return sequence(...expression.items.map(rewrite));
      case 'choice':
        return choice(...expression.alternatives.map(rewrite));
      case 'repeat':
        return repeat(rewrite(expression.item), expression.min, expression.max);
      case 'until':
        return rewriteUntil(expression);
      default:
        return expression;
    }
  };
  const rewriteUntil = (text: Until): Expression => {
    const found = delimitersOf(text);
    if (found === null) {
      const branches = text.branches.map(({ delimiter, next }) => ({
        delimiter,
        next: next && rewrite(next),
      }));
      return { ...text, branches };
    }
    const { delimiter, forbidden, next } = found;
    const [begun, missed] = [nameOf('begun', forbidden), nameOf('missed', forbidden)];
    made.set(begun, beginningsOf(Array.from(forbidden).slice(0, -1)));
    made.set(missed, missesOf(Array.from(forbidden)));
    const beginnings = repeat(rule(begun));
    const piece = choice(except(forbidden), sequence(beginnings, rule(missed)));
    return sequence(repeat(piece), beginnings, literal(delimiter), rewrite(next));
  };

  const rules = new Map([...grammar.rules].map(([name, body]) => [name, rewrite(body)]));
  return { root: grammar.root, rules: new Map([...rules, ...made]) };
}

/**
 * The delimiter, and what the text before it must not hold, which the delimiter ends with. `null` for other texts:
 * where `forbidden` can begin anew within itself, or within what stands before it, its pieces would not tell.
 */
function delimitersOf({ branches, mayEnd }: Until) {
  const [end, other, third] = branches;
  if (mayEnd || end === undefined || end.next === null || third !== undefined) return null;
  const { delimiter, next } = end;
  const forbidden = other?.delimiter ?? delimiter;
  if (other !== undefined && other.next !== null) return null;
  if (!delimiter.endsWith(forbidden)) return null;
  const [first, ...rest] = Array.from(forbidden);
  const before = Array.from(delimiter.slice(0, delimiter.length - forbidden.length));
  if (first === undefined || rest.length === 0 || rest.includes(first)) return null;
  return before.some((char) => forbidden.includes(char)) ? null : { delimiter, forbidden, next };
}

/** `a`, `ab`, `abc`. */
function beginningsOf([first = '', ...rest]: readonly string[]): Expression {
  const more = rest.length === 0 ? [] : [optional(beginningsOf(rest))];
  return sequence(literal(first), ...more);
}

/** A beginning, and a character with which neither it nor a new one goes on. */
function missesOf(characters: readonly string[]): Expression {
  const [first = ''] = characters;
  const ends = characters.slice(1).map((next, index) => {
    return sequence(literal(characters.slice(0, index + 1).join('')), except(first, next));
  });
  return choice(...ends);
}

/** Any character but the first of each text. */
function except(...texts: readonly string[]): Expression {
  const codes = texts.map((text) => text.codePointAt(0) ?? 0);
  return exceptCharacters(...codes.map((code) => [code, code] as const));
}
