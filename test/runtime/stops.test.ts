/** What ends a response but the engine's own ends of generation: the turn's end in any token, and texts that were asked for. */
import { describe, expect, it } from 'vitest';
import { demoTools } from '../../examples/support/demo-tools.ts';
import { type PassedPieces, StopWatch, type TextPiece } from '../../src/runtime/chat/steering/stop-watch.ts';
import type { ChatOptions, EngineModel } from '../../src/runtime/engine/index.ts';
import { loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { readVocabulary } from '../support/read-vocabulary.ts';
import { chatTemplate, openScriptedChat } from '../support/small-chats.ts';
import { tinyModelFile, smallVocabulary as vocabulary } from '../support/small-vocabulary.ts';
import { scriptedModelFile, testLlama } from '../support/test-models.ts';

const request = {
  messages: [{ role: 'user', content: 'How warm is it in Bern?' }],
  tools: demoTools,
  maxTokens: 200,
} as const satisfies ChatOptions;
const call = '\n{"name": "get_weather", "arguments": {"city": "HALT", "unit": "celsius"}}\n';
const thoughts = ['<think>', '\nI see.\n', '</think>'];
const pieces = [
  ...thoughts,
  '\n\nLet me lo',
  'ok.',
  '<tool_call>',
  call,
  '</tool_call>',
  'HALT',
  '<|im_end|>',
];

async function answer(model: EngineModel, options: ChatOptions) {
  const stream = model.chat(options);
  let reason = '';
  for await (const event of stream) if (event.type === 'finish') reason = event.reason;
  const { content, reasoning_content, tool_calls = [] } = await stream.message;
  return { content: content?.trim() ?? '', thoughts: reasoning_content, calls: tool_calls.length, reason };
}

async function written(options: ChatOptions, script: readonly string[] = pieces) {
  const model = await openScriptedChat([{ request: options, pieces: script }]);
  const found = await answer(model, options);
  await model.dispose();
  return found;
}

const text = (piece: string): TextPiece => ({ text: piece, role: 'text' });
const marker = (piece: string): TextPiece => ({ text: piece, role: 'marker' });

/** What passed, with a `!` after it where the response is over. */
function shown({ pieces: passed, stopped }: PassedPieces): string {
  return passed.map((piece) => piece.text).join('') + (stopped ? '!' : '');
}

describe('a stop', () => {
  const whole = { content: 'Let me look.', thoughts: 'I see.', calls: 1, reason: 'tool-calls' };

  it.each([
    ['HALT', whole],
    ['loo', { ...whole, content: 'Let me', calls: 0, reason: 'stop' }],
    ['tool', { ...whole, content: 'Let me look.HALT' }],
    ['<tool_call>', { ...whole, calls: 0, reason: 'stop' }],
    ['ok.<tool_call>', { ...whole, content: 'Let me lo', calls: 0, reason: 'stop' }],
    ['look!<tool_call>', { ...whole, content: 'Let me look.HALT' }],
    ['see', { content: '', thoughts: 'I ', calls: 0, reason: 'stop' }],
    ['</think>', { content: '', thoughts: 'I see.\n', calls: 0, reason: 'stop' }],
  ])('%j counts in free text, as tokens of any kind, if all of it is searched', async (stop, expected) => {
    expect(await written({ ...request, stop: [stop], stopIn: 'response' })).toEqual(expected);
  });

  it.each([
    ['loo', { ...whole, content: 'Let me', calls: 0, reason: 'stop' }],
    ['me look', { ...whole, content: 'Let', calls: 0, reason: 'stop' }],
    ['HALT', { ...whole, content: 'Let me look.' }],
    ['see', { ...whole, content: 'Let me look.HALT' }],
    ['\n', { ...whole, content: 'Let me look.HALT' }],
    ['\n\n', { ...whole, content: 'Let me look.HALT' }],
    ['</think>', { ...whole, content: 'Let me look.HALT' }],
    ['ok.<tool_call>', { ...whole, content: 'Let me look.HALT' }],
    ['city', { ...whole, content: 'Let me look.HALT' }],
    ['look.H', { ...whole, content: 'Let me look.HALT' }],
  ])('%j counts in the answer', async (stop, expected) => {
    expect(await written({ ...request, stop: [stop] })).toEqual(expected);
  });

  it.each(['answer', 'response'] as const)('is told, searched in the %s', async (stopIn) => {
    const options = { ...request, stop: ['not there', 'look'], stopIn };
    const model = await openScriptedChat([{ request: options, pieces }]);
    const told: unknown[] = [];
    for await (const event of model.chat(options)) if (event.type === 'finish') told.push(event.stopSequence);
    await model.dispose();
    expect(told).toEqual(['look']);
  });

  it('counts in text that may hold no call', async () => {
    const options = { ...request, toolChoice: 'none', stop: ['look'] } as const;
    const found = await written(options, [...thoughts, '\n\nLet me lo', 'ok.', '<|im_end|>']);
    expect(found).toEqual({ content: 'Let me', thoughts: 'I see.', calls: 0, reason: 'stop' });
  });

  it.each([
    ['no|', [], 'no'],
    ['no|', ['\n'], 'no'],
    ['no|', ['\nca', 'n'], 'no!'],
    ['no|', ['\nca', 'll yes'], 'no|\ncall yes'],
    ['no|\ncall', ['|', '|'], 'no|\ncall!'],
  ])('is one only if another text does not follow: %j, %j', (opening, following, expected) => {
    const watch = new StopWatch([], [{ text: '|', unless: ['\ncall'] }]);
    let seen = '';
    for (const piece of [opening, ...following]) {
      const passed = watch.pass(text(piece));
      seen += shown(passed);
      if (passed.stopped) break;
    }
    seen += watch
      .cutOff()
      .map((piece) => piece.text)
      .join('');
    expect(seen).toBe(expected);
  });

  it('ends what is open before it', () => {
    const watch = new StopWatch(['ca'], [{ text: '|', unless: ['\ncall'] }]);
    expect(shown(watch.pass(text('no|\nca')))).toBe('no!');
  });

  it('is cut out of what was kept back', () => {
    const watch = new StopWatch(['b<x>', 'ab<x>', 'abc']);
    expect(shown(watch.pass(text('zab')))).toBe('z');
    expect(shown(watch.pass(marker('<y>')))).toBe('ab<y>');
    expect(shown(watch.pass(text('zab')))).toBe('z');
    expect(shown(watch.pass(marker('<x>')))).toBe('!');
    expect(watch.release()).toEqual([]);
  });

  it('may be several tokens, the last of which is the end of generation', () => {
    const stops = ['<c>msg<s><e>'];
    for (const [last, rest] of [
      ['<e>', ''],
      ['<other>', ''],
      [null, ''],
    ] as const) {
      const watch = new StopWatch(stops);
      const pieces = [text('Hi <'), marker('<c>'), text('msg'), marker('<s>')];
      expect(pieces.map((piece) => shown(watch.pass(piece))).join('')).toBe('Hi <');
      expect(
        watch
          .end(last)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(rest);
    }
    const watch = new StopWatch(stops);
    expect(shown(watch.pass(text('a <c>m')))).toBe('a ');
    expect(
      watch
        .end('<e>')
        .map((piece) => piece.text)
        .join(''),
    ).toBe('<c>m');
  });

  it('is none where it would cut a special token', () => {
    const watch = new StopWatch(['tool', '<to']);
    expect(shown(watch.pass(marker('<tool_call>')))).toBe('<tool_call>');
    expect(shown(watch.pass(text('a tool')))).toBe('a !');
  });
});

it.each([true, false])(
  'what may be a call is an event where the message has it: before the stop, %s',
  async (before) => {
    const said = 'I use the tool: get_weather, for Bern';
    const options = { ...request, thinking: false, stop: [before ? 'Bern' : 'tool'] } as const;
    const model = await openScriptedChat([{ request: options, pieces: [said, '<|im_end|>'] }]);
    const stream = model.chat(options);
    const told = [];
    for await (const event of stream) if (event.type === 'possible-call') told.push(event);
    expect(told).toEqual((await stream.message).possible_calls ?? []);
    expect(told).toHaveLength(before ? 1 : 0);
    await model.dispose();
  },
);

describe("a turn's end that the engine does not know as one", () => {
  it.each(['markers', 'controls'] as const)('ends the response: as one of the %s', async (role) => {
    const markers = ['<think>', '</think>', '<tool_call>', '</tool_call>'];
    const ends = ['<|go|>', '<|fin|>'];
    const tiny = {
      vocabulary,
      chatTemplate: chatTemplate.replaceAll('<|im_end|>', '<|fin|>').replaceAll('<|im_start|>', '<|go|>'),
      markers: role === 'markers' ? [...markers, ...ends] : markers,
      controls: role === 'controls' ? ends : [],
    };
    const llama = await testLlama();
    const file = await tinyModelFile(tiny);
    const weightless = await llama.loadModel({ modelPath: file, vocabOnly: true });
    const tokens = readVocabulary(weightless, file);
    const special = ends.flatMap((text) => tokens.specials.get(text)?.token ?? []);
    expect(special.map((token) => tokens.endsGeneration(token))).toEqual([false, false]);
    const [go = 0, fin = 0] = special;
    const script = [...tokens.encodePlain('Hello.'), fin, go, ...tokens.encodePlain('user\nWhat?')];
    await weightless.dispose();
    for (const toolChoice of ['auto', 'none'] as const) {
      const options = { ...request, toolChoice, maxTokens: script.length };
      const random = await loadModel(file, { llama, threads: 1, contextSize: 2048 });
      const { promptTokens: promptLength } = random.preview(options);
      await random.dispose();
      const scripted = await scriptedModelFile({ ...tiny, script, promptLength });
      const model = await loadModel(scripted, { llama, threads: 1, contextSize: 2048 });
      const found = await answer(model, options);
      await model.dispose();
      expect(found).toEqual({ content: 'Hello.', thoughts: undefined, calls: 0, reason: 'stop' });
    }
  });
});
