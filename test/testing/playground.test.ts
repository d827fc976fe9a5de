/** What the playground does to answer sooner changes no answer. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Progress, prepare, respond, respondOn } from '../../site/playground/core/respond.ts';
import { choices, firstSettings, formats, type Settings } from '../../site/playground/core/settings.ts';
import { toyModules } from '../../site/playground/core/toy-modules.ts';
import { toyOf } from '../../site/playground/core/toys.ts';
import { templateFingerprint } from '../../src/format/template-fingerprint.ts';
import { toyEngine } from '../../src/testing/index.ts';
import { toyTemplates } from '../../src/testing/toy/templates.ts';

afterEach(() => vi.restoreAllMocks());

async function collect(steps: AsyncIterable<Progress>): Promise<readonly Progress[]> {
  const told: Progress[] = [];
  for await (const each of steps) told.push(each);
  return told;
}

const never = new AbortController().signal;

describe.each(formats)('%s', (format) => {
  const settings: Settings = { ...firstSettings, format };

  it('has a module of the toy’s template, so that none is analysed', () => {
    const fingerprint = templateFingerprint(toyTemplates[format]);
    expect(toyModules.filter(({ templateSha256 }) => templateSha256 === fingerprint)).toHaveLength(1);
  });

  it.each(choices)('is answered under %s as by a toy of its own that has read nothing', async (choice) => {
    const asked = { ...settings, choice, temperature: choice === 'none' ? 1 : 0 };
    for (const each of formats) await prepare({ ...asked, format: each }, never);
    const answer = await collect(respond(asked, 7));
    expect(answer).toEqual(await collect(respondOn(await toyEngine(format), asked, 7)));
    expect(answer.at(-1)?.type).toBe('end');
  });

  it('is read ahead but for its last token', async () => {
    const asked = { ...settings, question: 'How is the weather in Oslo?' };
    await prepare(asked, never);
    const toy = await toyOf(format);
    const { open } = toy;
    const left: number[] = [];
    vi.spyOn(toy, 'open').mockImplementation(async (prompt, ...rest) => {
      // Its tokens become those of the response.
      const { length } = prompt.tokens;
      const sequence = await open.call(toy, prompt, ...rest);
      left.push(length - sequence.cachedTokens);
      return sequence;
    });
    await collect(respond(asked, 1));
    expect(left).toEqual([1]);
  });

  it('is not read on when something else was asked', async () => {
    const stop = new AbortController();
    stop.abort(new RangeError('another question'));
    await expect(prepare({ ...settings, question: 'Hello' }, stop.signal)).rejects.toThrow(
      'another question',
    );
  });
});
