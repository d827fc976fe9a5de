/** Options of llama.cpp's users: what the sampler is told, what it does then, and what is refused by its name. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { writeModelFile } from '../../examples/support/small-models.ts';
import { ModelFileError, UnsupportedOptionError } from '../../src/format/errors.ts';
import { checkChatOptions } from '../../src/runtime/chat/check-chat-options.ts';
import type { ChatOptions, EngineModel, SamplingOptions } from '../../src/runtime/engine/index.ts';
import { AllowedTokens } from '../../src/runtime/engine/masks/allowed-tokens.ts';
import { type LoadModelOptions, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { connectServer, type ServerKind } from '../../src/servers/index.ts';
import { float32Value, stringValue, writeGguf } from '../../src/testing/gguf-writer.ts';
import { serveModel } from '../support/model-server.ts';
import { chatTemplate, openLlamaTiny, openTiny } from '../support/small-chats.ts';
import { tinyModelFile, smallVocabulary as vocabulary } from '../support/small-vocabulary.ts';
import { testLlama } from '../support/test-models.ts';

const messages = [{ role: 'user', content: 'Hello' }] as const;
const choice = {
  vocabulary,
  markers: ['<think>', '</think>', '<tool_call>', '</tool_call>'],
  controls: ['<|im_start|>', '<|im_end|>'],
  chatTemplate,
};
const tools = [
  {
    type: 'function',
    function: {
      name: 'note',
      parameters: {
        type: 'object',
        properties: { texts: { type: 'array', items: { type: 'string', maxLength: 3 }, minItems: 3 } },
        required: ['texts'],
        additionalProperties: false,
      },
    },
  },
] as const;

describe('values', () => {
  it.each<[string, Record<string, unknown>]>([
    ['repeatPenalty', { repeatPenalty: 0 }],
    ['repeatPenalty', { repeatPenalty: 3 }],
    ['frequencyPenalty', { frequencyPenalty: 2.5 }],
    ['presencePenalty', { presencePenalty: '1' }],
    ['repeatLastN', { repeatLastN: -1 }],
    ['repeatLastN', { repeatLastN: 10 ** 9 }],
    ['dry', { dry: true }],
    ['dry.multiplier', { dry: {} }],
    ['dry.multiplier', { dry: { multiplier: -1 } }],
    ['dry.base', { dry: { multiplier: 1, base: 0.5 } }],
    ['dry.allowedLength', { dry: { multiplier: 1, allowedLength: 0 } }],
    ['dry.lastN', { dry: { multiplier: 1, lastN: -1 } }],
    ['dry.sequenceBreakers', { dry: { multiplier: 1, sequenceBreakers: [''] } }],
    ['dry.strength', { dry: { multiplier: 1, strength: 1 } }],
    ['xtc.probability', { xtc: { threshold: 0.1 } }],
    ['xtc.threshold', { xtc: { probability: 0.5, threshold: 2 } }],
    ['logitBias', { logitBias: { 5: 1 } }],
    ['logitBias', { logitBias: [[5]] }],
    ['logitBias', { logitBias: [['', 1]] }],
    ['logitBias', { logitBias: [[5, true]] }],
    ['logitBias', { logitBias: [[-1, 1]] }],
    ['logitBias', { logitBias: [[5, 1000]] }],
  ])('of %s that are wrong are refused: %j', (option, wrong) => {
    const options = { messages, ...wrong } as unknown as ChatOptions;
    expect(() => checkChatOptions(options)).toThrow(expect.objectContaining({ option }));
    expect(() => checkChatOptions(options)).toThrow(UnsupportedOptionError);
  });

  it('that are right are taken', () => {
    const options: SamplingOptions = {
      repeatPenalty: 1.1,
      frequencyPenalty: -0.5,
      presencePenalty: 0,
      repeatLastN: 0,
      dry: { multiplier: 0.8, base: 1.75, allowedLength: 2, lastN: 100, sequenceBreakers: ['\n'] },
      xtc: { probability: 0.5, threshold: 0.1 },
      logitBias: [
        [5, false],
        [' Hello', -0.5],
      ],
    };
    expect(() => checkChatOptions({ messages, ...options })).not.toThrow();
  });
});

describe('options that are known and not taken', () => {
  it.each([
    'dynatemp_range',
    'dynatempExponent',
    'typical_p',
    'mirostat',
    'mirostat_tau',
    'top_n_sigma',
    'samplers',
    'ignore_eos',
    'grammar',
    'n',
    'thinking_token_budget',
    'enable_in_reasoning',
    'cache_salt',
    'priority',
    'onTextChunk',
    'responsePrefix',
    'reasoning_effort',
    'prompt',
    'system',
    'model',
    'maxSteps',
    'execute',
  ])('%s is refused by its name, with the reason', (option) => {
    const options = { messages, [option]: 1 } as unknown as ChatOptions;
    expect(() => checkChatOptions(options)).toThrow(new RegExp(`^${option}: is not taken: \\w+`));
  });

  it.each(['draftModel', 'tokenPredictor', 'cache_type_k', 'main_gpu', 'tensor_split', 'modelPath'])(
    'so is %s of a model',
    async (option) => {
      const options = { [option]: 1 } as unknown as LoadModelOptions;
      await expect(loadModel('no such file', options)).rejects.toThrow(
        new RegExp(`^${option}: is not taken: \\w+`),
      );
    },
  );

  it.each([
    ['customStopTriggers', 'stop'],
    ['functions', 'tools'],
    ['max_completion_tokens', 'maxTokens'],
    ['n_predict', 'maxTokens'],
    ['top_logprobs', 'logprobs'],
    ['n_probs', 'logprobs'],
    ['contextShift', 'contextOverflow'],
    ['tokenBias', 'logitBias'],
  ])('%s is told to be %s here', (option, name) => {
    const options = { messages, [option]: 1 } as unknown as ChatOptions;
    expect(() => checkChatOptions(options)).toThrow(`did you mean ${name}?`);
  });

  it.each([
    ['loadSignal', 'signal'],
    ['n_gpu_layers', 'gpuLayers'],
    ['n_ctx', 'contextSize'],
  ])('%s of a model is told to be %s here', async (option, name) => {
    const options = { [option]: 1 } as unknown as LoadModelOptions;
    await expect(loadModel('no such file', options)).rejects.toThrow(`did you mean ${name}?`);
  });
});

describe('where a grammar allows few tokens', () => {
  const schema = {
    type: 'object',
    properties: {
      kind: { enum: ['one', 'other', 'none'] },
      sure: { type: 'boolean' },
      days: { type: 'integer', minimum: 1, maximum: 99 },
    },
    required: ['kind', 'sure', 'days'],
    additionalProperties: false,
  } as const;

  it('they are told to the sampler, which draws what it would have', async () => {
    const model = await openLlamaTiny();
    for (const content of ['One?', 'Why not three of them?']) {
      const request = {
        messages: [{ role: 'user', content }],
        responseFormat: { type: 'json_schema', json_schema: { schema } },
        injectForcedText: false,
        thinking: false,
      } as const;
      const bias = vi.spyOn(AllowedTokens.prototype, 'bias');
      const told = await model.chat(request).message;
      expect(bias.mock.results.some(({ value }) => value !== null)).toBe(true);
      bias.mockReturnValue(null);
      expect(await model.chat(request).message).toEqual(told);
      bias.mockRestore();
    }
    await model.dispose();
  });
});

describe('in free text', () => {
  let model: EngineModel;
  beforeAll(async () => {
    model = await openTiny();
  });
  afterAll(() => model.dispose());

  const write = async (options: SamplingOptions): Promise<string> => {
    const { content } = await model.chat({ messages, maxTokens: 24, thinkingBudget: 0, ...options }).message;
    return content ?? '';
  };
  const times = (text: string, part: string): number => text.split(part).length - 1;

  it('a bias makes a token come, and keeps it away', async () => {
    expect(await write({ logitBias: [['ab', 100]] })).toBe('ab'.repeat(24));
    const banned = [
      ['ab', 100],
      ['ab', false],
    ] as const;
    expect(await write({ logitBias: banned })).not.toContain('abab');
  });

  it('a bias of a token that ends the generation, or that there is none of, is refused', async () => {
    for (const token of ['<|im_end|>', 10 ** 6]) {
      await expect(write({ logitBias: [[token, 5]] })).rejects.toThrow(
        expect.objectContaining({ option: 'logitBias' }),
      );
    }
  });

  const [likely, next] = ['ab', 'he'] as const;
  const biased = {
    logitBias: [
      [likely, 90],
      [next, 65],
    ],
  } as const;

  it.each<[string, SamplingOptions]>([
    ['repeatPenalty', { repeatPenalty: 2 }],
    ['frequencyPenalty', { frequencyPenalty: 2 }],
    ['dry', { dry: { multiplier: 100, allowedLength: 1 } }],
    ['dry', { dry: { multiplier: 100, allowedLength: 1, lastN: 20 } }],
  ])('%s keeps a token from being repeated', async (_, option) => {
    expect(await write(biased)).toBe(likely.repeat(24));
    const text = await write({ ...biased, ...option });
    expect(times(text, next)).toBeGreaterThan(0);
  });

  it('penalties look at no more than the latest tokens', async () => {
    // After `ab` comes `he`; with one token to look at, `ab` may come again at once.
    const options = { ...biased, repeatPenalty: 2 };
    expect(await write({ ...options, repeatLastN: 1 })).toBe(`${likely}${next}`.repeat(12));
    expect(await write({ ...options, repeatLastN: 0 })).toBe(likely.repeat(24));
  });

  it('presence counts once, frequency each time', async () => {
    expect(await write({ ...biased, presencePenalty: 2 })).toBe(likely.repeat(24));
    expect(times(await write({ ...biased, frequencyPenalty: 2 }), next)).toBeGreaterThan(0);
  });

  it('xtc leaves out the likely tokens but the last', async () => {
    const two = { ...biased, temperature: 1, seed: 1, topK: 2, topP: 1 } as const;
    expect(await write(two)).toBe(likely.repeat(24));
    expect(await write({ ...two, xtc: { probability: 1, threshold: 0 } })).toBe(next.repeat(24));
  });
});

describe('in a call', () => {
  it('they do not count: its quotes and keys repeat because the format wants them', async () => {
    const model = await openTiny();
    const ask = (options: SamplingOptions) => {
      const request = { messages, tools, toolChoice: 'required', thinkingBudget: 0, maxTokens: 300 } as const;
      return model.chat({ ...request, parallelToolCalls: false, ...options }).calls;
    };
    const plain = await ask({});
    expect(plain).toHaveLength(1);
    const all: SamplingOptions = {
      repeatPenalty: 2,
      frequencyPenalty: 2,
      presencePenalty: 2,
      dry: { multiplier: 10, allowedLength: 1 },
      xtc: { probability: 1, threshold: 0 },
      logitBias: [['"', false]],
    };
    expect(await ask(all)).toEqual(plain);
    await model.dispose();
  });
});

describe('servers', () => {
  const given: SamplingOptions = {
    repeatPenalty: 1.1,
    frequencyPenalty: 0.5,
    presencePenalty: 0.25,
    logitBias: [[5, false]],
  };
  const connect = async (kind: ServerKind) => {
    const server = await serveModel(await tinyModelFile(choice), kind);
    const said = kind === 'llama-server' ? {} : { chatTemplate: `{{- bos_token }}${chatTemplate}` };
    return { server, model: await connectServer({ kind, url: server.url, ...said, bosToken: '<s>' }) };
  };

  it('llama-server is told in its words', async () => {
    const { server, model } = await connect('llama-server');
    for (const told of [{ cacheSalt: 'of one user' }, { priority: 1 }]) {
      const [option] = Object.keys(told);
      const refused = expect.objectContaining({ option });
      await expect(model.chat({ messages, ...told }).message).rejects.toThrow(refused);
    }
    const dry = { multiplier: 0.8, lastN: 9 };
    const more: SamplingOptions = { repeatLastN: 9, dry, xtc: { probability: 0.5, threshold: 0.1 } };
    await model.chat({ messages, maxTokens: 2, ...given, ...more }).message;
    const request = { messages, tools, toolChoice: 'required', thinkingBudget: 0 } as const;
    await model.chat({ ...request, maxTokens: 2, ...given, ...more }).message;
    await server.close();
    const bodies = server.requests.filter(({ path: at }) => at === '/completion').map(({ body }) => body);
    const free = bodies.filter((body) => body.grammar === undefined);
    expect(free[0]).toMatchObject({
      repeat_penalty: 1.1,
      frequency_penalty: 0.5,
      presence_penalty: 0.25,
      repeat_last_n: 9,
      dry_multiplier: 0.8,
      dry_penalty_last_n: 9,
      xtc_probability: 0.5,
      xtc_threshold: 0.1,
      logit_bias: [[5, false]],
    });
    const constrained = bodies.filter((body) => body.grammar !== undefined);
    expect(constrained.length).toBeGreaterThan(0);
    for (const body of constrained) expect(body).not.toHaveProperty('repeat_penalty');
  });

  it.each(['vllm', 'sglang'] as const)('%s is told in its words, and has no others', async (kind) => {
    const { server, model } = await connect(kind);
    const told = { seed: 7, cacheSalt: 'of one user', priority: -2 };
    await model.chat({ messages, maxTokens: 2, ...given, ...told }).message;
    await model.runTools({ messages, tools, maxTokens: 2, ...told, execute: () => '' }).message;
    const refused: readonly SamplingOptions[] = [
      { repeatLastN: 9 },
      { dry: { multiplier: 1 } },
      { xtc: { probability: 1, threshold: 0 } },
      { logitBias: [['text', 1]] },
    ];
    for (const options of refused) {
      const [option] = Object.keys(options);
      await expect(model.chat({ messages, ...options }).message).rejects.toThrow(
        expect.objectContaining({ option }),
      );
    }
    await server.close();
    const asked = server.requests.filter(({ path: at }) => at.endsWith('completions'));
    for (const { body } of asked) {
      expect(body).toMatchObject({ seed: 7, cache_salt: 'of one user', priority: -2 });
    }
    expect(asked[0]?.body).toMatchObject({
      repetition_penalty: 1.1,
      frequency_penalty: 0.5,
      presence_penalty: 0.25,
      logit_bias: { 5: -100 },
    });
  });
});

/** An adapter for the query weights of the only layer of a tiny model. */
function adapter(): Uint8Array<ArrayBuffer> {
  const width = 8;
  const metadata = new Map([
    ['general.type', stringValue('adapter')],
    ['general.architecture', stringValue('llama')],
    ['adapter.type', stringValue('lora')],
    ['adapter.lora.alpha', float32Value(1)],
  ]);
  const values = (sign: number) => Float32Array.from({ length: width }, (_, index) => sign * (index - 3));
  return writeGguf(metadata, [
    { name: 'blk.0.attn_v.weight.lora_a', shape: [width, 1], data: values(1) },
    { name: 'blk.0.attn_v.weight.lora_b', shape: [1, width], data: values(-1) },
  ]);
}

