/** Writes objects that may have one of several shapes. */
import { unless } from '../../format/error-class.ts';
import { alternatives } from '../../language/expression/alternatives.ts';
import { NoValueLeft } from '../../language/expression/budget.ts';
import type { InstanceLocation } from '../plan/instance-locations.ts';
import type { ObjectShape } from '../shapes/shapes.ts';
import { ObjectWriter } from './object-writer.ts';
import type { ObjectWriting, WrittenObject } from './object-writing.ts';
import { type PlacedShape, splitByTag } from './tagged-objects.ts';
import { uniteObjects } from './united-objects.ts';

/**
 * Writes an object of one of `shapes`, each of which is satisfiable. `some` includes the delimiters, but not the
 * empty object.
 */
export function writeObjects(
  shapes: readonly ObjectShape[],
  location: InstanceLocation,
  hint: string,
  writing: ObjectWriting,
): WrittenObject {
  const parts = shapes.flatMap((shape) => splitByTag(shape, location, writing.compilation));
  const united = writing.compilation.keyOrder === 'any' ? parts : uniteObjects(parts);
  const write = (part: PlacedShape) => new ObjectWriter(part.shape, part.location, hint, writing).object();
  const written = united.flatMap((part) => unless(NoValueLeft, () => write(part)) ?? []);
  if (written.length === 0) throw new NoValueLeft();
  const some = written.flatMap((each) => each.some ?? []);
  return {
    some: some.length === 0 ? null : alternatives(...some),
    mayBeEmpty: written.some(({ mayBeEmpty }) => mayBeEmpty),
  };
}
