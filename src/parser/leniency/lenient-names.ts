/** Names where the format does not have them: under another key, or in one more object. See `docs/leniency.md`. */
import type { Reader } from '../reader.ts';
import type { EnvelopePaths } from '../state-tables.ts';
import type { EnvelopeProgress } from '../steps/step-progress.ts';
import { nameKeys, plainMembers } from './call-keys.ts';

/** Whether the text under this key is the call's name: it names an offered tool, and no other name is known. */
export function isNameKey(reader: Reader, key: string, text: string): boolean {
  if (reader.call.started || !nameKeys.has(key) || !reader.options.tools.has(text)) return false;
  return reader.allows('name-key');
}

/** The paths of a call in one more object, under the key `wrapper`; `null` if there can be none here. */
export function wrappedPaths(
  reader: Reader,
  envelope: EnvelopeProgress,
  wrapper: string,
): EnvelopePaths | null {
  const { paths, path, early, members } = envelope;
  const hasArguments = early !== null || [...members.keys()].some((each) => !plainMembers.has(each));
  if (reader.call.started || hasArguments || !reader.allows('wrapped-call')) return null;
  if (path.length > 0 || paths.name?.length !== 1) return null;
  return {
    ...paths,
    name: [wrapper, ...paths.name],
    arguments: [wrapper, ...paths.arguments],
  };
}
