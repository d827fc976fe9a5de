/**
 * Every public function that reads what strangers write, fed with hostile texts of growing length: what it looks at
 * grows with the text, and its errors are typed. Work is counted in units of text, so no machine and no load matters.
 */
import { expect, test } from 'vitest';
import {
  argumentValidator,
  buildGrammar,
  createGbnfMatcher,
  createResponseParser,
  findDroppedData,
  IdiolectError,
  lintGbnf,
  normalizeTools,
  parseWithResponseTemplate,
  readGbnf,
  readGenerationPrompt,
  renderPrompt,
  renderPromptSpans,
  spellValue,
  writeResponse,
} from '../../src/index.ts';
import { partialArguments } from '../../src/parser/index.ts';
import { samples } from '../response-template/sample-templates.ts';
import { countedWork } from '../support/counted-work.ts';
import { lawTools } from '../support/law-tools.ts';
import { sampled } from '../support/sample.ts';
import { jsonInTags, pythonic, tagged } from '../support/sample-formats.ts';
import { spineTemplates } from '../support/spine-templates.ts';

/** What hostile texts are made of. */
const parts = [
  ...[
    '<',
    '<|',
    '{',
    '{"a":',
    '[',
    '[1,',
    '"',
    '\\',
    "'",
    '(',
    ' \n',
    '\r\n',
    'a',
    'a.',
    '🙂',
    '\ud800',
    '%s',
  ],
  ...[
    '{{ ',
    '<use>',
    '</use>',
    '<|im_end|>',
    '<think>',
    'get_weather(',
    '0',
    '-1e9',
    '\u0000',
    '&lt;',
    '<!--',
  ],
];

const [first] = await spineTemplates();
const templateSource = first?.source ?? '';
const [sample] = samples;
const jsonStyle = { itemSeparator: ', ', keySeparator: ': ', ascii: false } as never;
const parameters = { type: 'object', properties: { a: { type: 'string' } } } as const;

/** By name: what reads a text. */
const entries: Readonly<Record<string, (text: string) => unknown>> = {
  renderPrompt: (text) => renderPrompt(templateSource, { messages: [{ role: 'user', content: text }] }),
  renderPromptSpans: (text) =>
    renderPromptSpans(templateSource, { messages: [{ role: 'user', content: text }] }),
  findDroppedData: (text) => findDroppedData([{ role: 'user', content: text }], `x${text}`),
  readGenerationPrompt: (text) =>
    readGenerationPrompt(
      { templateSource, options: { messages: [{ role: 'user', content: 'x' }] }, text },
      jsonInTags.turn,
    ),
  'createResponseParser, JSON in tags': (text) => read(jsonInTags, text),
  'createResponseParser, inside a call': (text) =>
    read(tagged, `<use>\n<fn=get_weather>\n<arg=city>\n${text}`),
  'createResponseParser, Pythonic': (text) => read(pythonic, `<calls>[get_weather(city=${text}`),
  writeResponse: (text) => writeResponse(jsonInTags, { role: 'assistant', content: text }),
  normalizeTools: (text) => normalizeTools([{ name: text, description: text, parameters }] as never),
  'buildGrammar, an enum': (text) => grammarOf({ enum: [text, 1] }),
  'buildGrammar, a name': (text) => grammarOf({ properties: { [text]: { const: text } }, required: [text] }),
  'buildGrammar, a $ref': (text) => grammarOf({ $ref: `#/${text}` }),
  'buildGrammar, a description': (text) => grammarOf({ description: text }),
  readGbnf: (text) => lintGbnf(readGbnf(`root ::= ${text}`)),
  'readGbnf, a text': (text) => createGbnfMatcher(`root ::= ${JSON.stringify(text)}`),
  parseWithResponseTemplate: (text) =>
    parseWithResponseTemplate(sample?.template ?? {}, `<think>${text}`, { prefix: '' }),
  spellValue: (text) => spellValue(parameters, { a: text, [text]: 1 }, jsonStyle),
  partialArguments: (text) => partialArguments(`{"a": "${text}`),
  argumentValidator: (text) => argumentValidator(lawTools)?.('get_weather', { city: text } as never),
};

function read(format: typeof jsonInTags, text: string): void {
  const parser = createResponseParser(format, { tools: lawTools });
  parser.feed(text);
  parser.finish();
}

function grammarOf(schema: object): unknown {
  const tools = [
    { type: 'function', function: { name: 'f', parameters: { type: 'object', ...schema } } },
  ] as const;
  return buildGrammar(jsonInTags, { tools, toolChoice: 'required' });
}

function workOf(run: (text: string) => unknown, text: string): number {
  return countedWork(() => {
    try {
      run(text);
    } catch (error) {
      if (!(error instanceof IdiolectError)) throw error;
    }
  });
}

test.each(sampled(Object.entries(entries), 3))(
  '%s looks at what grows with the text, and throws typed errors',
  (_, run) => {
    for (const part of parts) {
      const textOf = (length: number): string => part.repeat(Math.ceil(length / part.length));
      // The first run fills caches.
      workOf(run, textOf(50));
      const [short, long] = [workOf(run, textOf(800)), workOf(run, textOf(3200))];
      expect([part, long < 6 * short + 20_000 || [short, long]]).toEqual([part, true]);
    }
  },
);

test('public functions are fed with hundreds of texts', () => {
  expect(Object.keys(entries).length * parts.length).toBeGreaterThan(200);
});
