/** The global functions of templates. */
import { bind, integerArgument, keywordEntries, textArgument } from '../values/arguments.ts';
import { pairsOf } from '../values/container-methods.ts';
import { strftime } from '../values/strftime.ts';
import { str } from '../values/text.ts';
import { dataText, plainText, TracedText } from '../values/traced-text.ts';
import {
  Attributes,
  type Call,
  Callable,
  Dict,
  List,
  maxMessageLength,
  orElse,
  PythonError,
  RaisedError,
  tracedOf,
  type Value,
} from '../values/values.ts';

/** Jinja's sandbox rejects longer ranges. */
const maxRangeLength = 100_000;

const range: Call = (runtime, args) => {
  const numbers = args.map((value) => integerArgument('range', value, 0));
  const [start, stop, step] =
    numbers.length === 1 ? [0, numbers[0], 1] : [numbers[0], numbers[1], numbers[2] ?? 1];
  if (start === undefined || stop === undefined)
    throw new PythonError('TypeError', 'range expected 1 argument, got 0');
  if (step === 0) throw new PythonError('ValueError', 'range() arg 3 must not be zero');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > maxRangeLength)
    throw new PythonError('OverflowError', `range is longer than ${maxRangeLength}`);
  runtime.charge(1 + length);
  return new List(Array.from({ length }, (_, index) => start + index * step));
};

const dict: Call = (runtime, args, keywords) => {
  const [source] = args;
  const made = new Dict();
  for (const [key, value] of source === undefined ? [] : pairsOf(runtime, source))
    made.set(runtime, key, value);
  for (const [key, value] of keywordEntries(runtime, keywords)) made.set(runtime, key, value);
  return made;
};

const namespace: Call = (runtime, args, keywords) => {
  const values = new Map<string, Value>();
  const [source] = args;
  for (const [key, value] of source === undefined ? [] : pairsOf(runtime, source)) {
    const name = plainText(str(runtime, key));
    runtime.chargeRead(name.length);
    values.set(name, value);
  }
  for (const [key, value] of keywords) values.set(key, value);
  return new Attributes('Namespace', values, true);
};

/** `cycler(a, b)`: `next()` returns each in turn, `current` the one that comes next. */
const cycler: Call = (_runtime, args) => {
  if (args.length === 0) throw new PythonError('TypeError', 'at least one item has to be provided');
  let at = 0;
  const values = new Map<string, Value>();
  const show = () => values.set('current', args[at] ?? null);
  const next: Call = () => {
    const value = args[at] ?? null;
    at = (at + 1) % args.length;
    show();
    return value;
  };
  const reset: Call = () => {
    at = 0;
    show();
    return null;
  };
  show();
  values.set('next', new Callable('next', next)).set('reset', new Callable('reset', reset));
  return new Attributes('Cycler', values);
};

/** `joiner(", ")`: empty at the first call, then the separator. */
const joiner: Call = (_runtime, args, keywords) => {
  const separator = orElse(bind('joiner', ['sep'], args, keywords)[0], ', ');
  let used = false;
  return new Callable('joiner', () => {
    const text = used ? separator : '';
    used = true;
    return text;
  });
};

const raise: Call = (runtime, args, keywords) => {
  const message = str(runtime, bind('raise_exception', ['message'], args, keywords)[0] ?? null);
  throw new RaisedError(plainText(message).slice(0, maxMessageLength));
};

/** The longest field, `%c`, has twelve times the characters of its directive, and consists of seven others. */
const costOfField = 32;

const strftimeNow: Call = (runtime, args, keywords) => {
  const [format] = bind('strftime_now', ['format'], args, keywords, 1);
  const text = textArgument('strftime_now', format);
  runtime.chargeEach(costOfField * text.length);
  const time = strftime(runtime.now(), text);
  return format !== undefined && tracedOf(format) instanceof TracedText ? dataText(time) : time;
};

/** Every global by its name. */
export const globals: ReadonlyMap<string, Value> = new Map<string, Value>(
  (
    [
      ['range', range],
      ['dict', dict],
      ['namespace', namespace],
      ['cycler', cycler],
      ['joiner', joiner],
      ['raise_exception', raise],
      ['strftime_now', strftimeNow],
    ] as const
  ).map(([name, call]) => [name, new Callable(name, call)]),
);
