/** The probes of compatcanary, a judge of "OpenAI-compatible" servers, against random weights under the grammar. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { type ServableModel, serve } from '../../src/serve/index.ts';
import { openLlamaTiny } from '../support/small-chats.ts';

const scanner = path.join(import.meta.dirname, '../../node_modules/compatcanary/src/cli.js');

const random = await openLlamaTiny({ contextSize: 2048 });
afterAll(() => random.dispose());

/** Random weights hardly ever end a turn: a stop does, so that a response is complete and not cut by its limit. */
const model: ServableModel = {
  name: 'random',
  chat: (options) => random.chat({ ...options, stop: ['in'], stopIn: 'response' }),
};

it('the server has a score of 100, profile modern', async () => {
  const server = await serve(model, { port: 0, defaults: { temperature: 1, seed: 1, maxTokens: 600 } });
  try {
    const target = ['--base-url', `${server.url}/v1`, '--model', model.name];
    const form = ['--profile', 'modern', '--format', 'json', '--fail-on', 'never', '--timeout', '100'];
    const { stdout } = await promisify(execFile)(process.execPath, [scanner, 'scan', ...target, ...form]);
    const { score, results } = JSON.parse(stdout) as { score: number; results: { status: string }[] };
    expect(results.filter(({ status }) => status !== 'pass')).toEqual([]);
    expect([results.length, score]).toEqual([7, 100]);
  } finally {
    await server.close();
  }
});
