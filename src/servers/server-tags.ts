/** Structural tags of requests; loaded for servers that take them, when something is enforced. */
import type { ChatFormat } from '../format/chat-format.ts';
import { unless } from '../format/error-class.ts';
import { UnsupportedOptionError } from '../format/errors.ts';
import type { BuiltGrammar } from '../grammar/built-grammar.ts';
import type { PlainGrammarOptions } from '../grammar/grammar-options.ts';
import { structuralTagOf } from '../grammar/structural-tag/build-structural-tag.ts';
import { relaxGrammar } from '../grammar/structural-tag/relax-grammar.ts';
import type { StructuralTag } from '../grammar/structural-tag/structural-tag.ts';
import { createMatcher, type Matcher } from '../language/matcher/matcher.ts';

export { tagOfGrammar } from '../grammar/structural-tag/build-structural-tag.ts';

/** A tag, and what follows a response under it: nearly all that the tag allows (`relaxGrammar`). */
interface TaggedGrammar {
  readonly tag: StructuralTag;
  readonly matcher: Matcher | null;
}

/** Those of cached grammars. */
const tags = new WeakMap<BuiltGrammar, TaggedGrammar | null>();

/** The tag of a request; `null` if there is nothing to enforce, or no tag can continue from where the prompt has left the turn. */
export function tagOf(
  format: ChatFormat,
  options: PlainGrammarOptions,
  grammar: BuiltGrammar,
): TaggedGrammar | null {
  const known = tags.get(grammar);
  if (known !== undefined) return known;
  const made = makeTag(format, options, grammar);
  tags.set(grammar, made);
  return made;
}

function makeTag(
  format: ChatFormat,
  options: PlainGrammarOptions,
  grammar: BuiltGrammar,
): TaggedGrammar | null {
  return unless(UnsupportedOptionError, () => {
    const { tag } = structuralTagOf(format, options, grammar);
    const { expression } = grammar;
    if (tag === null || expression === null) return null;
    return { tag, matcher: createMatcher(relaxGrammar(expression, true)) };
  });
}
