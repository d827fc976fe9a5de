/** `docs/probes.md` and `docs/probes-list.md` against the code: the names of probes, and every render that it shows. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { TemplateProber } from '../../src/analysis/probes/template-prober.ts';
import { llamaTemplate } from '../support/corpora.ts';
import { docPages } from '../support/doc-pages.ts';
import { renderProbe } from './render-probe.ts';

const page = docPages('probes', 'probes-list', 'probes-evidence');

/** Together they need every probe that there is. */
const templates = [
  'Qwen-Qwen3-0.6B', //                            JSON
  'GLM-4.6', //                                    entries
  'google-gemma-4-31B-it', //                      nested values
  'openai-gpt-oss-120b', //                        an override
  'deepseek-ai-DeepSeek-R1-Distill-Llama-8B', //   a guessed end of reasoning
  'fireworks-ai-llama-3-firefunction-v2', //       tools as text
];

/** Ids in the first column of the tables of probes, and those that the self-check names. */
function namedProbes(): ReadonlySet<string> {
  const rows = [...page.matchAll(/^\| *(`[^|]+`) *\|/gm)].map((match) => match[1] ?? '');
  const check = /^Only it renders .*$/m.exec(page.split('\n').map(lastSentence).join('\n'))?.[0] ?? '';
  const others = /^Evidence that names no probe.*$/m.exec(page)?.[0] ?? '';
  const ids = [...rows, check, others].flatMap((text) => Array.from(text.matchAll(/`([a-z-]+)`/g), codeOf));
  return new Set(ids);
}

function lastSentence(line: string): string {
  const at = line.indexOf('Only it renders');
  return at < 0 ? line : line.slice(at);
}

function codeOf(match: RegExpMatchArray): string {
  return match[1] ?? '';
}

/** Ids of all probes that an analysis renders, and those that its evidence names. */
async function knownProbes(): Promise<ReadonlySet<string>> {
  const render = vi.spyOn(TemplateProber.prototype, 'render');
  const named: string[] = [];
  for (const name of templates) {
    const { source } = await llamaTemplate(name);
    named.push(...analyzeTemplate(source, { name }).evidence.map(({ probe }) => probe));
  }
  const rendered = render.mock.calls.flatMap(([probe]) => (probe === null ? [] : [probe.id]));
  return new Set([...named, ...rendered]);
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('docs/probes.md', () => {
  it('names every probe of the code, and no other', async () => {
    const known = await knownProbes();
    expect([...namedProbes()].sort()).toEqual([...known].sort());
  });

  const blocks = [...page.matchAll(/^```render (\S+) (\S+)\n([\s\S]*?)\n```$/gm)];

  it('shows renders', () => {
    expect(blocks.length).toBeGreaterThan(15);
  });

  it.each(blocks.map(([, template = '', probe = '', text = '']) => [template, probe, text]))(
    '%s writes for %s what the page shows',
    async (template, probe, text) => {
      const { source } = await llamaTemplate(template);
      expect(renderProbe(source, probe)).toBe(text);
    },
  );
});
