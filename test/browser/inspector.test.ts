/**
 * The inspector in Chromium, as `npm run build` made it: what it shows is what Node computes. `npm run test:browser`;
 * Debian's package is `chromium`.
 */
import { describe, expect, it } from 'vitest';
import type { TemplateInput } from '../../site/inspector/core/inspect-template.ts';
import { requests } from '../../site/inspector/core/requests.ts';
import { llamaTemplate } from '../support/corpora.ts';
import { inspectorPages, ready } from '../support/inspector-page.ts';
import { overflow, screens, seriousViolations } from './page-checks.ts';

/** One for each notation of calls, and one without any. */
const sample = [
  'Qwen-Qwen3-0.6B',
  'openai-gpt-oss-120b',
  'MiniMax-M2',
  'Kimi-K2-Thinking',
  'GLM-4.6',
  'LFM2.5-8B-A1B',
  'google-gemma-2-2b-it',
];

const open = inspectorPages();

async function template(name: string): Promise<TemplateInput> {
  return { name, templateSource: (await llamaTemplate(name)).source };
}

/** What the page's Workers would answer, computed in Node. */
function inNode(input: TemplateInput) {
  const { analysis, conversation } = requests.inspect(input);
  const { format } = analysis;
  const { answer } = requests.write({ input, format, conversation });
  const output = answer.map(({ text }) => text).join('');
  const request = { text: output, at: output.length, tools: conversation.tools, generationPrompt: null };
  const formatFile = requests.files({ format, conversation }).find(({ name }) => name === 'format.json');
  return {
    formatFile: formatFile?.text,
    output,
    reading: requests.read({ format, request, window: { from: 0, to: Infinity } }),
  };
}

describe.each(sample)('%s', (name) => {
  it('has the format and the events that it has in Node, and asks for nothing after it was loaded', async () => {
    const input = await template(name);
    const { page, asked, server } = await open(input);
    await ready(page);
    const loaded = asked.splice(0).filter((url) => !url.startsWith('blob:'));
    expect(loaded.filter((url) => !url.startsWith(server.url))).toEqual([]);

    const expected = inNode(input);
    await page.click('[id="tab-format.json"]');
    await page.waitForSelector('[id="tab-format.json"][aria-selected=true]');
    expect(await page.$eval('#made-file pre', (pre) => pre.textContent)).toBe(expected.formatFile);

    const whole = `${expected.output.length} of ${expected.output.length}`;
    const { rows, eventCount, message } = expected.reading;
    await page.waitForFunction(
      (place, heading) =>
        document.querySelector('.replay output')?.textContent === place &&
        document.querySelector('.results h3')?.textContent?.startsWith(heading),
      {},
      whole,
      `${eventCount} events`,
    );
    const shown = await page.$$eval('.events li', (lines) =>
      lines.map((line) => [...line.children].map((part) => part.textContent)),
    );
    expect(shown).toEqual(
      rows.map(({ type, start, end, count, detail }) => [
        count > 1 ? `${type} ×${count}` : type,
        `${start}–${end}`,
        detail.replaceAll('\n', '↵'),
      ]),
    );
    expect(await page.$eval('.results .json', (pre) => pre.textContent)).toBe(message);
    expect(asked.filter((url) => !url.startsWith('blob:'))).toEqual([]);
  });
});

describe('everybody can use it', () => {
  it.each(screens)('at $width px, $colours: axe finds nothing serious', async (screen) => {
    const { page } = await open(await template('Qwen-Qwen3-0.6B'), screen);
    await ready(page);
    expect(await seriousViolations(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  });
});

describe('a hostile template', () => {
  const hostile: Readonly<Record<string, string>> = {
    'that loops': '{% for i in range(1000000000) %}{% for j in range(1000000000) %}a{% endfor %}{% endfor %}',
    'of 10 MB': '{{ messages }}\n'.repeat(700_000),
    'of 10 MB on one line': '{{ messages }}'.repeat(700_000),
    'as long as it may be, on one line': `{{ ${"'a' ~ ".repeat(340_000)} messages }}`,
    'that is none': '{% for %}',
  };

  it.each(Object.keys(hostile))('%s is told, and the next one is read', async (kind) => {
    const { page, asked } = await open({ name: 'hostile', templateSource: hostile[kind] ?? '' });
    await page.waitForSelector('.app[data-state=failed] [role=alert] .problem');
    await page.select('.picker select', 'Qwen3');
    await page.waitForSelector('.app[data-state=ready]');
    await ready(page);
    expect(await page.$eval('#template-title', (title) => title.textContent)).toContain('Qwen3');
    expect(await page.$('[role=alert] .problem')).toBeNull();
    expect(asked.filter((url) => url.startsWith('an error of the page'))).toEqual([]);
  });
});
