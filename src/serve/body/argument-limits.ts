/**
 * Limits on the arguments of earlier calls: JSON as text within the JSON of a request, and so not counted by who reads
 * that. They are parsed and shown to the model as values.
 */
import { type ExactValue, entriesOf } from '../../format/exact-json.ts';
import type { Steps } from '../../language/expression/steps.ts';
import { stringEnd } from '../../parser/json/json-text.ts';
import { invalid } from '../errors.ts';
import { maxDepth, maxValues } from './parse-in-steps.ts';

/** Maximum number of characters of all arguments of a request: more than any context holds. */
const maxArguments = 4 * 1024 ** 2;
/** Values and characters that are looked at in one step. */
const [stepValues, stepLength] = [5_000, 1 << 17];

/**
 * Throws `RequestError` if the texts of arguments anywhere in `value`, a part of a request at `path`, are longer than
 * `maxArguments` in all, have more values than a request may have, or are nested deeper than one may be.
 */
export function* limitArguments(value: ExactValue | undefined, path: string): Steps<void> {
  yield* new ArgumentLimits().look(value, path);
}

class ArgumentLimits {
  #looked = 0;
  #length = 0;
  #values = 0;

  *look(value: unknown, path: string): Steps<void> {
    if (typeof value !== 'object' || value === null) return;
    const isList = Array.isArray(value);
    for (const [key, item] of entriesOf(value)) {
      this.#looked += 1;
      if (this.#looked % stepValues === 0) yield;
      if (isArguments(key, value)) {
        // What is given as an object was counted with the request.
        if (typeof item === 'string') yield* this.#count(item, `${path}.${key}`);
      } else if (typeof item === 'object') {
        yield* this.look(item, isList ? `${path}[${key}]` : `${path}.${key}`);
      }
    }
  }

  *#count(json: string, path: string): Steps<void> {
    this.#length += json.length;
    if (this.#length > maxArguments)
      throw invalid(path, `the arguments of all calls have more than ${maxArguments} characters`);
    let [depth, paused] = [0, 0];
    for (let at = 0; at < json.length; at += 1) {
      if (at - paused > stepLength) {
        paused = at;
        yield;
      }
      const character = json.charAt(at);
      if (character === '"') {
        const end = stringEnd(json, at);
        if (end === -1) return;
        at = end - 1;
      } else if (character === '{' || character === '[') depth += 1;
      else if (character === '}' || character === ']') depth -= 1;
      else if (character !== ',') continue;
      this.#values += 1;
      if (this.#values > maxValues)
        throw invalid(path, `the arguments of all calls have more than ${maxValues} values`);
      if (depth > maxDepth) throw invalid(path, `${path} is nested more than ${maxDepth} levels deep`);
    }
  }
}

/** The Messages API has them as `input`, which elsewhere is any text. */
function isArguments(key: string | number, holder: object): boolean {
  return key === 'arguments' || (key === 'input' && Reflect.get(holder, 'type') === 'tool_use');
}
