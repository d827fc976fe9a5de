/**
 * Which rules of an object cover a key. Objects may have thousands of keys and as many rules, so rules that name their
 * keys are looked up by name.
 */
import { addToGroup } from '../../format/groups.ts';
import type { Terms } from '../../language/regular/terms.ts';
import { coversKey } from './key-sets.ts';
import type { PropertyRule } from './shapes.ts';

interface RuleIndex {
  /** Rules that name all of their keys, by key. */
  readonly named: ReadonlyMap<string, readonly PropertyRule[]>;
  /** The others, which have patterns or a complement. */
  readonly general: readonly PropertyRule[];
}

const indexes = new WeakMap<readonly PropertyRule[], RuleIndex>();

/** The rules that have patterns or a complement. */
export function generalRules(rules: readonly PropertyRule[]): readonly PropertyRule[] {
  return indexOf(rules).general;
}

/** The rules that cover `key`: first those that name all of their keys. */
export function coveringRules(
  rules: readonly PropertyRule[],
  key: string,
  terms: Terms,
): readonly PropertyRule[] {
  const { named, general } = indexOf(rules);
  return [...(named.get(key) ?? []), ...general.filter(({ keys }) => coversKey(terms, keys, key))];
}

function indexOf(rules: readonly PropertyRule[]): RuleIndex {
  const known = indexes.get(rules);
  if (known !== undefined) return known;
  const named = new Map<string, PropertyRule[]>();
  const general: PropertyRule[] = [];
  for (const rule of rules) {
    const { names, patterns, complement } = rule.keys;
    if (complement || patterns.length > 0) general.push(rule);
    else for (const name of names) addToGroup(named, name, rule);
  }
  const index = { named, general };
  indexes.set(rules, index);
  return index;
}
