/** Hostile schemas: too large, no JSON, or odd. */
import type { JsonValue } from '../../src/format/messages.ts';

/** How much is too much. */
export const million = 1_000_000;
/** In the usual run, what takes time beyond its size is smaller. */
const isLong = process.env.LAWS === 'long';
const many = isLong ? million : 100_000;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const about = (a: unknown) => ({ type: 'object', properties: { a } });
const textThat = (pattern: string) => about({ type: 'string', pattern });
/** So many properties, all alike. */
export const properties = (count: number, each: JsonValue) =>
  Object.fromEntries(numbers(count).map((index) => [`p${index}`, each]));

function nested(levels: number, wrap: (inner: JsonValue) => JsonValue): JsonValue {
  let schema: JsonValue = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = wrap(schema);
  return schema;
}

/** Each of these is more than a schema may be. */
export const tooLarge: Readonly<Record<string, unknown>> = {
  '300,000 properties': { type: 'object', properties: properties(300_000, true) },
  '300,000 definitions': { $ref: '#/$defs/p5', $defs: properties(300_000, {}) },
  'a million values': about({ enum: numbers(million) }),
  'a million branches': about({ anyOf: Array.from({ length: million }, () => ({ type: 'string' })) }),
  'a million required keys': { type: 'object', required: numbers(million).map((index) => `p${index}`) },
  'a list of holes': about({ enum: new Array(100 * million) }),
  'objects 100,000 deep': nested(100_000, (a) => about(a) as JsonValue),
  'lists 100,000 deep': about({ const: nested(100_000, (item) => [item]) }),
};

function revoked<T extends object>(target: T): T {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** Objects that are not JSON, whatever they look like. */
export const notJson: Readonly<Record<string, () => unknown>> = {
  'a getter that throws': () => ({
    type: 'object',
    get properties() {
      throw new Error('not today');
    },
  }),
  'a proxy that throws': () =>
    new Proxy(
      { type: 'object' },
      {
        ownKeys() {
          throw new Error('not today');
        },
      },
    ),
  'getters without end': () => {
    const endless = (): object => ({
      type: 'object',
      get items() {
        return endless();
      },
    });
    return endless();
  },
  'a revoked proxy': () => revoked({}),
  'a revoked proxy in it': () => about(revoked({})),
  'a revoked proxy for a list': () => about({ enum: revoked([]) }),
  'a BigInt': () => about({ const: 10n }),
  'undefined in a list': () => about({ enum: [undefined] }),
  'a number that is none': () => about({ minimum: Number.NaN }),
  'a function': () => about(() => true),
  'a symbol': () => about(Symbol('a')),
  'a Date': () => about({ default: new Date(0) }),
  'a Map': () => ({ type: 'object', properties: new Map([['a', {}]]) }),
  'a method `toJSON`': () => about({ type: 'string', toJSON: () => ({ type: 'integer' }) }),
  'an object in itself': () => {
    const self: Record<string, unknown> = { type: 'object' };
    self.properties = { self };
    return self;
  },
  'objects that unfold to 2^60': () =>
    about(numbers(60).reduce<object>((inner) => ({ anyOf: [inner, inner] }), {})),
};

/** These may be refused or not. */
export const odd: Readonly<Record<string, () => unknown>> = {
  'a pattern of very many characters': () => textThat('a'.repeat(many)),
  'a million parentheses': () => textThat('('.repeat(million / 2) + ')'.repeat(million / 2)),
  'a constant of ten million characters': () => about({ const: 'x'.repeat(10 * million) }),
  'a key of a million characters': () => ({ type: 'object', properties: { ['k'.repeat(million)]: true } }),
  '150,000 properties': () => ({ type: 'object', properties: properties(150_000, true) }),
  '150,000 required keys': () => ({ type: 'object', required: numbers(150_000).map((index) => `p${index}`) }),
  '150,000 values': () => about({ enum: numbers(150_000) }),
  'thousands of branches': () =>
    about({ anyOf: numbers(isLong ? 60_000 : 6000).map((minLength) => ({ minLength })) }),
  'a chain of 60,000 references': () => ({
    $ref: '#/$defs/p0',
    $defs: Object.fromEntries(
      numbers(60_000).map((index) => [`p${index}`, { $ref: `#/$defs/p${index + 1}` }]),
    ),
  }),
  'lists 1,400 deep': () => about(nested(1400, (items) => ({ type: 'array', items }))),
  '30,000 properties': () => ({ type: 'object', properties: properties(30_000, true) }),
  'thousands of patterns of keys': () => ({
    type: 'object',
    patternProperties: Object.fromEntries(
      numbers(isLong ? 20_000 : 2000).map((index) => [`a${index}.*`, true]),
    ),
  }),
  '`(a+)+$`': () => textThat('(a+)+$'),
  '`(a|a)*b`': () => textThat('(a|a)*b'),
  '`x{1000}{1000}`': () => textThat('x{1000}{1000}'),
  '`(x{1000}){1000}`': () => textThat('(x{1000}){1000}'),
  'a getter that changes its mind': () => {
    let reads = 0;
    return {
      get type() {
        reads += 1;
        return reads > 1 ? 'string' : 'object';
      },
    };
  },
  '`$async`': () => ({ $async: true, type: 'object', required: ['a'] }),
  'names of prototypes': () =>
    JSON.parse(
      `{"type": "object", "properties": {"__proto__": {"type": "integer"}, "toString": {"$ref": "#/$defs/__proto__"}},
        "required": ["__proto__", "constructor"], "dependentRequired": {"__proto__": ["valueOf"]},
        "$defs": {"__proto__": {"type": "integer"}, "constructor": {"$ref": "#/$defs/constructor"}}}`,
    ),
  'references to what all objects have': () => about({ $ref: '#/$defs/constructor/prototype' }),
  'references in a circle': () => ({
    ...about({ $ref: '#/$defs/a' }),
    $defs: {
      a: { $ref: '#/$defs/b' },
      b: { anyOf: [{ $ref: '#/$defs/a' }, { not: { $ref: '#/$defs/b' } }] },
    },
  }),
  'dynamic references in a circle': () => ({
    $dynamicRef: '#n',
    $defs: { n: { $dynamicAnchor: 'n', $dynamicRef: '#n' } },
  }),
  'halves of surrogate pairs': () => ({
    type: 'object',
    properties: { '\ud800': { const: '\udc00' }, b: { type: 'string', pattern: '\ud800' } },
    required: ['\ud800'],
  }),
};
