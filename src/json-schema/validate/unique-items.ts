/** Whether items differ, in time that is linear in their size: compared in pairs, 10,000 objects take seconds. */
import type { JsonValue } from '../../format/messages.ts';

/** Whether no two items are equal; numbers by value, objects whatever the order of their keys. */
export function areDistinct(items: readonly JsonValue[]): boolean {
  const seen = new Set<string>();
  for (const item of items) {
    const key = keyOf(item);
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return true;
}

/** The same text for equal values. */
export function keyOf(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(keyOf).join()}]`;
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${keyOf(member)}`);
  return `{${members.sort().join()}}`;
}
