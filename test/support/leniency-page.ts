/** Examples of the laws of leniency, and the table of them in `docs/leniency-examples.md`. */
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { JsonObject, Tool } from '../../src/format/messages.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { type LeniencyLaw, laws } from '../../src/parser/leniency/law-table.ts';
import { generatedFormats } from './generated-formats.ts';

/** A response of a generated model that a law reads. */
export interface LawExample {
  readonly law: LeniencyLaw;
  /** A module of `generated/`. */
  readonly model: string;
  readonly text: string;
}

const tool = (name: string, properties: JsonObject, required: readonly string[]): Tool => ({
  type: 'function',
  function: { name, description: '', parameters: { type: 'object', properties, required } },
});

/** The tools on offer in all examples. */
export const exampleTools: readonly Tool[] = [
  tool('get_weather', { city: { type: 'string' }, days: { type: 'integer' } }, ['city']),
  tool('list_files', {}, []),
];

const bern = '{"city": "Bern"}';
const call = `{"name": "get_weather", "arguments": ${bern}}`;
const inTags = (json: string) => `<tool_call>\n${json}\n</tool_call>`;
const tagged = (body: string) => `<function=get_weather>\n${body}</function>`;
const city = '<parameter=city>\nBern\n</parameter>\n';
const [qwen, coder, mistral] = ['qwen-qwen3-0.6b', 'qwen3-coder', 'mistralai-mistral-nemo-instruct-2407'];

/** For each law, what models write. */
const texts: Readonly<Record<LeniencyLaw, readonly [model: string, text: string]>> = {
  'arguments-key': [qwen, inTags(`{"name": "get_weather", "parameters": ${bern}}`)],
  'flat-arguments': [qwen, inTags('{"name": "get_weather", "city": "Bern"}')],
  'empty-arguments': [qwen, inTags('{"name": "list_files", "arguments": null}')],
  'wrapped-arguments': [qwen, inTags(`{"name": "get_weather", "arguments": {"arguments": ${bern}}}`)],
  'name-key': [qwen, inTags(`{"tool": "get_weather", "arguments": ${bern}}`)],
  'name-prefix': [
    'kimi-k2-instruct',
    `<|tool_calls_section_begin|><|tool_call_begin|>get_weather:0<|tool_call_argument_begin|>${bern}<|tool_call_end|><|tool_calls_section_end|>`,
  ],
  'wrapped-call': [qwen, inTags(`{"type": "function", "function": ${call}}`)],
  json: [qwen, inTags(`{"name": "get_weather", "arguments": {'city': 'Bern',}}`)],
  literal: [coder, `<tool_call>\n${tagged(`${city}<parameter=days>\n"3"\n</parameter>\n`)}\n</tool_call>`],
  opener: [coder, tagged(city)],
  noise: [
    'kimi-k2-instruct',
    `<|tool_calls_section_begin|>Now: <|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>${bern}<|tool_call_end|><|tool_calls_section_end|>`,
  ],
  'arguments-marker': ['meetkai-functionary-medium-v3.1', `<function=get_weather${bern}</function>`],
  separator: [
    mistral,
    `[TOOL_CALLS][{"name": "get_weather", "arguments": ${bern}, "id": "abcdefgh1"}; {"name": "list_files", "arguments": {}, "id": "abcdefgh2"}]`,
  ],
  'bare-calls': [coder, `\`\`\`json\n${call}\n\`\`\``],
  notation: [qwen, `<invoke name="get_weather">\n<parameter name="city">Bern</parameter>\n</invoke>`],
  'empty-block': [qwen, 'Noon.\n<tool_call>\n</tool_call>'],
  'marker-part': [
    'glm-4.7-flash',
    '<tool_call>get_weather<arg_key>city<arg_value>Bern</arg_value></tool_call>',
  ],
  'marker-twice': [coder, `<tool_call>\n${tagged(`<parameter=city>\n${city}`)}\n</tool_call>`],
  spelling: [
    'deepseek-ai-deepseek-v3.1',
    `<|tool_calls_begin|><|tool_call_begin|>get_weather<|tool_sep|>${bern}<|tool_call_end|><|tool_calls_end|>`,
  ],
  'thoughts-again': [qwen, '<think>\n<think>\nHm.\n</think>\n\nNoon.'],
  fence: [qwen, inTags(`\`\`\`json\n${call}\n\`\`\``)],
  unclosed: [coder, `<tool_call>\n${tagged('<parameter=city>\nBern\n')}\n</tool_call>`],
  quoted: [qwen, `Write \`${inTags(call)}\`.`],
  'result-marker': ['google-gemma-4-31b-it', 'Noon<tool_response|>.'],
  'special-token': ['google-gemma-4-31b-it', 'Noon<channel|>.'],
  'duplicate-argument': [
    qwen,
    inTags('{"name": "get_weather", "arguments": {"city": "Rome", "city": "Bern"}}'),
  ],
  'null-argument': [qwen, inTags('{"name": "get_weather", "arguments": {"city": "Bern", "days": null}}')],
  'duplicate-id': [
    mistral,
    `[TOOL_CALLS][{"name": "list_files", "arguments": {}, "id": "abcdefgh1"}, {"name": "list_files", "arguments": {}, "id": "abcdefgh1"}]`,
  ],
};

