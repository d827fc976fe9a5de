/** Round trip and any cut with generated messages, written by the format's own writer. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import { shownMessage } from '../../src/generate/verify/laws.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import type { ResponseEvent } from '../../src/parser/events.ts';
import { mergeEvents } from '../../src/testing/event-log.ts';
import { lawMessage, lawTools } from '../support/law-tools.ts';
import { sampled } from '../support/sample.ts';
import { mutate, seededRandom } from '../support/sample-grammar.ts';
import { spineTemplates } from '../support/spine-templates.ts';

const runs = process.env.LAWS === 'long' ? 2000 : 15;
const formats = sampled(await spineTemplates(), 2, 1).map(({ name, source }) => ({
  name,
  format: analyzeTemplate(source).format,
}));

/** Whether the format can show the message at all: it may have no reasoning, or one call at most. */
function fits(format: ChatFormat, message: AssistantMessage): boolean {
  const calls = message.tool_calls?.length ?? 0;
  if (calls > 1 && format.calls?.parallel !== true) return false;
  if (message.reasoning_content !== undefined && format.reasoning === null) return false;
  return calls === 0 || message.content === '' || format.content.position === 'before-calls';
}

function parseInPieces(format: ChatFormat, text: string, cuts: readonly number[]) {
  const parser = createResponseParser(format, { tools: lawTools, markers: true });
  const points = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort(
    (a, b) => a - b,
  );
  const events: ResponseEvent[] = [];
  for (const [index, from] of points.entries())
    events.push(...parser.feed(text.slice(from, points[index + 1] ?? from)));
  const { events: last, message } = parser.finish();
  return { events: [...events, ...last], message };
}

describe.each(formats)('$name', ({ format }) => {
  const fitting = lawMessage.filter((message) => fits(format, message));

  it('reads back what it writes', () => {
    const law = fc.property(fitting, (message) => {
      const text = writeResponse(format, message);
      const shown = shownMessage(format, message, text);
      const parsed = parseInPieces(format, text, []).message;
      expect(parsed.content?.trim() ?? '').toBe(String(shown.content).trim());
      expect(parsed.reasoning_content?.trim()).toBe(shown.reasoning_content?.trim());
      expect(parsed.malformed).toBeUndefined();
      const simple = (calls: AssistantMessage['tool_calls']) =>
        (calls ?? []).map((call) => [call.function.name, JSON.parse(call.function.arguments)]);
      expect(simple(parsed.tool_calls)).toEqual(simple(shown.tool_calls));
    });
    fc.assert(law, { numRuns: runs });
  });

  it('says the same however the text is cut, broken texts included', () => {
    const law = fc.property(
      fitting,
      fc.nat(),
      fc.array(fc.nat(), { maxLength: 12 }),
      (message, seed, cuts) => {
        const written = writeResponse(format, message) + (format.turn.ends[0] ?? '');
        const text = seed % 3 === 0 ? written : mutate(written, seededRandom(seed));
        const whole = parseInPieces(format, text, []);
        const cut = parseInPieces(format, text, cuts);
        expect(mergeEvents(cut.events)).toEqual(mergeEvents(whole.events));
        expect(cut.message).toEqual(whole.message);
      },
    );
    fc.assert(law, { numRuns: runs });
  });

  it('covers every character of broken texts once', () => {
    const law = fc.property(fitting, fc.nat(), (message, seed) => {
      const text = mutate(writeResponse(format, message), seededRandom(seed));
      const stretches = parseInPieces(format, text, []).events.filter(({ start, end }) => end > start);
      let at = 0;
      for (const { start, end } of stretches) {
        expect(start).toBe(at);
        at = end;
      }
      expect(at).toBe(text.length);
    });
    fc.assert(law, { numRuns: runs });
  });
});
