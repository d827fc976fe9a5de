/** What a person does with the inspector's parts, in Chromium. */
import type { Page } from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import { compareFormats } from '../../site/inspector/core/compare-formats.ts';
import { requests } from '../../site/inspector/core/requests.ts';
import { llamaTemplate } from '../support/corpora.ts';
import { inspectorPages, ready } from '../support/inspector-page.ts';
import { replaceText } from './replace-text.ts';

const open = inspectorPages();

async function qwen() {
  return { name: 'Qwen3', templateSource: (await llamaTemplate('Qwen-Qwen3-0.6B')).source };
}

async function opened() {
  const { page, ...rest } = await open(await qwen());
  await ready(page);
  return { page, ...rest };
}

/** Text of the first element that a selector finds. */
function text(page: Page, selector: string): Promise<string> {
  return page.$eval(selector, (element) => element.textContent ?? '');
}

/** Waits until such an element says this. */
async function says(page: Page, selector: string, wanted: string): Promise<void> {
  await page.waitForFunction(
    (where, what) => document.querySelector(where)?.textContent?.includes(what),
    {},
    selector,
    wanted,
  );
}

/** Puts a text in the place of the output. */
function paste(page: Page, output: string): Promise<void> {
  return replaceText(page, '.live', output);
}

describe('evidence', () => {
  it('is marked in its render, next to the render without an answer', async () => {
    const { page } = await opened();
    const { analysis, renders, unanswered } = requests.inspect(await qwen());
    const { slice = '' } = analysis.evidence.find(({ field }) => field === 'calls.section.close') ?? {};
    const at = await page.$$eval('.row', (rows) =>
      rows.findIndex((each) => each.textContent?.includes('calls.section.close')),
    );
    const row = (await page.$$('.row'))[at];
    await row?.hover();
    await says(page, '.evidence h3', 'calls.section.close');
    const sides = await page.$$eval('.evidence .renders:first-of-type pre', (all) =>
      all.map((pre) => pre.textContent),
    );
    expect(sides.slice(0, 2)).toEqual([renders.get('two-calls'), unanswered]);
    expect(await text(page, '.evidence mark')).toBe(slice);
    // What is hovered is gone with the pointer, what is clicked stays.
    await row?.click();
    await page.mouse.move(0, 0);
    expect(await text(page, '.evidence h3')).toContain('calls.section.close');
  });
});

describe('the prompt', () => {
  it('is written by where it comes from, the generation prompt at its end', async () => {
    const { page } = await opened();
    expect(await text(page, '.written .generation')).toBe('<|im_start|>assistant\n');
    expect(await text(page, '.written .from.user')).toBe('Will it rain in Oslo, or in Rome?');
    expect(await text(page, '.written .from.tools')).toContain('get_weather');
  });

  it('follows the conversation as it is edited', async () => {
    const { page } = await opened();
    await page.$$eval('.message details', (all) => all.map((each) => each.setAttribute('open', '')));
    const editor = '.message .cm-content';
    await page.click(editor);
    await page.keyboard.down('Control');
    await page.keyboard.press('a');
    await page.keyboard.up('Control');
    const edited = {
      messages: [{ role: 'user', content: 'Snow?' }],
      tools: [],
      answer: { role: 'assistant', content: 'No.' },
    };
    await page.keyboard.type(JSON.stringify(edited));
    await says(page, '.written .from.user', 'Snow?');
    await says(page, '.message .written', 'No.');
    await says(page, '.live .cm-content', 'No.');
  });
});

describe('generated files', () => {
  it('are those that Node makes, in tabs for the arrow keys', async () => {
    const { page } = await opened();
    const { analysis, conversation } = requests.inspect(await qwen());
    const files = requests.files({ format: analysis.format, conversation });
    expect(await page.$$eval('[role=tab]', (tabs) => tabs.map((tab) => tab.textContent))).toEqual(
      files.map(({ name }) => name),
    );
    await page.click('[role=tab]');
    for (const { name, text: made } of files) {
      await page.waitForSelector(`[id="tab-${name}"][aria-selected=true]`);
      expect(await text(page, '#made-file pre'), name).toBe(made);
      await page.keyboard.press('ArrowRight');
    }
    expect(files.map(({ name }) => name)).toContain('structural-tag.json');
    expect(files[0]?.text).toContain('# starts at the');
  });
});

