/** Where the current key of a JSON call leads: the paths of its format, from the outside in. */
import type { EnvelopeProgress } from './step-progress.ts';

/** Whether reading stands in the object in which the arguments should be. */
export function isNextToArguments({ paths, path }: EnvelopeProgress): boolean {
  return (
    paths.name !== null && path.length === paths.arguments.length - 1 && beginsWith(paths.arguments, path)
  );
}

/** Whether reading stands in the object in which the name should be. */
export function isNextToName({ paths, path }: EnvelopeProgress): boolean {
  return paths.name !== null && path.length === paths.name.length - 1 && beginsWith(paths.name, path);
}

/** Whether the arguments begin under the current key, and have not come yet. */
export function isArguments(envelope: EnvelopeProgress): boolean {
  if (envelope.argumentsRead) return false;
  const { paths, path } = envelope;
  return paths.name === null ? path.length === 0 : isAt(paths.arguments, envelope);
}

/** Whether the current key is where `wanted` leads. */
export function isAt(wanted: readonly string[] | null | undefined, { path, key }: EnvelopeProgress): boolean {
  if (!wanted || wanted.length !== path.length + 1 || wanted[path.length] !== key) return false;
  return beginsWith(wanted, path);
}

function beginsWith(wanted: readonly string[], path: readonly string[]): boolean {
  return path.every((key, index) => key === wanted[index]);
}

/** Whether something that matters lies deeper within the current key's value. */
export function leadsOn({ paths, path, key }: EnvelopeProgress): boolean {
  const leadsThrough = (wanted: readonly string[] | null | undefined) =>
    wanted !== null &&
    wanted !== undefined &&
    wanted.length > path.length + 1 &&
    wanted[path.length] === key &&
    beginsWith(wanted, path);
  return [paths.name, paths.arguments, paths.id, paths.index].some(leadsThrough);
}
