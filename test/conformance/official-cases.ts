/** Where the code of a format's makers and ours differed: texts to read, texts to allow, and conversations to render. */
import fs from 'node:fs';
import path from 'node:path';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { IdiolectError } from '../../src/format/errors.ts';
import type { JsonValue, Message, Tool, ToolChoice } from '../../src/format/messages.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createGbnfMatcher } from '../../src/language/gbnf/gbnf-expression.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { renderPrompt } from '../../src/template/prompt/render-prompt.ts';
import { allTemplates } from '../support/corpora.ts';

interface OfficialCase {
  readonly id: string;
  readonly kind: 'parse' | 'grammar' | 'render';
  readonly template: string;
  readonly tools: readonly Tool[];
}

interface ParseCase extends OfficialCase {
  readonly kind: 'parse';
  readonly text: string;
  readonly reason: 'stop' | 'length';
  readonly expected: {
    readonly content?: string;
    readonly reasoning?: string;
    readonly calls?: readonly (readonly [name: string, input: string])[];
  };
}

interface GrammarCase extends OfficialCase {
  readonly kind: 'grammar';
  readonly text: string;
  readonly toolChoice: ToolChoice;
  readonly generationPrompt: string;
  readonly expected: boolean;
}

interface RenderCase extends OfficialCase {
  readonly kind: 'render';
  readonly messages: readonly Message[];
  readonly mustContain: readonly string[];
}

type AnyCase = ParseCase | GrammarCase | RenderCase;

/** Runs all cases of `official-cases.jsonl` in `dataFolder`. */
export async function run(
  dataFolder: string,
): Promise<{ passed: number; total: number; failures: readonly string[] }> {
  const file = path.join(dataFolder, 'official-cases.jsonl');
  if (!fs.existsSync(file)) return { passed: 0, total: 0, failures: ['official-cases.jsonl is not there'] };
  const lines = fs.readFileSync(file, 'utf8').trim().split('\n');
  const cases: readonly AnyCase[] = lines.map((line) => JSON.parse(line));
  const sources = await templateSources(dataFolder);
  const failures = cases.flatMap((each) => {
    const failure = check(each, sources);
    return failure === null ? [] : [`${each.id} (${each.template}): ${failure}`];
  });
  return { passed: cases.length - failures.length, total: cases.length, failures };
}

/** Templates by the names that the cases use: those of llama.cpp's corpus, and files of the data. */
async function templateSources(dataFolder: string): Promise<ReadonlyMap<string, string>> {
  const corpora = (await allTemplates()).flatMap(({ id, name, source }): [string, string][] => {
    const file = id.replace(/\.jinja$/, '').replace('/', '__');
    return [
      [name, source],
      [file, source],
    ];
  });
  const files = ['more-templates', 'unseen-templates'].flatMap((folder) => {
    const all = path.join(dataFolder, folder);
    if (!fs.existsSync(all)) return [];
    return fs
      .readdirSync(all)
      .filter((file) => /\.jinja2?$/.test(file))
      .map((file): [string, string] => [
        file.replace(/\.jinja2?$/, ''),
        fs.readFileSync(path.join(all, file), 'utf8'),
      ]);
  });
  return new Map([...corpora, ...files]);
}

const analyses = new Map<string, ReturnType<typeof analyzeTemplate>>();

function formatOf(source: string) {
  const analysis = analyses.get(source) ?? analyzeTemplate(source);
  analyses.set(source, analysis);
  return analysis.format;
}

/** What is wrong with a case; `null` if nothing is. */
function check(each: AnyCase, sources: ReadonlyMap<string, string>): string | null {
  const source = sources.get(each.template);
  if (source === undefined) return 'no such template';
  try {
    switch (each.kind) {
      case 'parse':
        return checkReading(each, source);
      case 'grammar':
        return checkGrammar(each, source);
      case 'render':
        return checkRender(each, source);
    }
  } catch (error) {
    if (error instanceof IdiolectError) return error.message;
    throw error;
  }
}

function checkReading({ text, tools, reason, expected }: ParseCase, source: string): string | null {
  const format = formatOf(source);
  const parser = createResponseParser(format, {
    tools,
    generationPrompt: format.turn.start + format.turn.prompt.unset,
  });
  parser.feed(text);
  const { message } = parser.finish(reason);
  return isAsExpected(message, expected)
    ? null
    : `expected ${JSON.stringify(expected)}, got ${JSON.stringify(message)}`;
}

function isAsExpected(message: ResponseMessage, { content, reasoning, calls }: ParseCase['expected']) {
  const same = (actual: string | null | undefined, meant: string | undefined) =>
    meant === undefined || (actual ?? '').trim() === meant.trim();
  if (!same(message.content, content) || !same(message.reasoning_content, reasoning)) return false;
  const read = (message.tool_calls ?? []).map(({ function: called }) => [
    called.name,
    canonical(JSON.parse(called.arguments)),
  ]);
  const meant = calls?.map(([name, input]) => [name, canonical(JSON.parse(input))]);
  return meant === undefined || JSON.stringify(read) === JSON.stringify(meant);
}

function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_, each: JsonValue) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

/** A lazy grammar begins at its trigger; what precedes that is free. */
function checkGrammar(each: GrammarCase, source: string): string | null {
  const { tools, toolChoice, generationPrompt, text, expected } = each;
  const built = buildGrammar(formatOf(source), { tools, toolChoice, generationPrompt });
  if (built.grammar === null) return expected ? null : 'nothing is enforced';
  const starts = built.lazy
    ? built.triggers.flatMap(({ type, value }) => {
        const at = type === 'word' ? text.indexOf(value) : text.search(new RegExp(value));
        return at < 0 ? [] : [at];
      })
    : [0];
  if (starts.length === 0) return expected ? 'no trigger occurs in the text' : null;
  const matcher = createGbnfMatcher(built.grammar);
  const accepted = matcher.accept(text.slice(Math.min(...starts))) && matcher.complete;
  return accepted === expected ? null : `${JSON.stringify(text)} is ${accepted ? 'accepted' : 'refused'}`;
}

function checkRender({ messages, tools, mustContain }: RenderCase, source: string): string | null {
  const prompt = renderPrompt(source, { messages, tools, input: formatOf(source).input });
  const missing = mustContain.filter((text) => !prompt.includes(text));
  return missing.length === 0 ? null : `the prompt lacks ${JSON.stringify(missing)}`;
}
