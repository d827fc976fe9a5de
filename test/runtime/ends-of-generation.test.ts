/**
 * Model files mark tokens as ends of generation that a format has for markers: converters go by a token's name. A
 * response ends when its format and its grammar say so. Every format, its special tokens marked as ends in every way
 * in which a file can (`eos`, `eot`, `eom`): a response is whole, and one that ends early is a typed error wherever
 * the request asks for more. Formats and markings are drawn; all of them in the long variant.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { tinyModelFile } from '../../examples/support/small-models.ts';
import { DecodingError } from '../../src/format/errors.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createGbnfMatcher } from '../../src/language/gbnf/gbnf-expression.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { markerEndsAt } from '../../src/runtime/engine/masks/marker-ends.ts';
import { MarkerTokens } from '../../src/runtime/engine/tokens/marker-tokens.ts';
import { tokenBias } from '../../src/runtime/node-llama-cpp/token-bias.ts';
import { brokenEnds, markings, openVocabulary, responsesOf } from '../support/ends-law.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { lawTools } from '../support/law-tools.ts';
import { readVocabulary } from '../support/read-vocabulary.ts';
import { UnendedResponse, writeTokens } from '../support/scripted-run.ts';
import { testLlama } from '../support/test-models.ts';

const long = process.env.LAWS === 'long';
const seed = Number(process.env.SEED);
/** Formats that have markers in several roles, and one whose end of a turn also begins a call, are always tried. */
const always = [
  'openai-gpt-oss-120b',
  'kimi-k3',
  'upstage-solar-open-100b',
  'google-gemma-4-31b-it',
  'gigachat3-10b-a1.8b',
];
/** So many others are drawn. */
const drawnFormats = 3;
const all = generatedFormats().filter(
  ({ format }) => format.calls !== null && format.preservedTokens.length > 0,
);
const others = all.filter(({ name }) => !always.includes(name));
const drawn = Array.from({ length: drawnFormats }, (_, index) => drawnOf(others, index)?.name ?? '');
const formats = all.filter(({ name }) => long || always.includes(name) || drawn.includes(name));

/** One of `list`, the same for the same seed. */
function drawnOf<Item>(list: readonly Item[], salt: number): Item | undefined {
  const mixed = Math.imul(seed + Math.imul(salt + 1, 0x9e3779b1), 0x85ebca6b) >>> 8;
  return list[mixed % list.length];
}

/** Every marking of one, two and three texts; without the long variant, one that is drawn of each. */
function tried(texts: readonly string[]): readonly { readonly marked: readonly string[] }[] {
  const groups = markings(texts);
  const chosen = long ? groups.flat() : groups.map((group, index) => drawnOf(group, index) ?? []);
  return chosen.filter((marked) => marked.length > 0).map((marked) => ({ marked }));
}

describe.each(formats)('$name', ({ format }) => {
  it.each(tried(format.preservedTokens))(
    'is whole, or says that it is not, where ends are $marked',
    async ({ marked }) => {
      expect(await brokenEnds(format, marked)).toEqual([]);
    },
  );
});

