/** A fake Hub, an empty cache, and how the tests pull from one into the other. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Capabilities } from '../../src/format/capabilities.ts';
import { type PulledModel, type PullOptions, pullModel } from '../../src/hub/pull-model.ts';
import { type FakeHub, type FakeHubSettings, startFakeHub } from '../support/fake-hub.ts';
import { modelFile } from './model-file.ts';

/** A template that the stub `observe` takes for one with tools. */
export const toolTemplate = 'tools and calls';

/** Stands in for the analysis where a test is not about it: the words in the template decide. */
export function observeWords(template: string): Capabilities {
  return {
    supportsTools: template.includes('tools'),
    supportsToolCalls: template.includes('calls'),
    supportsSystemRole: true,
    supportsParallelToolCalls: false,
    supportsPreserveReasoning: false,
    supportsReasoningEffort: false,
    supportsStringContent: true,
    supportsTypedContent: false,
    supportsObjectArguments: true,
  };
}

/** A model with tools, its weights different at every place. */
export function toolModel(weightBytes: number, seed = 1): Buffer {
  const weights = new Uint8Array(weightBytes);
  let state = seed;
  for (let at = 0; at < weightBytes; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    weights[at] = state >>> 24;
  }
  return modelFile({ metadata: { 'tokenizer.chat_template': toolTemplate }, weights });
}

/** A fake Hub, an empty cache and `pull`; all gone when the test has finished. */
export interface Fixture {
  readonly hub: FakeHub;
  readonly cache: string;
  pull(reference: string, options?: Partial<PullOptions>): Promise<PulledModel>;
  /** All files in the cache, links included, with slashes. */
  cachedFiles(): string[];
}

/** Starts one. */
export async function startFixture(settings: Partial<FakeHubSettings> = {}): Promise<Fixture> {
  const hub = await startFakeHub(settings);
  const cache = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-hub-'));
  onTestFinished(async () => {
    await hub.close();
    fs.rmSync(cache, { recursive: true });
  });
  const defaults = {
    observe: observeWords,
    cache,
    token: null,
    chunkSize: 65_536,
    retryMs: 1,
    stallMs: 1000,
  };
  return {
    hub,
    cache,
    pull: (reference, options) => pullModel(reference, { ...defaults, endpoint: hub.endpoint, ...options }),
    cachedFiles: () =>
      fs
        .readdirSync(cache, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => path.relative(cache, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
        .sort(),
  };
}
