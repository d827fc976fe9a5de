/** Filters and tests by the names in templates. */
import type { Filter } from '../filters/filter.ts';
import { filters, findFilter } from '../filters/filters.ts';
import { findTest, tests } from '../filters/tests.ts';
import { type CompileContext, CompileError } from './evaluate.ts';
import { rewritten } from './parse-source.ts';
import { blockNames } from './rewrite-statement.ts';

function testFilter(name: string, wanted: boolean, place: CompileContext): Filter {
  if (!place.conditional && !tests.has(name)) throw new CompileError(`No test named '${name}'.`);
  return (runtime, value, args, keywords) => findTest(name)(runtime, value, args, keywords) === wanted;
}

/** The filter of a name, including tests. Throws CompileError for an unknown name that is certainly reached. */
export function filterByName(name: string, place: CompileContext): Filter {
  if (name === blockNames.generation) return (_runtime, value) => value;
  const { test, negatedTest } = rewritten;
  if (name.startsWith(negatedTest)) return testFilter(name.slice(negatedTest.length), false, place);
  if (name.startsWith(test)) return testFilter(name.slice(test.length), true, place);
  if (!place.conditional && !filters.has(name)) throw new CompileError(`No filter named '${name}'.`);
  return (runtime, value, args, keywords) => findFilter(name)(runtime, value, args, keywords);
}
