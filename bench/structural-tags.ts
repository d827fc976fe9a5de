/**
 * What XGrammar takes to compile our structural tags and those of its registry, for a vocabulary of 152,000 tokens:
 * milliseconds of processor time, the least of a few rounds in turn. Then, what a mask under ours takes at each
 * character of a text with a call: the mean and the longest.
 *
 *     npx tsx --conditions=idiolect:source bench/structural-tags.ts FOLDER [FORMAT…]
 *
 * FOLDER holds `structural-tags.json`; a format is named as in `generated/`. Default: all.
 */
import fs from 'node:fs';
import path from 'node:path';
import { loadVocabulary } from '../examples/support/small-models.ts';
import type { ChatFormat } from '../src/format/chat-format.ts';
import type { JsonObject, Tool } from '../src/format/messages.ts';
import { isRecord } from '../src/format/option-rules.ts';
import { buildStructuralTag } from '../src/grammar/structural-tag/build-structural-tag.ts';
import { writeResponse } from '../src/layout/write-response.ts';
import { tokenTexts } from '../src/testing/index.ts';
import { generatedFormats } from '../test/support/generated-formats.ts';
import { loadXGrammarPackage } from '../test/support/xgrammar.ts';
import { cpuTime, median } from './processor-time.ts';

const rounds = Number(process.env.REPEATS ?? 4);

interface Registry {
  readonly tools: readonly Tool[];
  /** By format, tool choice, and whether the model thinks: `glm-4.6|auto|True`. */
  readonly tags: Readonly<Record<string, JsonObject>>;
}

const [folder = '', ...chosen] = process.argv.slice(2);
const { tools, tags }: Registry = JSON.parse(
  fs.readFileSync(path.join(folder, 'structural-tags.json'), 'utf8'),
);
const { TokenizerInfo, GrammarCompiler, GrammarMatcher } = loadXGrammarPackage();
const texts = tokenTexts(await loadVocabulary({ vocabulary: 'qwen2' }));
const info = await TokenizerInfo.createTokenizerInfo(texts, 'byte_level', false, texts.length, [151_643]);
const compiler = await GrammarCompiler.createGrammarCompiler(info, false);
const formats = new Map(generatedFormats().map(({ name, format }) => [name, format]));

/** Without fields that say nothing, some of which an older XGrammar does not know. */
function withoutUnset(tag: JsonObject): JsonObject {
  const isSet = (value: unknown) => value !== null && !(Array.isArray(value) && value.length === 0);
  return JSON.parse(JSON.stringify(tag), (_, value) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).filter(([, each]) => isSet(each))) : value,
  );
}

/** Milliseconds that a tag takes; `null` for one that this XGrammar does not read. */
async function compile(tag: object): Promise<number | null> {
  const before = cpuTime();
  try {
    (await compiler.compileStructuralTag(tag)).dispose();
  } catch {
    return null;
  }
  return cpuTime() - before;
}

/** The registry's tag and ours, in turn. */
async function compare(theirs: object, ours: object): Promise<readonly [number, number] | null> {
  let least: readonly [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round += 1) {
    const [registry, own] = [await compile(theirs), await compile(ours)];
    if (own === null) throw new Error('XGrammar does not read our tag');
    if (registry === null) return null;
    least = [Math.min(least[0], registry), Math.min(least[1], own)];
  }
  return least;
}

/** Milliseconds that the mask takes at the beginning of `text` and after each of its characters. */
async function masks(tag: object, text: string): Promise<readonly number[]> {
  const compiled = await compiler.compileStructuralTag(tag);
  const least: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const matcher = await GrammarMatcher.createGrammarMatcher(compiled);
    for (const [at, char] of ['', ...text].entries()) {
      if (char !== '' && !matcher._acceptString(char)) throw new Error(`refused: ${text.slice(0, at)}`);
      const before = cpuTime();
      await matcher.getNextTokenBitmask();
      least[at] = Math.min(least[at] ?? Number.POSITIVE_INFINITY, cpuTime() - before);
    }
    matcher.dispose();
  }
  compiled.dispose();
  return least;
}

/** A response with a call, after what the prompt has opened. */
function responseText(format: ChatFormat, opened: string): string {
  const given = JSON.stringify({ city: 'Bern', days: 3 });
  const called = { name: 'get_weather', arguments: given };
  const calls = [{ id: 'abcdef123', type: 'function', function: called }] as const;
  const thoughtful = { reasoning_content: 'It is about the weather.' };
  const message = { role: 'assistant', content: null, tool_calls: calls } as const;
  const written = [{ ...message, ...thoughtful }, message].map((each) => writeResponse(format, each));
  return written.find((each) => each.startsWith(opened))?.slice(opened.length) ?? '';
}

const ratios = new Map<string, number[]>();
console.log(
  `${'format, choice, thinks'.padEnd(52)} registry     ours   ratio   bytes: registry  ours   mask: mean, longest`,
);
for (const [key, theirs] of Object.entries(tags)) {
  const [name = '', choice, thinks] = key.split('|');
  const format = formats.get(name);
  if (format === undefined || (chosen.length > 0 && !chosen.includes(name))) continue;
  const { start, prompt } = format.turn;
  const opened = thinks === 'True' ? prompt.on : prompt.off;
  const generationPrompt = start + opened;
  const toolChoice = choice === 'required' ? 'required' : 'auto';
  const { tag } = buildStructuralTag(format, { tools, toolChoice, generationPrompt });
  const least = tag === null ? null : await compare(withoutUnset(theirs), tag);
  if (least === null) {
    console.log(`${key.padEnd(52)} the registry's tag is not read`);
    continue;
  }
  const [registry, own] = least;
  const sizes = [theirs, tag].map((each) => String(JSON.stringify(each).length).padStart(9));
  const figures = [registry, own].map((time) => time.toFixed(1).padStart(9));
  const times = tag === null ? [] : await masks(tag, responseText(format, opened));
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const shown = [mean, Math.max(...times)].map((time) => time.toFixed(2).padStart(9));
  const ratio = (own / registry).toFixed(2).padStart(7);
  console.log(`${key.padEnd(52)}${figures.join('')} ${ratio}   ${sizes.join('')}${shown.join('')}`);
  ratios.set(name, [...(ratios.get(name) ?? []), own / registry]);
}
console.log('\nratio per format, the median of its tags');
for (const [name, all] of ratios) console.log(`${name.padEnd(52)} ${median(all).toFixed(2)}`);
console.log(`median of the formats: ${median([...ratios.values()].map(median)).toFixed(2)}`);
process.exit(0);
