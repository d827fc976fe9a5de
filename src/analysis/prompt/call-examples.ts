/**
 * Examples of calls in the text of a prompt, with placeholders in words of any kind:
 *
 *     <tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>
 *     functools[{"name": [function name], "arguments": [function arguments as JSON]}, ...]
 *     [func_name1(params_name1=params_value1, params_name2=params_value2...), func_name2(params)]
 *     <tool_call>function_name\n<arg_key>parameter_name</arg_key>\n<arg_value>parameter_value</arg_value>\n</tool_call>
 */
import { mirror } from '../literals/mirror.ts';
import { isMarker, tokens } from '../literals/tokens.ts';

/** The text around a call, or around the list that contains it. */
interface Surroundings {
  /** The example with its markers, as in the prompt. */
  readonly text: string;
  /** Markers, or a word directly before a list: `<tool_call>\n`, `functools`. */
  readonly open: string;
  readonly close: string;
  /** Calls are in square brackets. */
  readonly isList: boolean;
}

/** A JSON object with the name and the arguments under two keys. */
export interface JsonExample extends Surroundings {
  readonly kind: 'json';
  readonly nameKey: string;
  readonly argumentsKey: string;
}

/** A call in Python notation. */
export interface PythonExample extends Surroundings {
  readonly kind: 'python';
}

/** A name, and arguments with markers around their keys and values. */
export interface TaggedExample {
  readonly kind: 'tagged';
  readonly text: string;
  readonly open: string;
  readonly afterName: string;
  readonly keyOpen: string;
  readonly keyToValue: string;
  readonly valueClose: string;
  readonly separator: string;
  readonly close: string;
}

/** One example. */
export type CallExample = JsonExample | PythonExample | TaggedExample;

/** The first example of each kind, in order of appearance. */
export function findCallExamples(prompt: string): readonly CallExample[] {
  const found = [findTagged(prompt), findJson(prompt), findPython(prompt)].filter((each) => each !== null);
  return [...found].sort((a, b) => prompt.indexOf(a.text) - prompt.indexOf(b.text));
}

const jsonStart =
  /\{\s*["']?(name|function|tool|tool_name|function_name)["']?\s*:\s*[^{},\n]{1,60},\s*["']?(arguments|parameters|args|params|input|tool_input)["']?\s*:\s*/gu;

function findJson(prompt: string): JsonExample | null {
  const all = [...prompt.matchAll(jsonStart)].flatMap((match): readonly JsonExample[] => {
    const end = objectEnd(prompt, match.index);
    const [, nameKey = '', argumentsKey = ''] = match;
    if (end === null) return [];
    // Braces that were doubled for another template language, and stayed doubled.
    const doubled = prompt[match.index - 1] === '{' && prompt[end] === '}' ? 1 : 0;
    return [
      { kind: 'json', nameKey, argumentsKey, ...surroundings(prompt, match.index - doubled, end + doubled) },
    ];
  });
  return all.find((each) => each.open !== '' || each.isList) ?? all[0] ?? null;
}

/** Examples are short; longer text is something else. */
const longestExample = 600;

/** The end of an object whose placeholders may not be JSON. */
function objectEnd(prompt: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < Math.min(prompt.length, start + longestExample); at++) {
    if (prompt[at] === '{') depth += 1;
    else if (prompt[at] === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return null;
}

const pythonCall = /(?<![\w.])[A-Za-z_]\w*\(\s*[A-Za-z_]\w*\s*=[^()\n]{0,200}\)/gu;

function findPython(prompt: string): PythonExample | null {
  const all = [...prompt.matchAll(pythonCall)].map((match): PythonExample => {
    const end = match.index + match[0].length;
    return { kind: 'python', ...surroundings(prompt, match.index, end) };
  });
  return all.find((each) => each.isList || each.open !== '') ?? null;
}

/** Reads outwards from a call: first the bracket of a list, then markers or a word. */
function surroundings(prompt: string, start: number, end: number): Surroundings {
  const before = prompt.slice(0, start);
  const isList = /\[\s*$/u.test(before);
  const listEnd = isList ? closingBracket(prompt, end) : null;
  if (isList && listEnd === null) return surroundingMarkers(prompt, start, end, false);
  const listStart = isList ? before.trimEnd().length - 1 : start;
  return surroundingMarkers(prompt, listStart, listEnd ?? end, isList);
}

/** The end of a list after its first call; further calls, or dots in their place, may follow. */
function closingBracket(prompt: string, from: number): number | null {
  const rest = prompt.slice(from, from + longestExample);
  const line = rest.split(/\n\s*\n/u)[0] ?? '';
  const [nested] = /^[^[\]]*(?:\[[^[\]]*\][^[\]]*)*\]/u.exec(line) ?? [];
  return nested === undefined ? null : from + nested.length;
}

function surroundingMarkers(prompt: string, start: number, end: number, isList: boolean): Surroundings {
  const before = prompt.slice(0, start);
  const word = isList ? (/(?<![\w<[/])[a-z_]\w{2,}$/u.exec(before)?.[0] ?? '') : '';
  if (word !== '') return { text: prompt.slice(start - word.length, end), open: word, close: '', isList };
  const space = /\n?[ \t]*$/u.exec(before)?.[0] ?? '';
  const marker = tokens(before.slice(-120).trimEnd()).at(-1) ?? '';
  const opens = isMarker(marker) && !marker.includes('/') && before.endsWith(marker + space);
  const after = prompt.slice(end);
  const gap = /^[ \t]*\n?[ \t]*/u.exec(after)?.[0] ?? '';
  const closer = tokens(after.slice(gap.length, gap.length + 120))[0] ?? '';
  if (!opens || !isMarker(closer) || !pairs(marker, closer)) {
    return { text: prompt.slice(start, end), open: '', close: '', isList };
  }
  const text = prompt.slice(start - space.length - marker.length, end + gap.length + closer.length);
  return { text, open: marker + space, close: gap + closer, isList };
}

/** Whether one marker closes the other: it mirrors it, or is a different marker that looks like a closer. */
function pairs(open: string, close: string): boolean {
  return mirror(open) === close || (close !== open && /end|\//iu.test(close));
}

const keyAndValue =
  /(<[^<>/\s][^<>]{0,40}>)[^<>\n]{1,60}(<\/[^<>]{1,41}>)(\s*)(<[^<>/\s][^<>]{0,40}>)[^<>]{1,60}(<\/[^<>]{1,41}>)(\s*)/gu;

function findTagged(prompt: string): TaggedExample | null {
  for (const match of prompt.matchAll(keyAndValue)) {
    const [whole, keyOpen = '', keyClose = '', gap = '', valueOpen = '', valueClose = '', separator = ''] =
      match;
    if (mirror(keyOpen) !== keyClose || mirror(valueOpen) !== valueClose) continue;
    const head = /(<[^<>/\s][^<>]{0,40}>)([^<>\n]{1,60})(\s*)$/u.exec(prompt.slice(0, match.index));
    if (head === null) continue;
    const [opening, open = '', , afterName = ''] = head;
    const closer = mirror(open);
    const end = closer === null ? -1 : prompt.indexOf(closer, match.index + whole.length);
    if (closer === null || end < 0 || end - match.index > longestExample) continue;
    return {
      kind: 'tagged',
      text: prompt.slice(match.index - opening.length, end + closer.length),
      open,
      afterName,
      keyOpen,
      keyToValue: keyClose + gap + valueOpen,
      valueClose,
      separator,
      close: separator + closer,
    };
  }
  return null;
}
