/** Filters that convert text to text. */
import { flagArgument, integerArgument, methodTable, textArgument } from '../values/arguments.ts';
import { formatPercent } from '../values/format-text.ts';
import { elementsOf, iterate, lengthOf } from '../values/operators.ts';
import type { Runtime } from '../values/runtime.ts';
import { capitalize, replaceText, splitCounted, stringMethods } from '../values/string-methods.ts';
import { characters, escapeHtml, str, strip, textLength, words } from '../values/text.ts';
import {
  changeText,
  dataText,
  joinTexts,
  lengthOfText,
  plainText,
  sliceText,
  type Text,
} from '../values/traced-text.ts';
import {
  Dict,
  Markup,
  markedLike,
  PythonError,
  Tuple,
  textOf,
  tracedOf,
  typeName,
  Undefined,
  type Value,
} from '../values/values.ts';
import type { Filter, FilterBody } from './filter.ts';

/** A filter that changes text by characters; marked text stays marked. */
function onText(change: (text: string) => string): Filter {
  return (runtime, value) => {
    const text = str(runtime, value);
    runtime.chargeEach(lengthOfText(text));
    return markedLike(value, changeText(text, change));
  };
}

function titleCase(text: string): string {
  return text
    .split(/([-\s({[<]+)/)
    .map(capitalize)
    .join('');
}

const trim: FilterBody = (runtime, value, [chars], name) => {
  const set = chars === undefined || chars === null ? undefined : textArgument(name, chars);
  const text = str(runtime, value);
  runtime.chargeRead(lengthOfText(text));
  const stripped = strip(text, 'both', set);
  runtime.chargeText(lengthOfText(text) - lengthOfText(stripped) + (set?.length ?? 0));
  return markedLike(value, stripped);
};

const indent: FilterBody = (runtime, value, [width, first, blank], name) => {
  textArgument(name, value);
  const text = tracedOf(value) ?? '';
  const given = width === undefined ? null : tracedOf(width);
  const columns = given === null ? Math.max(0, integerArgument(name, width, 4)) : lengthOfText(given);
  const lines = splitCounted(runtime, text, '\n');
  runtime.chargeText(lengthOfText(text) + lines.length * (8 + columns));
  const margin = given ?? ' '.repeat(columns);
  const keepBlank = flagArgument(blank);
  let end = 0;
  const indented = lines.map((line, index) => {
    const start = end;
    end += lengthOfText(line) + 1;
    const keeps = index === 0 ? !flagArgument(first) : line === '' && !keepBlank;
    // With its line feed, so that it keeps its origin, too.
    const whole = sliceText(text, start, Math.min(end, lengthOfText(text)));
    return keeps ? whole : joinTexts([margin, whole]);
  });
  return joinTexts(indented);
};

const replace: FilterBody = (runtime, value, [old, by, count], name) => {
  const limit = count === null ? -1 : integerArgument(name, count, -1);
  const text = str(runtime, value);
  return replaceText(runtime, text, plainText(str(runtime, old ?? null)), str(runtime, by ?? null), limit);
};

const format: Filter = (runtime, value, args, keywords) => {
  if (keywords.size > 0 && args.length > 0) {
    throw new PythonError(
      'FilterArgumentError',
      "can't handle positional and keyword arguments at the same time",
    );
  }
  const values = keywords.size > 0 ? new Dict(keywords) : new Tuple(args);
  return formatPercent(runtime, str(runtime, value), values);
};

const center: FilterBody = (runtime, value, [given], name) => {
  const width = integerArgument(name, given, 80);
  const text = str(runtime, value);
  runtime.chargeText(lengthOfText(text));
  return stringMethods.get('center')?.(runtime, text, [width], new Map()) ?? '';
};

const truncate: FilterBody = (runtime, value, [length, killwords, end, leeway], name) => {
  const limit = integerArgument(name, length, 255);
  const ellipsis = end === undefined ? '...' : textArgument(name, end);
  const ending = end === undefined ? ellipsis : (tracedOf(end) ?? '');
  if (lengthOf(runtime, value) <= limit + integerArgument(name, leeway ?? undefined, 5)) return value;
  const plain = textArgument(name, value);
  runtime.chargeEach(plain.length + ellipsis.length);
  const kept = characters(plain)
    .slice(0, Math.max(0, limit - textLength(ellipsis)))
    .join('');
  const space = flagArgument(killwords) ? -1 : kept.lastIndexOf(' ');
  const cut = sliceText(tracedOf(value) ?? '', 0, space < 0 ? kept.length : space);
  return joinTexts([cut, ending]);
};

function percentEncode(text: string): string {
  const encoded = Array.from(new TextEncoder().encode(text), (byte) => {
    const character = String.fromCharCode(byte);
    return /[\w.~/-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return encoded.join('');
}

const urlencode: Filter = (runtime, value) => {
  const encode = (item: Value | undefined): Text => {
    const text = str(runtime, item ?? null);
    // Every byte is encoded separately, as three characters.
    runtime.chargeEach(6 * lengthOfText(text));
    return changeText(text, percentEncode);
  };
  const elements = textOf(value) === null ? elementsOf(value) : null;
  if (elements === null) return encode(value);
  const pairs = value instanceof Dict ? value.entries() : elements.map((pair) => pairOf(runtime, pair));
  const part = (item: Value | undefined): Text =>
    changeText(encode(item), (text) => text.replaceAll('/', '%2F').replaceAll('%20', '+'));
  return joinTexts(
    pairs.map(([key, item]) => joinTexts([part(key), '=', part(item)])),
    '&',
  );
};

function pairOf(runtime: Runtime, value: Value): readonly Value[] {
  const items = iterate(runtime, value);
  if (items.length !== 2) throw new PythonError('ValueError', `a pair is needed, not ${items.length} values`);
  return items;
}

/** The text outside `open`…`close`; unclosed openers are kept. */
function withoutEnclosed(text: string, open: string, close: string): string {
  const kept: string[] = [];
  let done = 0;
  for (let start = text.indexOf(open); start >= 0; start = text.indexOf(open, done)) {
    const end = text.indexOf(close, start + open.length);
    if (end < 0) break;
    kept.push(text.slice(done, start));
    done = end + close.length;
  }
  return kept.join('') + text.slice(done);
}

function stripTags(runtime: Runtime, text: string): string {
  const plain = withoutEnclosed(withoutEnclosed(text, '<!--', '-->'), '<', '>');
  const unescaped = plain.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&#34;', '"');
  const whole = unescaped.replaceAll('&#39;', "'").replaceAll('&amp;', '&');
  return words(whole, (count) => runtime.charge(count))
    .map(plainText)
    .join(' ');
}

/** Tags may begin in one text and end in another, so if any of the text is data, all of the result is. */
const striptags: Filter = (runtime, value) => {
  const text = str(runtime, value);
  runtime.chargeText(4 * lengthOfText(text));
  const stripped = stripTags(runtime, plainText(text));
  return markedLike(value, typeof text === 'string' ? stripped : dataText(stripped));
};

const wordcount: Filter = (runtime, value) => {
  const text = plainText(str(runtime, value));
  runtime.chargeText(text.length);
  return text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0;
};

/** Attributes of an element of XML: those that have a value, escaped. */
const xmlattr: FilterBody = (runtime, value, [autospace], callee) => {
  if (!(value instanceof Dict))
    throw new PythonError('UndefinedError', `'${typeName(value)} object' has no attribute 'items'`);
  const attributes = value.entries().flatMap(([key, item]) => {
    if (item === null || item instanceof Undefined) return [];
    const name = textArgument(callee, key);
    if (/[\s/>=]/.test(name))
      throw new PythonError('ValueError', `Invalid character in attribute name: '${name}'`);
    return [joinTexts([escapeHtml(runtime, key), '="', escapeHtml(runtime, item), '"'])];
  });
  const hasSpace = attributes.length > 0 && (autospace === undefined || flagArgument(autospace));
  return joinTexts([hasSpace ? ' ' : '', joinTexts(attributes, ' ')]);
};

/** Text filters by name. */
export const textFilters = methodTable<Value>({
  capitalize: onText(capitalize),
  center: ['width?', center],
  e: (runtime, value) => new Markup(escapeHtml(runtime, value)),
  escape: (runtime, value) => new Markup(escapeHtml(runtime, value)),
  forceescape: (runtime, value) => new Markup(escapeHtml(runtime, str(runtime, value))),
  format,
  indent: ['width? first? blank?', indent],
  lower: onText((text) => text.toLowerCase()),
  replace: ['old new count?', replace],
  safe: (runtime, value) => new Markup(str(runtime, value)),
  striptags,
  title: onText(titleCase),
  trim: ['chars?', trim],
  truncate: ['length? killwords? end? leeway?', truncate],
  upper: onText((text) => text.toUpperCase()),
  urlencode,
  wordcount,
  xmlattr: ['autospace?', xmlattr],
});
