/**
 * What follows a marker decides whether it opens a call: by whole names of offered tools, within bounds that hold however
 * the text arrives. A beginning of the text is either undecided, or decided as the whole text is.
 */
import { describe, expect, it } from 'vitest';
import type { LeniencyLaw } from '../../src/parser/events.ts';
import { callFollows, envelopeAt, knowsCalls, nameEnd } from '../../src/parser/markers/lookahead.ts';
import { absent, undecided } from '../../src/parser/markers/markers.ts';
import type { EnvelopePaths, Transition } from '../../src/parser/state-tables.ts';
import { ToolTable } from '../../src/parser/tool-table.ts';

const offered = new ToolTable(
  ['f', 'get', 'get_more', 'a>b'].map((name) => ({ type: 'function', function: { name } })),
);
const anyTool = new ToolTable(undefined);

type Look = (text: string, at: number, ended: boolean) => number;
type Verdict = 'call' | 'none' | 'open';

/** What is told of `text`, which stands after other text; `whole`: the response ends with it. */
function verdictOf(look: Look, text: string, whole: boolean): number {
  const found = look(`>>>${text}`, 3, whole);
  return found < 0 ? found : found - 3;
}

/** The verdict on the response that ends with this text, which no beginning of it contradicts. */
function decided(look: Look, text: string): number {
  const whole = verdictOf(look, text, true);
  for (let length = 0; length <= text.length; length++) {
    const early = verdictOf(look, text.slice(0, length), false);
    if (early !== undecided) expect([length, early]).toEqual([length, whole]);
  }
  return whole;
}

/** What a look says of a text that goes on, and of one that ends there. */
function both(look: Look, text: string): readonly [number, number] {
  return [verdictOf(look, text, false), decided(look, text)];
}

const names: Record<Verdict, number> = { call: 0, none: absent, open: undecided };
const blanks = (units: number) => ' '.repeat(units);

describe('the name of an offered tool', () => {
  const look =
    (...ends: readonly string[]): Look =>
    (text, at, ended) =>
      nameEnd(offered, text, at, ends, ended);

  it.each([
    ['f>', 1, 1],
    ['f  >', 1, 1],
    ['f', undecided, absent],
    ['g', undecided, absent],
    ['get', undecided, absent],
    ['get>', 3, 3],
    ['get_more>', 8, 8],
    ['get_mor>', absent, absent],
    ['get_more_>', absent, absent],
    ['x', absent, absent],
    ['fx>', absent, absent],
    [' f>', absent, absent],
    ['f x', absent, absent],
    ['f ', undecided, absent],
    ['a>', undecided, absent],
    ['a>b>', 3, 3],
    ['', undecided, absent],
  ])('ends with its end: %j', (text, open, ended) => {
    expect(both(look('>'), text)).toEqual([open, ended]);
    expect(both(look('>', ')'), text)).toEqual([open, ended]);
  });

  it.each([
    ['f>', undecided, absent],
    ['f>>', 1, 1],
    ['f>x', absent, absent],
    ['f >', undecided, absent],
    ['a>b>>', 3, 3],
  ])('ends with an end of several characters: %j', (text, open, ended) => {
    expect(both(look('>>'), text)).toEqual([open, ended]);
  });

  it('is open before the beginning of an end, and not before the rest of one', () => {
    expect(both(look('/>'), 'f/')).toEqual([undecided, absent]);
    expect(both(look('/>'), 'f/>')).toEqual([1, 1]);
    expect(both(look('/>'), 'f>')).toEqual([absent, absent]);
  });

  it.each([
    ['f x', 1, 1],
    ['f', undecided, absent],
    ['fx', absent, absent],
  ])('ends with white space that stands among the ends: %j', (text, open, ended) => {
    expect(both(look(' ', '>'), text)).toEqual([open, ended]);
  });

  it('ends with the response where that stands among the ends', () => {
    expect(both(look('', '>'), 'f')).toEqual([undecided, 1]);
    expect(both(look('', '>'), 'f ')).toEqual([undecided, 1]);
    expect(both(look('', '>'), 'f x')).toEqual([absent, absent]);
    expect(both(look('', '>'), 'fx')).toEqual([absent, absent]);
  });

  it('ends anywhere without ends', () => {
    expect(both(look(), 'get x')).toEqual([3, 3]);
    expect(both(look(), 'get')).toEqual([undecided, 3]);
    expect(both(look(), 'g x')).toEqual([absent, absent]);
  });

  it.each([
    [127, 1],
    [128, 1],
    [129, absent],
  ])('is followed by its end after at most 128 units of white space: %i', (units, found) => {
    expect(decided(look('>'), `f${blanks(units)}>`)).toBe(found);
  });
});

