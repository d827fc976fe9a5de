/**
 * Reader and grammar speak one language: what the parser reads as a valid call of an offered tool, without loss, is
 * accepted by the grammar that would be in force there; what the grammar derives, the parser reads back. Over all formats,
 * notations, and changes of their spelling. Differences are listed with a reason (`listed-differences.ts`).
 */
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { parseJson } from '../../src/format/json-values.ts';
import type { JsonObject } from '../../src/format/messages.ts';
import { openCallGrammar, restNotations } from '../../src/grammar/open-call-grammar.ts';
import { ToolArguments } from '../../src/grammar/tool-arguments.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import type { OpenCall } from '../../src/parser/response-parser.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { InsistingWriter, type Written } from '../support/insisting-writer.ts';
import { sampled } from '../support/sample.ts';
import { sampleFormats } from '../support/sample-formats.ts';
import { sampleGrammar, seededRandom } from '../support/sample-grammar.ts';
import { type Change, changes, type Draw, withoutAbsent } from '../support/spellings/changes.ts';
import { type ListedDifference, listedDifferences } from '../support/spellings/listed-differences.ts';
import { type PlainCall, spelledTools, spellings } from '../support/spellings/spelled-call.ts';

const isLong = process.env.LAWS === 'long';
/** Texts of each format; some 20,000 in the long run. */
const runs = isLong ? 240 : 20;

const all = [...sampleFormats.map(([name, format]) => ({ name, format })), ...generatedFormats()].filter(
  ({ format }) => format.calls !== null,
);
/** Formats with equal calls and answers are tried once. */
const formats = [
  ...new Map(all.map((each) => [JSON.stringify([each.format.calls, each.format.content]), each])).values(),
];

const validators = new Map(
  spelledTools.map(({ function: { name, parameters } }) => [
    name,
    new Ajv({ strict: false }).compile(parameters ?? true),
  ]),
);

/** A call, and how it is spelled. */
interface Spelled {
  readonly spelling: string;
  readonly changes: readonly string[];
  readonly text: string;
  /** What it means. */
  readonly call: PlainCall;
  /** The text around it. */
  readonly content: string;
}

const input = fc
  .record(
    {
      place: fc.constantFrom(
        'Bern',
        'New York',
        'Zürich',
        'a "b" c',
        "Land's End",
        'x < y',
        'C:\\x',
        '{"a": 1}',
        '5',
        'null',
        'two\nlines',
      ),
      days: fc.integer({ min: 1, max: 14 }),
      unit: fc.constantFrom('celsius', 'kelvin'),
      price: fc.constantFrom(0.5, -3, 12),
      exact: fc.boolean(),
      tags: fc.constantFrom<string[]>([], ['a'], ['a', 'b c']),
      options: fc.constantFrom<JsonObject>({ open: true }, { open: false, level: 3 }),
    },
    { requiredKeys: ['place', 'days'] },
  )
  .map((values): PlainCall => {
    const keys = ['place', 'days', 'unit', 'price', 'exact', 'tags', 'options'] as const;
    const ordered = keys.flatMap((key) => (values[key] === undefined ? [] : [[key, values[key]] as const]));
    return { name: 'plan_trip', input: Object.fromEntries(ordered) };
  });
const call = fc.oneof(
  { weight: 7, arbitrary: input },
  { weight: 1, arbitrary: fc.constant<PlainCall>({ name: 'list_files', input: {} }) },
);
const spelling = fc.oneof(
  fc.constant('own'),
  fc.constantFrom(...Object.keys(spellings)),
  fc.constantFrom(...Object.keys(spellings)),
);
const someChanges = fc.oneof(
  { weight: 1, arbitrary: fc.constant<readonly Change[]>([]) },
  { weight: 7, arbitrary: fc.constantFrom(...changes).map((change) => [change]) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...changes), fc.constantFrom(...changes)) },
);
const seeds = fc.integer({ min: 0, max: 0x7fffffff });

function drawFrom(seed: number): Draw {
  const random = seededRandom(seed);
  return {
    pick: (items) => items[Math.floor(random() * items.length)] ?? expect.fail('nothing to pick from'),
    below: (bound) => Math.floor(random() * bound),
  };
}

/** Spells a call with these changes, as far as they change anything. */
function spell(
  format: ChatFormat,
  meant: PlainCall,
  name: string,
  wanted: readonly Change[],
  draw: Draw,
): Spelled {
  const used: Change[] = [];
  let changed = meant;
  for (const change of wanted) {
    const other = change.call?.(changed, draw);
    if (other == null) continue;
    changed = other;
    used.push(change);
  }
  let text = (spellings[name] ?? expect.fail(name))(changed, format);
  for (const change of wanted) {
    const other = change.text?.(text, draw);
    if (other == null || other === text) continue;
    text = other;
    used.push(change);
  }
  const content = used.flatMap(({ around = [] }) => around).filter((each) => each !== '');
  return {
    spelling: name,
    changes: used.map((change) => change.name),
    text,
    call: { name: changed.name, input: withoutAbsent(changed.input) },
    content: [...new Set(content)].sort().join(' '),
  };
}

/** Whether a message is this call and no other, and nothing of the text was lost. */
function isExactly(
  { tool_calls: calls = [], content, malformed }: ResponseMessage,
  spelled: Spelled,
): boolean {
  const read = calls.map(({ function: { name, arguments: json } }) => [name, JSON.parse(json)]);
  const text = (content ?? '')
    .trim()
    .split(/\s*\n\s*/)
    .sort()
    .join(' ')
    .trim();
  if (malformed !== undefined || text !== spelled.content) return false;
  return (
    JSON.stringify(sortedKeys(read)) === JSON.stringify(sortedKeys([[spelled.call.name, spelled.call.input]]))
  );
}

