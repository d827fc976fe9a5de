/** Law: where a key of a JSON call stands is a matter of its whole path, and of nothing else. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  isArguments,
  isAt,
  isNextToArguments,
  isNextToName,
  leadsOn,
} from '../../src/parser/steps/envelope-paths.ts';
import type { EnvelopeProgress } from '../../src/parser/steps/step-progress.ts';

const key = fc.constantFrom('a', 'b');
const path = fc.array(key, { minLength: 1, maxLength: 3 });
const paths = fc.record(
  { name: fc.option(path), arguments: path, id: path, index: path },
  { requiredKeys: ['name', 'arguments'] },
);
const place = fc.record({ path: fc.array(key, { maxLength: 3 }), key, argumentsRead: fc.boolean() });

it('the path of a key is compared as a whole', () => {
  fc.assert(
    fc.property(paths, place, (paths, place) => {
      const envelope = { ...place, paths } as unknown as EnvelopeProgress;
      const here = [...place.path, place.key].join('.');
      const parentOf = (wanted: readonly string[]) => wanted.slice(0, -1).join('.');
      const isNamed = paths.name !== null;
      const wanted = [paths.name, paths.arguments, paths.id, paths.index].map((each) => each?.join('.'));

      expect(isNextToName(envelope)).toBe(isNamed && parentOf(paths.name ?? []) === place.path.join('.'));
      expect(isNextToArguments(envelope)).toBe(isNamed && parentOf(paths.arguments) === place.path.join('.'));
      const holdsArguments = isNamed ? paths.arguments.join('.') === here : place.path.length === 0;
      expect(isArguments(envelope)).toBe(!place.argumentsRead && holdsArguments);
      for (const each of [paths.name, paths.arguments, paths.id])
        expect(isAt(each, envelope)).toBe(each?.join('.') === here);
      expect(leadsOn(envelope)).toBe(wanted.some((each) => each?.startsWith(`${here}.`) === true));
    }),
    { numRuns: 1000 },
  );
});
