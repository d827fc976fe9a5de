/** Formats field by field. */

/** One field: its path, and its value as JSON; `undefined` where there is none. */
export interface FieldValue {
  readonly path: string;
  readonly value: string;
}

/** A field in which two formats differ. */
export interface FieldDifference {
  readonly path: string;
  readonly one: string | undefined;
  readonly other: string | undefined;
}

/** The fields of a format in its own order; lists are single values. */
export function fieldsOf(format: object, path = ''): readonly FieldValue[] {
  return Object.entries(format).flatMap(([key, value]): readonly FieldValue[] => {
    const place = path === '' ? key : `${path}.${key}`;
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isRecord ? fieldsOf(value, place) : [{ path: place, value: JSON.stringify(value) }];
  });
}

/** What differs between two formats, their fingerprints aside. */
export function compareFormats(one: object, other: object): readonly FieldDifference[] {
  const [left, right] = [one, other].map(
    (format) => new Map(fieldsOf(format).map(({ path, value }) => [path, value])),
  );
  const paths = [...new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])])];
  return paths
    .filter((path) => path !== 'templateSha256' && left?.get(path) !== right?.get(path))
    .map((path) => ({ path, one: left?.get(path), other: right?.get(path) }));
}
