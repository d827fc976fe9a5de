/** Texts that mention, quote, mar or double calls, and outputs of public reports. */
import fs from 'node:fs';
import path from 'node:path';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { IdiolectError } from '../../src/format/errors.ts';
import type { Tool } from '../../src/format/messages.ts';
import type { ResponsePiece } from '../../src/parser/response-parser.ts';
import { difference, type Expectation } from './expected-message.ts';
import { type FormatsByTemplate, formatsByTemplate } from './formats-by-template.ts';

interface TextAboutCalls {
  readonly id: string;
  readonly source: string;
  readonly template: string;
  readonly tools: readonly Tool[] | null;
  readonly generationPrompt: string | null;
  readonly input: string;
  /** The same as an engine that knows special tokens delivers it. */
  readonly pieces?: readonly ResponsePiece[];
  readonly specialTokens?: readonly string[];
  readonly expect: Expectation;
  readonly why: string;
}

/** Runs all cases of `text-about-calls.jsonl` in `dataFolder`. */
export async function run(
  dataFolder: string,
): Promise<{ passed: number; total: number; failures: string[] }> {
  const file = path.join(dataFolder, 'text-about-calls.jsonl');
  if (!fs.existsSync(file)) return { passed: 0, total: 0, failures: ['text-about-calls.jsonl is not there'] };
  const cases: readonly TextAboutCalls[] = fs
    .readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const formats = await formatsByTemplate(dataFolder);
  const failures = cases.flatMap((each) => {
    const failure = check(formats, each);
    return failure === null ? [] : [`${each.id} (${each.template}, ${each.source}, ${each.why}): ${failure}`];
  });
  return { passed: cases.length - failures.length, total: cases.length, failures };
}

/** What is wrong with a case; `null` if nothing is. */
function check(formats: FormatsByTemplate, each: TextAboutCalls): string | null {
  const { tools, specialTokens } = each;
  try {
    const parser = createResponseParser(formats.get(each.template), {
      ...(tools === null ? {} : { tools }),
      ...(specialTokens === undefined ? {} : { specialTokens }),
      generationPrompt: each.generationPrompt ?? '',
    });
    parser.feed(each.pieces ?? each.input);
    const { message } = parser.finish('stop');
    const differences = difference(message, each.expect);
    if (differences.length === 0) return null;
    return `${differences.join('; ')} of ${JSON.stringify(each.pieces ?? each.input)}: expected ${JSON.stringify(each.expect)}, got ${JSON.stringify(message)}`;
  } catch (error) {
    if (error instanceof IdiolectError) return error.message;
    throw error;
  }
}
