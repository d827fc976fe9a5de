/** Where a value ends that may hold its own closer: what is written is read, at every cut. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallsFormat, ChatFormat, EntryArguments } from '../../src/format/chat-format.ts';
import { absent, undecided } from '../../src/parser/markers/markers.ts';
import { keyEnd, nextStart } from '../../src/parser/steps/values/value-closer.ts';
import { outcome } from '../support/lenient-outcome.ts';
import { tagged } from '../support/sample-formats.ts';

const numRuns = process.env.LAWS === 'long' ? 10_000 : 200;

/** `tagged` with another end of arguments, or another beginning of calls. */
function changed(close: string, call: Partial<CallsFormat> = {}): ChatFormat {
  const calls = tagged.calls as CallsFormat;
  const entries = calls.arguments as EntryArguments;
  const entry = { ...entries.entry, close: [close] };
  return { ...tagged, calls: { ...calls, ...call, arguments: { ...entries, entry } } };
}

const ownClose = '\n</arg>\n';
const callClose = '</fn>\n</use>';
const argument = (key: string, value: string, close = ownClose) =>
  `<use>\n<fn=ask>\n<arg=${key}>\n${value}${close}${callClose}`;

describe('a string', () => {
  const gap = ' '.repeat(12);

  it.each([
    ['its closer in a sentence', 'end with </arg> or so'],
    ['its closer in a line of its own', 'end with\n</arg>\nor so'],
    ['its closer at the end of a line, before an empty one', 'end</arg>\n\nNo'],
    ['a whole call', `write\n<use>\n<fn=add>\n<arg=a>\n1${ownClose}${callClose}\n`],
    ['all closers of its call, before text in their line', `at${ownClose}${callClose} and so on`],
    ['the same with gaps', `at${ownClose}${gap}</fn>\n${gap}</use>   and`],
    ['all closers of its call, before its own', `at${ownClose}${callClose}`],
    ['the closer of a call', 'write </fn> and so on'],
  ])('holds %s', (_, value) => {
    const { calls, malformed } = outcome(tagged, argument('input', value));
    expect({ calls, malformed }).toEqual({ calls: [['ask', { input: value }]], malformed: 0 });
  });

  it('holds a whole call that begins otherwise than all other markers', () => {
    const open = '[fn=';
    const format = changed(ownClose, { call: { open, close: callClose } });
    const value = `write\n${open}add>\n<arg=a>\n1${ownClose}${callClose}\n`;
    const text = `${open}ask>\n<arg=input>\n${value}${ownClose}${callClose}`;
    expect(outcome(format, text).calls).toEqual([['ask', { input: value }]]);
  });

  it('ends at a closer as the format writes it, if only the opener is missing after that', () => {
    expect(outcome(tagged, argument('input', 'end\n</arg>\n\nNo'))).toMatchObject({
      calls: [],
      malformed: 1,
    });
  });

  it('ends at the first of two closers, and the second one is reported', () => {
    expect(outcome(tagged, argument('input', 'end\n</arg>'))).toEqual({
      calls: [['ask', { input: 'end' }]],
      laws: ['marker-twice'],
      malformed: 0,
    });
  });

  it.each(['<|a|><|b|>', '<|a|><|b|><|c|>', '<|a|>b', '<|a|>b<|c|>d', '<|a|>b<|c|>d<|e|>'])(
    'holds the first tag of its closer %s, which is not of three parts',
    (close) => {
      const text = argument('input', 'end<|a|>', close);
      expect(outcome(changed(close), text).calls).toEqual([['ask', { input: 'end<|a|>' }]]);
    },
  );

  it('is broken if it ends in the first tag of a closer of three parts', () => {
    const close = '<|a|>b<|c|>';
    expect(outcome(changed(close), argument('input', 'end<|a|>', close))).toMatchObject({
      calls: [],
      malformed: 1,
    });
  });
});

describe('a value that can be no string', () => {
  it.each(['', ' and so on', ` and so on${ownClose}${callClose}`])(
    'quotes nothing, so it ends at its first closer before %j',
    (after) => {
      const read = { calls: [['ask', { deep: true }]], laws: [], malformed: 0 };
      expect(outcome(tagged, argument('deep', 'true') + after)).toEqual(read);
    },
  );
});

describe('a container', () => {
  const list = (after: string) =>
    outcome(tagged, `<use>\n<fn=pick>\n<arg=items>\n["</arg>"]${after}`, { leniency: 'strict' });

  it('ends at its own closer, and not at one in its strings', () => {
    const read = { calls: [['pick', { items: ['</arg>'] }]], laws: [], malformed: 0 };
    expect(list(`${ownClose}${callClose}`)).toEqual(read);
    expect(list(` </arg>${callClose}`)).toEqual(read);
  });

  it('is malformed before other text than its closer', () => {
    expect(list(`.${ownClose}${callClose}`)).toMatchObject({ calls: [], malformed: 1 });
  });
});

describe('the end of a key', () => {
  const key = (minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom('a', 'Z', 'é', '7', '_', '.', '$', '-'), minLength, maxLength });
  const rest = fc
    .tuple(fc.constantFrom('>', ' ', '=', '"', '\n', '<'), fc.string())
    .map((parts) => parts.join(''));

  it('is where other text follows, unless there is no key or it is longer than 128 units', () => {
    fc.assert(
      fc.property(fc.string(), key(1, 128), rest, fc.boolean(), (before, own, after, ended) => {
        const text = before + own + after;
        expect(keyEnd(text, before.length, ended)).toBe(before.length + own.length);
        expect(keyEnd(text, before.length + own.length, ended)).toBe(absent);
      }),
      { numRuns },
    );
    for (const ended of [true, false]) {
      expect(keyEnd(`${'k'.repeat(128)}>`, 0, ended)).toBe(128);
      expect(keyEnd(`${'k'.repeat(129)}>`, 0, ended)).toBe(absent);
    }
  });

  it('is the end of the response, and open while more text may come', () => {
    fc.assert(
      fc.property(fc.string(), key(1, 128), (before, own) => {
        const text = before + own;
        expect(keyEnd(text, before.length, true)).toBe(text.length);
        expect(keyEnd(text, before.length, false)).toBe(undecided);
      }),
      { numRuns },
    );
    expect(keyEnd('', 0, true)).toBe(absent);
    expect(keyEnd('', 0, false)).toBe(undecided);
  });
});

it('the next closer may begin at the first place where it agrees with all text that is there', () => {
  const letters = (minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength, maxLength });
  fc.assert(
    fc.property(letters(0, 8), letters(2, 2), fc.nat(8), (text, begin, from) => {
      const places = Array.from(text, (_unit, at) => at);
      const possible = (at: number) => at >= from && begin.startsWith(text.slice(at, at + begin.length));
      expect(nextStart(text, begin, from)).toBe(places.findIndex(possible));
    }),
    { numRuns },
  );
});
