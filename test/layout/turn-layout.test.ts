/** The layout of a turn: its regions in their order, its ends, and the ends that arrive without their last tokens. */
import { describe, expect, it } from 'vitest';
import type { ChatFormat, TurnFormat } from '../../src/format/chat-format.ts';
import { coresOf } from '../../src/layout/marker.ts';
import { type TurnLayout, turnLayout } from '../../src/layout/turn-layout.ts';
import {
  bracketed,
  channels,
  jsonArray,
  jsonInTags,
  noMarker,
  plain,
  sampleFormats,
  wrappedContent,
} from '../support/sample-formats.ts';

function withTurn(turn: Partial<TurnFormat>, changes: Partial<ChatFormat> = {}): ChatFormat {
  return { ...jsonInTags, turn: { ...jsonInTags.turn, ...turn }, ...changes };
}

/** All texts in a part of a format, by whatever names it has them. */
function textsOf(part: unknown): readonly string[] {
  const texts: string[] = [];
  JSON.stringify(part, (_, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  return texts;
}

/** The layout, made anew. */
const layoutOf = (format: ChatFormat): TurnLayout => turnLayout({ ...format });
const kinds = (format: ChatFormat) => layoutOf(format).regions.map(({ kind }) => kind);

describe('the regions of a turn', () => {
  it.each(sampleFormats.map(([name, format]) => ({ name, format })))(
    'are those that the format has, and each is one of the layout: $name',
    ({ format }) => {
      const { regions, reasoning, content, calls } = layoutOf(format);
      expect([reasoning === null, calls === null]).toEqual([
        format.reasoning === null,
        format.calls === null,
      ]);
      expect(new Set(regions)).toEqual(new Set([reasoning, content, calls].filter((each) => each !== null)));
      expect(regions).toHaveLength(new Set(regions).size);
    },
  );

  it('come in the order of a finished turn', () => {
    expect(kinds(jsonInTags)).toEqual(['reasoning', 'content', 'calls']);
    expect(kinds(jsonArray)).toEqual(['content', 'calls']);
    expect(kinds(plain)).toEqual(['content']);
    const content = { ...jsonInTags.content, position: 'after-calls' } as const;
    expect(kinds({ ...jsonInTags, content })).toEqual(['reasoning', 'calls', 'content']);
    expect(kinds({ ...jsonInTags, content, calls: null })).toEqual(['reasoning', 'content']);
  });

  it('have headers if the turn restarts and the answer has an opener', () => {
    const { restart: _, ...turn } = channels.turn;
    expect(layoutOf(channels)).toMatchObject({ headed: true, restarts: true, header: { end: '|text|' } });
    expect(layoutOf({ ...channels, turn: { ...turn, restart: false } })).toMatchObject({
      headed: false,
      restarts: false,
      header: null,
    });
    expect(layoutOf(withTurn({ restart: true }))).toMatchObject({ headed: false, header: null });
    expect(layoutOf(wrappedContent)).toMatchObject({ headed: false, header: null });
  });

  it('are told with what opens their calls', () => {
    expect(layoutOf(jsonInTags).calls?.inText.map(({ marker }) => marker.core)).toEqual(['<use>']);
    expect(layoutOf(channels).calls).toMatchObject({ beginning: 'header', inText: [], atRegion: [] });
    expect(layoutOf(noMarker).calls?.speculative).toHaveLength(1);
  });

  it.each(sampleFormats.map(([name, format]) => ({ name, format })))(
    'hold the texts of their markers, and no others: $name',
    ({ format }) => {
      const { holds } = layoutOf(format);
      const { reasoning, content, calls, alternatives } = format;
      for (const text of textsOf([reasoning, content, calls, alternatives])) {
        expect(holds(text)).toBe(true);
        expect(holds(text.slice(1))).toBe(true);
      }
      expect([holds('<over>'), holds('<turn>'), holds('<no such text>')]).toEqual([false, false, false]);
    },
  );

  it('are made once for each format', () => {
    expect(turnLayout(plain)).toBe(turnLayout(plain));
    expect(turnLayout({ ...plain })).not.toBe(turnLayout(plain));
  });
});

describe('the beginning of a turn', () => {
  it.each([
    ['<turn>bot\n', ''],
    ['<turn><bot>', '<bot>'],
    ['<turn>x<bot>\n', '<bot>\n'],
    ['<bot>', ''],
    ['<bot>\n', ''],
    ['<turn>bot> ', ''],
    ['', ''],
  ])('may have a last marker of its own: %j', (start, last) => {
    expect(layoutOf(withTurn({ start })).lastOfStart.text).toBe(last);
  });

  it('is that of the format, with its lead and what the prompt adds', () => {
    const prompt = { unset: '', on: '<muse>\n', off: '<muse></muse>' };
    const layout = layoutOf(withTurn({ start: '<bot>\n', lead: ' ', prompt }));
    expect([layout.start.text, layout.lead.text]).toEqual(['<bot>\n', ' ']);
    expect(Object.entries(layout.prompt).map(([setting, { text }]) => [setting, text])).toEqual(
      Object.entries(prompt),
    );
    expect(layoutOf(jsonInTags).lead.text).toBe('');
  });
});

describe('the markers around a turn', () => {
  it('are those of the format', () => {
    const results = { open: ['<result>'], close: ['</result>', '</all>'] };
    const layout = layoutOf({ ...bracketed, results, stops: ['<s>'], preservedTokens: ['[ID]'] });
    const texts = (markers: readonly { readonly text: string }[]) => markers.map(({ text }) => text);
    expect(texts(layout.results.open)).toEqual(results.open);
    expect(texts(layout.results.close)).toEqual(results.close);
    expect([texts(layout.stops), texts(layout.preserved)]).toEqual([['<s>'], ['[ID]']]);
    expect(layoutOf(bracketed).results).toEqual({ open: [], close: [] });
  });
});

describe('the end of a turn', () => {
  const cut = (ends: readonly string[], stops: readonly string[] = []) =>
    coresOf(layoutOf(withTurn({ ends }, { stops })).cutEnds);

  it('arrives without the token that stops the engine', () => {
    expect(cut(['so long.<s>\n'], ['<s>'])).toContain('so long.');
    expect(cut(['so long<s>'], ['<t>', '<s>'])).toContain('so long');
    expect(cut(['bye<s>'], ['e<s>', '<s>'])).toEqual(['by', 'bye']);
    expect(cut(['bye'], ['xbye', 'by'])).toEqual([]);
    expect(cut(['<s>', ' '], ['<s>'])).toEqual([]);
  });

  it('arrives without its last token, or two, if what is left shows an end by itself', () => {
    expect(cut(['<end>\n<turn>'])).toEqual(['<end>']);
    expect(cut(['<end><turn><next>'])).toEqual(['<end><turn>', '<end>']);
    expect(cut(['<end><turn>next'])).toEqual(['<end><turn>', '<end>']);
    expect(cut(['<e><t><n>'])).toEqual(['<e><t>']);
    expect(cut(['word<t>'])).toEqual([]);
    expect(cut(['<over>'])).toEqual([]);
    expect(cut(['a < b.<t>'])).toEqual(['a < b.']);
  });

  it('is none of the cut ones, and is not cut in the same way twice', () => {
    const { cutEnds } = layoutOf(withTurn({ ends: ['<end><turn>', '<end><s>'] }, { stops: ['<s>'] }));
    expect(cutEnds.map(({ text }) => text)).toEqual(['<end>']);
    expect(cut(['<end><turn>', '<end>'])).toEqual([]);
  });

  it.each(sampleFormats.map(([name, format]) => ({ name, format })))(
    'begins with each cut one, and is that of the format: $name',
    ({ format }) => {
      const { ends, cutEnds } = layoutOf(format);
      expect(ends.map(({ text }) => text)).toEqual(format.turn.ends);
      for (const { core, isBlank } of cutEnds) {
        expect(isBlank).toBe(false);
        expect(ends.some((end) => end.core.startsWith(core) && end.core !== core)).toBe(true);
      }
    },
  );
});

describe('a break of a turn', () => {
  const breaks = (format: ChatFormat) => coresOf(layoutOf(format).breaks);

  it('is what closes a region before the turn begins again', () => {
    expect(channels.turn.ends.map((end) => end.trim())).toContain('|stop|');
    expect(breaks({ ...channels, turn: { ...channels.turn, ends: ['|done|'] } })).toEqual(['|stop|']);
  });

  it('is no end', () => {
    expect(breaks(channels)).toEqual([]);
    const { start } = channels.turn;
    const calls = { ...(channels.calls ?? expect.fail()), separator: `|next|${start}` };
    const content = { ...channels.content, close: `|more|${start}`, beforeCalls: `|more|\n${start}` };
    expect(breaks({ ...channels, calls, content })).toEqual(['|more|', '|next|']);
    const closed = { ...calls, call: { ...calls.call, close: `|shut|${start}x` } };
    expect(breaks({ ...channels, calls: closed })).toEqual(['|next|', '|shut|']);
  });

  it('is none where the turn does not begin again, or nothing comes before that', () => {
    const turn = { ...channels.turn, ends: ['|done|'] };
    expect(breaks({ ...channels, turn: { ...turn, restart: false } })).toEqual([]);
    const content = { ...channels.content, beforeCalls: channels.turn.start };
    expect(breaks({ ...channels, content })).toEqual([]);
    expect(breaks(jsonInTags)).toEqual([]);
  });
});
