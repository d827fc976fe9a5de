/** The scanner for JSON and Python values, the partial arguments, and the hold-back. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/format/messages.ts';
import { writePython } from '../../src/format/write-values.ts';
import { JsonScanner } from '../../src/parser/json/json-scanner.ts';
import { closeArguments, partialArguments } from '../../src/parser/json/partial-json.ts';
import { certainEnd, spaceKinds } from '../../src/parser/markers/leading-space.ts';

/** What a scanner says about a text that comes in pieces. */
function scan(text: string, cuts: readonly number[] = []) {
  const scanner = new JsonScanner();
  const points = [...new Set([0, ...cuts, text.length])].sort((a, b) => a - b);
  let output = '';
  let consumed = 0;
  for (const [index, to] of points.entries()) {
    if (index === 0 || scanner.status !== 'open') continue;
    consumed += scanner.scan(text.slice(points[index - 1], to), 0);
    output += scanner.output;
  }
  if (scanner.status === 'open') {
    scanner.end();
    output += scanner.output;
  }
  return { output, consumed, status: scanner.status };
}

const value = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
const places = fc.array(fc.nat(), { maxLength: 5 });
const within = (text: string, cuts: readonly number[]) => cuts.map((cut) => cut % (text.length + 1));

describe('the scanner', () => {
  it('leaves JSON as it is, and ends where it ends', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(0, 1, 3), places, (json, indent, cuts) => {
        const text = JSON.stringify(json, null, indent);
        const { output, consumed, status } = scan(`${text} `, within(text, cuts));
        expect({ output, consumed, status }).toEqual({ output: text, consumed: text.length, status: 'done' });
      }),
    );
  });

  it('turns what Python prints into JSON of the same value', () => {
    fc.assert(
      fc.property(value, places, (json, cuts) => {
        const text = writePython(json);
        const { output, status } = scan(text, within(text, cuts));
        expect(status).toBe('done');
        // A lone half of a surrogate pair is escaped on the way.
        expect(JSON.parse(output)).toEqual(JSON.parse(JSON.stringify(json)));
      }),
    );
  });

  it('says the same of damaged text however it is cut, and what it accepts is JSON', () => {
    fc.assert(
      fc.property(
        value,
        fc.nat(),
        fc.constantFrom(...'{}[]",:\\\'tn0 -'),
        places,
        (json, place, unit, cuts) => {
          const good = JSON.stringify(json);
          const at = place % (good.length + 1);
          const text = good.slice(0, at) + unit + good.slice(at);
          const whole = scan(text);
          expect(scan(text, within(text, cuts))).toEqual(whole);
          if (whole.status === 'done') JSON.parse(whole.output);
        },
      ),
      { numRuns: process.env.LAWS === 'long' ? 3000 : 100 },
    );
  });

  it.each([
    ["{'a': 'it\\'s', }", '{"a": "it\'s"}'],
    ['{"a": "x\ny"}', '{"a": "x\\ny"}'],
    ['[\'say "x"\']', '["say \\"x\\""]'],
    ["'\\x41\\u00e9\\U0001F600'", '"A\\u00e9😀"'],
    ['[1., .5, +2, 1_000, 07]', '[1,0.5,2,1000,7]'],
    ['[True, None, NaN]', '[true,null,null]'],
  ])('%j becomes %j', (text, json) => {
    const { output, status } = scan(text);
    expect(status).toBe('done');
    expect(JSON.parse(output)).toEqual(JSON.parse(json));
  });

  it.each([['{"a" 1}'], ['[1 2]'], ['{"a": }'], ['{]'], ['[,]'], ['{"a":1,,}'], ['word'], ['{1: 2}'], [']']])(
    '%j is illegal',
    (text) => {
      expect(scan(text).status).toBe('illegal');
    },
  );

  it('refuses to nest without end', () => {
    expect(scan('['.repeat(100_000))).toMatchObject({ status: 'illegal', consumed: 256 });
  });
});

describe('partial arguments', () => {
  /** Whether `part` can grow into `whole`. */
  function isBeginning(part: JsonValue, whole: JsonValue): boolean {
    if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part);
    if (typeof part !== 'object' || part === null) return part === whole;
    if (typeof whole !== 'object' || whole === null || Array.isArray(part) !== Array.isArray(whole))
      return false;
    return Object.entries(part).every(([key, each]) => {
      const other: unknown = Object.getOwnPropertyDescriptor(whole, key)?.value;
      return other !== undefined && isBeginning(each, other as JsonValue);
    });
  }

  it('grow into the arguments, and never throw', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), (object) => {
        const json = JSON.stringify(object);
        const whole: JsonValue = JSON.parse(json);
        for (let length = 0; length <= json.length; length++) {
          const part = partialArguments(json.slice(0, length));
          expect(isBeginning(part, whole)).toBe(true);
        }
        expect(partialArguments(json)).toEqual(whole);
      }),
    );
  });

  it.each([
    ['', {}],
    ['{"city": "Par', { city: 'Par' }],
    ['{"city": "a\\', { city: 'a' }],
    ['{"city": "a\\\\', { city: 'a\\' }],
    ['{"city": "a\\u00e', { city: 'a' }],
    ['{"days": 1', {}],
    ['{"days": 1,', { days: 1 }],
    ['{"tags": ["a", "b', { tags: ['a', 'b'] }],
    ['{"a": {"b": [1, {"c": true', { a: { b: [1, {}] } }],
  ])('%j shows %j', (json, shown) => {
    expect(partialArguments(json)).toEqual(shown);
  });

  it('may be nested to any depth, and keep their spelling', () => {
    for (const opener of ['{"a":', '[', '[1.0, {"b": "']) {
      const json = `{"a": ${opener.repeat(opener.endsWith('"') ? 1 : 300_000)}`;
      expect(closeArguments(json).startsWith(json.slice(0, -'{"a":'.length))).toBe(true);
    }
  });
});

describe('what is held back', () => {
  it.each([
    ['text', '\n', 4],
    ['text\n', '\n', 4],
    ['text\n\n\n', '\n', 5],
    ['text\r\n', '\n', 4],
    ['text ', '\n', 5],
    ['text \n', ' \n', 4],
    ['', '\n', 0],
  ])('of %j before a marker that begins with %j: from %i', (text, lead, from) => {
    expect(certainEnd(text, 0, text.length, lead.length, spaceKinds([lead]))).toBe(from);
  });
});