describe('loading', () => {
  const write = async (options: LoadModelOptions): Promise<string | null> => {
    const llama = await testLlama();
    const base = { llama, threads: 1, contextSize: 512 };
    const model = await loadModel(await tinyModelFile(choice), { ...base, ...options });
    const { content } = await model.chat({ messages, thinkingBudget: 0, maxTokens: 16 }).message;
    await model.dispose();
    return content;
  };

  it('adds LoRA adapters by their scale, and refuses files that are none', async () => {
    const file = path.join(os.tmpdir(), `idiolect-lora-${process.pid}.gguf`);
    writeModelFile(file, adapter());
    const plain = await write({});
    expect(await write({ lora: [{ file, scale: 0 }] })).toBe(plain);
    expect(await write({ lora: [{ file }] })).not.toBe(plain);
    fs.rmSync(file);
    await expect(write({ lora: [{ file }] })).rejects.toBeInstanceOf(ModelFileError);
    const none = await tinyModelFile(choice);
    await expect(write({ lora: [{ file: none }] })).rejects.toBeInstanceOf(ModelFileError);
  });

  it('tells how far it is, and takes layers and attention as they are asked for', async () => {
    const told: number[] = [];
    const plain = await write({ onLoadProgress: (loaded) => told.push(loaded) });
    expect(told.at(-1)).toBe(1);
    expect([...told].sort((one, other) => one - other)).toEqual(told);
    expect(await write({ gpuLayers: 0, flashAttention: false })).toBe(plain);
    expect(await write({ gpuLayers: 'auto', flashAttention: true })).not.toBe('');
  });

  it('takes memory and batches as they are asked for, which changes nothing', async () => {
    const plain = await write({});
    expect(await write({ useMmap: false, batchSize: 16 })).toBe(plain);
    expect(await write({ useMmap: true, useMlock: false })).toBe(plain);
  });

  it('ends with the reason of its signal, at once and while it loads', async () => {
    const reason = new Error('enough');
    await expect(write({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const onLoadProgress = () => controller.abort(reason);
    await expect(write({ signal: controller.signal, onLoadProgress })).rejects.toBe(reason);
  });

  it.each<[string, Record<string, unknown>]>([
    ['gpuLayers', { gpuLayers: -1 }],
    ['gpuLayers', { gpuLayers: 'all' }],
    ['flashAttention', { flashAttention: 'yes' }],
    ['lora', { lora: 'file.gguf' }],
    ['lora', { lora: [{ file: 5 }] }],
    ['lora', { lora: [{ file: 'a.gguf', scale: '1' }] }],
    ['lora', { lora: [{ file: 'a.gguf', weight: 1 }] }],
    ['onLoadProgress', { onLoadProgress: 5 }],
    ['gpu', { gpu: 'opencl' }],
    ['batchSize', { batchSize: 0 }],
    ['useMmap', { useMmap: 'auto' }],
    ['useMlock', { useMlock: 1 }],
    ['signal', { signal: 5 }],
  ])('refuses %s as %j', async (option, wrong) => {
    await expect(loadModel('no such file', wrong as LoadModelOptions)).rejects.toThrow(
      expect.objectContaining({ option }),
    );
  });
});
