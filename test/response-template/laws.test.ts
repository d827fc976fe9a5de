/** What holds for every template and every response. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseFieldError } from '../../src/format/errors.ts';
import {
  createResponseTemplateParser,
  type LoadedTemplate,
  loadResponseTemplate,
  parseBatchWithResponseTemplate,
  parseWithResponseTemplate,
  type RegionEvent,
  type ResponseTemplate,
  type TemplateMessage,
} from '../../src/response-template/index.ts';
import { countedWork } from '../support/counted-work.ts';
import { type Sample, samples, tagged } from './sample-templates.ts';

const runs = process.env.LAWS === 'long' ? 20_000 : 40;

interface Outcome {
  readonly events: readonly RegionEvent[];
  readonly message: TemplateMessage | null;
  /** Why the response could not be read. */
  readonly refused: string | null;
}

function parse(template: ResponseTemplate | LoadedTemplate, chunks: readonly string[], prefix = ''): Outcome {
  const events: RegionEvent[] = [];
  try {
    const parser = createResponseTemplateParser(template, { prefix });
    events.push(...parser.initialEvents);
    for (const chunk of chunks) events.push(...parser.feed(chunk));
    const finished = parser.finish();
    events.push(...finished.events);
    return { events: merged(events), message: finished.message, refused: null };
  } catch (error) {
    if (!(error instanceof ResponseFieldError)) throw error;
    return { events: [], message: null, refused: error.message };
  }
}

/** Neighbouring chunks of one region as one. */
function merged(events: readonly RegionEvent[]): RegionEvent[] {
  const all: RegionEvent[] = [];
  for (const event of events) {
    const last = all.at(-1);
    if (event.type === 'region_chunk' && last?.type === 'region_chunk') {
      all[all.length - 1] = { ...last, text: last.text + event.text };
    } else {
      all.push(event);
    }
  }
  return all;
}

function responsesOf(sample: Sample): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...sample.pieces), { maxLength: 12 }).map((pieces) => pieces.join(''));
}

/** `text` cut at any UTF-16 units. */
function cut(text: string, numbers: readonly number[]): string[] {
  const places = numbers.map((number) => number % (text.length + 1)).sort((a, b) => a - b);
  return [...places, text.length].map((place, index) => text.slice(places[index - 1] ?? 0, place));
}

describe.each(samples)('$name', (sample) => {
  it('gives the same events and message however the text is cut', () => {
    fc.assert(
      fc.property(responsesOf(sample), fc.array(fc.nat(1_000), { maxLength: 8 }), (text, numbers) => {
        expect(parse(sample.template, cut(text, numbers))).toEqual(parse(sample.template, [text]));
      }),
      { numRuns: runs },
    );
  });

  it('gives the same events and message unit by unit', () => {
    fc.assert(
      fc.property(responsesOf(sample), (text) => {
        expect(parse(sample.template, text.split(''))).toEqual(parse(sample.template, [text]));
      }),
      { numRuns: runs },
    );
  });

  it('gives the same with a template that was loaded once, for many responses', () => {
    const loaded = loadResponseTemplate(sample.template);
    expect(loadResponseTemplate(loaded)).toBe(loaded);
    fc.assert(
      fc.property(responsesOf(sample), (text) => {
        expect(parse(loaded, [text])).toEqual(parse(sample.template, [text]));
        if (parse(loaded, [text]).refused !== null) return;
        const whole = parseWithResponseTemplate(sample.template, text, { prefix: '' });
        expect(parseWithResponseTemplate(loaded, text, { prefix: '' })).toEqual(whole);
        expect(parseBatchWithResponseTemplate(loaded, [text, text], { prefix: '' })).toEqual([whole, whole]);
      }),
      { numRuns: runs },
    );
  });

  it('does not care what the prompt wrote and what the model wrote', () => {
    fc.assert(
      fc.property(responsesOf(sample), fc.nat(1_000), (text, number) => {
        const place = number % (text.length + 1);
        // Half a pair at the end of a prompt is still half a pair.
        const split = parse(sample.template, [text.slice(place)], text.slice(0, place));
        expect(split).toEqual(parse(sample.template, [text]));
      }),
      { numRuns: runs },
    );
  });

  it('opens and closes regions in turn, and says their text in between', () => {
    fc.assert(
      fc.property(responsesOf(sample), (text) => {
        let open: string | null = null;
        for (const event of parse(sample.template, text.split('')).events) {
          if (event.type === 'region_open') {
            expect(open).toBeNull();
            open = event.field;
          } else {
            expect(event.field).toBe(open);
            if (event.type !== 'region_chunk') open = null;
          }
        }
        expect(open).toBeNull();
      }),
      { numRuns: Math.ceil(runs / 4) },
    );
  });
});

describe.each(samples)('nothing is thrown: $name', (sample) => {
  it('says what is malformed, and reads the rest', () => {
    fc.assert(
      fc.property(responsesOf(sample), fc.nat(1_000), (text, number) => {
        const options = { prefix: '', malformed: 'event' } as const;
        const parser = createResponseTemplateParser(sample.template, options);
        const place = number % (text.length + 1);
        const events = [...parser.feed(text.slice(0, place)), ...parser.feed(text.slice(place))];
        events.push(...parser.finish().events);
        const counts = (type: string) => events.filter((event) => event.type === type).length;
        expect(counts('region_close') + counts('region_malformed')).toBe(counts('region_open'));
      }),
      { numRuns: runs },
    );
  });
});

describe('nothing is lost', () => {
  it('keeps all text between calls where it is to be joined', () => {
    const words = fc.array(fc.constantFrom('one', 'two', 'é😀', 'a < b', '\n'), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 4 }), (stretches) => {
        const texts = stretches.map((stretch) => stretch.join(' '));
        const options = { prefix: '', reopenedText: 'join' } as const;
        const message = parseWithResponseTemplate(tagged.template, texts.join('<call>{}</call>'), options);
        expect(message.content ?? '').toBe(texts.join('').trim());
      }),
      { numRuns: runs },
    );
  });
});

describe('cost', () => {
  /** How often each character is looked at. */
  function cost(template: ResponseTemplate, text: string): number {
    const chunks = text.match(/.{1,4}/gs) ?? [];
    return countedWork(() => parse(template, chunks)) / text.length;
  }

  const endless: ResponseTemplate = {
    start_anchor: '@',
    fields: { content: {}, calls: { open_pattern: '<to=(?P<to>\\w+).*?>>', transform: '{to}' } },
  };

  const looking: ResponseTemplate = {
    start_anchor: '@',
    fields: { content: {}, calls: { open_pattern: '(?<!x)<t>(?!z)', close: '</t>' } },
  };

  it.each([
    ['text', tagged.template, '', 'some words, a < b and more\n'],
    ['calls', tagged.template, '', '<call>{"name":"f"}</call> and\n'],
    ['one long argument', tagged.template, '<call>{"name":"', 'argument text \\n '],
    ['an opener that never ends', endless, '<to=f ', 'x> '],
    ['text next to a lookaround', looking, '', 'words < more <t>z and\n'],
  ])('of %s grows with its length only', (_name, template, opener, piece) => {
    const text = (size: number) => opener + piece.repeat(size / piece.length);
    const ratio = cost(template, text(100_000)) / cost(template, text(12_500));
    expect(ratio).toBeLessThan(1.2);
  });
});
