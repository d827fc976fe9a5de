/** What models write around calls of other notations: white space, fences, brackets, and markers of any format. */
import { listKey } from '../leniency/call-keys.ts';
import { undecided } from '../markers/markers.ts';

/** This much of the beginning of an answer shows whether it may be calls. */
export const maxBeginning = 128;

/** A marker in brackets, as models write around calls: `<|python_tag|>`, `</tool_call>`, `[TOOL_CALLS]`. */
const marker = '<[|｜/]{0,2}[\\w▁:|｜-]{2,40}[|｜]?>|\\[/?[A-Z_]{3,40}\\]';
/** One at the beginning of a text, with the white space around it. */
export const firstMarker = new RegExp(`^\\s*(?:${marker})\\s*`);
/** A text that may become one. */
export const beginningOfMarker = /^\s*(?:<[|｜/]{0,2}[\w▁:|｜-]{0,40}[|｜]?|\[\/?[A-Z_]{0,40})?$/;
/** The opening line of a fence. */
export const fenceOpener = /^\s*```[a-z_-]*[ \t]*\r?\n/;
/** A text that may become one. */
export const partOfFence = /^\s*`{0,3}$|^\s*```[a-z_-]*[ \t]*\r?$/;
/** A fence in which a call is not code. */
export const fenceOfCalls = /```(?:tool|function|json)/;

/** White space, a fence, brackets, markers, and separators of calls. */
const around = new RegExp(
  `^(?:\\s|\`\`\`[a-z_-]*|${marker}|\\{\\s*"${listKey}"\\s*:|\\{(?=\\s*\\{)|[[\\],;}])*`,
);

/** What of a text stands around calls, up to the first of them. */
export function aroundCalls(text: string): string {
  return around.exec(text)?.[0] ?? '';
}

/** End of a marker in brackets at `at`; `at` if there is none, or `undecided`. */
export function endOfMarker(text: string, at: number): number {
  const rest = text.slice(at, at + maxBeginning);
  const marker = firstMarker.exec(rest)?.[0];
  if (marker !== undefined) return at + marker.trimEnd().length;
  return beginningOfMarker.test(rest) && rest.length < maxBeginning ? undecided : at;
}
