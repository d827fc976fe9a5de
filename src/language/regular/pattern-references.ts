/**
 * Patterns without their back-references: where a group has few values, the pattern is written once for each of them,
 * with the value in place of the group and of its references. A group that did not take part has no value, and then a
 * reference to it matches the empty text.
 *
 * Shown without the groups that are written around each value:
 *
 *     (a|b)-\1        []-|a-a|b-b     no value, `a`, `b`; `[]` matches nothing
 *     (?:(a|b)\1)+    (?:[]|aa|bb)+   within a repetition, each iteration has a value of its own
 */
import type { AST } from '@eslint-community/regexpp';
import { UnsupportedPattern } from './pattern-dialects.ts';
import type { Term, Terms } from './terms.ts';

/** Maximum number of values of a group, and of combinations of values in one pattern. */
const maxValues = 64;
const maxVariants = 400;
/** Maximum length of a value. */
const maxLength = 12;

/** Whether `pattern` has a back-reference. */
export function hasBackReference({ raw }: AST.Pattern): boolean {
  return /\\[1-9]|\\k</.test(raw);
}

/** `pattern` with its back-references written out. `languageOf` reads a part. Throws `UnsupportedPattern`. */
export function withoutBackReferences(
  pattern: AST.Pattern,
  languageOf: (part: string) => Term,
  terms: Terms,
): string {
  return new ReferenceWriter(pattern, (part) => fewWords(languageOf(part), terms)).written;
}

/** A part of a pattern within which a group has one value. */
type ValueScope = AST.Pattern | AST.LookaroundAssertion | AST.QuantifiableElement;
/** The value of each group of the scopes around; `null` if it does not take part. */
type Values = ReadonlyMap<AST.CapturingGroup, string | null>;

class ReferenceWriter {
  readonly #pattern: AST.Pattern;
  readonly #scopes = new Map<ValueScope, AST.CapturingGroup[]>();
  readonly #words = new Map<AST.CapturingGroup, readonly string[]>();
  #variants = 0;

  constructor(pattern: AST.Pattern, wordsOf: (part: string) => readonly string[] | null) {
    this.#pattern = pattern;
    for (const { node, scope } of groupsOf(pattern.alternatives, pattern)) {
      if (node.references.some((each) => isReadOtherwise(node, each)))
        throw new UnsupportedPattern('it has a backreference within a lookbehind, or under flags of its own');
      const later = laterReferences(node);
      if (later.length === 0) continue;
      if ([...elementsOf(node.alternatives)].some(dependsOnRest))
        throw new UnsupportedPattern(
          'it has a backreference to a group with an assertion, a reference or another such group in it',
        );
      if (later.some((each) => !contains(scope, each)))
        throw new UnsupportedPattern('it has a backreference from outside of what is repeated');
      const words = wordsOf(alternativesText(node));
      if (words === null)
        throw new UnsupportedPattern('it has a backreference to a group with too many values');
      this.#words.set(node, words);
      this.#scopes.set(scope, [...(this.#scopes.get(scope) ?? []), node]);
    }
  }

  get written(): string {
    return this.#scope(this.#pattern, new Map(), (values) => this.#oneOf(this.#pattern, values));
  }