function opener(followedBy: Transition<string>['followedBy'], repairs?: LeniencyLaw): Transition<string> {
  return { marker: '<', next: '', ...(followedBy && { followedBy }), ...(repairs && { repairs }) };
}

function following(tools: ToolTable, choice: Transition<string>): Look {
  return (text, at, ended) => callFollows(tools, text, at, choice, ended);
}

describe('a text that must follow', () => {
  it.each<readonly [string, Verdict, Verdict]>([
    ['{', 'call', 'call'],
    ['  {x', 'call', 'call'],
    ['func', 'open', 'none'],
    ['function.', 'call', 'call'],
    ['funx', 'none', 'none'],
    ['x{', 'none', 'none'],
    ['', 'open', 'none'],
    ['  ', 'open', 'none'],
  ])('is there, may come, or is not: %j', (text, open, ended) => {
    const look = following(anyTool, opener({ texts: ['{', 'function.'] }));
    expect(both(look, text)).toEqual([names[open], names[ended]]);
  });

  it('may be the end of the response', () => {
    const look = following(anyTool, opener({ texts: ['', '{'] }));
    expect(both(look, ' ')).toEqual([undecided, 0]);
    expect(both(look, 'x')).toEqual([absent, absent]);
    expect(both(look, '{x')).toEqual([0, 0]);
  });

  it('is none where nothing must follow by name or text', () => {
    expect(both(following(anyTool, opener(undefined)), 'x')).toEqual([absent, absent]);
  });

  it.each([
    [127, 0],
    [128, 0],
    [129, absent],
  ])('stands after at most 128 units of white space: %i', (units, found) => {
    expect(decided(following(anyTool, opener({ texts: ['{'] })), `${blanks(units)}{`)).toBe(found);
    expect(decided(following(anyTool, opener({ nameEnds: ['('] })), `${blanks(units)}f(`)).toBe(found);
  });
});

describe('a name that must follow', () => {
  const anyName = following(anyTool, opener({ nameEnds: ['(', '{'] }));

  it.each<readonly [string, Verdict, Verdict]>([
    ['any(', 'call', 'call'],
    [' any (', 'call', 'call'],
    ['any {', 'call', 'call'],
    ['any', 'open', 'none'],
    ['any ', 'open', 'none'],
    ['any x', 'none', 'none'],
    ['(', 'none', 'none'],
    ['a=b(', 'none', 'none'],
    ['', 'open', 'none'],
  ])('is any name without a list of tools: %j', (text, open, ended) => {
    expect(both(anyName, text)).toEqual([names[open], names[ended]]);
  });

  it('ends with white space where no end is named', () => {
    const look = following(anyTool, opener({ nameEnds: [] }));
    expect([decided(look, 'any x'), decided(look, 'any('), decided(look, 'any')]).toEqual([
      0,
      absent,
      absent,
    ]);
  });

  it.each([
    [1, 0],
    [127, 0],
    [128, 0],
    [129, absent],
  ])('has at most 128 units if it is no offered one: %i', (units, found) => {
    expect(decided(anyName, `${'n'.repeat(units)}(`)).toBe(found);
  });

  it('ends with its end, also where names may hold that', () => {
    const look = following(anyTool, opener({ nameEnds: [':'] }));
    expect(both(look, 'any:')).toEqual([0, 0]);
    expect(both(look, ':')).toEqual([undecided, absent]);
  });

  it('is an offered one, or any other where no law needs an offered one', () => {
    const free = following(offered, opener({ nameEnds: ['('] }));
    const strict = following(offered, opener({ nameEnds: ['('] }, 'notation'));
    for (const [text, ...verdicts] of [
      ['get(', 0, 0],
      ['a>b(', 0, 0],
      ['a>c(', absent, absent],
      ['other(', 0, absent],
      ['get', absent, absent],
    ] as const)
      expect([decided(free, text), decided(strict, text)], text).toEqual(verdicts);
    expect([verdictOf(free, 'ge', false), verdictOf(strict, 'ge', false)]).toEqual([undecided, undecided]);
    expect([verdictOf(free, 'ot', false), verdictOf(strict, 'ot', false)]).toEqual([undecided, absent]);
  });
});

