/** Jinja's filters, found by name. */

import { PythonError } from '../values/values.ts';
import type { Filter } from './filter.ts';
import { collectionFilters } from './filters-collection.ts';
import { selectionFilters } from './filters-selection.ts';
import { textFilters } from './filters-text.ts';
import { valueFilters } from './filters-value.ts';

/** Every filter by its name. */
export const filters: ReadonlyMap<string, Filter> = new Map([
  ...textFilters,
  ...valueFilters,
  ...collectionFilters,
  ...selectionFilters(findFilter),
]);

/** Finds a filter. Throws for an unknown name. */
export function findFilter(name: string): Filter {
  const filter = filters.get(name);
  if (filter === undefined) throw new PythonError('TemplateRuntimeError', `No filter named '${name}' found.`);
  return filter;
}
