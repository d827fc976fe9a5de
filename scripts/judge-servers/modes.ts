/** Every mode of every generated format on a server: are the tags taken, is what is written under them right? */
import fs from 'node:fs';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import type { GrammarOptions } from '../../src/grammar/grammar-options.ts';
import { buildStructuralTag } from '../../src/grammar/structural-tag/build-structural-tag.ts';
import { grammarAfter } from '../../src/language/matcher/rest-of-grammar.ts';
import { isValidAnswer, Validity } from '../judge-models/asking/validity.ts';
import { judgeTools } from '../judge-models/questions/tools.ts';
import { type JudgedServer, post, readCompletion, underTag } from './judged-server.ts';

const answerSchema = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 12 }, days: { type: 'integer', minimum: 1, maximum: 7 } },
  required: ['city', 'days'],
  additionalProperties: false,
} as const;
const responseFormat = {
  type: 'json_schema',
  json_schema: { name: 'answer', schema: answerSchema },
} as const;
const tools = judgeTools;
const named = { type: 'function', function: { name: judgeTools[0]?.function.name ?? '' } } as const;

/** The modes, by name. */
const modes: Readonly<Record<string, GrammarOptions>> = {
  auto: { tools },
  required: { tools, toolChoice: 'required' },
  'required, one': { tools, toolChoice: 'required', parallelToolCalls: false },
  named: { tools, toolChoice: named },
  answer: { responseFormat },
  'answer or call': { tools, responseFormat },
};

/** What came of one mode. */
export interface ModeCounts {
  tags: number;
  largest: number;
  refused: number;
  /** Without an answer. */
  failed: number;
  /** Not a text of the tag, nor the beginning of one. */
  stray: number;
  /** Ended by the model. */
  ended: number;
  calls: number;
  invalid: number;
  /** Ended, and not read as what the mode demands, or with text that fits nowhere. */
  unread: number;
}

/** Which formats, and what each response gets. */
export interface ModeLimits {
  /** Tokens. */
  readonly limit: number;
  readonly seed: number;
  /** Part of the formats' names. */
  readonly only: string;
  /** The first name. */
  readonly from: string;
}

/** Runs all modes, and tells what went wrong. */
export async function judgeModes(
  server: JudgedServer,
  { limit, seed, only, from }: ModeLimits,
): Promise<Readonly<Record<string, ModeCounts>>> {
  const counts = Object.fromEntries(Object.keys(modes).map((mode) => [mode, none()]));
  const open = formats()
    .filter(({ name }) => name.includes(only) && name >= from)
    .flatMap(({ name, format }) => Object.keys(modes).map((mode) => ({ name, format, mode })));
  const work = async (): Promise<void> => {
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const count = counts[next.mode] ?? none();
      const problem = await judgeOne(server, next.format, next.mode, { limit, seed }, count).catch(
        (error) => {
          count.failed += 1;
          return String(error);
        },
      );
      if (problem !== null) console.log(`${next.name}, ${next.mode}: ${problem.slice(0, 300)}`);
      if (open.length % 60 === 0) console.error(`${open.length} requests left`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return counts;
}

/** Requests at once: a server writes many responses in the time of one. */
const atOnce = 16;

/** Asks for one response; what is wrong with it, or `null`. */
async function judgeOne(
  server: JudgedServer,
  format: ChatFormat,
  mode: string,
  { limit, seed }: { readonly limit: number; readonly seed: number },
  count: ModeCounts,
): Promise<string | null> {
  const options = modes[mode] ?? {};
  const generationPrompt = format.turn.start + format.turn.prompt.off;
  const built = tagOf(format, { ...options, generationPrompt });
  if (built?.tag == null) return null;
  const { tag, expression } = built;
  count.tags += 1;
  count.largest = Math.max(count.largest, JSON.stringify(tag).length);
  const answer = await post(server, '/v1/completions', {
    prompt: generationPrompt === '' ? '\n' : generationPrompt,
    max_tokens: limit,
    temperature: 1,
    seed,
    skip_special_tokens: false,
    spaces_between_special_tokens: false,
    ...underTag(server, tag),
  });
  if (answer.status !== 200) {
    count.refused += 1;
    return answer.body;
  }
  const { text, finish } = readCompletion(answer.body);
  // A limit may cut a character.
  const fits = expression === null || grammarAfter(expression, text.replace(/\uFFFD+$/, '')) !== null;
  if (!fits) count.stray += 1;
  const isRead = isReadWell({ format, mode, generationPrompt, text, finish }, count);
  return fits && isRead ? null : JSON.stringify(text);
}

function none(): ModeCounts {
  return { tags: 0, largest: 0, refused: 0, failed: 0, stray: 0, ended: 0, calls: 0, invalid: 0, unread: 0 };
}

/** What came of one request. */
interface Written {
  readonly format: ChatFormat;
  readonly mode: string;
  readonly generationPrompt: string;
  readonly text: string;
  readonly finish: string;
}

/** Reads one response, and counts it. */
function isReadWell({ format, mode, generationPrompt, text, finish }: Written, count: ModeCounts): boolean {
  const parser = createResponseParser(format, { tools, generationPrompt });
  const events = [...parser.feed(text), ...parser.finish(finish === 'stop' ? 'stop' : 'length').events];
  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event] : []));
  const validity = new Validity(tools);
  const invalid = calls.filter(
    ({ toolName: name, arguments: given }) => !validity.isValid({ name, arguments: given }),
  );
  count.calls += calls.length;
  count.invalid += invalid.length;
  if (finish !== 'stop') return invalid.length === 0;
  count.ended += 1;
  const answer = events.map((event) => (event.type === 'text-delta' ? event.delta : '')).join('');
  const isDemanded = modes[mode]?.toolChoice !== undefined;
  const isAnswered = calls.length > 0 || isValidAnswer(answerSchema, answer);
  const lacks = isDemanded ? calls.length === 0 : mode.startsWith('answer') && !isAnswered;
  const isUnread = lacks || (mode !== 'auto' && events.some(({ type }) => type === 'malformed'));
  if (isUnread) count.unread += 1;
  return !isUnread && invalid.length === 0;
}

/** `null` where a format refuses the mode. */
function tagOf(format: ChatFormat, options: GrammarOptions) {
  try {
    return buildStructuralTag(format, options);
  } catch (error) {
    if (error instanceof UnsupportedOptionError) return null;
    throw error;
  }
}

function formats(): readonly { readonly name: string; readonly format: ChatFormat }[] {
  const folder = new URL('../../generated/', import.meta.url);
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({
      name,
      format: JSON.parse(fs.readFileSync(new URL(`${name}/format.json`, folder), 'utf8')) as ChatFormat,
    }))
    .filter(({ format }) => format.calls !== null);
}