describe('an opener that is spelled otherwise', () => {
  const look = following(offered, opener({ texts: ['{'] }, 'spelling'));
  const call = (units: number) => `{${'x'.repeat(units - 5)} get`;

  it('opens a call of an offered tool, which is named soon', () => {
    expect(both(look, '{"name": "get"}')).toEqual([0, 0]);
    expect(both(look, '{"name": "other"}')).toEqual([undecided, absent]);
    expect(both(following(anyTool, opener({ texts: ['{'] }, 'spelling')), '{')).toEqual([0, 0]);
  });

  it.each([
    [254, 0],
    [255, 0],
    [256, absent],
  ])('and whose name ends within 256 units, with what follows it: after %i', (units, found) => {
    expect(decided(look, `${call(units)}.`)).toBe(found);
    expect(decided(look, `${call(units)}${blanks(300)}`)).toBe(found);
  });
});

describe('a call after other text', () => {
  const look = following(offered, opener({ texts: ['<o>', '<call>'] }, 'noise'));

  it.each<readonly [string, Verdict, Verdict]>([
    ['so: <o>get ', 'call', 'call'],
    ['<o>{"get":', 'call', 'call'],
    ['<o> get\n', 'call', 'call'],
    ['<o>get', 'open', 'none'],
    ['<o>other get ', 'none', 'none'],
    ['so: <', 'open', 'none'],
    ['so: <c', 'open', 'none'],
    ['so: <x', 'none', 'none'],
    ['so', 'open', 'none'],
    ['', 'open', 'none'],
  ])('is one of an offered tool: %j', (text, open, ended) => {
    expect(both(look, text)).toEqual([names[open], names[ended]]);
  });

  it('is none where no tools are known', () => {
    const unknown = following(anyTool, opener({ texts: ['<o>'] }, 'noise'));
    for (const text of ['<o>get ', 'so', '']) expect(both(unknown, text)).toEqual([absent, absent]);
  });

  it.each([
    [254, 0],
    [255, 0],
    [256, absent],
    [257, absent],
  ])('that has at most 255 units: %i', (units, found) => {
    expect(decided(look, `${'x'.repeat(units)}<o>get `)).toBe(found);
  });

  it.each([
    [255, 0],
    [256, 0],
    [257, absent],
  ])('and names its tool within 256 units of its opener: %i', (units, found) => {
    expect(decided(look, `<o>${'"'.repeat(units - 7)}get `)).toBe(found);
  });
});

