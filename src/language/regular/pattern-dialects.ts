/**
 * Translates patterns of other engines (Python, Java, Ruby, PCRE, POSIX) to ECMAScript. Without the flag `u`,
 * ECMAScript reads `\A` as the letter A, and `[[:alpha:]]` as something that nobody intends. So constructs with an
 * equivalent are translated, and all others are rejected by name.
 */

/** Thrown for an invalid pattern, or for a construct that no finite automaton can express. */
export class UnsupportedPattern extends Error {}

/** Escapes of ECMAScript; other escaped letters are not escapes there. */
const knownEscapes = /[\dbBdDfnrsStvwWcxukpP]|[^A-Za-z]/;

const horizontal = '\\t \\xa0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000';

/** Escapes of other engines, outside classes. */
const foreignEscapes: ReadonlyMap<string, string> = new Map([
  ['A', '^'],
  ['Z', '$'],
  ['z', '$'],
  ['a', '\\x07'],
  ['e', '\\x1b'],
  ['h', `[${horizontal}]`],
  ['H', `[^${horizontal}]`],
]);

/** Escapes of other engines, inside classes. */
const foreignClassEscapes: ReadonlyMap<string, string> = new Map([
  ['a', '\\x07'],
  ['e', '\\x1b'],
  ['h', horizontal],
]);

/** POSIX classes as members of a class; Java writes them `\p{Alpha}`. */
const posixClasses: ReadonlyMap<string, string> = new Map([
  ['alpha', 'A-Za-z'],
  ['digit', '0-9'],
  ['alnum', '0-9A-Za-z'],
  ['upper', 'A-Z'],
  ['lower', 'a-z'],
  ['space', '\\t-\\r '],
  ['blank', '\\t '],
  ['punct', '!-\\/:-@\\[-`{-~'],
  ['cntrl', '\\x01-\\x1f\\x7f'],
  ['xdigit', '0-9A-Fa-f'],
  ['word', '\\w'],
  ['print', ' -~'],
  ['graph', '!-~'],
]);

/** Translates `pattern` to ECMAScript. Throws `UnsupportedPattern` for a construct without an equivalent. */
export function toEcmaScript(pattern: string): string {
  const { flags, rest } = leadingFlags(pattern);
  const translated = new Translation(rest).run();
  return flags === '' ? translated : `(?${flags}:${translated})`;
}

/** Flags for the whole pattern, such as `(?i)`. */
function leadingFlags(pattern: string): { readonly flags: string; readonly rest: string } {
  const [all, letters = ''] = /^\(\?([A-Za-z]+)\)/.exec(pattern) ?? [];
  if (all === undefined) return { flags: '', rest: pattern };
  // Patterns are always read as Unicode, so `u` adds nothing.
  const flags = [...new Set(letters.replaceAll('u', ''))].join('');
  if (/[^is]/.test(flags)) throw new UnsupportedPattern(`it has the flags ${all}`);
  return { flags, rest: pattern.slice(all.length) };
}

class Translation {
  readonly #pattern: string;
  #at = 0;
  #written = '';
  #inClass = false;
  /** True if the pattern is valid with the flag `u`, and therefore unambiguous ECMAScript. */
  readonly #isEcmaScript: boolean;

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#isEcmaScript = isUnicodePattern(pattern);
  }

  run(): string {
    while (this.#at < this.#pattern.length) {
      const char = this.#pattern.charAt(this.#at);
      if (char === '\\') this.#escape();
      else if (this.#inClass) this.#classMember(char);
      else if (char === '(') this.#group();
      else if (char === '{') this.#count();
      else this.#copy(char === '[' ? this.#classStart() : 1);
    }
    return this.#written;
  }

  #copy(length: number): void {
    this.#replace(length, this.#pattern.slice(this.#at, this.#at + length));
  }

  #replace(length: number, text: string): void {
    this.#at += length;
    this.#written += text;
  }

  #classStart(): number {
    this.#inClass = true;
    return this.#pattern.charAt(this.#at + 1) === '^' ? 2 : 1;
  }

  #classMember(char: string): void {
    const posix = /^\[:(\^?)(\w+):\]/.exec(this.#pattern.slice(this.#at, this.#at + 16));
    if (posix !== null) {
      const [all, negated, name = ''] = posix;
      const members = posixClasses.get(name);
      if (negated !== '' || members === undefined) throw new UnsupportedPattern(`it has the class ${all}`);
      this.#replace(all.length, members);
      return;
    }
    const rest = this.#pattern.slice(this.#at, this.#at + 16);
    const [operation] = /^(?:&&|--)(?=\[)|^\[([.=])[^\]]+\1\]/.exec(rest) ?? [];
    if (operation !== undefined && !this.#isEcmaScript)
      throw new UnsupportedPattern(`it has ${operation} in a class`);
    if (char === ']') this.#inClass = false;
    this.#copy(1);
  }

  /**
   * `{,3}` means at most three in Python and Ruby. To ECMAScript it is literal text, and an error with the flag `u`.
   */
  #count(): void {
    const [upTo] = /^\{,(?=\d+\})/.exec(this.#pattern.slice(this.#at, this.#at + 12)) ?? [];
    if (upTo === undefined || this.#isEcmaScript) this.#copy(1);
    else this.#replace(upTo.length, '{0,');
  }

  #group(): void {
    const rest = this.#pattern.slice(this.#at, this.#at + 8);
    if (rest.startsWith('(?P<')) {
      this.#replace(4, '(?<');
      return;
    }
    const [foreign] = /^\(\?(?:P[=>]|>|#|\||[A-Za-z]*[^imsA-Z\W][A-Za-z]*[:)]|[a-z]+\))/.exec(rest) ?? [];
    if (foreign !== undefined) throw new UnsupportedPattern(`it has a group ${foreign}…`);
    this.#copy(1);
  }

  #escape(): void {
    const letter = this.#pattern.charAt(this.#at + 1);
    if (letter === 'p' || letter === 'P') {
      this.#property(letter);
      return;
    }
    if (letter === '' || knownEscapes.test(letter)) {
      this.#copy(2);
      return;
    }
    const foreign = (this.#inClass ? foreignClassEscapes : foreignEscapes).get(letter);
    if (foreign === undefined) throw new UnsupportedPattern(`it has the escape \\${letter}`);
    this.#replace(2, foreign);
  }

  /** `\p{…}`: a Unicode property as named by ECMAScript, Java or PCRE. */
  #property(letter: 'p' | 'P'): void {
    const found = /^\\[pP](?:\{(\^?)([\w= ]+)\}|([A-Z]))/.exec(this.#pattern.slice(this.#at, this.#at + 80));
    // Without a name, it is an escaped letter.
    if (found === null) {
      this.#copy(2);
      return;
    }
    const [all, caret = '', name = found[3] ?? ''] = found;
    const sign = (letter === 'P') !== (caret !== '') ? 'P' : 'p';
    const property = [name, `Script=${name.replace(/^Is/, '')}`, name.replace(/^Is/, '')].find(isProperty);
    const posix = posixClasses.get(name.toLowerCase());
    if (property !== undefined) this.#replace(all.length, `\\${sign}{${property}}`);
    else if (posix !== undefined && sign === 'p')
      this.#replace(all.length, this.#inClass ? posix : `[${posix}]`);
    else throw new UnsupportedPattern(`it has the property ${all}`);
  }
}

/** Whether ECMAScript has a property of this name. */
function isProperty(name: string): boolean {
  return isUnicodePattern(`\\p{${name}}`);
}

function isUnicodePattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') !== null;
  } catch {
    return false;
  }
}
