/**
 * What precedes a place in a text, as far as a pattern asks: the states of a deterministic automaton that reads the
 * text from its start. State 0 is the start itself.
 */
import type { AST } from '@eslint-community/regexpp';
import {
  type CharacterSet,
  combinePartitions,
  complementSet,
  type Partition,
  setKey,
  uniteSets,
} from './character-set.ts';
import { UnsupportedPattern } from './pattern-dialects.ts';
import type { Term, Terms } from './terms.ts';
import { otherWordCharacters, wordCharacters } from './unicode-classes.ts';

/** The contexts of one pattern. */
export interface PatternContexts {
  readonly size: number;
  /** `anyCase`: with the flag `i`, where ſ and the sign of Kelvin are letters of words, too. */
  isAfterWord(context: number, anyCase: boolean): boolean;
  /** Whether `lookbehind` would hold here if it were not negated. */
  holds(lookbehind: AST.LookbehindAssertion, context: number): boolean;
  /** The texts that lead from `context` to one of `targets`; whether the empty text is among them is not said. */
  leadingTo(terms: Terms, context: number, targets: (context: number) => boolean): Term;
}

const maxContexts = 40;
const [start, afterWord, afterOther, afterFolded] = [0, 1, 2, 3];
const notWord = complementSet(wordCharacters);
const notFolded = complementSet(uniteSets(wordCharacters, otherWordCharacters));

/** After nothing, after a word character, after any other character. */
export const plainContexts: PatternContexts = {
  size: 3,
  isAfterWord: (context) => context === afterWord,
  holds: () => false,
  leadingTo(terms, _, targets) {
    const last: CharacterSet = targets(afterWord) ? wordCharacters : notWord;
    return targets(afterWord) && targets(afterOther)
      ? terms.everything
      : terms.sequence(terms.everything, terms.set(last));
  },
};

interface Context {
  /** One of the plain contexts. */
  readonly last: number;
  /** For each lookbehind, what may still come so that it holds. */
  readonly rests: readonly Term[];
}

const keyOf = ({ last, rests }: Context) => `${last} ${rests.map(({ id }) => id).join()}`;

/**
 * Contexts that also tell whether lookbehinds hold, given the texts after which each does, and, where `folded`, which
 * letters are those of words only with the flag `i`.
 */
export function finerContexts(
  terms: Terms,
  lookbehinds: ReadonlyMap<AST.LookbehindAssertion, Term>,
  folded: boolean,
): PatternContexts {
  const lasts: Partition<Context> = [
    [wordCharacters, { last: afterWord, rests: [] }],
    ...(folded ? ([[otherWordCharacters, { last: afterFolded, rests: [] }]] as const) : []),
    [folded ? notFolded : notWord, { last: afterOther, rests: [] }],
  ];
  const order = [...lookbehinds.keys()];
  const contexts: Context[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (context: Context): number => {
    const key = keyOf(context);
    const number = numbers.get(key) ?? contexts.length;
    if (number === contexts.length) contexts.push(context);
    if (number >= maxContexts) throw new UnsupportedPattern('its lookbehinds are too large');
    numbers.set(key, number);
    return number;
  };
  numberOf({ last: start, rests: [...lookbehinds.values()] });
  const edges: Partition<number>[] = [];
  for (const { rests } of contexts) {
    const after = rests.reduce<Partition<Context>>(
      (all, rest) =>
        combinePartitions(
          all,
          terms.transitions(rest),
          (context, next): Context => ({ ...context, rests: [...context.rests, next] }),
          keyOf,
        ),
      lasts,
    );
    edges.push(after.map(([set, context]) => [set, numberOf(context)]));
  }
  const name = edges.map((each) => each.map(([set, to]) => `${setKey(set)}>${to}`).join(';')).join('/');
  return {
    size: contexts.length,
    isAfterWord(context, anyCase) {
      const last = contexts[context]?.last;
      return last === afterWord || (anyCase && last === afterFolded);
    },
    holds: (lookbehind, context) => contexts[context]?.rests[order.indexOf(lookbehind)]?.nullable === true,
    leadingTo(_, context, targets) {
      const among = contexts.map((__, number) => (targets(number) ? 1 : 0)).join('');
      const machine = {
        key: `contexts ${name} ${among}`,
        accepts: targets,
        edges: (state: number) => edges[state] ?? [],
      };
      return terms.machine(machine, context);
    },
  };
}
