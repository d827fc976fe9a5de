/** Where the current key of a JSON call is on the paths of its format. */
import type { EnvelopeProgress } from './step-progress.ts';

/** Whether the position is in the object that should hold the arguments. */
export function isNextToArguments({ paths, path }: EnvelopeProgress): boolean {
  return (
    paths.name !== null && path.length === paths.arguments.length - 1 && beginsWith(paths.arguments, path)
  );
}

/** Whether the position is in the object that should hold the name. */
export function isNextToName({ paths, path }: EnvelopeProgress): boolean {
  return paths.name !== null && path.length === paths.name.length - 1 && beginsWith(paths.name, path);
}

/** Whether the current key is that of the arguments, which have not been read yet. */
export function isArguments(envelope: EnvelopeProgress): boolean {
  if (envelope.argumentsRead) return false;
  const { paths, path } = envelope;
  return paths.name === null ? path.length === 0 : isAt(paths.arguments, envelope);
}

/** Whether the current key is the end of the path `wanted`. */
export function isAt(wanted: readonly string[] | null | undefined, { path, key }: EnvelopeProgress): boolean {
  if (!wanted || wanted.length !== path.length + 1 || wanted[path.length] !== key) return false;
  return beginsWith(wanted, path);
}

function beginsWith(wanted: readonly string[], path: readonly string[]): boolean {
  return path.every((key, index) => key === wanted[index]);
}

/** Whether a path continues within the current key's value. */
export function leadsOn({ paths, path, key }: EnvelopeProgress): boolean {
  const leadsThrough = (wanted: readonly string[] | null | undefined) =>
    wanted !== null &&
    wanted !== undefined &&
    wanted.length > path.length + 1 &&
    wanted[path.length] === key &&
    beginsWith(wanted, path);
  return [paths.name, paths.arguments, paths.id, paths.index].some(leadsThrough);
}
