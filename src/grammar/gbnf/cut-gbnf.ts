/**
 * Cuts a GBNF text into its rules, and each rule into tokens, so that rules of one shape need to be parsed
 * only once. A large grammar has few shapes: most of its rules are a text, a name and a text.
 */

/** One rule of a text. */
export interface CutRule {
  readonly name: string;
  /** The rule's body with a dot for each leaf and no white space: a body in GBNF that is parsed alike. */
  readonly shape: string;
  /** The leaves as written, in order: literals, classes, names, dots and tokens. */
  readonly leaves: readonly string[];
  /** Where in the text it ends. */
  readonly end: number;
}

const escaped = String.raw`\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[tnr\\"[\]\-])`;
const space = String.raw`[ \t]|#[^\r\n]*(?![^\r\n])`;
const gap = String.raw`(?:${space}|[\r\n])*`;
const head = new RegExp(`${gap}([a-zA-Z0-9-]+)(?:${space})*::=`, 'uy');
const blank = new RegExp(`${gap}$`, 'uy');
/** What stands in a body; each is told by its first character. */
const token = new RegExp(
  [
    String.raw`[ \t]+`,
    String.raw`#[^\r\n]*`,
    String.raw`\r\n|\r|\n`,
    '[a-zA-Z0-9-]+',
    String.raw`"[^"\\]*(?:${escaped}[^"\\]*)*"`,
    String.raw`\[(?:[^\]\\]|${escaped})*\]`,
    '!?<[^>]*>',
    '[.|()*+?]',
    String.raw`\{${gap}\d+${gap}(?:,${gap}(?:\d+${gap})?)?\}`,
  ].join('|'),
  'uy',
);

/**
 * The rules up to the end of the text, or to the first that cannot be cut. What is after the last is then no
 * GBNF, unless it is white space and comments.
 */
export function* cutRules(text: string): Generator<CutRule> {
  let rule = cutRule(text, 0);
  while (rule !== null) {
    yield rule;
    rule = cutRule(text, rule.end);
  }
}

/** Whether nothing but white space and comments is after `start`. */
export function isBlank(text: string, start: number): boolean {
  blank.lastIndex = start;
  return blank.test(text);
}

function cutRule(text: string, start: number): CutRule | null {
  head.lastIndex = start;
  const name = head.exec(text)?.[1];
  if (name === undefined) return null;
  let shape = '';
  let depth = 0;
  const leaves: string[] = [];
  for (let at = head.lastIndex; at < text.length; at = token.lastIndex) {
    token.lastIndex = at;
    if (!token.test(text)) return null;
    const first = text.charAt(at);
    if (first === ' ' || first === '\t' || first === '#') continue;
    if (first === '\n' || first === '\r') {
      if (depth > 0 || shape === '' || shape.endsWith('|')) continue;
      return { name, shape, leaves, end: token.lastIndex };
    }
    const written = text.slice(at, token.lastIndex);
    if (first === '(') depth++;
    else if (first === ')') depth--;
    if (depth < 0) return null;
    if ('|()*+?{'.includes(first)) shape += written;
    else {
      shape += '.';
      leaves.push(written);
    }
  }
  return depth > 0 ? null : { name, shape, leaves, end: text.length };
}
