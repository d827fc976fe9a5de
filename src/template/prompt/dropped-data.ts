/** What a prompt does not show of the messages that it was rendered from: templates drop what they have no place for. */

import { readMessages } from '../../format/check-messages.ts';
import type { SchemaIssue } from '../../format/errors.ts';
import {
  type ExactValue,
  entriesOf,
  exactJsonSteps,
  JsonNumber,
  pythonNumber,
} from '../../format/exact-json.ts';
import { groupBy } from '../../format/groups.ts';
import type { Message } from '../../format/messages.ts';
import { requireOption, string } from '../../format/option-rules.ts';
import { writeJsonString, writePythonString } from '../../format/write-values.ts';
import { finish, type Steps } from '../../language/expression/steps.ts';

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
  return finish(findDroppedSteps(readMessages(messages), prompt));
}

function* findDroppedSteps(messages: readonly Message[], prompt: string): Steps<readonly DroppedData[]> {
  const search = new OrderedSearch(prompt);
  const dropped: DroppedData[] = [];
  for (const [index, message] of messages.entries()) {
    for (const planted of dataOf(message, `messages[${index}]`)) {
      if (planted === null || search.isTired) yield;
      if (planted === null) continue;
      const { path, text, spellings = spellingsOf(text) } = planted;
      if (!search.shows(spellings)) dropped.push({ path, text });
    }
  }
  return dropped;
}

/** A text to find, with its spellings if they are not those of strings. */
interface Planted extends DroppedData {
  readonly spellings?: Iterable<string>;
}

/** Characters of a prompt that are searched in one step; each text counts as a hundred. */
const stepLength = 1_000_000;

/** Searches for texts in their order, so that most searches are short. */
class OrderedSearch {
  readonly #prompt: string;
  #place = 0;
  #searched = 0;

  constructor(prompt: string) {
    this.#prompt = prompt;
  }

  /** Whether a step's characters were searched since this was asked with that answer. */
  get isTired(): boolean {
    if (this.#searched < stepLength) return false;
    this.#searched = 0;
    return true;
  }

  shows(spellings: Iterable<string>): boolean {
    for (const spelling of spellings) if (this.#finds(spelling)) return true;
    return false;
  }

  #finds(text: string): boolean {
    const next = this.#prompt.indexOf(text, this.#place);
    this.#searched += 100 + (next < 0 ? this.#prompt.length : next - this.#place);
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

/** The texts of a message; null where its reader may pause. */
function* dataOf(message: Message, path: string): Generator<Planted | null, void, void> {
  if (message.role === 'assistant')
    yield { path: `${path}.reasoning_content`, text: message.reasoning_content ?? '' };
  yield* contentOf(message.content, `${path}.content`);
  if (message.role !== 'assistant') return;
  for (const [index, call] of (message.tool_calls ?? []).entries()) {
    const { name, arguments: input } = call.function;
    const at = `${path}.tool_calls[${index}].function`;
    yield { path: `${at}.name`, text: name };
    const read = exactJsonSteps(input);
    for (;;) {
      const step = read.next();
      yield null;
      if (step.done !== true) continue;
      yield* valuesIn(step.value ?? input, `${at}.arguments`);
      break;
    }
  }
}

/** An assistant's message need not have content. */
function* contentOf(content: Message['content'] | undefined, path: string): Generator<Planted> {
  if (content == null || typeof content === 'string') yield { path, text: content ?? '' };
  else
    for (const [index, { text }] of content.entries())
      if (typeof text === 'string') yield { path: `${path}[${index}].text`, text };
}

/** Strings and numbers in a value; other scalars are too short to be found for certain. */
function* valuesIn(value: ExactValue, path: string): Generator<Planted> {
  if (typeof value === 'string') yield { path, text: value };
  else if (typeof value === 'number') yield { path, text: String(value) };
  else if (value instanceof JsonNumber)
    yield { path, text: value.text, spellings: [value.text, pythonNumber(value)] };
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of entriesOf(value)) yield* valuesIn(item, `${path}/${key}`);
}

/** How many places a line names. */
const maxPlaces = 3;

/** One line for each kind of data that the prompt does not show, in steps: most templates drop earlier thoughts. */
export function* reportDropped(messages: readonly Message[], prompt: string): Steps<readonly SchemaIssue[]> {
  const dropped = yield* findDroppedSteps(messages, prompt);
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
