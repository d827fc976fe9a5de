/** The skeleton of a call as a pattern with named groups for its holes. */
import type { CallPart } from '../../format/chat-format.ts';
import { Marker } from '../../layout/marker.ts';
import { withOptionalEdges } from './literal-patterns.ts';

/** A pattern and the groups it captures. */
export interface HolePattern {
  readonly pattern: string;
  readonly groups: ReadonlySet<string>;
}

/** A pattern for `parts`; each kind of hole is captured once, under its own name. */
export function patternOfParts(parts: readonly CallPart[]): HolePattern {
  const groups = new Set<string>();
  const pieces = parts.map((part, index) => {
    if (typeof part === 'string') return withOptionalEdges(part);
    return holePattern(part, firstCharacter(parts[index + 1]), groups);
  });
  return { pattern: pieces.join(''), groups };
}

/** The first character after a hole; a call's arguments begin with a brace or a tag. */
function firstCharacter(part: CallPart | undefined): string {
  return typeof part === 'string' ? new Marker(part).core.charAt(0) : '';
}

function holePattern(part: Exclude<CallPart, string>, next: string, groups: Set<string>): string {
  switch (part.hole) {
    case 'index':
      return '\\d+';
    case 'name':
    case 'id':
      return capture(part.hole, untilCharacter(next), groups);
    case 'composed-id': {
      const inner = part.parts.map((piece, index) => {
        if (typeof piece === 'string') return withOptionalEdges(piece);
        const following = part.parts[index + 1];
        return holePattern(piece, following === undefined ? next : firstCharacter(following), groups);
      });
      return capture('id', inner.join(''), groups);
    }
  }
}

/** Text before `next`, which names and ids never contain, without white space. */
function untilCharacter(next: string): string {
  const excluded = next === '' ? '<{(\\[' : next.replace(/[\\\]^-]/g, '\\$&');
  return `[^\\s${excluded}]+`;
}

function capture(name: string, pattern: string, groups: Set<string>): string {
  if (groups.has(name)) return `(?P=${name})`;
  groups.add(name);
  return `(?P<${name}>${pattern})`;
}
