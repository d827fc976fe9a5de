/** What a prompt does not show of the messages that it was rendered from: templates drop what they have no place for. */

import { readMessages } from '../../format/check-messages.ts';
import type { SchemaIssue } from '../../format/errors.ts';
import {
  type ExactValue,
  isExactObject,
  JsonNumber,
  parseExactJson,
  pythonNumber,
} from '../../format/exact-json.ts';
import { groupBy } from '../../format/groups.ts';
import type { ContentPart, Message } from '../../format/messages.ts';
import { requireOption, string } from '../../format/option-rules.ts';
import { writeJsonString, writePythonString } from '../../format/write-values.ts';

/** A text of a message that its prompt does not contain. */
export interface DroppedData {
  /** Where it is: `messages[1].reasoning_content`, `messages[1].tool_calls[0].function.arguments/city`. */
  readonly path: string;
  readonly text: string;
}

/**
 * The texts of `messages` that `prompt` does not contain: contents, thoughts, and the names and values of calls. A text
 * counts as shown in any spelling that templates use: without white space at its ends, escaped as in JSON or in Python.
 * Throws MessageError for invalid messages, and UnsupportedOptionError if `prompt` is not text.
 */
export function findDroppedData(messages: readonly Message[], prompt: string): readonly DroppedData[] {
  requireOption('prompt', prompt, string);
  const search = new OrderedSearch(prompt);
  return readMessages(messages).flatMap((message, index) =>
    dataOf(message, `messages[${index}]`).flatMap(({ path, text, spellings = spellingsOf(text) }) =>
      search.shows(spellings) ? [] : [{ path, text }],
    ),
  );
}

/** A text to find, with its spellings if they are not those of strings. */
interface Planted extends DroppedData {
  readonly spellings?: Iterable<string>;
}

/** Searches for texts in their order, so that most searches are short. */
class OrderedSearch {
  readonly #prompt: string;
  #place = 0;

  constructor(prompt: string) {
    this.#prompt = prompt;
  }

  shows(spellings: Iterable<string>): boolean {
    for (const spelling of spellings) if (this.#finds(spelling)) return true;
    return false;
  }

  #finds(text: string): boolean {
    const next = this.#prompt.indexOf(text, this.#place);
    if (next < 0) return this.#prompt.includes(text);
    this.#place = next;
    return true;
  }
}

/** Written as they are asked for: most texts are shown as they are. */
function* spellingsOf(text: string): Generator<string> {
  const trimmed = text.trim();
  const inner = (quoted: string) => quoted.slice(1, -1);
  yield trimmed;
  yield inner(writeJsonString(trimmed, false));
  yield inner(writeJsonString(trimmed, true));
  yield inner(writePythonString(trimmed));
}

function dataOf(message: Message, path: string): readonly Planted[] {
  const content = contentOf(message.content, `${path}.content`);
  if (message.role !== 'assistant') return content;
  const { reasoning_content: thoughts = '', tool_calls: calls = [] } = message;
  const called = calls.flatMap(({ function: { name, arguments: input } }, index) => {
    const at = `${path}.tool_calls[${index}].function`;
    return [
      { path: `${at}.name`, text: name },
      ...valuesIn(parseExactJson(input) ?? input, `${at}.arguments`),
    ];
  });
  return [{ path: `${path}.reasoning_content`, text: thoughts }, ...content, ...called];
}

function contentOf(content: Message['content'], path: string): readonly Planted[] {
  if (content === null || typeof content === 'string') return [{ path, text: content ?? '' }];
  return content.flatMap(({ text }: ContentPart, index) =>
    typeof text === 'string' ? [{ path: `${path}[${index}].text`, text }] : [],
  );
}

/** Strings and numbers in a value; other scalars are too short to be found for certain. */
function valuesIn(value: ExactValue, path: string): readonly Planted[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (typeof value === 'number') return [{ path, text: String(value) }];
  if (value instanceof JsonNumber) {
    return [{ path, text: value.text, spellings: [value.text, pythonNumber(value)] }];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => valuesIn(item, `${path}/${index}`));
  if (!isExactObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => valuesIn(item, `${path}/${key}`));
}

/** How many places a line names. */
const maxPlaces = 3;

/** One line for each kind of data that the prompt does not show: most templates drop earlier thoughts. */
export function reportDropped(messages: readonly Message[], prompt: string): readonly SchemaIssue[] {
  const dropped = findDroppedData(messages, prompt);
  const kinds = groupBy(dropped, (each) => /^messages\[\d+\]\.(\w+)/.exec(each.path)?.[1] ?? '');
  return Array.from(kinds.values(), (places) => ({
    tool: '',
    pointer: '',
    keyword: 'messages',
    effect: 'noted',
    reason: `${listed(places)} not in the prompt: the template has no place for it`,
  }));
}

function listed(places: readonly DroppedData[]): string {
  const named = places.slice(0, maxPlaces).map(({ path }) => path);
  const more = places.length - named.length;
  const list = more === 0 ? named.join(', ') : `${named.join(', ')} and ${more} more`;
  return `${list} ${places.length === 1 ? 'is' : 'are'}`;
}