/** Order of keys does not matter. */
function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([key, each]) => [key, sortedKeys(each)])
    .sort(([left], [right]) => (String(left) < String(right) ? -1 : 1));
}

function grammarOf({ grammar }: Written): string {
  if (grammar === null || grammar === 'response') return grammar ?? 'none';
  return grammar.kind;
}

const used = new Set<ListedDifference>();

/** The reason why the grammar refuses a text that the parser reads. */
function listed(spelled: Spelled, grammar: string): ListedDifference | undefined {
  const found = listedDifferences.find((each) => {
    return (
      (each.changes === undefined || each.changes.some((change) => spelled.changes.includes(change))) &&
      (each.grammars === undefined || each.grammars.some((name) => name === grammar)) &&
      (each.spellings === undefined || each.spellings.includes(spelled.spelling))
    );
  });
  if (found !== undefined) used.add(found);
  return found;
}

let texts = 0;
let exact = 0;

describe.each(sampled(formats, 9))('$name', ({ name, format }) => {
  const writer = new InsistingWriter();
  const generationPrompt = format.turn.start;

  it('accepts what the parser reads', () => {
    fc.assert(
      fc.property(
        call,
        spelling,
        someChanges,
        seeds,
        fc.integer({ min: 1, max: 6 }),
        (meant, notation, wanted, seed, length) => {
          const spelled = spell(format, meant, notation, wanted, drawFrom(seed));
          const parser = createResponseParser(format, { tools: spelledTools, generationPrompt });
          parser.feed(spelled.text);
          const written = writer.write(format, spelled.text, [length], { tools: spelledTools });
          texts += 1;
          for (const { function: called, assurance } of written.message.tool_calls ?? []) {
            const isValid = validators.get(called.name)?.(JSON.parse(called.arguments)) === true;
            expect([spelled.text, assurance, isValid]).toEqual([spelled.text, expect.any(String), true]);
          }
          if (!isExactly(parser.finish().message, spelled)) return;
          exact += 1;
          const isWritten = !written.isRefused && written.text.length >= spelled.text.trimEnd().length;
          if (isWritten)
            expect(isExactly(written.message, spelled), JSON.stringify([spelled, written.message])).toBe(
              true,
            );
          else
            expect(
              listed(spelled, grammarOf(written)),
              JSON.stringify([name, grammarOf(written), spelled]),
            ).toBeDefined();
        },
      ),
      { numRuns: runs },
    );
  });

  it('reads back what the grammar derives after the name', () => {
    const calls = turnLayout(format).calls ?? expect.fail('no calls');
    const options = { policy: 'strict', argumentOrder: 'later' } as const;
    const parts = { calls, library: new ToolArguments(calls, options), options };
    fc.assert(
      fc.property(call, spelling, seeds, (meant, notation, seed) => {
        const { text } = spell(format, meant, notation, [], drawFrom(seed));
        const open = openCallIn(format, text, writer);
        const tool = spelledTools.find((each) => each.function.name === open?.toolName);
        if (open === null || tool === undefined) return;
        const [rest] = restNotations(calls, open);
        const grammar = rest === undefined ? null : openCallGrammar(parts, tool, rest);
        if (rest === undefined || grammar === null) return;
        const derived = text.slice(0, open.from) + sampleGrammar(grammar, seededRandom(seed));
        const written = writer.write(format, derived, [1], { tools: spelledTools });
        const { tool_calls: read = [] } = written.message;
        const told = JSON.stringify([rest, derived, written.message]);
        expect([written.isRefused, written.text, read.length], told).toEqual([false, derived, 1]);
        for (const { function: called, assurance } of read) {
          const value = JSON.parse(called.arguments);
          // Without arguments, a call may be over before it is known to be one.
          const isAssured = assurance === (called.arguments === '{}' ? assurance : 'enforced');
          expect([isAssured, validators.get(called.name)?.(value)], told).toEqual([true, true]);
          if (rest.kind !== 'json') continue;
          expect(sortedKeys(value), told).toEqual(sortedKeys(jsonArguments(derived, open.from)));
        }
      }),
      { numRuns: runs / 4 },
    );
  });
});

/** The call of an offered tool whose rest a grammar takes over in a text; `null` if that of the response does. */
function openCallIn(format: ChatFormat, text: string, writer: InsistingWriter): OpenCall | null {
  const parser = createResponseParser(format, { tools: spelledTools, generationPrompt: format.turn.start });
  const units = Array.from(text);
  const at = units.findIndex((unit) => {
    parser.feed(unit);
    return parser.openCall !== null && parser.openCall.from >= 0;
  });
  const begun = units.slice(0, at + 1).join('');
  const { grammar } = writer.write(format, begun, [1], { tools: spelledTools, cut: true });
  return grammar === null || grammar === 'response' ? null : parser.openCall;
}

/** The arguments in JSON from `from` on, as a parser of JSON reads them, without what is `null` for absent. */
function jsonArguments(text: string, from: number): JsonObject {
  const rest = text.slice(from).trimEnd();
  for (let end = rest.length; end > 0; end--) {
    const value = parseJson(rest.slice(0, end));
    if (value !== undefined) return withoutAbsent(value as JsonObject);
  }
  return expect.fail(`no JSON: ${text}`);
}

afterAll(() => {
  // The reader reads about half of these texts or more, and in the long run no listed difference is out of date.
  expect(exact).toBeGreaterThan(texts / 4);
  const unused = listedDifferences.filter((each) => !used.has(each));
  if (isLong) expect(unused.map(({ reason }) => reason)).toEqual([]);
});
