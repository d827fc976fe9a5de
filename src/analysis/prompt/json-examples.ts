/** Calls as JSON, shown with placeholders of any kind and either key first, or only asked for in words. */
import { type JsonExample, maxExampleLength, type Surroundings, sampleWords } from './call-example.ts';
import { surroundings } from './surroundings.ts';

const nameKeys = 'name|function|tool|tool_name|function_name';
const argumentKeys = 'arguments|parameters|args|params|input|tool_input';
const placeholder = String.raw`(?:(?!\s)[^{},\n]{1,60}|(?<=\s))`;
const keyed = (keys: string) => String.raw`["']?(${keys})["']?\s*:\s*`;

const nameFirst = new RegExp(
  String.raw`\{\s*${keyed(nameKeys)}${placeholder},\s*${keyed(argumentKeys)}`,
  'gu',
);
const argumentsFirst = new RegExp(
  String.raw`\{\s*${keyed(argumentKeys)}(?:${placeholder}|\{[^{}\n]{0,120}\}),\s*${keyed(nameKeys)}`,
  'gu',
);

/** The first example with something around it, or else the first. */
export function findJson(prompt: string): JsonExample | null {
  const all = [...shown(prompt, nameFirst, false), ...shown(prompt, argumentsFirst, true)];
  return all.find((each) => each.open !== '' || each.isList) ?? all[0] ?? askedFor(prompt);
}

function shown(prompt: string, pattern: RegExp, isReversed: boolean): readonly JsonExample[] {
  return [...prompt.matchAll(pattern)].flatMap((match) => {
    const end = objectEnd(prompt, match.index);
    if (end === null) return [];
    const [, first = '', second = ''] = match;
    // Braces that were doubled for another template language, and stayed doubled.
    const doubled = prompt[match.index - 1] === '{' && prompt[end] === '}' ? 1 : 0;
    const around = surroundings(prompt, match.index - doubled, end + doubled);
    const keys = isReversed ? ([second, first] as const) : ([first, second] as const);
    return [exampleOf(around, keys, isReversed)];
  });
}

function exampleOf(
  around: Surroundings,
  [nameKey, argumentsKey]: readonly [string, string],
  isReversed: boolean,
  keysAssumed = false,
): JsonExample {
  const { name, key, value } = sampleWords;
  const members = [`"${nameKey}": "${name}"`, `"${argumentsKey}": {"${key}": "${value}"}`];
  const object = `{${(isReversed ? members.reverse() : members).join(', ')}}`;
  const { open, close, isList } = around;
  return {
    ...around,
    kind: 'json',
    nameKey,
    argumentsKey,
    argumentsFirst: isReversed,
    keysAssumed,
    sample: {
      text: open + (isList ? `[${object}]` : object) + close,
      name,
      arguments: { [key]: value },
      isWhole: open !== '',
    },
  };
}

/** The end of an object whose placeholders may not be JSON. */
function objectEnd(prompt: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < Math.min(prompt.length, start + maxExampleLength); at++) {
    if (prompt[at] === '{') depth += 1;
    else if (prompt[at] === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return null;
}

/** "respond only with <|tool_call|> followed by a JSON list of tools used" */
const request =
  /\b(?:respond|reply|answer|write|return|output)\b[^.<\n]{0,40}?\bwith\s+["'`]?(<[^<>\s]{1,40}>|\[[^[\]\s]{1,40}\])["'`]?\s+followed\s+by\s+(?:an?\s+|the\s+)?JSON\s+(list|array|object)\b/iu;

/** A marker and JSON that the prompt's words ask for. Its keys are the usual ones. */
function askedFor(prompt: string): JsonExample | null {
  const found = request.exec(prompt);
  if (found === null) return null;
  const [text, open = '', kind = ''] = found;
  return jsonExample({ text, open, close: '', isList: kind.toLowerCase() !== 'object' });
}

/** An example of which only the surroundings are known; its keys are the usual ones. */
export function jsonExample(around: Surroundings): JsonExample {
  return exampleOf(around, ['name', 'arguments'], false, true);
}