  /** A scope, once for all combinations of the values of its groups. */
  #scope(scope: ValueScope, outer: Values, write: (values: Values) => string): string {
    const groups = this.#scopes.get(scope) ?? [];
    let all: readonly Values[] = [outer];
    for (const group of groups) {
      const values = [null, ...(this.#words.get(group) ?? [])];
      all = all.flatMap((each) => values.map((value) => new Map([...each, [group, value]])));
      this.#variants += all.length;
      if (this.#variants > maxVariants)
        throw new UnsupportedPattern('its backreferences have too many values');
    }
    return groups.length === 0 ? write(outer) : `(?:${all.map(write).join('|')})`;
  }

  /** The alternatives of `node`; where groups with values are in some of them: that one, or nothing. */
  #oneOf({ alternatives }: { readonly alternatives: readonly AST.Alternative[] }, values: Values): string {
    const chosen = alternatives.filter((each) => mustTakePart(each, values));
    if (chosen.length > 1) return '[]';
    return (chosen.length === 1 ? chosen : alternatives)
      .map(({ elements }) => elements.map((each) => this.#element(each, values)).join(''))
      .join('|');
  }

  #element(element: AST.Element, values: Values): string {
    switch (element.type) {
      case 'Backreference':
        return this.#reference(element, values);
      case 'CapturingGroup': {
        const value = values.get(element);
        if (value === null) return '[]';
        return value === undefined ? `(?:${this.#oneOf(element, values)})` : `(?:${escaped(value)})`;
      }
      case 'Group':
        return `${opening(element)}${this.#oneOf(element, values)})`;
      case 'Quantifier': {
        const { element: item, raw } = element;
        const inner = this.#scope(item, values, (inside) => this.#element(item, inside));
        // A group with a value takes part.
        return mustTakePart(element, values) ? inner : inner + raw.slice(item.raw.length);
      }
      case 'Assertion': {
        if (element.kind !== 'lookahead' && element.kind !== 'lookbehind') return element.raw;
        const inner = this.#scope(element, values, (inside) => this.#oneOf(element, inside));
        return `${opening(element)}${inner})`;
      }
      default:
        return element.raw;
    }
  }

  /** A reference before the end of its group, or to one that did not take part, matches the empty text. */
  #reference({ resolved, start }: AST.Backreference, values: Values): string {
    const groups = [resolved].flat().filter(({ end }) => end <= start);
    const text = groups.map((group) => values.get(group) ?? '').join('');
    return `(?:${escaped(text)})`;
  }
}

/** The capturing groups, each with its scope: what is repeated, or looked at, around it. */
function groupsOf(
  alternatives: readonly AST.Alternative[],
  scope: ValueScope,
): readonly { readonly node: AST.CapturingGroup; readonly scope: ValueScope }[] {
  return alternatives
    .flatMap(({ elements }) => elements)
    .flatMap((element) => {
      // What never takes part has no value.
      if (element.type === 'Quantifier' && element.max === 0) return [];
      const item = element.type === 'Quantifier' ? element.element : element;
      const within = element.type === 'Quantifier' && element.max > 1 ? element.element : scope;
      if (item.type === 'Group') return groupsOf(item.alternatives, within);
      if (item.type === 'CapturingGroup')
        return [{ node: item, scope: within }, ...groupsOf(item.alternatives, within)];
      if (item.type !== 'Assertion' || !('alternatives' in item)) return [];
      return groupsOf(item.alternatives, item);
    });
}

function contains(outer: ValueScope | AST.LookaroundAssertion, inner: AST.Node): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

/** Whether a reference is read from right to left, or under other flags than its group. */
function isReadOtherwise(group: AST.CapturingGroup, reference: AST.Backreference): boolean {
  const isBackwards = ancestorsOf(group).some(
    (each) => each.type === 'Assertion' && each.kind === 'lookbehind' && contains(each, reference),
  );
  return isBackwards || flagsAround(group) !== flagsAround(reference);
}

/** The innermost group with flags around a node. */
function flagsAround(node: AST.Node): AST.Node | undefined {
  return ancestorsOf(node).find((each) => each.type === 'Group' && each.modifiers !== null);
}

function ancestorsOf(node: AST.Node): readonly AST.Node[] {
  const ancestors: AST.Node[] = [];
  for (let each = node.parent; each !== null; each = each.parent) ancestors.push(each);
  return ancestors;
}

function laterReferences({ references, end }: AST.CapturingGroup): readonly AST.Backreference[] {
  return references.filter(({ start }) => start >= end);
}

/** Whether a group's values are not those of its text alone: they depend on what is around it, or on other groups. */
function dependsOnRest(element: AST.Element): boolean {
  if (element.type === 'CapturingGroup') return laterReferences(element).length > 0;
  return element.type === 'Assertion' || element.type === 'Backreference';
}

/** What is in `alternatives`, at any depth, without quantifiers. */
function* elementsOf(alternatives: readonly AST.Alternative[]): Generator<AST.Element> {
  for (const element of alternatives.flatMap(({ elements }) => elements)) {
    const item = element.type === 'Quantifier' ? element.element : element;
    yield item;
    if ('alternatives' in item) yield* elementsOf(item.alternatives);
  }
}

/** Whether a group that has a value is in `node`. */
function mustTakePart(node: AST.Alternative | AST.Quantifier, values: Values): boolean {
  return [...values].some(
    ([group, value]) => value !== null && node.start <= group.start && group.end <= node.end,
  );
}

/** The text of a group or an assertion up to its first alternative. */
function opening({ raw, start, alternatives }: AST.Group | AST.LookaroundAssertion): string {
  return raw.slice(0, (alternatives[0]?.start ?? start) - start);
}

function alternativesText({ alternatives }: AST.CapturingGroup): string {
  return alternatives.map(({ raw }) => raw).join('|');
}

function escaped(text: string): string {
  return text.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&');
}

/** The words of a language; `null` if they are many or long. */
function fewWords(language: Term, terms: Terms): readonly string[] | null {
  const found: string[] = [];
  let tries = 0;
  const collect = (rest: Term, word: string): boolean => {
    if (rest === terms.nothing) return true;
    tries += 1;
    if (rest.nullable) found.push(word);
    if (found.length > maxValues || tries > 20 * maxValues || word.length > maxLength) return false;
    return terms.transitions(rest).every(([set, next]) => {
      if (next === terms.nothing) return true;
      const size = set.reduce((sum, [first, last]) => sum + last - first + 1, 0);
      if (size > maxValues) return false;
      return set.every(([first, last]) =>
        Array.from({ length: last - first + 1 }, (_, offset) => String.fromCodePoint(first + offset)).every(
          (character) => collect(next, word + character),
        ),
      );
    });
  };
  return collect(language, '') ? found : null;
}
