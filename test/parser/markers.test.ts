/**
 * Markers are found wherever they are and nowhere else, by exact text, with white space in bounds, and with what each
 * choice depends on. Texts are compared with what a plain search says.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  absent,
  MarkerTable,
  type MatchContext,
  markerAlone,
  matchParts,
  matchText,
  undecided,
} from '../../src/parser/markers/markers.ts';
import { maxGap } from '../../src/parser/markers/white-space.ts';
import type { Transition } from '../../src/parser/state-tables.ts';

/** A context in which everything is as it is most often. */
function context(given: Partial<MatchContext> = {}): MatchContext {
  return {
    ended: true,
    callsAllowed: true,
    allows: () => true,
    maySpeculate: () => true,
    isWrittenAsTokens: () => true,
    wroteMarker: true,
    inPrompt: () => false,
    isSpecial: () => true,
    followedBy: (_text, at) => at + 1,
    nameEnd: (text, at) => (text.startsWith('f', at) ? at + 1 : absent),
    anyNameEnd: () => absent,
    envelopeAt: (_text, at) => at + 1,
    ...given,
  };
}

type Choice = Omit<Transition<string>, 'next'>;

function table(...choices: readonly Choice[]): MarkerTable<string> {
  return new MarkerTable(choices.map((choice) => ({ next: choice.marker, ...choice })));
}

/** Where the only choice ends that matches at the beginning of `text`, or what is told in place of it. */
function end(choice: Choice, text: string, given: Partial<MatchContext> = {}): number {
  const found = table(choice).matchAt(context(given), text, 0);
  return found === null ? absent : found === undecided ? undecided : found.end;
}

const blanks = (units: number) => ' '.repeat(units);

