/**
 * What the references made of responses, and which prompts they write, recorded by
 * `npm run judge:references -- NAME --record`: ours are the same. Python is not needed.
 */
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { harmonyRenderer, type RecordedPrompt } from '../../scripts/judges/compare-harmony-prompts.ts';
import { canonical } from '../../scripts/judges/reading.ts';
import { type RecordedReading, readAsRecorded } from '../../scripts/judges/recorded-reading.ts';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { allTemplates } from '../support/corpora.ts';
import { sampled } from '../support/sample.ts';

const folder = new URL('./recorded/', import.meta.url);
const sources = new Map((await allTemplates()).map(({ id, source }) => [id.replace(/\.jinja$/, ''), source]));
const formats = new Map<string, ChatFormat>();

function formatOf(template: string): ChatFormat {
  const known = formats.get(template) ?? analyzeTemplate(sources.get(template) ?? '').format;
  formats.set(template, known);
  return known;
}

describe.each(fs.readdirSync(folder))('%s', (file) => {
  const lines = fs.readFileSync(new URL(file, folder), 'utf8').trim().split('\n');
  const recorded = lines.map((line): RecordedReading => JSON.parse(line));

  it('has readings', () => {
    expect(recorded.length).toBeGreaterThan(20);
  });

  it('is read alike here', () => {
    for (const each of sampled(recorded, 3)) {
      const { ours, theirs } = readAsRecorded(formatOf(each.template), each);
      expect(canonical(ours), each.text).toBe(canonical(theirs));
    }
  });
});

describe('prompts', async () => {
  const lines = fs
    .readFileSync(new URL('./prompts/harmony.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const render = await harmonyRenderer();

  it.each(lines.map((line, index) => [index, JSON.parse(line) as RecordedPrompt] as const))(
    "conversation %d has harmony's",
    (_, { prompt, ...conversation }) => {
      expect(render(conversation)).toBe(prompt);
    },
  );
});
