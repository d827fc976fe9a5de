/** The keys of a call as JSON, as APIs and models write it. */

/** Keys of the name in calls of APIs and models. */
export const nameKeys: ReadonlySet<string> = new Set([
  'name',
  'function',
  'tool',
  'tool_name',
  'function_name',
  'action',
]);
/** The key of the whole call in an API. */
export const callKey = 'function';
/** The key of a list of calls in APIs. */
export const listKey = 'tool_calls';
/** Keys of the arguments in calls of APIs and models. */
export const argumentKeys = [
  'arguments',
  'parameters',
  'parameter',
  'args',
  'input',
  'params',
  'kwargs',
  'properties',
] as const;
/** Members of a call that never hold arguments. */
export const plainMembers: ReadonlySet<string> = new Set(['type', 'id', 'index', 'call_id', 'tool_call_id']);
