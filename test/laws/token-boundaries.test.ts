/**
 * Whatever the token boundaries: a response that the format writes comes through the engine's hook as
 * it is, with the same message, no character lost or doubled. Trigger texts written about in thoughts
 * and prose change nothing. With forced text injected and without; markers being tokens and spelled out.
 * All formats in the long variant.
 */
import fc from 'fast-check';
import type { LlamaModel } from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { GrammarCache } from '../../src/runtime/chat/grammar-cache.ts';
import { llamaTemplate } from '../support/corpora.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { lawMessage, lawTools } from '../support/law-tools.ts';
import { readVocabulary, type Vocabulary } from '../support/read-vocabulary.ts';
import { sampled } from '../support/sample.ts';
import { writeTokens } from '../support/scripted-run.ts';
import { smallVocabulary, tinyModelFile } from '../support/small-vocabulary.ts';
import { spineTemplates } from '../support/spine-templates.ts';
import { testLlama } from '../support/test-models.ts';

const long = process.env.LAWS === 'long';
/** A template whose calls begin as its thoughts and answers do. */
const sameOpeners = 'muse-glimmer';
/** A template whose prompts write the opener that calls and answers share. */
const openerInPrompt = 'meetkai-functionary-medium-v3.2';
const numRuns = long ? 60 : 6;
const formats = long
  ? generatedFormats().filter(({ format }) => format.calls !== null)
  : sampled(
      [...(await spineTemplates()), await llamaTemplate(sameOpeners), await llamaTemplate(openerInPrompt)],
      3,
    ).map(({ name, source }) => ({ name, format: analyzeTemplate(source).format }));

const grammars = new GrammarCache();

/** What the format can write in one turn: as many calls as it can, and no content after them. */
function writable(format: ChatFormat, message: AssistantMessage): AssistantMessage {
  const calls = message.tool_calls ?? [];
  if (calls.length === 0) return message;
  return {
    ...message,
    content: format.content.position === 'before-calls' ? message.content : '',
    tool_calls: format.calls?.parallel === true ? calls : calls.slice(0, 1),
  };
}

/** Some formats have no way to write some texts (a quote inside quotes); the grammar refuses those. */
function canBeWritten(format: ChatFormat, message: AssistantMessage): boolean {
  const { grammar, matcher } = grammars.get(format, { tools: lawTools, toolChoice: 'auto' });
  if (matcher === null || message.tool_calls === undefined) return true;
  const calls = writeResponse(format, { role: 'assistant', content: '', tool_calls: message.tool_calls });
  const [trigger] = grammar.triggers;
  const start =
    trigger?.type === 'word' ? calls.indexOf(trigger.value) : calls.length - calls.trimStart().length;
  return matcher.allows(calls.slice(Math.max(0, start)));
}

/** The response after what the prompt opens by itself. */
function openedBy(
  format: ChatFormat,
  text: string,
): { readonly generationPrompt: string; readonly text: string } {
  const opened = format.turn.prompt.unset;
  const whole = opened !== '' && text.startsWith(opened);
  return {
    generationPrompt: format.turn.start + (whole ? opened : ''),
    text: whole ? text.slice(opened.length) : text,
  };
}

/** What matters of a message: ids may differ. */
function gist({ content, reasoning_content, tool_calls, malformed }: ResponseMessage) {
  const calls = (tool_calls ?? []).map(({ function: called }) => [called.name, JSON.parse(called.arguments)]);
  return { content, reasoning_content, calls, malformed };
}

function parsed(format: ChatFormat, generationPrompt: string, text: string): ResponseMessage {
  const parser = createResponseParser(format, { tools: lawTools, generationPrompt });
  parser.feed(text);
  return parser.finish().message;
}

describe.each(['one token each', 'spelled out'])('markers %s', (spelling) => {
  const special = spelling !== 'spelled out';
  let model: LlamaModel;
  let vocabulary: Vocabulary;
  beforeAll(async () => {
    const markers = special ? formats.flatMap(({ format }) => format.preservedTokens) : [];
    const modelPath = await tinyModelFile({ vocabulary: long ? 'llama-spm' : smallVocabulary, markers });
    model = await (await testLlama()).loadModel({ modelPath });
    vocabulary = readVocabulary(model, modelPath);
  });
  afterAll(() => model.dispose());

  it('a call after content is constrained also where the prompt wrote the opener of the first', async () => {
    const { source } = await llamaTemplate(openerInPrompt);
    const { format } = analyzeTemplate(source);
    const generationPrompt = format.turn.start + format.turn.prompt.unset;
    const request = { tools: lawTools, toolChoice: 'auto', generationPrompt } as const;
    const choose = (): number => 0;
    const write = (text: string) =>
      writeTokens({ model, vocabulary, format, request, text, choose, special, inject: true });
    const right = write('all\nSo be it.>>>get_weather\n{"city":"Bern"}');
    expect(right.message).toMatchObject({ content: 'So be it.', tool_calls: [{}] });
    expect(right.injected).toBeGreaterThan(0);
    expect(() => write('all\nSo be it.>>>get_weather\n{"town":"Bern"}')).toThrow();
    expect(() => write('get_weather\n{"town":"Bern"}')).toThrow();
    expect(write('all\nNo call: >>> and >>>all').message).toMatchObject({
      content: 'No call: >>> and >>>all',
    });
  });

  describe.each(formats)('$name', ({ format }) => {
    const write = (message: AssistantMessage, seed: number, inject: boolean) => {
      const { generationPrompt, text } = openedBy(format, writeResponse(format, writable(format, message)));
      let state = seed;
      const choose = (count: number): number => {
        state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
        return (state >> 8) % Math.max(1, count);
      };
      const request = { tools: lawTools, toolChoice: 'auto', generationPrompt } as const;
      const options = { model, vocabulary, format, request, text, choose, special, inject };
      return { written: writeTokens(options), expected: parsed(format, generationPrompt, text), text };
    };

    it('auto: every segmentation gives the same message', () => {
      fc.assert(
        fc.property(lawMessage, fc.nat(), fc.boolean(), (message, seed, inject) => {
          fc.pre(canBeWritten(format, writable(format, message)));
          const { written, expected, text } = write(message, seed, inject);
          // A response is over where nothing but white space may follow.
          expect(written.text.startsWith(text.trimEnd()), `${written.text}\n${text}`).toBe(true);
          expect(gist(written.message)).toEqual(gist(expected));
        }),
        { numRuns, endOnFailure: true },
      );
    });
  });
});
