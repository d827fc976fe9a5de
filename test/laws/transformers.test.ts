/**
 * A model on transformers.js does what it does on any other engine. A stand-in has the place of the package, over the
 * forward pass in plain JavaScript: so every event, token and count is the same, wherever keys and values are held.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineModel } from '../../src/runtime/engine/index.ts';
import { connectEngine } from '../../src/runtime/engine/index.ts';
import { FileEngine, loadFile } from '../../src/testing/evaluator/file-engine.ts';
import { type ToyFormat, toyModel } from '../../src/testing/index.ts';
import { toyTemplates } from '../../src/testing/toy/templates.ts';
import { loadModel } from '../../src/transformers/index.ts';
import { asked, tools } from '../support/chat-modes.ts';
import { sampled } from '../support/sample.ts';
import { expectSame, outcome, requests } from '../support/transformers/agree.ts';
import { type StandIn, type StandInOptions, standIn } from '../support/transformers/stand-in.ts';

const formats = Object.keys(toyTemplates) as ToyFormat[];
const contextSize = 1024;
const kinds: readonly (readonly [string, StandInOptions])[] = [
  ['on the processor', {}],
  ['on a GPU', { location: 'gpu-buffer' }],
  ['with all logits', { allLogits: true }],
];

describe.each(sampled([...formats.entries()], 2))('%i: the toy that writes %s', (at, format) => {
  let own: EngineModel;
  const models = new Map<string, EngineModel>();
  const standIns = new Map<string, StandIn>();

  beforeAll(async () => {
    const file = loadFile(await toyModel(format));
    own = await connectEngine(new FileEngine(file, { contextSize }));
    for (const [name, options] of kinds) {
      const { transformers, ...rest } = standIn(file, options);
      standIns.set(name, { transformers, ...rest });
      models.set(name, await loadModel('toy', { transformers, contextSize }));
    }
  });

  afterAll(async () => {
    await own.dispose();
    for (const model of models.values()) await model.dispose();
    // Nothing is left on the GPU.
    for (const { onGpu } of standIns.values()) expect([...onGpu]).toEqual([]);
  });

  // Each format and each place of the values has other requests in a run.
  for (const [index, [name]] of kinds.entries())
    it.each(sampled(requests, index === 0 ? 12 : 20, 5 * at + index))(
      `is the same ${name}: %s`,
      async (_, options) => {
        const model = models.get(name);
        if (model !== undefined) await expectSame(model, own, options);
      },
    );

  it('evaluates forced text in one pass', async () => {
    const name = 'on the processor';
    const [model, { passes } = { passes: [] }] = [models.get(name), standIns.get(name)];
    const counts: number[] = [];
    for (const injectForcedText of [true, false]) {
      const before = passes.length;
      const content = asked[0] ?? '';
      const request = { messages: [{ role: 'user', content }], tools, injectForcedText } as const;
      await model?.chat(request).message;
      counts.push(passes.length - before);
    }
    const [injected = 0, drawn = 0] = counts;
    console.log(`${format}: ${injected} passes in place of ${drawn}`);
    expect(injected).toBeGreaterThan(0);
    expect(injected).toBeLessThan(0.85 * drawn);
  });

  it('keeps what two conversations in turns have in common', async () => {
    const first = models.get('on the processor');
    const second = models.get('on a GPU');
    for (const model of [first, second]) {
      const cached: number[] = [];
      for (const content of [asked[0], asked[2], asked[0]]) {
        const messages = [{ role: 'user', content: content ?? '' }] as const;
        const stream = model?.chat({ messages, tools, maxTokens: 4 });
        cached.push((await stream?.usage)?.cachedTokens ?? -1);
      }
      // A cache on a GPU is not cut, so only a whole one is continued.
      if (model === first) expect(cached.at(-1)).toBeGreaterThan(10);
      else expect(cached.at(-1)).toBe(0);
    }
  });
});

it('two chats at once are those one after the other', async () => {
  const file = loadFile(await toyModel('json'));
  const model = await loadModel('toy', { transformers: standIn(file).transformers, contextSize });
  const chats = sampled(asked, 2).map(
    (content) => ({ messages: [{ role: 'user', content }], tools, maxTokens: 60 }) as const,
  );
  const alone: unknown[] = [];
  for (const chat of chats) alone.push(await outcome(model, chat));
  expect(await Promise.all(chats.map((chat) => outcome(model, chat)))).toEqual(alone);
  await model.dispose();
});
