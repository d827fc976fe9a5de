/** Filters on lists and dicts: order, grouping, ends and sums. */
import { flagArgument, integerArgument, methodTable, textArgument } from '../values/arguments.ts';
import { attributeReader, getItem } from '../values/attributes.ts';
import { itemsView, pairsOf } from '../values/container-methods.ts';
import { binary, compare, equals, iterate, lengthOf } from '../values/operators.ts';
import type { Runtime } from '../values/runtime.ts';
import { str, tracedCharacters } from '../values/text.ts';
import { joinTexts, lengthOfText } from '../values/traced-text.ts';
import {
  Dict,
  Float,
  List,
  markedLike,
  NamedTuple,
  orElse,
  PythonError,
  Stream,
  Tuple,
  textOf,
  tracedOf,
  typeName,
  Undefined,
  type Value,
} from '../values/values.ts';
import type { Filter, FilterBody } from './filter.ts';

function foldCase(runtime: Runtime, value: Value, caseSensitive: boolean): Value {
  const text = caseSensitive ? null : textOf(value);
  if (text === null) return value;
  runtime.chargeText(text.length);
  return text.toLowerCase();
}

function sortedBy(
  runtime: Runtime,
  items: readonly Value[],
  keyOf: (item: Value) => Value,
  reverse: boolean,
) {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  const direction = reverse ? -1 : 1;
  keyed.sort((a, b) => direction * compare(runtime, a.key, b.key));
  return keyed.map(({ item }) => item);
}

const sort: FilterBody = (runtime, value, [reverse, caseSensitive, attribute]) => {
  const given = attribute === undefined ? null : textOf(attribute);
  runtime.chargeEach(given?.length ?? 0);
  const paths = given === null ? [attribute] : given.split(',');
  const readers = paths.map((path) => attributeReader(runtime, path));
  const exact = flagArgument(caseSensitive);
  const keyOf = (item: Value) => new Tuple(readers.map((read) => foldCase(runtime, read(item), exact)));
  return new List(sortedBy(runtime, iterate(runtime, value), keyOf, flagArgument(reverse)));
};

const dictsort: FilterBody = (runtime, value, [caseSensitive, by, reverse], name) => {
  if (!(value instanceof Dict)) {
    throw new PythonError('UndefinedError', `'${typeName(value)} object' has no attribute 'items'`);
  }
  const position = textArgument(name, by, 'key') === 'value' ? 1 : 0;
  const exact = flagArgument(caseSensitive);
  const pairs = pairsOf(runtime, value).map((entry) => new Tuple(entry));
  const keyOf = (pair: Value) => foldCase(runtime, getItem(runtime, pair, position), exact);
  return new List(sortedBy(runtime, pairs, keyOf, flagArgument(reverse)));
};

const unique: FilterBody = (runtime, value, [caseSensitive, attribute]) => {
  const read = attributeReader(runtime, attribute);
  const exact = flagArgument(caseSensitive);
  return new Stream(() => {
    const seen = new Dict();
    return iterate(runtime, value).filter((item) => {
      const key = foldCase(runtime, read(item), exact);
      if (seen.has(runtime, key)) return false;
      seen.set(runtime, key, true);
      return true;
    });
  });
};

function extreme(sign: number): FilterBody {
  return (runtime, value, [caseSensitive, attribute]) => {
    const read = attributeReader(runtime, attribute);
    const exact = flagArgument(caseSensitive);
    const elements = iterate(runtime, value);
    const [first] = elements;
    if (first === undefined) return new Undefined('No aggregated item, sequence was empty.');
    const key = (item: Value) => foldCase(runtime, read(item), exact);
    return elements.reduce(
      (best, item) => (sign * compare(runtime, key(item), key(best)) > 0 ? item : best),
      first,
    );
  };
}

const join: FilterBody = (runtime, value, [separator, attribute]) => {
  const read = attributeReader(runtime, attribute);
  const texts = iterate(runtime, value).map((item) => str(runtime, read(item)));
  const between = separator === undefined ? '' : str(runtime, separator);
  const added = lengthOfText(between);
  runtime.chargeText(texts.reduce((sum, text) => sum + lengthOfText(text) + added, 0));
  return joinTexts(texts, between);
};

const sum: FilterBody = (runtime, value, [attribute, start]) => {
  const read = attributeReader(runtime, attribute);
  const add = (total: Value, item: Value) => binary(runtime, '+', total, read(item));
  return iterate(runtime, value).reduce(add, orElse(start, 0));
};

const first: Filter = (runtime, value) => {
  if (value instanceof Stream)
    return orElse(value.next(), new Undefined('No first item, sequence was empty.'));
  return orElse(iterate(runtime, value)[0], new Undefined('No first item, sequence was empty.'));
};