describe('the places where markers may begin', () => {
  const unit = fc.constantFrom('<', 'a', 'b', '>', ' ', 'é', '｜', '▁');
  const markers = fc.uniqueArray(fc.string({ unit, minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 4,
  });
  const text = fc.tuple(fc.nat(700), fc.string({ unit, maxLength: 12 }), fc.string({ unit, maxLength: 12 }));

  it('are all found, and none of them is passed over, however far it is', () => {
    fc.assert(
      fc.property(markers, text, fc.nat(3), (cores, [units, before, after], from) => {
        const whole = `${before}${'z'.repeat(units)}${after}`;
        const choices = table(...cores.map((marker) => ({ marker })));
        const found = choices.nextCandidate(whole, from);
        const places = Array.from(whole, (_, at) => at).filter(
          (at) => at >= from && cores.some((core) => core.trim() !== '' && whole.startsWith(core.trim(), at)),
        );
        const [first] = places;
        if (first !== undefined) expect(found).toBeLessThanOrEqual(first);
        if (found === -1) expect(places).toEqual([]);
        else {
          expect(found).toBeGreaterThanOrEqual(from);
          expect(cores.map((core) => core.trim().charAt(0))).toContain(whole.charAt(found));
        }
      }),
    );
  });

  it('are told by the first two characters, or by the first at the end of the text', () => {
    const choices = table({ marker: '<a>' }, { marker: '[X' });
    for (const distance of [0, 10, 23, 24, 25, 279, 280, 281, 2_000]) {
      const before = '<>'.repeat(distance).slice(0, distance);
      expect(choices.nextCandidate(`${before}<b<a`, 0)).toBe(distance + 2);
      expect(choices.nextCandidate(`${before}[X<a`, 0)).toBe(distance);
      expect(choices.nextCandidate(`${before}[<`, 0)).toBe(distance + 1);
      expect(choices.nextCandidate(`${before}[bb`, 0)).toBe(-1);
      expect(choices.nextCandidate(`${before}[X`, 0, distance)).toBe(-1);
      expect(choices.nextCandidate(`${before}[X`, 0, distance + 1)).toBe(distance);
    }
  });

  it('are told by the first character alone if one of the markers has no other', () => {
    expect(table({ marker: '<a>' }, { marker: '[' }).nextCandidate('x<b', 0)).toBe(1);
  });

  it('are in no text that is plain', () => {
    const choices = table({ marker: '<a>' }, { marker: '[X' });
    const single = table({ marker: '<' }, { marker: '[X' });
    for (const plain of ['so much text', 'a < b and [c] too', '>>X>a']) {
      expect(choices.plainRun.plainEnd(plain, false)).toBe(plain.length);
      for (const begun of ['<a>', '[X', '<'])
        expect(choices.plainRun.plainEnd(plain + begun, false)).toBe(-1);
    }
    expect(single.plainRun.plainEnd('a [c] and b', false)).toBe(-1);
    expect(single.plainRun.plainEnd('a < b', false)).toBe(-1);
    expect(single.plainRun.plainEnd('a > b', false)).toBe('a > b'.length);
  });

  it.each(['ÿ', 'Ā', 'ā', '｜'])('begin and go on with any character: %s', (unit) => {
    for (const marker of [`${unit}a`, `<${unit}`, `${unit}${unit}`])
      for (const distance of [3, 300])
        expect(table({ marker }).nextCandidate(`${'z'.repeat(distance)}${marker}`, 0)).toBe(distance);
    expect(table({ marker: `${unit}a` }).nextCandidate(`${unit}b`, 0)).toBe(-1);
  });

  it('are beyond those of one byte too', () => {
    const choices = table({ marker: '｜a' });
    for (const distance of [3, 300]) {
      expect(choices.nextCandidate(`${'ab'.repeat(distance)}｜a`, 0)).toBe(2 * distance);
      expect(choices.nextCandidate(`${'▁a'.repeat(distance)}｜b`, 0)).toBe(-1);
    }
  });
});

describe('a marker', () => {
  it('is its text, is undecided at its beginning, and is absent otherwise', () => {
    const whole = '<call>';
    for (let length = 0; length <= whole.length; length++) {
      const begun = whole.slice(0, length);
      const isWhole = length === whole.length;
      expect(matchText(context(), begun, 0, whole)).toBe(isWhole ? length : absent);
      expect(matchText(context({ ended: false }), begun, 0, whole)).toBe(isWhole ? length : undecided);
      expect(matchText(context({ ended: false }), `${begun}x`, 0, whole)).toBe(isWhole ? length : absent);
    }
  });

  it('is absent where its special tokens were written as text, as far as it is there', () => {
    const asked: (readonly [string, number, number])[] = [];
    const asText = context({
      ended: false,
      isWrittenAsTokens: (...question) => {
        asked.push(question);
        return false;
      },
    });
    expect([matchText(asText, 'x<a>', 1, '<a>'), matchText(asText, 'x<a', 1, '<a>')]).toEqual([
      absent,
      absent,
    ]);
    expect(asked).toEqual([
      ['<a>', 1, 3],
      ['<a>', 1, 2],
    ]);
  });

  it.each([
    [0, 6],
    [1, 7],
    [maxGap, maxGap + 6],
    [maxGap + 1, absent],
  ])('has white space between its parts up to a bound: %i', (units, found) => {
    expect(matchParts(context(), `<a>${blanks(units)}<b>`, 0, ['<a>', '<b>'])).toBe(found);
    expect(end({ marker: '<a>\n<b>' }, `<a>${blanks(units)}<b>`)).toBe(found);
  });

  it('has no white space before its first part', () => {
    expect(matchParts(context(), ' <a>', 0, ['<a>'])).toBe(absent);
  });

  it('that is the longest wins, and the one without text comes last', () => {
    const choices = table({ marker: '' }, { marker: '<a' }, { marker: '<a>' }, { marker: '<' });
    const found = (text: string, ended = true) => {
      const match = choices.matchAt(context({ ended }), text, 0);
      return match === null || match === undecided ? match : [match.choice.next, match.end];
    };
    expect(found('<a>x')).toEqual(['<a>', 3]);
    expect(found('<ax')).toEqual(['<a', 2]);
    expect(found('<x')).toEqual(['<', 1]);
    expect(found('x')).toEqual(['', 0]);
    expect(found('<a', false)).toBe(undecided);
    expect(found('<a')).toEqual(['<a', 2]);
    expect(table({ marker: '<a' }).matchAt(context(), 'x', 0)).toBeNull();
  });

  it('that is a word ends where the word does', () => {
    const choice = { marker: 'Answer\n' };
    expect(end(choice, 'Answers')).toBe(absent);
    expect(end(choice, 'Answer.')).toBe(6);
    expect(end(choice, 'Answer')).toBe(6);
    expect(end(choice, 'Answer', { ended: false })).toBe(undecided);
  });

  it.each([
    [0, true],
    [maxGap, true],
    [maxGap + 1, false],
  ])('that counts at the end has nothing but some white space after it: %i', (units, isEnd) => {
    const choice = { marker: '<a>', onlyAtEnd: true } as const;
    const text = `<a>${blanks(units)}`;
    expect(end(choice, text)).toBe(isEnd ? 3 : absent);
    expect(end(choice, text, { ended: false })).toBe(isEnd ? undecided : absent);
    expect(end(choice, `${text}x`)).toBe(absent);
  });
});

describe('a choice', () => {
  it.each<readonly [string, Partial<Choice>, Partial<MatchContext>]>([
    ['of a call where calls are none', { role: 'call' }, { callsAllowed: false }],
    ['of a repair that is not allowed', { repairs: 'noise' }, { allows: () => false }],
    ['that was tried before', { speculative: true }, { maySpeculate: () => false }],
    ['that follows a marker of the prompt', { afterOwnMarker: true }, { wroteMarker: false }],
    ['that is no special token', { onlyAsSpecialToken: true }, { isSpecial: () => false }],
    ['without what must follow', { followedBy: { texts: ['{'] } }, { followedBy: () => absent }],
    ['before no name', { nameFollows: ['('] }, { nameEnd: () => absent }],
    [
      'before other names than those',
      { nameFollows: ['('], anyNameFollows: ['('] },
      { nameEnd: () => absent },
    ],
    ['before no JSON call', { envelopeFollows: { name: null, arguments: [] } }, { envelopeAt: () => absent }],
  ])('%s is absent, and there otherwise', (_, condition, denied) => {
    const choice = { marker: '<a>', ...condition };
    expect(end(choice, '<a>f(')).toBe(3);
    expect(end({ marker: '<a>' }, '<a>f(', denied)).toBe(3);
    expect(end(choice, '<a>f(', denied)).toBe(absent);
  });

  it.each<readonly [string, Partial<Choice>, Partial<MatchContext>]>([
    ['for what must follow', { followedBy: { texts: ['{'] } }, { followedBy: () => undecided }],
    ['for a name', { nameFollows: ['('] }, { nameEnd: () => undecided }],
    [
      'for any name',
      { nameFollows: ['('], anyNameFollows: ['('] },
      { nameEnd: () => absent, anyNameEnd: () => undecided },
    ],
    ['for a JSON call', { envelopeFollows: { name: null, arguments: [] } }, { envelopeAt: () => undecided }],
  ])('waits %s', (_, condition, open) => {
    expect(end({ marker: '<a>', ...condition }, '<a>', open)).toBe(undecided);
  });

  it('without a marker is bound to what follows, also at the beginning of the text', () => {
    const choice = { marker: '', followedBy: { nameEnds: ['('] } };
    expect(end(choice, 'f(')).toBe(0);
    for (const verdict of [absent, undecided])
      expect(end(choice, 'f(', { followedBy: () => verdict, inPrompt: () => true })).toBe(verdict);
    expect(end({ marker: '', onlyAsSpecialToken: true }, 'f(', { isSpecial: () => false })).toBe(absent);
  });

  it('of the prompt needs nothing after it', () => {
    const choice = { marker: '<a>', followedBy: { texts: ['{'] } };
    const given = { inPrompt: (at: number) => at === 0, followedBy: () => absent };
    expect(end(choice, '<a>', given)).toBe(3);
    expect(table(choice).matchAt(context(given), 'x<a>', 1)).toBeNull();
  });

  it.each([
    [0, true],
    [maxGap, true],
    [maxGap + 1, false],
  ])('has white space before the name up to a bound: %i', (units, isNear) => {
    expect(end({ marker: '<a>', nameFollows: ['('] }, `<a>${blanks(units)}f(`)).toBe(isNear ? 3 : absent);
  });

  it.each([
    ['1. f(', 0],
    ['1234. f(', 0],
    ['12345. f(', absent],
    ['1.f(', 0],
    ['1 . f(', 0],
    ['. f(', absent],
    ['x. f(', absent],
    ['1, f(', absent],
    ['1.2 f(', absent],
    ['1. g(', absent],
  ])('stands before a number of four digits at most: %s', (text, found) => {
    const choice = { marker: '', nameFollows: ['('], afterNumber: '. ' };
    expect(end(choice, text)).toBe(found);
  });

  it('waits for the rest of its marker, whatever may follow', () => {
    const denied = { followedBy: () => absent, nameEnd: () => absent, envelopeAt: () => absent };
    for (const condition of [
      { onlyAtEnd: true },
      { nameFollows: ['('] },
      { envelopeFollows: { name: null, arguments: [] } },
      { followedBy: { texts: ['{'] } },
    ] as const)
      expect([condition, end({ marker: '<a>', ...condition }, '<a', { ended: false, ...denied })]).toEqual([
        condition,
        undecided,
      ]);
  });

  it('waits for the rest of a number, and for the text after it', () => {
    const choice = { marker: '', nameFollows: ['('], afterNumber: '. ' };
    for (const text of ['', '1', '12', '1 ']) {
      expect([text, end(choice, text, { ended: false })]).toEqual([text, undecided]);
      expect([text, end(choice, text)]).toEqual([text, absent]);
    }
    expect(end({ marker: '', nameFollows: ['('], afterNumber: '' }, '1f(')).toBe(0);
    expect(end({ marker: '', nameFollows: ['('], afterNumber: '' }, '1 f(')).toBe(0);
  });
});

describe('a table', () => {
  const openers = table(
    { marker: '', role: 'call' },
    { marker: '<tool>\n<call>', role: 'call' },
    { marker: '<tool>', role: 'call' },
    { marker: '<other>', role: 'call', repairs: 'notation' },
    { marker: '<think>', role: 'thought' },
    { marker: '<text>' },
  );

  it('finds the end of the longest opener of calls, whatever its conditions are', () => {
    const at = (text: string, ended = true) => openers.openerEnd(context({ ended }), text, 0);
    expect(at('<tool> <call>x')).toBe(13);
    expect(at('<tool>x')).toBe(6);
    expect(at('<tool>', false)).toBe(6);
    expect(at('<too', false)).toBe(undecided);
    for (const text of ['<too', 'x', '', '<think>', '<text>', '<other>']) expect(at(text)).toBe(absent);
  });

  it('names the first tag of an opener that opens nothing here', () => {
    const tables = table(
      { marker: '<tool>\n<call>', role: 'call' },
      { marker: '[CALLS]', role: 'call' },
      { marker: '<seen>', role: 'call', peek: true },
      { marker: '<maybe>', role: 'call', ambiguous: true },
      { marker: '{{', role: 'call' },
      { marker: '<text>' },
    );
    const at = (text: string, given = {}) => tables.unusedOpener(context(given), text, 0);
    expect(at('<tool> is')).toBe('<tool>');
    expect(at('[CALLS] is')).toBe('[CALLS]');
    expect(at('<tool> is', { callsAllowed: false })).toBeNull();
    for (const text of ['<tool', '<seen> x', '<maybe> x', '{{ x', '<text>', 'x']) expect(at(text)).toBeNull();
  });

  it('knows the beginnings of its markers', () => {
    expect(['<', '<te', '<text>'].map((text) => openers.beginsWith(text))).toEqual([true, true, true]);
    expect(['t', '<texts'].map((text) => openers.beginsWith(text))).toEqual([false, false]);
    expect(openers.mayContinueAfter('so <te', 3)).toBe(true);
    expect(openers.mayContinueAfter('so <text>', 3)).toBe(false);
    expect(openers.mayContinueAfter('so <x', 3)).toBe(false);
  });

  it('says what it expects, without repairs and each once', () => {
    const choices = table(
      { marker: '\n<a>\n<b>' },
      { marker: '<a>\n<b>\n' },
      { marker: '</c>' },
      { marker: '<d>', repairs: 'noise' },
    );
    expect([...choices.expected()].sort()).toEqual([JSON.stringify('</c>'), JSON.stringify('<a>\n<b>')]);
  });

  it('knows the white space before its markers, and what closes the calls', () => {
    const choices = table(
      { marker: '\n\n<a>', role: 'call', blockEnd: ' </a>\n' },
      { marker: ' <b>', role: 'call', blockEnd: '</a>' },
      { marker: '<c>', blockEnd: ' ' },
    );
    expect(choices.maxLeadingSpace).toBe(2);
    // A line feed may come with a carriage return.
    expect([...choices.spaces].sort().join('')).toBe('\n\r ');
    expect(choices.closers).toEqual(['</a>']);
    expect([table().maxLeadingSpace, table().closers]).toEqual([0, []]);
  });

  it('of one marker alone has none of its conditions, and is made once', () => {
    const [choice] = table({ marker: '<a>', role: 'call', followedBy: { texts: ['{'] } }).choices;
    if (choice === undefined) throw new Error('the table has a choice');
    const alone = markerAlone(choice);
    expect(markerAlone(choice)).toBe(alone);
    const denied = context({ callsAllowed: false, followedBy: () => absent });
    expect(alone.matchAt(denied, '<a>', 0)).toMatchObject({ end: 3 });
  });
});
