/** Parses Python's regular expression syntax (of the `re` module with `DOTALL`) into a tree. */
import { escapedCodePoint, PatternCursor } from './pattern-cursor.ts';
import {
  anyCharacterSet,
  escapedSet,
  propertyMembers,
  readClass,
  type SetFlags,
  singleCharacter,
} from './read-class.ts';
import type { AssertionKind, ParsedRegex, RegexNode, RepeatNode } from './syntax.ts';

/** Maximum length of a pattern. */
const maxPatternLength = 20_000;
const maxDepth = 100;
const maxRepeat = 100_000;

interface Flags extends SetFlags {
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly verbose: boolean;
}

const defaultFlags: Flags = {
  ignoreCase: false,
  ascii: false,
  multiline: false,
  dotAll: true,
  verbose: false,
};
const emptyNode: RegexNode = { type: 'sequence', items: [] };

/**
 * Reads `pattern`, which Python would compile with `re.DOTALL`.
 *
 * @throws {PatternError} where it is not a pattern, or uses what is not supported (`\N{…}`, recursion).
 */
export function parseRegex(pattern: string): ParsedRegex {
  const reader = new RegexReader(pattern);
  const root = reader.readPattern();
  return { pattern, root, groupCount: reader.groupCount, groupNames: reader.groupNames };
}

class RegexReader {
  groupCount = 0;
  readonly groupNames = new Map<string, number>();
  readonly #cursor: PatternCursor;
  readonly #openGroups = new Set<number>();
  #flags = defaultFlags;
  #depth = 0;

  constructor(pattern: string) {
    this.#cursor = new PatternCursor(pattern);
  }