/** An example for each law of the table. */
export const lawExamples: readonly LawExample[] = Object.keys(laws)
  .filter((law): law is LeniencyLaw => law in texts)
  .map((law) => ({ law, model: texts[law][0], text: texts[law][1] }));

/** The message that a parser makes of an example. */
export function readExample(
  { model, text }: LawExample,
  options: { readonly tools?: readonly Tool[]; readonly leniency?: 'strict' } = {},
): ResponseMessage {
  const format = generatedFormats().find(({ name }) => name === model)?.format;
  if (format === undefined) throw new RangeError(`no module is called ${model}`);
  const parser = createResponseParser(format, { tools: exampleTools, ...options });
  parser.feed(text);
  return parser.finish('stop').message;
}

const [begin, end] = ['<!-- examples: npm run leniency -->', '<!-- end of the examples -->'];

/** The page, with the table of examples between its two marks written anew. */
export function leniencyPage(page: string): string {
  const rows = lawExamples.map((example) => {
    const { places, tools, strict } = laws[example.law];
    const where = places.length === 4 ? 'anywhere' : places.join(', ');
    const needs = { any: '', offered: 'an offered name', 'to open': 'to open calls, an offered name' }[tools];
    return `| \`${example.law}\` | ${where} | ${needs} | ${strict ? 'yes' : ''} | ${code(example.text)} (${example.model}) | ${outcomeOf(example)} |`;
  });
  const head =
    '| law | where | needs | `strict` has it | example | what comes of it |\n|---|---|---|---|---|---|';
  const [before = '', rest = ''] = page.split(begin);
  const [, after = ''] = rest.split(end);
  return `${before}${begin}\n\n${head}\n${rows.join('\n')}\n\n${end}${after}`;
}

function outcomeOf(example: LawExample): string {
  const message = readExample(example);
  const calls = (message.tool_calls ?? []).map(
    ({ function: { name, arguments: args } }) => `${name}(${args})`,
  );
  const shown = [...calls, ...(message.content ? [JSON.stringify(message.content)] : [])].map(code);
  const note = message.repaired?.find(({ law }) => law === example.law)?.detail ?? '';
  return [...shown, note.replaceAll('|', '\\|').replaceAll('<', '&lt;')]
    .filter((each) => each !== '')
    .join('; ');
}

/** Text as code in a cell of a table. */
function code(text: string): string {
  const inner = text.replaceAll('\n', '⏎').replaceAll('|', '\\|');
  return inner.includes('`') ? `\`\` ${inner} \`\`` : `\`${inner}\``;
}
