/** The type of filters. */
import type { Method, MethodBody } from '../values/arguments.ts';
import type { Value } from '../values/values.ts';

/** One filter: converts a value. */
export type Filter = Method<Value>;

/** What a filter does with the values of its parameters. */
export type FilterBody = MethodBody<Value>;

/** Finds a filter by its name. Throws `PythonError` for an unknown name. */
export type FindFilter = (name: string) => Filter;
