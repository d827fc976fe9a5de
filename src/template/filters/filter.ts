/** The type of filters. */
import type { Runtime } from '../values/runtime.ts';
import type { Keywords, Value } from '../values/values.ts';

/** One filter: converts a value. */
export type Filter = (runtime: Runtime, value: Value, args: readonly Value[], keywords: Keywords) => Value;

/** Finds a filter by its name. Throws `PythonError` for an unknown name. */
export type FindFilter = (name: string) => Filter;