  readPattern(): RegexNode {
    if (this.#cursor.pattern.length > maxPatternLength) throw this.#cursor.error('pattern is too long', 0);
    const leading = this.#cursor.match(/\(\?([aiLmsux]+)\)/y);
    if (leading !== null) this.#flags = withFlags(this.#flags, leading[1] ?? '', true);
    const root = this.#readChoice();
    if (!this.#cursor.done()) throw this.#cursor.error('unbalanced parenthesis');
    return root;
  }

  #readChoice(): RegexNode {
    if (++this.#depth > maxDepth) throw this.#cursor.error('pattern is nested too deeply');
    const alternatives = [this.#readSequence()];
    while (this.#cursor.accept('|')) alternatives.push(this.#readSequence());
    this.#depth--;
    const [only, second] = alternatives;
    return only !== undefined && second === undefined ? only : { type: 'choice', alternatives };
  }

  #readSequence(): RegexNode {
    const items: RegexNode[] = [];
    for (;;) {
      if (this.#flags.verbose) this.#cursor.match(/(?:\s|#[^\n]*(?:\n|$))+/y);
      const next = this.#cursor.peek();
      if (next === '' || next === '|' || next === ')') return { type: 'sequence', items };
      const item = this.#readItem();
      if (item !== null) items.push(this.#readRepeats(item));
    }
  }

  /** `null` for a comment, which matches nothing and cannot be repeated. */
  #readItem(): RegexNode | null {
    const cursor = this.#cursor;
    const codePoint = cursor.takeCodePoint();
    switch (String.fromCodePoint(codePoint)) {
      case '(':
        return this.#readGroup();
      case '[':
        return { type: 'character', set: readClass(cursor, this.#flags) };
      case '\\':
        return this.#readEscape();
      case '.':
        return { type: 'character', set: anyCharacterSet(this.#flags.dotAll) };
      case '^':
        return assertion(this.#flags.multiline ? 'line-start' : 'start');
      case '$':
        return assertion(this.#flags.multiline ? 'line-end' : 'end-or-newline');
      case '*':
      case '+':
      case '?':
        throw cursor.error('nothing to repeat', cursor.position - 1);
      default:
        return { type: 'character', set: singleCharacter(codePoint, this.#flags) };
    }
  }

  #readEscape(): RegexNode {
    const cursor = this.#cursor;
    const number = cursor.match(/[1-9][0-9]?(?![0-9])/y);
    if (number !== null) return this.#backreference(Number(number[0]));
    const letter = cursor.take(1);
    if (letter === 'A') return assertion('start');
    if (letter === 'Z' || letter === 'z') return assertion('end');
    if (letter === 'b') return assertion('word-boundary');
    if (letter === 'B') return assertion('not-word-boundary');
    if (letter === 'p' || letter === 'P') {
      const source = `[${propertyMembers(letter, cursor)}]`;
      return { type: 'character', set: { source, ignoreCase: this.#flags.ignoreCase } };
    }
    const set =
      escapedSet(letter, this.#flags) ?? singleCharacter(escapedCodePoint(letter, cursor), this.#flags);
    return { type: 'character', set };
  }

  #backreference(index: number): RegexNode {
    if (index > this.groupCount) throw this.#cursor.error(`invalid group reference ${index}`);
    if (this.#openGroups.has(index)) throw this.#cursor.error('cannot refer to an open group');
    return { type: 'backreference', index };
  }

  #readRepeats(item: RegexNode): RegexNode {
    const cursor = this.#cursor;
    if (this.#flags.verbose) cursor.match(/(?:\s|#[^\n]*(?:\n|$))+/y);
    const at = cursor.position;
    const bounds = this.#readBounds();
    if (bounds === null) return item;
    if (item.type === 'assertion') throw cursor.error('nothing to repeat', at);
    const mode = cursor.accept('?') ? 'lazy' : cursor.accept('+') ? 'possessive' : 'greedy';
    if (this.#readBounds() !== null) throw cursor.error('multiple repeat');
    return { type: 'repeat', item, ...bounds, mode };
  }

  #readBounds(): Pick<RepeatNode, 'min' | 'max'> | null {
    const cursor = this.#cursor;
    if (cursor.accept('*')) return { min: 0, max: null };
    if (cursor.accept('+')) return { min: 1, max: null };
    if (cursor.accept('?')) return { min: 0, max: 1 };
    const counted = cursor.match(/\{(?:(\d+)|(\d*),(\d*))\}/y);
    if (counted === null) return null;
    const [, exact, low, high] = counted;
    const min = Number(exact ?? (low || '0'));
    const max = exact === undefined ? (high === '' ? null : Number(high)) : min;
    if (max !== null && max < min) throw cursor.error('min repeat greater than max repeat');
    if (min > maxRepeat || (max ?? 0) > maxRepeat) throw cursor.error('too many repetitions');
    return { min, max };
  }

  #readGroup(): RegexNode | null {
    const cursor = this.#cursor;
    const opened = cursor.position - 1;
    if (!cursor.accept('?')) return this.#capture(null, opened);
    const named = cursor.match(/P?<([\p{L}_][\p{L}\p{N}_]*)>/uy);
    if (named !== null) return this.#capture(named[1] ?? '', opened);
    const reference = cursor.match(/P=([^)]*)\)/y);
    if (reference !== null) return this.#backreference(this.#groupNumber(reference[1] ?? ''));
    if (cursor.accept('#')) return this.#skipComment(opened);
    const condition = cursor.match(/\(([^)]*)\)/y);
    if (condition !== null) return this.#readConditional(condition[1] ?? '', opened);
    return this.#readUncaptured(opened);
  }

  #readUncaptured(opened: number): RegexNode {
    const cursor = this.#cursor;
    if (cursor.accept('>')) return { type: 'atomic', item: this.#readBody(opened) };
    const look = cursor.match(/(<?)([=!])/y);
    if (look !== null) {
      const item = this.#readBody(opened);
      return { type: 'look', after: look[1] === '<', negative: look[2] === '!', item };
    }
    const scoped = cursor.match(/([aiLmsux]*)(?:-([imsx]+))?:/y);
    if (scoped === null) throw cursor.error('unknown extension in group', opened);
    const outer = this.#flags;
    this.#flags = withFlags(withFlags(outer, scoped[1] ?? '', true), scoped[2] ?? '', false);
    const item = this.#readBody(opened);
    this.#flags = outer;
    return item;
  }

  #readBody(opened: number): RegexNode {
    const item = this.#readChoice();
    if (!this.#cursor.accept(')')) throw this.#cursor.error('missing )', opened);
    return item;
  }

  #capture(name: string | null, opened: number): RegexNode {
    const index = ++this.groupCount;
    if (name !== null) {
      if (this.groupNames.has(name)) throw this.#cursor.error(`redefinition of group ${name}`, opened);
      this.groupNames.set(name, index);
    }
    this.#openGroups.add(index);
    const item = this.#readBody(opened);
    this.#openGroups.delete(index);
    return { type: 'group', index, item };
  }

  #skipComment(opened: number): null {
    const end = this.#cursor.indexOf(')');
    if (end === -1) throw this.#cursor.error('missing ), unterminated comment', opened);
    this.#cursor.position = end + 1;
    return null;
  }

  #readConditional(group: string, opened: number): RegexNode {
    const index = /^[0-9]+$/.test(group) ? Number(group) : this.#groupNumber(group);
    const body = this.#readBody(opened);
    const [yes, no, third] = body.type === 'choice' ? body.alternatives : [body];
    if (third !== undefined)
      throw this.#cursor.error('conditional backref with more than two branches', opened);
    return { type: 'conditional', index, yes: yes ?? emptyNode, no: no ?? emptyNode };
  }

  #groupNumber(name: string): number {
    const index = this.groupNames.get(name);
    if (index === undefined) throw this.#cursor.error(`unknown group name ${JSON.stringify(name)}`);
    return index;
  }
}

function assertion(kind: AssertionKind): RegexNode {
  return { type: 'assertion', kind };
}

function withFlags(flags: Flags, letters: string, on: boolean): Flags {
  const has = (letter: string, current: boolean) => (letters.includes(letter) ? on : current);
  return {
    ignoreCase: has('i', flags.ignoreCase),
    ascii: has('a', letters.includes('u') ? false : flags.ascii),
    multiline: has('m', flags.multiline),
    dotAll: has('s', flags.dotAll),
    verbose: has('x', flags.verbose),
  };
}
