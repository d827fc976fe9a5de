/**
 * How much text a run looks at, in UTF-16 units: a measure of work that no machine and no load changes. It counts what
 * the methods of strings look at, and what joining and decoding copy; looking at a unit by its index is not seen.
 */

/**
 * Runs `run` and returns the units that it looked at. `keys`: those of maps and sets are counted, too; an engine reads a key
 * from end to end the first time, and no more where it is one already.
 */
export function countedWork(run: () => void, { keys = false } = {}): number {
  let units = 0;
  const count = (cost: number): void => {
    units += cost;
  };
  const restore = [...meters(count), ...(keys ? keyMeters(count) : [])];
  try {
    run();
  } finally {
    for (const each of restore) each();
  }
  return units;
}

type Count = (units: number) => void;

function meters(count: Count): readonly (() => void)[] {
  return [
    patched(String.prototype, 'charCodeAt', () => count(1)),
    patched(String.prototype, 'charAt', () => count(1)),
    patched(String.prototype, 'trim', (text) => count(length(text))),
    patched(String.prototype, 'startsWith', (_, [part]) => count(length(part))),
    patched(String.prototype, 'endsWith', (_, [part]) => count(length(part))),
    patched(String.prototype, 'indexOf', (text, [, from], found) => {
      const start = typeof from === 'number' ? from : 0;
      count((typeof found === 'number' && found >= 0 ? found : length(text)) - start + 1);
    }),
    patched(String.prototype, 'lastIndexOf', (text, [, from], found) => {
      const start = typeof from === 'number' ? Math.min(Math.max(0, from), length(text)) : length(text);
      count(start - (typeof found === 'number' ? Math.max(0, found) : 0) + 1);
    }),
    patched(String.prototype, 'split', (text) => count(length(text))),
    patched(String.prototype, 'replace', (text, _, replaced) => count(length(text) + length(replaced))),
    patched(String.prototype, 'replaceAll', (text, _, replaced) => count(length(text) + length(replaced))),
    patched(String.prototype, 'match', (text) => count(length(text))),
    patched(String.prototype, 'repeat', (_, __, repeated) => count(length(repeated))),
    patched(String.prototype, 'toUpperCase', (text) => count(length(text))),
    patched(String.prototype, 'toLowerCase', (text) => count(length(text))),
    patched(String.prototype, 'codePointAt', () => count(1)),
    // A sticky pattern looks at what stands at one place.
    patched(RegExp.prototype, 'test', (pattern, [text]) =>
      count(pattern instanceof RegExp && pattern.sticky ? 1 : length(text)),
    ),
    patched(Array.prototype, 'join', (_, __, joined) => count(length(joined))),
    patched(Array.prototype, 'slice', (_, __, part) => count(Array.isArray(part) ? part.length : 0)),
    // Long numbers are divided again and again.
    patched(BigInt.prototype, 'toString', (_, __, digits) => count(8 * length(digits))),
    patched(TextDecoder.prototype, 'decode', (_, __, decoded) => count(length(decoded))),
  ];
}

function keyMeters(count: Count): readonly (() => void)[] {
  const methods = [
    ...['get', 'has', 'set'].map((name) => [Map.prototype, name] as const),
    ...['has', 'add'].map((name) => [Set.prototype, name] as const),
  ];
  return methods.map(([prototype, name]) => patched(prototype, name, (_, [key]) => count(length(key))));
}

function length(value: unknown): number {
  return typeof value === 'string' || value instanceof String ? value.length : 0;
}

/** Lets `seen` know of every call of a method, until the returned function is called. */
function patched(
  prototype: object,
  name: string,
  seen: (self: unknown, args: readonly unknown[], result: unknown) => void,
): () => void {
  const property = Object.getOwnPropertyDescriptor(prototype, name);
  if (typeof property?.value !== 'function') throw new RangeError(`no method ${name}`);
  const method: (...args: readonly unknown[]) => unknown = property.value;
  let inside = false;
  const value = function (this: unknown, ...args: readonly unknown[]): unknown {
    const result = Reflect.apply(method, this, args);
    if (!inside) {
      inside = true;
      seen(this, args, result);
      inside = false;
    }
    return result;
  };
  Object.defineProperty(prototype, name, { ...property, value });
  return () => Object.defineProperty(prototype, name, property);
}