/** The format with this name. */
function formatOf(name: string) {
  const found = all.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no format ${name}`);
  return found.format;
}

describe('the end of a turn with which calls begin, too', () => {
  const format = formatOf('gigachat3-10b-a1.8b');
  const separator = '<|message_sep|>';
  const written = `Hello.${separator}`;

  it.each([true, false])('is told by what follows (marked as an end: %j)', async (isMarked) => {
    const controls = [...format.preservedTokens, '<|really the end|>'];
    const { model, vocabulary } = await openVocabulary(controls, isMarked ? [separator] : []);
    const request = { tools: lawTools, toolChoice: 'auto', generationPrompt: format.turn.start } as const;
    const options = { model, vocabulary, format, request, choose: () => 0, special: true, inject: true };
    const call = responsesOf(format).find((each) => each.request.toolChoice === 'auto')?.text ?? '';
    const called = writeTokens({ ...options, text: `Hello.${call}` }).message;
    expect(called.content).toBe('Hello.');
    expect(called.tool_calls?.length).toBe(1);
    for (const after of ['', '\n\n', '\n\nuser<|role_sep|>\nAnd', '\n\nfunction x', ' A']) {
      const { message } = writeTokens({ ...options, text: `${written}${after}` });
      expect(message).toEqual({ role: 'assistant', content: 'Hello.' });
    }
    await model.dispose();
  });
});

describe('an end within the opener of a call that may come', () => {
  it('is a message that says so, and loses no text', async () => {
    const format = formatOf('deepseek-v2.5-236b');
    const { model, vocabulary } = await openVocabulary([...format.preservedTokens, ...format.stops], []);
    const end = model.tokens.eos;
    if (end === null) throw new Error('there is no such token');
    const request = { tools: lawTools, toolChoice: 'auto', generationPrompt: format.turn.start } as const;
    const options = { model, vocabulary, format, request, choose: () => 0, special: true, inject: true, end };
    const opener = '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>';
    const { message } = writeTokens({ ...options, text: opener });
    expect(message.tool_calls).toBeUndefined();
    expect(message.content).toBe(opener);
    expect(message.repaired).toMatchObject([{ law: 'quoted' }, { law: 'quoted' }]);
    expect(writeTokens({ ...options, text: 'Hello.' }).message.content).toBe('Hello.');
    await model.dispose();
  });
});

describe('the end of a message that also ends thoughts', () => {
  const restarting = formats.filter(
    ({ format: { content, preservedTokens, turn } }) =>
      content.open !== '' && turn.restart && preservedTokens.some((text) => turn.ends.includes(text)),
  );
  it.each(restarting)('ends the answer of $name', async ({ format }) => {
    const end = format.preservedTokens.find((text) => format.turn.ends.includes(text)) ?? '';
    const { model, vocabulary } = await openVocabulary([...format.preservedTokens, ...format.stops], [end]);
    const token = vocabulary.specials.get(end)?.token;
    if (token === undefined) throw new Error('there is no such token');
    const request = { tools: lawTools, toolChoice: 'auto', generationPrompt: format.turn.start } as const;
    const options = { model, vocabulary, format, request, choose: () => 0, special: true, inject: true };
    const text = `${format.content.open}Hello.`;
    expect(writeTokens({ ...options, text, end: token }).message.content).toBe('Hello.');
    // A preamble has an opener of its own; a call may follow.
    for (const open of format.alternatives?.content ?? []) {
      const preamble = { ...options, text: `${open}Let me look.`, end: token };
      expect(() => writeTokens(preamble)).toThrow(UnendedResponse);
    }
    await model.dispose();
  });
  it('is tried', () => expect(restarting.map(({ name }) => name)).toContain('openai-gpt-oss-120b'));
});

describe('the end of a message that no file marks', () => {
  const format = formatOf('openai-gpt-oss-120b');
  const final = '<|channel|>final<|message|>';
  const thoughts = '<|channel|>analysis<|message|>I think.<|end|><|start|>assistant';
  const preamble = '<|channel|>commentary<|message|>Let me look.<|end|><|start|>assistant';
  const more = '<|start|>assistant<|channel|>final<|message|>And more.<|end|>';

  it('ends an answer, and nothing before it', async () => {
    const { model, vocabulary } = await openVocabulary([...format.preservedTokens, ...format.stops], []);
    const request = { tools: lawTools, toolChoice: 'auto', generationPrompt: format.turn.start } as const;
    const options = { model, vocabulary, format, request, special: true, inject: true };
    const texts = ['', thoughts, preamble].flatMap((before) =>
      [0, 1, 2].map((choice) => ({ before, choice })),
    );
    for (const { before, choice } of texts) {
      const choose = (count: number) => (choice === 0 ? 0 : Math.max(0, count - choice));
      const answer = writeTokens({ ...options, choose, text: `${before}${final}Hello.<|end|>${more}` });
      expect(answer.message.content).toMatch(/Hello\.$/);
      expect(answer.message.malformed).toBeUndefined();
    }
    await model.dispose();
  });
});

describe('an end of generation that is none of the markers', () => {
  it('is an error where a call is demanded', async () => {
    const format = formatOf('openai-gpt-oss-120b');
    const { model, vocabulary } = await openVocabulary(
      [...format.preservedTokens, ...format.stops],
      ['<|end|>', '<|return|>'],
    );
    const end = vocabulary.specials.get('<|return|>')?.token;
    if (end === undefined) throw new Error('there is no such token');
    const request = { tools: lawTools, toolChoice: 'required', generationPrompt: format.turn.start } as const;
    const text = '<|channel|>analysis<|message|>I think';
    const options = {
      model,
      vocabulary,
      format,
      request,
      text,
      choose: () => 0,
      special: true,
      inject: true,
    };
    expect(() => writeTokens({ ...options, end })).toThrow(DecodingError);
    await model.dispose();
  });
});

describe("a call's opener in the prose of an answer", () => {
  it('begins no call where the parser has called it text', async () => {
    const format = formatOf('openai-gpt-oss-120b');
    const { model, vocabulary } = await openVocabulary([...format.preservedTokens, ...format.stops], []);
    const request = { tools: lawTools, toolChoice: 'auto', generationPrompt: format.turn.start } as const;
    const prose = 'Write to=functions.get_weather, then its arguments.';
    const text = `<|channel|>final<|message|>${prose}`;
    for (const choose of [() => 0, (count: number) => count - 1]) {
      const options = { model, vocabulary, format, request, text, choose, special: true, inject: true };
      const { message, injected } = writeTokens(options);
      expect(message).toEqual({ role: 'assistant', content: prose });
      expect(injected).toBe(0);
    }
    await model.dispose();
  });
});

describe('an end of generation from which llama.cpp takes the mark', () => {
  it('is text where the grammar takes its text and may not end', async () => {
    const format = formatOf('qwen-qwen3-0.6b');
    const names = ['<|return|>', '<|call|>', '<|end|>'];
    const controls = [...format.preservedTokens, ...format.stops, ...names];
    const { model, vocabulary } = await openVocabulary(controls, ['<|end|>']);
    const end = vocabulary.specials.get('<|end|>')?.token;
    if (end === undefined) throw new Error('there is no such token');
    expect(vocabulary.endsGeneration(end)).toBe(true);
    const request = { tools: lawTools, toolChoice: 'required', generationPrompt: format.turn.start } as const;
    const [{ text = '' } = {}] = responsesOf(format);
    const options = { model, vocabulary, format, request, choose: () => 0, special: true, inject: true, end };
    const inside = { ...options, text: text.slice(0, text.indexOf('Bern') + 2) };
    expect(() => writeTokens(inside)).toThrow('the response goes on after its end');
    await model.dispose();
  });
});

describe('where a marker that is an end of generation may come', () => {
  it('nothing that the grammar does not allow is drawn', async () => {
    const format = formatOf('openai-gpt-oss-120b');
    const { model, vocabulary } = await openVocabulary(
      [...format.preservedTokens, ...format.stops],
      ['<|end|>'],
    );
    const markers = new MarkerTokens(vocabulary, format.preservedTokens);
    const generationPrompt = format.turn.start;
    const { expression } = buildGrammar(format, {
      tools: lawTools,
      toolChoice: 'required',
      generationPrompt,
    });
    if (expression === null) throw new Error('nothing is enforced');
    for (const thoughts of ['', 'I think', 'I think <|', 'I think <|call|']) {
      const matcher = createMatcher(expression);
      expect(matcher.accept(`<|channel|>analysis<|message|>${thoughts}`)).toBe(true);
      const ends = markerEndsAt(matcher, markers, vocabulary);
      if (ends === null) throw new Error('the marker is not seen here');
      const drawn = Array.from({ length: vocabulary.size }, (_, token) => token).filter(
        (token) => ends.bias.get(token) !== Number.NEGATIVE_INFINITY && !ends.tokens.includes(token),
      );
      expect(drawn.filter((token) => !matcher.allows(vocabulary.bytesOf(token)))).toEqual([]);
      expect(drawn.length).toBeGreaterThan(256);
    }
    await model.dispose();
  });
});

/** A grammar in which `<|end|>`, which every file marks as an end, is one of few things that may come. */
it('a marker that is an end of generation is sampled where few tokens are allowed', async () => {
  const llama = await testLlama();
  const file = await tinyModelFile({ vocabulary: 'llama-spm', controls: ['<|end|>'] });
  const model = await llama.loadModel({ modelPath: file, gpuLayers: 0 });
  onTestFinished(() => model.dispose());
  const vocabulary = readVocabulary(model, file);
  const markers = new MarkerTokens(vocabulary, ['<|end|>']);
  const matcher = createGbnfMatcher('root ::= "<|end|>" "more" | "7"');
  const { bias = null } = markerEndsAt(matcher, markers, vocabulary) ?? {};
  if (bias === null) throw new Error('the marker is not seen here');
  const context = await model.createContext({ contextSize: 64, threads: 1 });
  const sequence = context.getSequence();
  const sampled = new Set<string>();
  // All three are as likely as each other for random weights, give or take: one is missed once in a million times.
  for (let seed = 1; seed <= 60; seed++) {
    const options = {
      tokenBias: tokenBias(bias, model),
      temperature: 2,
      topK: 0,
      topP: 1,
      seed,
      yieldEogToken: true,
    };
    await sequence.clearHistory();
    for await (const token of sequence.evaluate(model.tokenize('a'), options)) {
      sampled.add(Buffer.from(vocabulary.bytesOf(token)).toString());
      break;
    }
  }
  expect([...sampled].sort()).toEqual(['7', '<', '<|end|>']);
});
