/** The provider over the real engine: random weights, held to valid calls and answers by the grammar. */
import * as sdk7 from 'ai';
import * as sdk6 from 'ai-v6';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { idiolect } from '../../src/ai-sdk/index.ts';
import type { EngineModel } from '../../src/runtime/engine/index.ts';
import { openTiny } from '../support/small-chats.ts';

const City = z.strictObject({ city: z.enum(['Bern', 'Oslo']), days: z.int().min(1).max(7) });
let model: EngineModel;
beforeAll(async () => {
  model = await openTiny();
});
afterAll(() => model.dispose());

describe.each([
  { version: 'ai 7', sdk: sdk7 },
  { version: 'ai 6', sdk: sdk6 as unknown as typeof sdk7 },
])('$version', ({ sdk }) => {
  const options = { prompt: 'How warm is it?', providerOptions: { idiolect: { thinking: false } } };

  it('a demanded call is valid, and its tokens add up over the steps', async () => {
    const get_weather = sdk.tool({ inputSchema: City, execute: async ({ city }) => `${city}: sun` });
    const { steps, totalUsage } = await sdk.generateText({
      ...options,
      model: idiolect(model),
      tools: { get_weather },
      prepareStep: ({ stepNumber }) => ({ toolChoice: stepNumber === 0 ? 'required' : 'none' }),
      stopWhen: sdk.stepCountIs(2),
      maxOutputTokens: 60,
    });
    expect(steps).toHaveLength(2);
    for (const { input } of steps[0]?.toolCalls ?? []) expect(City.safeParse(input).success).toBe(true);
    expect(steps[0]?.toolCalls.length).toBeGreaterThan(0);
    for (const { usage } of steps) {
      const { inputTokenDetails: input, outputTokenDetails: output } = usage;
      expect((input.noCacheTokens ?? 0) + (input.cacheReadTokens ?? 0)).toBe(usage.inputTokens);
      expect((output.textTokens ?? 0) + (output.reasoningTokens ?? 0)).toBe(usage.outputTokens);
    }
    const sum = (key: 'inputTokens' | 'outputTokens') =>
      steps.reduce((total, { usage }) => total + (usage[key] ?? 0), 0);
    expect(totalUsage.inputTokens).toBe(sum('inputTokens'));
    expect(totalUsage.outputTokens).toBe(sum('outputTokens'));
  });

  it('a structured answer fits its schema', async () => {
    const { output } = await sdk.generateText({
      ...options,
      model: idiolect(model),
      output: sdk.Output.object({ schema: City }),
    });
    expect(City.parse(output)).toEqual(output);
  });
});
