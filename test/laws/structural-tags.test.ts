/**
 * Structural tags, judged by XGrammar itself: it accepts what templates render, refuses what misses narrowly, and
 * reads a tag as our matcher reads the tree that the tag was made of.
 */
import { afterAll, describe, expect, it } from 'vitest';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import type { AssistantMessage, JsonObject, ToolChoice } from '../../src/format/messages.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import type { GrammarOptions } from '../../src/grammar/grammar-options.ts';
import {
  type BuiltStructuralTag,
  buildStructuralTag,
} from '../../src/grammar/structural-tag/build-structural-tag.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { lawTools } from '../support/law-tools.ts';
import { sampled } from '../support/sample.ts';
import { mutate, sampleGrammar, seededRandom } from '../support/sample-grammar.ts';
import { structuralTagMatcher } from '../support/xgrammar.ts';

const isLong = process.env.LAWS === 'long';
/** Texts of each kind for each choice after each state of a prompt: in the long form over 10,000 altogether. */
const samples = isLong ? 40 : 1;
/** One for each way of writing calls. */
const some = [
  'qwen-qwen3-0.6b',
  'glm-4.6',
  'qwen3-coder',
  'meta-llama-llama-3.1-8b-instruct',
  'mistralai-mistral-nemo-instruct-2407',
  'openai-gpt-oss-120b',
  'kimi-k3',
  'google-gemma-4-31b-it',
];
const formats = sampled(
  generatedFormats().filter(({ name, format }) => format.calls !== null && (isLong || some.includes(name))),
  3,
);
const named: ToolChoice = { type: 'function', function: { name: 'get_weather' } };
const valid: JsonObject = { city: 'Bern', days: 3, unit: 'celsius' };

function call(
  name: string,
  given: JsonObject,
  id = 'abcdef123',
): NonNullable<AssistantMessage['tool_calls']>[0] {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(given) } };
}

function calling(...calls: readonly ReturnType<typeof call>[]): AssistantMessage {
  return { role: 'assistant', content: null, tool_calls: calls };
}

const weather = calling(call('get_weather', valid));
const both = calling(call('get_weather', valid), call('list_files', {}, 'ghijkl456'));
const text: AssistantMessage = { role: 'assistant', content: 'It is sunny.' };

/** The response text after a generation prompt; `null` where a template renders none for the message. */
function responseText(format: ChatFormat, message: AssistantMessage, opened: string): string | null {
  const { reasoning } = format;
  const thoughtful =
    reasoning === null ? message : { ...message, reasoning_content: 'Hm, <tool_call> or not?' };
  for (const each of [thoughtful, message]) {
    const written = writeResponse(format, each);
    if (written.startsWith(opened)) return written.slice(opened.length);
  }
  return null;
}

/** Renders, and under which choices they must be accepted. */
function renders(format: ChatFormat, opened: string): readonly (readonly [ToolChoice, string])[] {
  const several = format.calls?.parallel === true;
  const messages: readonly (readonly [ToolChoice, AssistantMessage])[] = [
    ['auto', text],
    ['auto', weather],
    ...(several
      ? ([
          ['auto', both],
          ['required', both],
        ] as const)
      : []),
    ['required', weather],
    ['required', calling(call('list_files', {}))],
    [named, weather],
    ['none', text],
  ];
  return messages.flatMap(([choice, message]) => {
    const written = responseText(format, message, opened);
    return written === null ? [] : [[choice, written] as const];
  });
}

/** Whether a model that may write text has begun a call in `written`; where names begin calls, another name is text. */
function beginsCall(format: ChatFormat, opened: string, written: string): boolean {
  const generationPrompt = format.turn.start + opened;
  const { triggers } = buildGrammar(format, { tools: lawTools, toolChoice: 'auto', generationPrompt });
  return triggers.some(({ type, value }) =>
    type === 'word' ? written.includes(value) : new RegExp(value).test(written),
  );
}

