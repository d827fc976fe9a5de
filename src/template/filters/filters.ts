/** Jinja's filters: what may stand after `|`, found by name. */

import type { Runtime } from '../values/runtime.ts';
import { type Keywords, PythonError, type Value } from '../values/values.ts';
import { collectionFilters } from './filters-collection.ts';
import { selectionFilters } from './filters-selection.ts';
import { textFilters } from './filters-text.ts';
import { valueFilters } from './filters-value.ts';

/** One filter: what it makes of a value. */
export type Filter = (runtime: Runtime, value: Value, args: readonly Value[], keywords: Keywords) => Value;

/** Every filter by its name. */
export const filters: ReadonlyMap<string, Filter> = new Map([
  ...textFilters,
  ...valueFilters,
  ...collectionFilters,
  ...selectionFilters,
]);

/** Finds a filter. Throws for a name that is none. */
export function findFilter(name: string): Filter {
  const filter = filters.get(name);
  if (filter === undefined) throw new PythonError('TemplateRuntimeError', `No filter named '${name}' found.`);
  return filter;
}
