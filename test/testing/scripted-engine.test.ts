/** A scripted engine writes what its turns say, after what they say, whatever a grammar makes of it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import { type ChatOptions, connectEngine } from '../../src/runtime/engine/index.ts';
import { type ScriptedTurn, scriptedEngine } from '../../src/testing/index.ts';
import { toyControls, toyMarkers, toyMerges } from '../../src/testing/toy/tokens.ts';

const plain = { thinking: false, toolChoice: 'none' } as const;

async function answers(
  turns: readonly ScriptedTurn[],
  ...requests: readonly ChatOptions[]
): Promise<unknown[]> {
  await using model = await connectEngine(scriptedEngine({ turns }));
  const messages = await Promise.all(requests.map((request) => model.chat(request).message));
  return messages.map(({ content }) => content);
}

function ask(content: string): ChatOptions {
  return { messages: [{ role: 'user', content }], ...plain };
}

const words = fc.constantFrom(...toyMerges().map((pair) => pair.join('')), ' ', '🦉', 'ü', '{"a": 1}');
const somePieces = fc.array(words, { minLength: 1, maxLength: 8 });

describe('a script', () => {
  it('is written to its end, whole or in pieces of any kind, at any temperature', async () => {
    await fc.assert(
      fc.asyncProperty(somePieces, fc.constantFrom(0, 1, 2), async (pieces, temperature) => {
        const text = pieces.join('');
        const request = { ...ask('Hello'), temperature, seed: 1 };
        const [whole] = await answers([{ script: text }], request);
        const [parted] = await answers([{ script: pieces }], request);
        // White space at the edges is the parser's.
        expect([whole, parted].map((each) => String(each ?? '').trim())).toEqual([text.trim(), text.trim()]);
      }),
      { numRuns: process.env.LAWS === 'long' ? 300 : 20 },
    );
  });

  it('has the tokens of its pieces, and markers only as pieces of their own', async () => {
    await using model = await connectEngine(
      scriptedEngine({
        turns: [{ script: ['<think>', 'I spell <tool_call> out', '</think>', 'a', 'b', 'ut'] }],
      }),
    );
    const stream = model.chat({ messages: [{ role: 'user', content: 'Hello' }], logprobs: 0 });
    const deltas: string[] = [];
    for await (const event of stream) if (event.type === 'text-delta') deltas.push(event.delta);
    expect(deltas).toEqual(['a', 'b', 'ut']);
    expect((await stream.message).reasoning_content).toBe('I spell <tool_call> out');
  });

  it('ends with the token that is named, listed or not, and with none that was not named', () => {
    const turns = [{ script: 'a' }];
    for (const options of [{}, { controls: ['[eos]'] }, { markers: ['[eos]'] }, { controls: ['[bos]'] }]) {
      const { tokenizer } = scriptedEngine({ turns, end: '[eos]', ...options });
      const end = tokenizer.texts.indexOf('[eos]');
      expect(tokenizer.endsGeneration(end)).toBe(true);
      expect(tokenizer.tokenize('a[eos]', true)).toEqual([...tokenizer.tokenize('a', true), end]);
      expect(tokenizer.tokenize('a[eos]', false)).not.toContain(end);
    }
    expect(() => scriptedEngine({ turns, controls: ['[bos]'] })).toThrow(UnsupportedOptionError);
  });

  it('takes its markers for tokens in a whole text', async () => {
    const engine = scriptedEngine({ turns: [{ script: 'a' }] });
    for (const text of [...toyControls, ...toyMarkers]) {
      expect(engine.tokenizer.tokenize(`a${text}b`, true)).toContain(engine.tokenizer.texts.indexOf(text));
    }
  });
});

describe('turns', () => {
  it('are told apart by what comes last in the prompt, and an empty one is for all others', async () => {
    const turns = [
      { script: 'any' },
      { after: 'one', script: 'first' },
      { after: 'two', script: 'second' },
      { after: 'and two', script: 'longer' },
    ];
    const asked = ['one', 'two', 'two, then one', 'one, then two', 'one and two', 'three'].map(ask);
    expect(await answers(turns, ...asked)).toEqual(['first', 'second', 'first', 'second', 'longer', 'any']);
    expect(await answers(turns.slice(1), ask('three'))).toEqual(['']);
  });

  it('follow a conversation', async () => {
    const turns = [
      { after: 'How?', script: 'So.' },
      { after: 'Why?', script: 'Therefore.' },
    ];
    const messages = [
      { role: 'user', content: 'Why?' },
      { role: 'assistant', content: 'Therefore.' },
      { role: 'user', content: 'How?' },
    ] as const;
    expect(await answers(turns, { messages, ...plain })).toEqual(['So.']);
  });
});

describe('under a grammar', () => {
  const tools = [
    {
      name: 'note',
      inputSchema: {
        type: 'object',
        properties: {
          kind: { enum: ['short', 'long'] },
          text: { type: 'string', maxLength: 30 },
          times: { type: 'integer', minimum: 1, maximum: 20 },
        },
        required: ['kind', 'text', 'times'],
        additionalProperties: false,
      },
    },
  ] as const;

  async function noted(args: string, more: Partial<ChatOptions> = {}): Promise<unknown> {
    const script = `<think>\n\n</think>\n\n<tool_call>\n{"name": "note", "arguments": ${args}}\n</tool_call>`;
    await using model = await connectEngine(scriptedEngine({ turns: [{ script }] }));
    const stream = model.chat({
      messages: [{ role: 'user', content: 'Hello' }],
      tools,
      maxTokens: 300,
      ...more,
    });
    const [call] = await stream.calls;
    return call?.arguments;
  }

  it.each([true, false])('what is allowed is written (injecting: %s)', async (injectForcedText) => {
    const args = '{"kind": "long", "text": "a b", "times": 7}';
    expect(await noted(args, { injectForcedText })).toEqual(JSON.parse(args));
  });

  it('what is not allowed is passed over, and the script goes on', async () => {
    const wrong = await noted('{"kind": "medium", "text": "a b", "times": 7}');
    expect(wrong).toMatchObject({ text: 'a b', times: 7 });
    expect(['short', 'long']).toContain(Reflect.get(Object(wrong), 'kind'));
  });

  it('white space that it lacks is passed over', async () => {
    const tight = await noted('{"kind":"long","text":"a: \\"b","times":2}', { toolChoice: 'required' });
    expect(tight).toEqual({ kind: 'long', text: 'a: "b', times: 2 });
  });

  it('a script that is over in the middle of a call closes it', async () => {
    const cut = await noted('{"kind": "long", "text": "a', { toolChoice: 'required' });
    expect(cut).toMatchObject({ kind: 'long' });
  });
});

it.each([true, false])(
  'a script is written where a grammar has begun it (injecting: %s)',
  async (injectForcedText) => {
    const tools = ['first', 'other'].map((name) => {
      const parameters = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
      return { type: 'function', function: { name, parameters } } as const;
    });
    const script = '<tool_call>\n{"name": "other", "arguments": {"n": 12}}\n</tool_call>';
    await using model = await connectEngine(scriptedEngine({ turns: [{ script }] }));
    const calls = await model.chat({
      messages: [{ role: 'user', content: 'Hello' }],
      ...{ tools, toolChoice: 'required', thinking: false, injectForcedText },
    }).calls;
    expect(calls).toMatchObject([{ name: 'other', arguments: { n: 12 } }]);
  },
);

it('a scripted engine goes on after its prompt was shortened', async () => {
  const script = 'one two three four five six seven eight nine ten '.repeat(4).trim();
  await using model = await connectEngine(scriptedEngine({ turns: [{ script }], contextSize: 200 }));
  const messages = [
    { role: 'user', content: 'So many words! '.repeat(3) },
    { role: 'assistant', content: 'Yes. '.repeat(5) },
    { role: 'user', content: 'And?' },
  ] as const;
  const stream = model.chat({ messages, contextOverflow: 'shift', ...plain });
  expect((await stream.usage).droppedMessages).toBeGreaterThan(0);
  expect((await stream.message).content?.startsWith('one two three')).toBe(true);
});

it('a scripted engine ends its chats when it is disposed of', async () => {
  const model = await connectEngine(scriptedEngine({ turns: [{ script: 'a b c d e f' }] }));
  const running = model.chat(ask('Hello'));
  const read = (async () => {
    for await (const _ of running) await model.dispose();
  })();
  await expect(read).rejects.toMatchObject({ code: 'model-disposed' });
});
