/**
 * What the references made of responses, and which prompts they write, recorded by
 * `npm run judge:references -- NAME --record`: ours are the same. Python is not needed.
 */
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { harmonyRenderer, type RecordedPrompt } from '../../scripts/judges/compare-harmony-prompts.ts';
import { mistralPrompt, type RecordedMistralPrompt } from '../../scripts/judges/compare-mistral-prompts.ts';
import { canonical } from '../../scripts/judges/reading.ts';
import { type RecordedReading, readAsRecorded } from '../../scripts/judges/recorded-reading.ts';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { allTemplates } from '../support/corpora.ts';
import { sampled } from '../support/sample.ts';

const folder = new URL('./recorded/', import.meta.url);
const sources = new Map((await allTemplates()).map(({ id, source }) => [id.replace(/\.jinja$/, ''), source]));
const formats = new Map<string, ChatFormat>();

/** Sources of templates; those that Mistral's code makes are in no corpus. */
function sourceOf(template: string): string {
  const recorded = new URL(`./templates/${template}.jinja`, import.meta.url);
  return sources.get(template) ?? fs.readFileSync(recorded, 'utf8');
}

function formatOf(template: string): ChatFormat {
  const known = formats.get(template) ?? analyzeTemplate(sourceOf(template)).format;
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

function promptsOf<Recorded>(file: string): readonly (readonly [index: number, recorded: Recorded])[] {
  const lines = fs
    .readFileSync(new URL(`./prompts/${file}`, import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line, index) => [index, JSON.parse(line)]);
}

describe('prompts', async () => {
  const render = await harmonyRenderer();

  it.each(promptsOf<RecordedPrompt>('harmony.jsonl'))(
    "conversation %d has harmony's",
    (_, { prompt, ...conversation }) => {
      expect(render(conversation)).toBe(prompt);
    },
  );

  it.each(promptsOf<RecordedMistralPrompt>('mistral.jsonl'))(
    "conversation %d has Mistral's",
    (_, { template, prompt, ...conversation }) => {
      expect(mistralPrompt(sourceOf(template), formatOf(template), conversation)).toBe(prompt);
    },
  );
});
