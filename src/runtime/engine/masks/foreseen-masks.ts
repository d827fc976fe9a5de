/**
 * The masks that the next token needs, found in steps: where tens of thousands of different texts may follow, the first
 * mask takes a tenth of a second, in which nobody else would be served. What is asked for afterwards is known.
 */
import { memoize } from '../../../format/memoize.ts';
import type { Steps } from '../../../language/expression/steps.ts';
import type { Matcher } from '../../../language/matcher/matcher.ts';
import type { TokenIndex } from '../../../language/matcher/token-index.ts';

const encoder = new TextEncoder();
/** Positions at which the masks of forced text were found. */
const foreseen = memoize((_: TokenIndex) => new WeakSet<object>());

/**
 * Finds the mask at the position of `matcher`, and those that forced text is tokenised by: at its end, and where a token
 * may reach beyond it.
 */
export function* foreseeMasks(matcher: Matcher, index: TokenIndex): Steps<void> {
  // Always: a mask that is known by now is no work, and one may have made room for others.
  yield* matcher.maskSteps(index);
  const known = foreseen(index);
  if (known.has(matcher.state)) return;
  yield* masksOfForced(matcher, index);
  known.add(matcher.state);
}

function* masksOfForced(matcher: Matcher, index: TokenIndex): Steps<void> {
  const forced = encoder.encode(matcher.forced());
  if (forced.length === 0) return;
  const ahead = matcher.clone();
  const from = Math.max(1, forced.length - index.longest);
  ahead.accept(forced.subarray(0, from));
  for (let place = from; place <= forced.length; place += 1) {
    yield* ahead.maskSteps(index);
    ahead.accept(forced.subarray(place, place + 1));
  }
}
