/** What has to be evaluated of several prompts. */
import { sharedLength } from '../../src/runtime/node-llama-cpp/sequences/shared-prefix.ts';

/**
 * Tokens that have to be evaluated, in whatever order the prompts come, where each beginning is evaluated once; and once
 * more the last token of a prompt that another one has, since what comes after it is read off it.
 */
export function distinctTokens(prompts: readonly (readonly number[])[]): number {
  const longestFirst = [...prompts].sort((one, other) => other.length - one.length);
  return longestFirst.reduce((count, prompt, at) => {
    const known = Math.max(0, ...longestFirst.slice(0, at).map((each) => sharedLength(each, prompt)));
    return count + prompt.length - Math.min(known, prompt.length - 1);
  }, 0);
}
