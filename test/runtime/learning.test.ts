/** A template without a generated module is analysed in steps, once for all chats that wait for it. */
import { describe, expect, it } from 'vitest';
import { modules } from '../../generated/index.ts';
import { AnalysisError, UnsupportedOptionError } from '../../src/format/errors.ts';
import { templateFingerprint } from '../../src/format/template-fingerprint.ts';
import type { Steps } from '../../src/language/expression/steps.ts';
import { TemplateCache } from '../../src/runtime/chat/learned-template.ts';
import type { LearnedTemplate } from '../../src/runtime/chat/template-reader.ts';
import { llamaTemplate } from '../support/corpora.ts';

const { source } = await llamaTemplate('Qwen-Qwen3-0.6B');

type Modules = Parameters<typeof TemplateCache.open>[2];

function open(template: string, known: Modules = []): Promise<TemplateCache> {
  const sources = { name: 'a model', default: template, toolUse: template };
  return TemplateCache.open(sources, { bosToken: '', eosToken: '' }, known);
}

/** Runs all, a step of each in turn: how many steps the longest has, and what they learned. */
function inTurns(running: readonly Steps<LearnedTemplate>[]): readonly [number, readonly LearnedTemplate[]] {
  const learned = new Map<Steps<LearnedTemplate>, LearnedTemplate>();
  for (let steps = 1; ; steps += 1) {
    for (const each of running) {
      const step = each.next();
      if (step.done === true && !learned.has(each)) learned.set(each, step.value);
    }
    if (learned.size === running.length) return [steps, [...learned.values()]];
  }
}

describe('a template that is met for the first time', () => {
  it('is analysed in many steps, which two chats share', async () => {
    const alone = await open(source);
    const [steps, [learned]] = inTurns([alone.learnSteps(true)]);
    expect(steps).toBeGreaterThan(50);
    const shared = await open(source);
    const both = [shared.learnSteps(true), shared.learnSteps(false)];
    const [less, results] = inTurns(both);
    expect(less).toBeLessThanOrEqual(steps / 2 + 2);
    expect(results.map(({ format }) => format)).toEqual([learned?.format, learned?.format]);
    expect(shared.learn(true)).toBe(shared.learn(false));
    expect((await shared.learnAll()).toolUse).toBe(shared.learn(true));
  });

  it('fails for each chat, if it is none', async () => {
    const cache = await open('{{ messages[0].role }}');
    for (let chat = 0; chat < 3; chat += 1) expect(() => cache.learn(true)).toThrow(AnalysisError);
  });
});

describe('a generated module of which some files were made from another template', () => {
  const fingerprint = templateFingerprint(source);
  const other = 'f'.repeat(64);

  it('is refused, whichever they are', async () => {
    const load = modules.get(fingerprint);
    if (load === undefined) throw new Error('there is no module of this template');
    const { responseModule: whole } = await load();
    expect((await open(source, modules)).learn(true).format).toBe(whole.format);
    const mixed = [
      { ...whole, templateSha256: other },
      { ...whole, format: { ...whole.format, templateSha256: other } },
    ];
    for (const responseModule of mixed) {
      const registry = new Map([[fingerprint, async () => ({ responseModule })]]);
      await expect(open(source, registry)).rejects.toThrow(UnsupportedOptionError);
    }
    await expect(open(source, mixed.slice(1))).rejects.toThrow(/generate it again/);
  });
});
