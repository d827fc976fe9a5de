/**
 * Splits GBNF text into rules, and rules into tokens, so that each rule shape is parsed only once. A large grammar
 * has few shapes: most rules are a literal, a name and a literal.
 */

/** One rule of the text. */
interface CutRule {
  readonly name: string;
  /** The body with a dot for each leaf and without white space: GBNF with the same structure. */
  readonly shape: string;
  /** The leaves as written, in order: literals, classes, names, dots and tokens. */
  readonly leaves: readonly string[];
  /** Offset of the rule's end in the text. */
  readonly end: number;
}

const escaped = String.raw`\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[tnr\\"[\]\-])`;
const space = String.raw`[ \t]|#[^\r\n]*(?![^\r\n])`;
const gap = String.raw`(?:${space}|[\r\n])*`;
const head = new RegExp(`${gap}([a-zA-Z0-9-]+)(?:${space})*::=`, 'uy');
const blank = new RegExp(`${gap}$`, 'uy');
/** The tokens of a body; the first character tells them apart. */
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
 * The rules up to the end of the text, or up to the first that cannot be split. Text after the last rule is invalid
 * unless `isBlank`.
 */
export function* cutRules(text: string): Generator<CutRule> {
  let rule = cutRule(text, 0);
  while (rule !== null) {
    yield rule;
    rule = cutRule(text, rule.end);
  }
}

/** Whether only white space and comments follow `start`. */
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
