/** Calls as JSON in a tag, whatever the format's own calls are: XGrammar and our matcher read the tag alike. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildStructuralTag } from '../../src/grammar/structural-tag/build-structural-tag.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { sampled } from '../support/sample.ts';
import { structuralTagMatcher } from '../support/xgrammar.ts';

function toolOf(name: string, properties: object, required: readonly string[]) {
  const parameters = { type: 'object', properties, required, additionalProperties: false };
  return { type: 'function', function: { name, parameters } } as const;
}

const days = { type: 'integer', minimum: 1, maximum: 7 };
/** One name begins with another. */
const tools = [
  toolOf('get_weather', { city: { type: 'string' }, days }, ['city']),
  toolOf('get_weather_at', { name: { type: 'string' } }, ['name']),
] as const;
const good = { name: 'get_weather', arguments: { city: 'Bern', days: 3 } };
const goodToo = { name: 'get_weather_at', parameters: { name: 'get_weather' } };
const bad = { name: 'get_weather', arguments: { city: 'Bern', days: 14 } };
const badToo = { name: 'get_weather_at', arguments: { days: 3 } };

const compact = (call: object) => JSON.stringify(call);
const spaced = (call: object) => compact(call).replaceAll('":', '": ').replaceAll(',"', ', "');
const indented = (call: object) => JSON.stringify(call, null, 2);
const layouts: readonly ((call: object) => string)[] = [
  compact,
  spaced,
  indented,
  (call) => `\n${spaced(call)}`,
  (call) => `\`\`\`json\n${indented(call)}\n\`\`\`\n`,
  (call) => `[${spaced(call)}, ${spaced(good)}]`,
  (call) => `[${spaced(good)}, ${spaced(call)}]`,
  (call) => `${spaced(good)}\n${spaced(call)}\nThat is all.`,
  (call) => `<tools>\n${indented(call)}\n</tools>`,
];

const formats = sampled(generatedFormats(), 4).flatMap(({ name, format }) => {
  if (format.calls === null) return [];
  const generationPrompt = format.turn.start + format.turn.prompt.off;
  const { tag, expression } = buildStructuralTag(format, { tools, generationPrompt, jsonCalls: true });
  return tag !== null && expression !== null ? [{ name, tag, expression }] : [];
});
/** Those whose prompt does not leave thoughts open. */
const withJson = formats.filter(
  ({ tag, expression }) =>
    JSON.stringify(tag).includes('"begin":"\\"name\\":') && createMatcher(expression).complete,
);

it('calls as JSON are in the tags of formats whose own calls end', () => {
  expect(withJson.length).toBeGreaterThan(0.1 * formats.length);
});

describe.each(sampled(withJson, 2))('the tag of $name', async ({ tag, expression }) => {
  const accepts = await structuralTagMatcher(tag);
  const matcher = createMatcher(expression);
  const readings = async (text: string) => {
    const own = matcher.clone();
    return [text, await accepts(text), own.accept(text) && own.complete];
  };

  it('has the arguments of an offered tool as they must be, in every layout', async () => {
    for (const layout of layouts) {
      for (const call of [good, goodToo]) {
        expect(await readings(layout(call))).toEqual([layout(call), true, true]);
      }
      for (const call of [bad, badToo]) {
        expect(await readings(layout(call))).toEqual([layout(call), false, false]);
      }
    }
  });

  it('leaves what is no call free', async () => {
    const texts = [
      '',
      'get_weather',
      `Never write ${spaced(bad)}, please.`,
      ...[{ name: 'Ann', arguments: { days: 14 } }, { name: 'get_weath' }, { name: 'get_weathers' }].map(
        indented,
      ),
      ...[{ name: 'get_weather' }, { name: 'get_weather', args: 14 }, { name: '' }, { name: 5 }].map(spaced),
      ...[{ name: { arguments: 1 } }, ['name', 'names']].map(compact),
    ];
    for (const text of texts) expect(await readings(text)).toEqual([text, true, true]);
  });

  it('is read alike by both for any JSON', async () => {
    const words = fc.constantFrom('name', 'arguments', 'parameters', 'get_weather', 'get_weather_at', 'city');
    const json = fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme-ascii' });
    const value = fc.dictionary(words, fc.oneof(words, json, fc.dictionary(words, words)), { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom(...layouts), async (each, layout) => {
        const [, theirs, ours] = await readings(layout(each));
        expect(theirs).toBe(ours);
      }),
      { numRuns: 40 },
    );
  });
});