describe('a JSON call', () => {
  const flat: EnvelopePaths = { name: ['name'], arguments: ['arguments'] };
  const nested: EnvelopePaths = { name: ['function', 'name'], arguments: ['function', 'arguments'] };
  const keyed: EnvelopePaths = { name: null, arguments: [] };
  const json =
    (envelopeFollows: EnvelopePaths, tools = offered, marker = '<'): Look =>
    (text, at, ended) =>
      envelopeAt(tools, text, at, { marker, next: '', envelopeFollows }, ended);
  /** The end of the name, wherever it is, or the verdict. */
  const isCall = (look: Look, text: string) => {
    const end = decided(look, text);
    return end < 0 ? end : text.slice(0, end);
  };

  it.each([
    ['{"name": "get"', '{"name": "get"'],
    [' \n{ "name" : "get", "arguments": {}}', ' \n{ "name" : "get"'],
    ["{'name': 'get'}", "{'name': 'get'"],
    ['{"id": "x", "name": "get"}', '{"id": "x", "name": "get"'],
    ['{"id": "a\\"b", "name": "\\u0067et"}', '{"id": "a\\"b", "name": "\\u0067et"'],
    ["{'id': 'a\\'b', 'name': 'get'}", "{'id': 'a\\'b', 'name': 'get'"],
    ['{"name": "other"}', absent],
    ['{"name": get}', absent],
    ['{"id": 1, "name": "get"}', absent],
    ['{"names": "get"}', absent],
    ['{"name" "get"}', absent],
    ['{"id": "x"; "name": "get"}', absent],
    ['["name": "get"]', absent],
    ['{"name": "get', absent],
    ["{'name': 'get", absent],
    ['{"name": "get\\"', absent],
    ['"name": "get"', absent],
    ['{}', absent],
    ['{', absent],
    ['', absent],
  ])('names an offered tool, after other strings: %s', (text, found) => {
    expect(isCall(json(flat), text)).toBe(found);
  });

  it('may name any tool if none are known', () => {
    expect(isCall(json(flat, anyTool), '{"name": "other"}')).toBe('{"name": "other"');
  });

  it.each([
    ['{"function": {"name": "get"', '{"function": {"name": "get"'],
    [
      '{"id": "name", "function": {"id": "x", "name": "get"',
      '{"id": "name", "function": {"id": "x", "name": "get"',
    ],
    ['{"name": "get", "function": {}}', absent],
    ['{"function": {"function": {"name": "get"', absent],
    ['{"function": "name", "name": "get"}', absent],
  ])('names it in the object that holds the name: %s', (text, found) => {
    expect(isCall(json(nested), text)).toBe(found);
  });

  it.each([
    ['{"get": {}}', '{"get"'],
    ['{"other": {}}', absent],
    ['{"other": "get"}', absent],
    ['["get"]', absent],
  ])('names it by its only key: %s', (text, found) => {
    expect(isCall(json(keyed), text)).toBe(found);
  });

  it('begins with the brace that ends the marker, or is none where none may follow', () => {
    const within: Look = (text, at, ended) =>
      envelopeAt(offered, text, at + 1, { marker: '<{ ', next: '', envelopeFollows: flat }, ended);
    expect(isCall(within, '{"name": "get"}')).toBe('{"name": "get"');
    expect(envelopeAt(offered, '{"name": "get"}', 0, { marker: '<', next: '' }, true)).toBe(absent);
  });

  it('is undecided as long as its name may come, and not at the end', () => {
    for (const text of [
      '',
      '{',
      '{"na',
      "{'na",
      '{"name"',
      '{"name":',
      '{"name": "ge',
      '{"id": "x"',
      '{"id": "x",',
    ])
      expect(both(json(flat), text), text).toEqual([undecided, absent]);
    for (const text of ['x', '{x', '{"name"x', '{"id": "x"}', '{"name": "other"'])
      expect(both(json(flat), text), text).toEqual([absent, absent]);
  });

  it.each([
    [2047, true],
    [2048, true],
    [2049, false],
    [5000, false],
  ])('names it within 2048 units, however it is cut: %i', (units, isFound) => {
    const text = `{"id": "${'x'.repeat(units - 24)}", "name": "get"`;
    expect(text.length).toBe(units);
    expect(isCall(json(flat), `${text}}`)).toBe(isFound ? text : absent);
  });

  it.each([
    [2048, undecided],
    [2049, absent],
  ])('is waited for 2048 units: %i', (units, verdict) => {
    const text = `{"id": "${'x'.repeat(units - 8)}`;
    expect(verdictOf(json(flat), text, false)).toBe(verdict);
  });

  describe('that is whole', () => {
    const knows = (paths: EnvelopePaths, text: string, tools = offered) =>
      [false, true].map((list) => knowsCalls(tools, paths, list, text));
    const [one, list, none] = [
      [true, false],
      [false, true],
      [false, false],
    ];

    it.each([
      ['{"name": "get", "arguments": {}}', one],
      ['{"name": "get", "arguments": "{\\"a\\": 1}"}', one],
      ['{"name": "get", "arguments": "a"}', none],
      ['{"name": "get", "arguments": 1}', none],
      ['{"name": "get", "arguments": []}', none],
      ['{"name": "get"}', none],
      ['{"name": "other", "arguments": {}}', none],
      ['{"name": 1, "arguments": {}}', none],
      ['{"arguments": {}}', none],
      ['[{"name": "get", "arguments": {}}]', list],
      ['[{"name": "get", "arguments": {}}, {"name": "f", "arguments": {}}]', list],
      ['[{"name": "get", "arguments": {}}, {"name": "other", "arguments": {}}]', none],
      ['[{"name": "get", "arguments": {}}, 1]', none],
      ['[]', none],
      ['"get"', none],
      ['null', none],
      ['{"name": "get", "arguments": {}', none],
    ])('has a name on offer and arguments, alone or in a list: %s', (text, found) => {
      expect(knows(flat, text)).toEqual(found);
    });

    it('may have any name if no tools are known', () => {
      expect(knows(flat, '{"name": "other", "arguments": {}}', anyTool)).toEqual(one);
      expect(knows(flat, '{"name": 1, "arguments": {}}', anyTool)).toEqual(none);
    });

    it.each([
      ['{"get": {}}', one],
      ['{"get": "{}"}', one],
      ['{"get": 1}', none],
      ['{"get": {}, "f": {}}', none],
      ['{"other": {}}', none],
      ['{}', none],
    ])('has its name as its only key: %s', (text, found) => {
      expect(knows(keyed, text)).toEqual(found);
    });

    it.each([
      ['{"function": {"name": "get", "arguments": {}}}', one],
      ['{"function": "get", "arguments": {}}', none],
      ['{"name": "get", "arguments": {}}', none],
    ])('has them where its paths lead: %s', (text, found) => {
      expect(knows(nested, text)).toEqual(found);
    });

    it('has them as members of its own, not inherited ones', () => {
      const paths = { name: ['name'], arguments: ['__proto__'] };
      expect(knows(paths, '{"name": "get"}')).toEqual(none);
    });
  });
});

describe('no longer than its bound', () => {
  const free = following(anyTool, opener({ nameEnds: ['('] }));
  const spelled = following(offered, opener({ texts: ['{'] }, 'spelling'));
  const noise = following(offered, opener({ texts: ['<o>'] }, 'noise'));
  const name: Look = (text, at, ended) => nameEnd(offered, text, at, ['>'], ended);

  it.each<readonly [string, number, (units: number) => string, Look]>([
    ['white space after a marker', 128, blanks, free],
    ['white space after a name', 128, (units) => `f${blanks(units)}`, name],
    ['a name', 128, (units) => 'n'.repeat(units), free],
    ['the way to a name', 255, (units) => '{'.padEnd(units, 'x'), spelled],
    ['other text', 255, (units) => 'x'.repeat(units), noise],
    ['a word after an opener', 255, (units) => '<o>'.padEnd(units, 'x'), noise],
  ])('is waited for %s: %i units', (_, bound, text, look) => {
    expect(verdictOf(look, text(bound - 1), false)).toBe(undecided);
    expect(verdictOf(look, text(bound), false)).toBe(undecided);
    expect(verdictOf(look, text(bound + 1), false)).toBe(absent);
  });
});
