/**
 * The special tokens of a model whose vocabulary nobody shows: what looks like one in its template's source.
 * Their text must never come from a user.
 */
import { SpecialFinder } from '../chat/special-finder.ts';

/** `<|im_start|>`, `<｜User｜>`, `<tool_call>`, `</s>`, `[INST]`, `[/TOOL_CALLS]`. */
const marker = /<[^\s<>'"{}%]{1,60}>|\[\/?[A-Z][A-Z_0-9]{1,40}\]/gu;

/** Finds them, and `more` texts (what begins and ends texts), in any text. */
export function findMarkersOf(
  templateSource: string,
  more: readonly string[],
): SpecialFinder<{ readonly text: string }> {
  const texts = new Set([...(templateSource.match(marker) ?? []), ...more]);
  return new SpecialFinder(Array.from(texts, (text) => ({ text })));
}
