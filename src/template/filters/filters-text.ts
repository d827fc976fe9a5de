/** Filters that make text of text. */
import { bind, flagArgument, integerArgument, textArgument } from '../values/arguments.ts';
import { formatPercent } from '../values/format-text.ts';
import { elementsOf, iterate, lengthOf } from '../values/operators.ts';
import type { Runtime } from '../values/runtime.ts';
import { capitalize, replaceText, stringMethods } from '../values/string-methods.ts';
import { escapeHtml, str, strip, textLength, words } from '../values/text.ts';
import { Dict, Markup, PythonError, Tuple, textOf, type Value } from '../values/values.ts';
import type { Filter } from './filters.ts';

/** Applies a change to a value's text; marked text stays marked. */
function onText(change: (text: string, runtime: Runtime) => string): Filter {
  return (runtime, value) => {
    const text = change(str(runtime, value), runtime);
    runtime.chargeText(text.length);
    return value instanceof Markup ? new Markup(text) : text;
  };
}

function titleCase(text: string): string {
  return text
    .split(/([-\s({[<]+)/)
    .map(capitalizeWord)
    .join('');
}

function capitalizeWord(word: string): string {
  const [first = ''] = word;
  return first.toUpperCase() + word.slice(first.length).toLowerCase();
}

const trim: Filter = (runtime, value, args, keywords) => {
  const [chars] = bind('trim', ['chars'], args, keywords);
  const set = chars === undefined || chars === null ? undefined : textArgument('trim', chars);
  const text = strip(str(runtime, value), 'both', set);
  return value instanceof Markup ? new Markup(text) : text;
};

const indent: Filter = (runtime, value, args, keywords) => {
  const [width, first, blank] = bind('indent', ['width', 'first', 'blank'], args, keywords);
  const text = textArgument('indent', value);
  const given = width === undefined ? null : textOf(width);
  const columns = given === null ? Math.max(0, integerArgument('indent', width, 4)) : 0;
  const lines = text.split('\n');
  runtime.chargeText(text.length + lines.length * (given?.length ?? columns));
  const margin = given ?? ' '.repeat(columns);
  const keepBlank = flagArgument(blank);
  const [head = '', ...rest] = lines;
  const indented = rest.map((line) => (line === '' && !keepBlank ? line : margin + line));
  return [(flagArgument(first) ? margin : '') + head, ...indented].join('\n');
};

const replace: Filter = (runtime, value, args, keywords) => {
  const [old, by, count] = bind('replace', ['old', 'new', 'count'], args, keywords, 2);
  const limit = count === null ? -1 : integerArgument('replace', count, -1);
  return replaceText(
    runtime,
    str(runtime, value),
    str(runtime, old ?? null),
    str(runtime, by ?? null),
    limit,
  );
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

const center: Filter = (runtime, value, args, keywords) => {
  const width = integerArgument('center', bind('center', ['width'], args, keywords)[0], 80);
  return stringMethods.get('center')?.(runtime, str(runtime, value), [width], new Map()) ?? '';
};

const truncate: Filter = (_runtime, value, args, keywords) => {
  const names = ['length', 'killwords', 'end', 'leeway'];
  const [length, killwords, end, leeway] = bind('truncate', names, args, keywords);
  const limit = integerArgument('truncate', length, 255);
  const ellipsis = textArgument('truncate', end, '...');
  if (lengthOf(value) <= limit + integerArgument('truncate', leeway ?? undefined, 5)) return value;
  const text = textArgument('truncate', value);
  const cut = Array.from(text)
    .slice(0, Math.max(0, limit - textLength(ellipsis)))
    .join('');
  if (flagArgument(killwords)) return cut + ellipsis;
  const space = cut.lastIndexOf(' ');
  return (space < 0 ? cut : cut.slice(0, space)) + ellipsis;
};

function percentEncode(text: string): string {
  const encoded = Array.from(new TextEncoder().encode(text), (byte) => {
    const character = String.fromCharCode(byte);
    return /[\w.~/-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return encoded.join('');
}

const urlencode: Filter = (runtime, value) => {
  const elements = textOf(value) === null ? elementsOf(value) : null;
  if (elements === null) return percentEncode(str(runtime, value));
  const pairs = value instanceof Dict ? value.entries() : elements.map((pair) => iterate(runtime, pair));
  const part = (item: Value | undefined) =>
    percentEncode(str(runtime, item ?? null))
      .replaceAll('/', '%2F')
      .replaceAll('%20', '+');
  return pairs.map(([key, item]) => `${part(key)}=${part(item)}`).join('&');
};

const striptags = onText((text) => {
  const plain = text.replace(/<!--[\s\S]*?-->/g, '').replace(/<[^>]*>/g, '');
  const unescaped = plain.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&#34;', '"');
  return words(unescaped.replaceAll('&#39;', "'").replaceAll('&amp;', '&')).join(' ');
});

/** Text filters by name. */
export const textFilters: readonly (readonly [string, Filter])[] = [
  ['capitalize', onText(capitalize)],
  ['center', center],
  ['e', (runtime, value) => new Markup(escapeHtml(runtime, value))],
  ['escape', (runtime, value) => new Markup(escapeHtml(runtime, value))],
  ['forceescape', (runtime, value) => new Markup(escapeHtml(runtime, str(runtime, value)))],
  ['format', format],
  ['indent', indent],
  ['lower', onText((text) => text.toLowerCase())],
  ['replace', replace],
  ['safe', (runtime, value) => new Markup(str(runtime, value))],
  ['striptags', striptags],
  ['title', onText(titleCase)],
  ['trim', trim],
  ['truncate', truncate],
  ['upper', onText((text) => text.toUpperCase())],
  ['urlencode', urlencode],
  ['wordcount', (runtime, value) => str(runtime, value).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0],
];