describe('live parse', () => {
  it('tells malformed text with its reason', async () => {
    const { page } = await opened();
    await paste(page, '<tool_call>\n{"name": "get_weather", "arguments": {"city": ]}\n</tool_call>');
    await page.waitForSelector('.live .cm-content .span.malformed');
    const noted = await page.$eval('.live .cm-content .span.malformed', (span) => span.getAttribute('title'));
    expect(await text(page, '.standing .problem')).toContain(noted);
  });

  it('is replayed by the slider and by the button, with the caret where the parser stands', async () => {
    const { page } = await opened();
    const whole = await text(page, '.replay output');
    await page.focus('.replay input');
    await page.keyboard.press('Home');
    await says(page, '.standing', 'all of this');
    for (let step = 0; step < 12; step += 1) await page.keyboard.press('ArrowRight');
    await page.waitForSelector('.live .cm-content .caret');
    await says(page, '.events li:last-child', 'reasoning-delta');
    expect(await text(page, '.standing')).toContain('inReasoning');
    await page.click('.replay button');
    await page.waitForFunction(
      (all) => document.querySelector('.replay output')?.textContent === all,
      {},
      whole,
    );
    await page.waitForSelector('.live .cm-content .caret', { hidden: true });
  });

  it('shows the characters that the grammar allows next', async () => {
    const { page } = await opened();
    await paste(page, '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": ');
    await says(page, '.standing .allowed', '0–9');
    expect(await page.$$eval('.allowed kbd', (all) => all.map((each) => each.textContent))).toEqual([
      '-',
      '0–9',
    ]);
  });

  it('of a long output marks what is in view, and takes what is typed quickly', async () => {
    const { page, asked } = await opened();
    const call =
      '\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": 2}}\n</tool_call>';
    const output = `<think>\nyes\n</think>\n\nhello${call.repeat(5000)}`.slice(0, 400_000);
    await paste(page, output);
    await says(page, '.results h3', 'the last');
    expect(await page.$$eval('.live .cm-content .span', (all) => all.length)).toBeLessThan(2000);
    const typed = 'abcdefghijklmnop';
    await page.keyboard.type(typed);
    const length = output.length + typed.length;
    await says(page, '.replay output', `${length} of ${length}`);
    await says(page, '.live .cm-content', typed);
    // The editor scrolls to what was typed in its next frame, and takes a scroll before that back.
    await page.waitForFunction(() => {
      document.querySelector('.live .cm-scroller')?.scrollTo({ top: 0 });
      return document.querySelector('.live .cm-content .span.reasoning-delta') !== null;
    });
    expect(asked.filter((url) => url.startsWith('an error of the page'))).toEqual([]);
  });
});

describe('the laws', () => {
  it('are tried in the page, and a breach is shown with its message', async () => {
    // What it writes before an answer depends on the answer, which no format can say.
    const templateSource =
      "{% for m in messages %}<{{ m.role }}>{% if '<b>' in m.content %}! {% endif %}{{ m.content }}" +
      '</{{ m.role }}>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}';
    const { page } = await open({ name: 'loud', templateSource });
    await ready(page);
    await page.click('.laws button');
    await page.waitForSelector('.laws .good, .laws .problem');
    const verified = requests.laws({
      input: { name: 'loud', templateSource },
      format: requests.inspect({ name: 'loud', templateSource }).analysis.format,
    });
    expect(await text(page, '.laws .good, .laws .problem')).toContain(verified.holds ? '✓' : '✗');
    const shown = await page.$$eval('.laws details figure:first-child pre', (all) =>
      all.map((pre) => pre.textContent),
    );
    expect(shown).toEqual(verified.breaches.map(({ expected }) => expected));
    expect(verified.breaches.length).toBeGreaterThan(0);
    expect(await text(page, '.laws details .hint code')).toContain('"assistant"');
  });
});

describe('formats', () => {
  it('are compared field by field', async () => {
    const { page } = await opened();
    await page.select('.compare select', 'gpt-oss');
    await page.waitForSelector('.compare table');
    const gptOss = { name: 'gpt-oss', templateSource: (await llamaTemplate('openai-gpt-oss-120b')).source };
    const [one, other] = [await qwen(), gptOss].map((input) => requests.inspect(input).analysis.format);
    const differences = compareFormats(one ?? {}, other ?? {});
    const shown = await page.$$eval('.compare tbody th', (all) => all.map((each) => each.textContent));
    expect(shown).toEqual(differences.map(({ path }) => path));
    expect(shown.length).toBeGreaterThan(0);
  });
});

describe('a link', () => {
  it('opens the template and the output that it was made of', async () => {
    const { page } = await opened();
    await paste(page, 'Hello from a link.');
    await page.click('.share button');
    await page.waitForFunction(() => location.hash.length > 10);
    const link = page.url();
    await page.goto('about:blank');
    await page.goto(link);
    await ready(page);
    await says(page, '.live .cm-content', 'Hello from a link.');
    await says(page, '.results .json', 'Hello from a link.');
  });
});
