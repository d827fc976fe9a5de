/** What the inspector shows of texts: differences, evidence, prompts by their origin, the part that is in view. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inspectTemplate } from '../../site/inspector/core/inspect-template.ts';
import { promptSpans } from '../../site/inspector/core/prompt-spans.ts';
import type { Reading } from '../../site/inspector/core/read-response.ts';
import { shownReading } from '../../site/inspector/core/shown-reading.ts';
import { changedRange, cutAt, slicePlace } from '../../site/inspector/core/text-difference.ts';
import { writeConversation } from '../../site/inspector/core/written-message.ts';
import { renderPrompt } from '../../src/template/prompt/render-prompt.ts';
import { llamaTemplate } from '../support/corpora.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', '<'), maxLength: 12 });

describe('two texts', () => {
  it('are the same around what changed', () => {
    fc.assert(
      fc.property(word, word, word, word, (start, one, other, end) => {
        const [left, right] = [start + one + end, start + other + end];
        const [there, back] = [changedRange(left, right), changedRange(right, left)];
        expect(left.slice(0, there.from)).toBe(right.slice(0, back.from));
        expect(left.slice(there.to)).toBe(right.slice(back.to));
        expect(there.to - there.from).toBeLessThanOrEqual(one.length);
        if (left === right) expect(there.to - there.from).toBe(0);
      }),
    );
  });

  it('are cut without losing anything', () => {
    fc.assert(
      fc.property(word, fc.nat(12), fc.nat(12), fc.nat(12), fc.nat(12), (text, a, b, c, d) => {
        const range = (one: number, other: number) => ({
          from: Math.min(one, other, text.length),
          to: Math.min(Math.max(one, other), text.length),
        });
        const ranges = { one: range(a, b), other: range(c, d) };
        const pieces = cutAt(text, ranges);
        expect(pieces.map((piece) => piece.text).join('')).toBe(text);
        const inOne = pieces.filter(({ names }) => names.includes('one'));
        expect(inOne.map((piece) => piece.text).join('')).toBe(text.slice(ranges.one.from, ranges.one.to));
      }),
    );
  });

  it('show a slice where it stands, and a word only where they differ', () => {
    const render = 'an object, then <tool_call>object';
    const changed = changedRange(render, 'an object, then ');
    expect(slicePlace(render, '<tool_call>', changed)).toEqual({ from: 16, to: 27 });
    expect(slicePlace(render, 'object', changed)).toEqual({ from: 27, to: 33 });
    expect(slicePlace('an object, then <x>', 'object', { from: 16, to: 19 })).toBeNull();
    expect(slicePlace(render, '', changed)).toBeNull();
    expect(slicePlace(render, '<tool_…', changed)).toEqual({ from: 16, to: 22 });
  });

  it('are there for the evidence of a template', async () => {
    const { source } = await llamaTemplate('Qwen-Qwen3-0.6B');
    const { analysis, renders, unanswered } = inspectTemplate({ name: 'Qwen3', templateSource: source });
    const slices = analysis.evidence.filter(({ field, slice }) => field.startsWith('calls.') && slice !== '');
    expect(slices.length).toBeGreaterThan(5);
    for (const { probe, slice, field } of slices) {
      const render = renders.get(probe);
      if (render === undefined) continue;
      expect(slicePlace(render, slice, changedRange(render, unanswered ?? '')), field).not.toBeNull();
    }
  });
});

describe('a prompt', () => {
  it('is what the template renders, its messages by their roles', async () => {
    for (const name of ['Qwen-Qwen3-0.6B', 'openai-gpt-oss-120b', 'GLM-4.6']) {
      const { source: templateSource } = await llamaTemplate(name);
      const input = { name, templateSource };
      const { analysis, conversation } = inspectTemplate(input);
      const { format } = analysis;
      const messages = [
        { role: 'system' as const, content: 'Answer in verse.' },
        { role: 'user' as const, content: 'Will it snow?' },
        { role: 'assistant' as const, content: 'It never snows here.' },
        { role: 'user' as const, content: 'And in Oslo?' },
      ];
      const { prompt, generationPrompt } = writeConversation(input, format, { ...conversation, messages });
      const { tools } = conversation;
      const rendered = renderPrompt(templateSource, {
        messages,
        tools,
        bosToken: '',
        eosToken: '',
        input: format.input,
      });
      expect(prompt.map(({ text }) => text).join('') + generationPrompt, name).toBe(rendered);
      for (const { role, content } of messages) {
        const owned = prompt.filter(({ text }) => text.includes(content)).map(({ origin }) => origin);
        expect(owned, `${name}: ${content}`).toEqual([role]);
      }
      expect(prompt.some(({ origin, text }) => origin === 'tools' && text.includes('get_weather'))).toBe(
        true,
      );
    }
  });

  it('is cut at its length, and data of nobody is called data', () => {
    const spans = [
      { text: 'from the template ', origin: 'template' as const },
      { text: 'from nowhere', origin: 'data' as const },
    ];
    const sources = { messages: [], tools: [] };
    expect(promptSpans(spans, 22, sources)).toEqual([
      { text: 'from the template ', origin: 'template' },
      { text: 'from', origin: 'data' },
    ]);
    expect(promptSpans(spans, 0, sources)).toEqual([]);
  });
});

describe('what is shown of a reading', () => {
  const span = fc.record({
    type: fc.constantFrom('text-delta', 'malformed'),
    length: fc.integer({ min: 1, max: 50 }),
  });

  it('is what touches the window, and stays small', () => {
    fc.assert(
      fc.property(fc.array(span, { maxLength: 60 }), fc.nat(2000), fc.nat(500), (parts, from, width) => {
        let at = 0;
        const spans = parts.map(({ type, length }) => {
          at += length;
          return { type: type as 'text-delta' | 'malformed', start: at - length, end: at };
        });
        const message = { role: 'assistant', content: 'x'.repeat(at * 100) };
        const reading = { spans, message, rows: [] } as unknown as Reading;
        const shown = shownReading(reading, { from, to: from + width });
        const touches = ({ start, end }: { readonly start: number; readonly end: number }) =>
          start < from + width && end > from;
        expect(shown.spans).toEqual(spans.filter(touches));
        const malformed = spans.filter(({ type }) => type === 'malformed');
        expect(shown.malformed).toEqual(malformed.slice(0, shown.malformed.length));
        expect(shown.malformedCount).toBe(malformed.length);
        expect(shown.message.length).toBeLessThan(25_000);
      }),
    );
  });
});
