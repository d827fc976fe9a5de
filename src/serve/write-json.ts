/** Writes an answer as JSON in steps: two million tokens take longer than others shall wait. */
import type { Steps } from '../language/expression/steps.ts';

/** Items of a list that are written in one step. */
const itemsPerStep = 1000;

/** The JSON of a list or an object; of a list, and of each list in the object, some items a step. */
export function* writeJson(answer: object): Steps<string> {
  if (Array.isArray(answer)) return yield* writeList(answer);
  const members: string[] = [];
  for (const [name, value] of Object.entries(answer)) {
    const written = Array.isArray(value) ? yield* writeList(value) : JSON.stringify(value);
    // A value without JSON is left out.
    if (written !== undefined) members.push(`${JSON.stringify(name)}:${written}`);
  }
  return `{${members.join()}}`;
}

function* writeList(items: readonly unknown[]): Steps<string> {
  const pieces: string[] = [];
  for (let place = 0; place < items.length; place += itemsPerStep) {
    pieces.push(JSON.stringify(items.slice(place, place + itemsPerStep)).slice(1, -1));
    yield;
  }
  return `[${pieces.join()}]`;
}
