/**
 * The formats of templates that are in neither corpus, judged by what their models write: each template has a
 * description with a call, with thoughts where the model has any, and every one has to leave a plain answer an
 * answer. A format that is wrong may still be honest: the failure says whether a warning was given.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Analysis } from '../../src/analysis/analysis.ts';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { IdiolectError } from '../../src/format/errors.ts';
import type { Tool } from '../../src/format/messages.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { descriptions, type TemplateDescription } from './template-descriptions.ts';

const tools: readonly Tool[] = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The weather of a city.',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer' } },
        required: ['city', 'days'],
      },
    },
  },
];

/** Judges all templates of `more-templates/` in `dataFolder`. */
export async function run(
  dataFolder: string,
): Promise<{ passed: number; total: number; failures: readonly string[] }> {
  const folder = path.join(dataFolder, 'more-templates');
  if (!fs.existsSync(folder)) return { passed: 0, total: 0, failures: ['more-templates is not there'] };
  const files = fs.readdirSync(folder).filter((file) => file.endsWith('.jinja'));
  const failures = files.flatMap((file) => {
    const failure = judge(fs.readFileSync(path.join(folder, file), 'utf8'), descriptions[file]);
    return failure === null ? [] : [`${file}: ${failure}`];
  });
  return { passed: files.length - failures.length, total: files.length, failures };
}

function judge(source: string, description: TemplateDescription | undefined): string | null {
  if (description === undefined) return 'no description';
  try {
    const analysis = analyzeTemplate(source, { eosToken: '</s>' });
    const failure = firstDifference(analysis, description);
    if (failure === null) return null;
    return `${failure} (${analysis.warnings.length === 0 ? 'without a warning' : 'warned of'})`;
  } catch (error) {
    if (error instanceof IdiolectError) return `refused: ${error.message}`;
    throw error;
  }
}

function firstDifference(
  { format }: Analysis,
  { call, thoughts, thinking }: TemplateDescription,
): string | null {
  const { start, prompt } = format.turn;
  const read = (text: string, added: string): ResponseMessage => {
    const parser = createResponseParser(format, { tools, generationPrompt: start + added });
    parser.feed(text);
    return parser.finish().message;
  };
  const plain = read('It is sunny in Oslo.', thinking === true ? prompt.off : prompt.unset);
  if (plain.content?.trim() !== 'It is sunny in Oslo.' || plain.reasoning_content || plain.tool_calls) {
    return `a plain answer reads as ${JSON.stringify(plain)}`;
  }
  if (call === undefined) {
    if (format.calls !== null) return 'calls that the model does not write';
  } else {
    const message = read(call, thinking === true ? prompt.off : prompt.unset);
    if (!isTheCall(message)) return `the call reads as ${JSON.stringify(message)}`;
  }
  if (thoughts === undefined) {
    return format.reasoning === null ? null : 'thoughts that the model does not write';
  }
  const thinks = read(thoughts, thinking === true ? prompt.on : prompt.unset);
  const isRight = thinks.reasoning_content?.trim() === 'Hm.' && thinks.content?.trim() === 'Yes.';
  return isRight ? null : `thoughts read as ${JSON.stringify(thinks)}`;
}

/** One call of `get_weather`, and nothing else. */
function isTheCall({ content, reasoning_content: reasoning, tool_calls: calls }: ResponseMessage): boolean {
  const [only, ...others] = calls ?? [];
  if (only === undefined || others.length > 0 || only.function.name !== 'get_weather') return false;
  if ((content ?? '').trim() !== '' || (reasoning ?? '').trim() !== '') return false;
  const { city, days } = JSON.parse(only.function.arguments);
  return city === 'Oslo' && days === 2;
}