/** Ten kinds of texts that miss narrowly; each is refused under all of its choices. */
function nearMisses(format: ChatFormat, opened: string): readonly (readonly [string, ToolChoice, string])[] {
  const write = (message: AssistantMessage): string | null => responseText(format, message, opened);
  const good = write(weather);
  const answer = write(text);
  if (good === null) return [];
  const changed = (given: JsonObject): string | null => write(calling(call('get_weather', given)));
  const kinds: readonly (readonly [string, ToolChoice, string | null])[] = [
    ['a tool that is none', 'auto', write(calling(call('get_weathex', valid)))],
    ['a required argument is missing', 'auto', changed({ days: 3 })],
    ['an argument of the wrong type', 'auto', changed({ city: 'Bern', days: 'soon' })],
    ['a value that is not in the enum', 'auto', changed({ city: 'Bern', unit: 'kelvin' })],
    ['an argument that is none', 'auto', changed({ city: 'Bern', wind: 'none' })],
    ['a number that is none', 'required', changed({ city: 'Bern', days: 1.5 })],
    ['text after the call', 'required', `${good} Done.`],
    ['text in place of a call', 'required', answer],
    ['another tool than the one that is named', named, write(calling(call('list_files', {})))],
    ['half a call', 'auto', good.trimEnd().slice(0, -Math.ceil(good.trimEnd().length / 5))],
  ];
  return kinds.flatMap(([kind, choice, written]) => {
    if (written === null || written === good) return [];
    if (choice === 'auto' && !beginsCall(format, opened, written)) return [];
    return [[kind, choice, written] as const];
  });
}

/** `null` where the format refuses to be asked for it. */
function tagOf(format: ChatFormat, options: GrammarOptions): BuiltStructuralTag | null {
  try {
    return buildStructuralTag(format, options);
  } catch (error) {
    if (error instanceof UnsupportedOptionError) return null;
    throw error;
  }
}

/** What was judged, told by the long form: a law that judges nothing holds, too. */
const judged = { renders: 0, 'near misses': 0, derived: 0, damaged: 0 };
afterAll(() => {
  if (isLong) console.log(`judged by XGrammar: ${JSON.stringify(judged)}`);
  for (const [what, count] of Object.entries(judged)) expect(count, what).toBeGreaterThan(0);
});

describe.each(formats)('$name', ({ format }) => {
  const { prompt, start } = format.turn;
  const states = [...new Set([prompt.unset, prompt.on, prompt.off])];

  describe.each(states)('after %j', (opened) => {
    const generationPrompt = start + opened;
    const cached = new Map<string, Promise<(text: string) => Promise<boolean>>>();
    const accepts = (toolChoice: ToolChoice, written: string): Promise<boolean> => {
      const key = JSON.stringify(toolChoice);
      const known = cached.get(key);
      const tag =
        known === undefined ? tagOf(format, { tools: lawTools, toolChoice, generationPrompt }) : null;
      const matcher = known ?? structuralTagMatcher(tag?.tag ?? { type: 'any_text' });
      cached.set(key, matcher);
      return matcher.then((match) => match(written));
    };

    it('accepts what the template renders', async () => {
      for (const [choice, written] of renders(format, opened)) {
        judged.renders += 1;
        expect({ choice, written, accepted: await accepts(choice, written) }).toMatchObject({
          accepted: true,
        });
      }
    });

    it('refuses what misses narrowly', async () => {
      for (const [kind, choice, written] of nearMisses(format, opened)) {
        judged['near misses'] += 1;
        expect({ kind, written, accepted: await accepts(choice, written) }).toMatchObject({
          accepted: false,
        });
      }
    });

    it('is read by XGrammar as the tree that it is made of, broken texts included', async () => {
      for (const toolChoice of ['auto', 'required', named, 'none'] as const) {
        const built = tagOf(format, { tools: lawTools, toolChoice, generationPrompt });
        if (built?.tag == null || built.expression === null) continue;
        const match = await structuralTagMatcher(built.tag);
        for (let seed = 1; seed <= samples; seed++) {
          const derived = sampleGrammar(built.expression, seededRandom(seed));
          const damaged = mutate(derived, seededRandom(seed));
          for (const [kind, each] of Object.entries({ derived, damaged })) {
            // NUL ends a text for XGrammar, and half a pair is no text at all.
            if (each.includes('\0') || /\p{Surrogate}/u.test(each)) continue;
            judged[kind === 'derived' ? 'derived' : 'damaged'] += 1;
            const matcher = createMatcher(built.expression);
            const ours = matcher.accept(each) && matcher.complete;
            expect({ each, accepted: await match(each) }).toEqual({ each, accepted: ours });
          }
        }
      }
    }, 900_000);
  });
});