const last: Filter = (runtime, value) => {
  if (value instanceof Stream)
    throw new PythonError('TypeError', `'${typeName(value)}' object is not reversible`);
  return orElse(iterate(runtime, value).at(-1), new Undefined('No last item, sequence was empty.'));
};

const reverse: Filter = (runtime, value) => {
  const text = tracedOf(value);
  if (text !== null) {
    runtime.chargeEach(lengthOfText(text));
    return markedLike(value, joinTexts([...tracedCharacters(text)].reverse()));
  }
  const reversed = [...iterate(runtime, value)].reverse();
  if (value instanceof Stream) return new List(reversed);
  return new Stream(() => reversed, 'list_reverseiterator');
};

const items: Filter = (runtime, value) => {
  return new Stream(() => {
    if (value instanceof Undefined) return [];
    if (!(value instanceof Dict))
      throw new PythonError('TypeError', 'Can only get item pairs from a mapping.');
    return itemsView(runtime, value).elements;
  });
};

const batches = lazily((runtime, value, [linecount, fill], name) => {
  const size = Math.max(1, integerArgument(name, linecount, 1));
  const elements = iterate(runtime, value);
  const rows: Value[] = [];
  for (let at = 0; at < elements.length; at += size) {
    const row = elements.slice(at, at + size);
    const missing = fill === undefined || fill === null ? 0 : size - row.length;
    runtime.charge(1 + missing);
    rows.push(new List([...row, ...Array.from({ length: missing }, () => fill ?? null)]));
  }
  return rows;
});

const slices = lazily((runtime, value, [count, fill], name) => {
  const elements = iterate(runtime, value);
  const columns = Math.max(1, integerArgument(name, count, 1));
  runtime.charge(columns);
  const size = Math.floor(elements.length / columns);
  const longer = elements.length % columns;
  const rows = Array.from({ length: columns }, (_, index) => {
    const start = index * size + Math.min(index, longer);
    const row = elements.slice(start, start + size + (index < longer ? 1 : 0));
    const fills = fill !== undefined && fill !== null && index >= longer;
    return new List(fills ? [...row, fill] : [...row]);
  });
  return rows;
});

const groupby: FilterBody = (runtime, value, [attribute, otherwise, caseSensitive]) => {
  const read = attributeReader(runtime, attribute, otherwise);
  const exact = flagArgument(caseSensitive);
  const keyOf = (item: Value) => foldCase(runtime, read(item), exact);
  const groups: { key: Value; items: Value[] }[] = [];
  for (const item of sortedBy(runtime, iterate(runtime, value), keyOf, false)) {
    const current = groups.at(-1);
    if (current !== undefined && equals(runtime, keyOf(current.items[0] ?? null), keyOf(item)))
      current.items.push(item);
    else groups.push({ key: read(item), items: [item] });
  }
  return new List(
    groups.map((group) => new NamedTuple(['grouper', 'list'], [group.key, new List(group.items)])),
  );
};

/** A filter whose elements are computed on demand. */
function lazily(make: (...given: Parameters<FilterBody>) => readonly Value[]): FilterBody {
  return (...given) => new Stream(() => make(...given));
}

const toList: Filter = (runtime, value) => new List([...iterate(runtime, value)]);

const length: Filter = (runtime, value) => lengthOf(runtime, value);

const fileSize: FilterBody = (_runtime, value, [binaryPrefixes], name) => {
  const isBinary = flagArgument(binaryPrefixes);
  const bytes = value instanceof Float ? value.value : integerArgument(name, value, 0);
  if (bytes === 1) return '1 Byte';
  const base = isBinary ? 1024 : 1000;
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  const prefixes = isBinary ? ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'Zi', 'Yi'] : [...'kMGTPEZY'];
  let power = 1;
  while (power < prefixes.length && bytes >= base ** (power + 1)) power += 1;
  return `${(bytes / base ** power).toFixed(1)} ${prefixes[power - 1]}B`;
};

/** Filters on collections by name. */
export const collectionFilters = methodTable<Value>({
  batch: ['linecount fill_with?', batches],
  count: length,
  dictsort: ['case_sensitive? by? reverse?', dictsort],
  filesizeformat: ['binary?', fileSize],
  first,
  groupby: ['attribute default? case_sensitive?', groupby],
  items,
  join: ['d? attribute?', join],
  last,
  length,
  list: toList,
  max: ['case_sensitive? attribute?', extreme(1)],
  min: ['case_sensitive? attribute?', extreme(-1)],
  reverse,
  slice: ['slices fill_with?', slices],
  sort: ['reverse? case_sensitive? attribute?', sort],
  sum: ['attribute? start?', sum],
  unique: ['case_sensitive? attribute?', unique],
});
