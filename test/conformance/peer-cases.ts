/** Outputs of real models, recorded in the tests of vLLM and Ollama, and the message that they should become. */
import fs from 'node:fs';
import path from 'node:path';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { IdiolectError } from '../../src/format/errors.ts';
import type { Tool } from '../../src/format/messages.ts';
import { difference, type Expectation } from './expected-message.ts';
import { type FormatsByTemplate, formatsByTemplate } from './formats-by-template.ts';

interface PeerCase {
  readonly name: string;
  readonly template: string;
  readonly tools: readonly Tool[] | null;
  readonly generationPrompt: string | null;
  readonly input: string;
  readonly expect: Expectation;
  readonly judgement: string;
}

/** The judgements of the cases that a part of the run takes. */
export type Judgement = 'conforming' | 'damaged';

const judgements: Readonly<Record<Judgement, readonly string[]>> = {
  conforming: ['must match', 'ours is wrong'],
  damaged: ['malformed or off-format; users would want it read'],
};

/** Runs the cases of `peer-cases.jsonl` in `dataFolder` that were judged so. */
export async function run(
  dataFolder: string,
  judgement: Judgement,
): Promise<{ passed: number; total: number; failures: string[] }> {
  const file = path.join(dataFolder, 'peer-cases.jsonl');
  if (!fs.existsSync(file)) return { passed: 0, total: 0, failures: ['peer-cases.jsonl is not there'] };
  const lines = fs.readFileSync(file, 'utf8').trim().split('\n');
  const all: readonly PeerCase[] = lines.map((line) => JSON.parse(line));
  const cases = all.filter((each) => judgements[judgement].includes(each.judgement));
  const formats = await formatsByTemplate(dataFolder);
  const failures = cases.flatMap((each) => {
    const failure = check(formats, each);
    return failure === null ? [] : [`${each.template}: ${each.name}: ${failure}`];
  });
  return { passed: cases.length - failures.length, total: cases.length, failures };
}

/** What is wrong with a case; `null` if nothing is. */
function check(formats: FormatsByTemplate, each: PeerCase): string | null {
  try {
    const parser = createResponseParser(formats.get(each.template), {
      ...(each.tools === null ? {} : { tools: each.tools }),
      generationPrompt: each.generationPrompt ?? '',
    });
    parser.feed(each.input);
    const { message } = parser.finish();
    const differences = difference(message, each.expect);
    if (differences.length === 0) return null;
    return `${differences.join('; ')} of ${JSON.stringify(each.input)}: expected ${JSON.stringify(each.expect)}, got ${JSON.stringify(message)}`;
  } catch (error) {
    if (error instanceof IdiolectError) return error.message;
    throw error;
  }
}
