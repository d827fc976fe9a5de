/**
 * A model that goes on after its call as the tool would, with a result that it invents: the call stands, the invented
 * text is no answer, and the message keeps it as `malformed`.
 */
import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { AnalysisError, TemplateError } from '../../src/format/errors.ts';
import type { AssistantMessage, Message } from '../../src/format/messages.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { renderPrompt } from '../../src/template/prompt/render-prompt.ts';
import { allTemplates } from '../support/corpora.ts';
import { callId, lawTools } from '../support/law-tools.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';
import { spineTemplates } from '../support/spine-templates.ts';

const long = process.env.LAWS === 'long';
const tool_calls = [
  { id: callId(0), type: 'function', function: { name: 'get_weather', arguments: '{"city": "Oslo"}' } },
] as const;
const calling: AssistantMessage = { role: 'assistant', content: '', tool_calls };
const tools = lawTools.slice(0, 1);
const result = 'Rain and 7 degrees';
const messages: readonly Message[] = [
  { role: 'user', content: 'Will it rain in Oslo?' },
  calling,
  { role: 'tool', tool_call_id: callId(0), name: 'get_weather', content: result },
];

/** What a finished conversation has after the call, up to the end of its result; `null` where it has no such. */
function afterCall(templateSource: string, format: ReturnType<typeof analyzeTemplate>['format']) {
  try {
    const { input } = format;
    const rendered = renderPrompt(templateSource, {
      messages,
      tools,
      input,
      addGenerationPrompt: false,
    });
    const written = writeResponse(format, calling).trim();
    const at = rendered.lastIndexOf(written);
    const end = rendered.indexOf(result, at);
    return at < 0 || end < 0 ? null : rendered.slice(at + written.length, end + result.length);
  } catch (error) {
    if (error instanceof TemplateError) return null;
    throw error;
  }
}

function formatOf(source: string) {
  try {
    return analyzeTemplate(source);
  } catch (error) {
    if (error instanceof AnalysisError) return null;
    throw error;
  }
}

function summary({ content, tool_calls: calls = [], malformed = [] }: ResponseMessage) {
  return {
    content: content ?? '',
    calls: calls.map(({ function: f }) => [f.name, JSON.parse(f.arguments)]),
    keeps: malformed.some(({ raw }) => raw.includes(result)),
  };
}

const corpus = long ? await allTemplates() : await spineTemplates();
const cases = corpus.flatMap(({ name, source }) => {
  const analysis = formatOf(source);
  if (analysis === null || analysis.format.calls === null) return [];
  const { format, warnings } = analysis;
  // Nothing stands between a call and a result there, and the analysis warns of it.
  if (warnings.some(({ field, kind }) => field === 'turn.ends' && kind === 'assumed')) return [];
  return [{ name, format, follows: afterCall(source, format) }];
});

describe.each(cases)('$name', ({ format, follows }) => {
  const { results } = format;
  const written = writeResponse(format, calling);
  const read = { content: '', calls: [['get_weather', { city: 'Oslo' }]], keeps: true };

  it.runIf(follows !== null)('reads no answer where the history goes on after a call', () => {
    const text = written.trim() + follows;
    expect(summary(parsePieces(format, text, [], { tools }).message)).toEqual(read);
  });

  it.each(results?.open ?? [])('reads no answer right after %s', (open) => {
    const text = `${written}\n${open}\n${result}`;
    for (const cuts of [[], everyPosition(text)]) {
      expect(summary(parsePieces(format, text, cuts, { tools }).message)).toEqual(read);
    }
  });

  it('has no marker of results in an answer', () => {
    const marks = [...(results?.open ?? []), ...(results?.close ?? [])];
    const barred = marks.filter(
      (marker) => /^<[|｜].*[|｜]>$/.test(marker) && !format.turn.ends.some((end) => end.includes(marker)),
    );
    const { open, close } = format.content;
    const parser = createResponseParser(format, { tools });
    parser.feed(`${open}So: ${barred.map((marker) => `${marker}ok `).join('')}then.${close}`);
    const { content, repaired = [] } = parser.finish().message;
    expect(content?.trim()).toBe(`So: ${barred.map(() => 'ok ').join('')}then.`);
    expect(repaired.map(({ law }) => law)).toEqual(barred.map(() => 'result-marker'));
  });
});
