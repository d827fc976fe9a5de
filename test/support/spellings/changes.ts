/** Ways in which models spell a call otherwise than its notation is usually written. */
import type { JsonObject } from '../../../src/format/messages.ts';
import type { PlainCall } from './spelled-call.ts';

/** Draws from a list, and numbers below a bound. */
export interface Draw {
  pick<T>(items: readonly T[]): T;
  below(bound: number): number;
}

/** A change of the call before it is written, or of its text; `null` where there is nothing to change. */
export interface Change {
  readonly name: string;
  call?(call: PlainCall, draw: Draw): PlainCall | null;
  text?(text: string, draw: Draw): string | null;
  /** Text before and after the call that is not the call. */
  readonly around?: readonly [before: string, after: string];
}

/** All changes. */
export const changes: readonly Change[] = [
  {
    name: 'order of keys',
    call: ({ name, input }, draw) => {
      const keys = Object.keys(input);
      if (keys.length < 2) return null;
      const at = draw.below(keys.length - 1);
      const order = [...keys.slice(at + 1), ...keys.slice(0, at + 1)];
      return { name, input: Object.fromEntries(order.map((key) => [key, input[key] ?? null])) };
    },
  },
  {
    name: 'null for an optional one',
    call: ({ name, input }, draw) => {
      const absent = optional.filter((key) => !Object.hasOwn(input, key));
      if (name !== 'plan_trip' || absent.length === 0) return null;
      return { name, input: { ...input, [draw.pick(absent)]: null } };
    },
  },
  { name: 'white space', text: (text, draw) => replaceOne(text, gaps, () => draw.pick(blanks), draw) },
  {
    name: 'white space in several places',
    text: (text, draw) => text.replace(gaps, (gap) => (draw.below(3) === 0 ? draw.pick(blanks) : gap)),
  },
  { name: 'single quotes', text: (text, draw) => replaceOne(text, /"([^"'\\]*)"/g, "'$1'", draw) },
  { name: 'single quotes throughout', text: (text) => replaceAll(text, /"([^"'\\]*)"/g, "'$1'") },
  { name: 'double quotes', text: (text, draw) => replaceOne(text, /'([^"'\\]*)'/g, '"$1"', draw) },
  { name: 'double quotes throughout', text: (text) => replaceAll(text, /'([^"'\\]*)'/g, '"$1"') },
  { name: 'Python’s words', text: (text) => replaceAll(text, /\b(?:true|false|null)\b/g, pythonWord) },
  {
    name: 'a comma after the last',
    text: (text, draw) => replaceOne(text, /(?<=["\d\]}])(?=\s*[}\])])/g, ',', draw),
  },
  { name: 'a number in quotes', text: (text, draw) => replaceOne(text, /(?<=[:=] ?)\d+/g, '"$&"', draw) },
  {
    name: 'an integer with a fraction',
    text: (text, draw) => replaceOne(text, /(?<=\D)\d+(?=\D)/g, '$&.0', draw),
  },
  { name: 'escapes', text: (text, draw) => replaceOne(text, /(?<=[a-z])[a-z](?=[a-z])/g, escaped, draw) },
  { name: 'doubled braces', text: (text) => (/^\{.*\}$/s.test(text) ? `{${text}}` : null) },
  {
    name: 'a fence',
    text: (text, { pick }) => `\`\`\`${pick(['json', '', 'tool_call', 'python'])}\n${text}\n\`\`\``,
  },
  {
    name: 'a foreign tag',
    text: (text, { pick }) => {
      const tag = pick(['tools', 'tool_call', 'function_call', 'tool_calls', 'tool_use']);
      return `<${tag}>${text}</${tag}>`;
    },
  },
  {
    name: 'a foreign marker',
    text: (text, { pick }) => pick(['[TOOL_CALLS]', '<|python_tag|>', '<|tool_call|>']) + text,
  },
  { name: 'a list', text: (text) => `[${text}]` },
  { name: 'without its first marker', text: (text) => replaceFirst(text, firstMarker, '') },
  { name: 'its first marker twice', text: (text) => replaceFirst(text, firstMarker, '$1$1') },
  { name: 'its first marker in bars', text: (text) => replaceFirst(text, /^<([\w]+)>/, '<|$1|>') },
  {
    name: 'without its last marker',
    text: (text) => replaceFirst(text, /\s*(?:<[^<>]+>|\[\/\w+\])\s*$/, ''),
  },
  {
    name: 'text before',
    text: (text) => `I will look it up.\n\n${text}`,
    around: ['I will look it up.', ''],
  },
  { name: 'text after', text: (text) => `${text}\n\nThat is all.`, around: ['', 'That is all.'] },
  { name: 'a line break before', text: (text) => `\n${text}` },
  { name: 'a line break after', text: (text) => `${text}\n` },
];

const optional = ['unit', 'price', 'exact', 'tags', 'options'];
const blanks = ['', ' ', '\n', '  ', '\n  ', '\t', '\n\n'];
/** White space, and where there may be some. */
const gaps = /\s+|(?<=[>\]{[,:(=|])(?=[^\s\d])|(?<=[\d"'}\]a-z])(?=[<\]})])/g;
const firstMarker = /^(<[^<>\s]+>|\[\w+\])\s*/;

function pythonWord(word: string): string {
  return { true: 'True', false: 'False', null: 'None' }[word] ?? word;
}

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function replaceFirst(text: string, pattern: RegExp, by: string): string | null {
  return pattern.test(text) ? text.replace(pattern, by) : null;
}

function replaceAll(text: string, pattern: RegExp, by: string | ((found: string) => string)): string | null {
  const replaced = typeof by === 'string' ? text.replace(pattern, by) : text.replace(pattern, by);
  return replaced === text ? null : replaced;
}

/** Replaces one of the matches. */
function replaceOne(
  text: string,
  pattern: RegExp,
  by: string | ((found: string) => string),
  draw: Draw,
): string | null {
  const found = [...text.matchAll(pattern)];
  if (found.length === 0) return null;
  const { 0: match, 1: inner = '', index } = draw.pick(found);
  const replacement = typeof by === 'string' ? by.replace('$&', match).replace('$1', inner) : by(match);
  return text.slice(0, index) + replacement + text.slice(index + match.length);
}

/** The arguments without those that are `null` for absent. */
export function withoutAbsent(input: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}
