/** The parts of the conformance run, in the order in which they are printed. */
import fs from 'node:fs';
import path from 'node:path';
import { IdiolectError } from '../../src/format/errors.ts';
import { verifyTemplate } from '../../src/generate/verify/verify-template.ts';
import { allTemplates } from '../support/corpora.ts';
import { run as runChatCases } from './chat-cases.ts';
import { run as runGrammarCases } from './grammar-cases.ts';
import { run as runJinja } from './jinja.ts';
import { runDraft } from './json-schema-test-suite.ts';
import { run as runMaskBench } from './maskbench.ts';
import { newOutcomes } from './maskbench-known.ts';
import { run as runMcpTools } from './mcp-tools.ts';
import { run as runOfficialCases } from './official-cases.ts';
import { run as runPeerCases } from './peer-cases.ts';
import { run as runResponseTemplates } from './response-templates.ts';
import { run as runSchemaCases } from './schema-cases.ts';
import { run as runServeRequests } from './serve-requests.ts';
import { run as runStructuralTags } from './structural-tags.ts';
import { run as runTemplateFormats } from './template-formats.ts';
import { run as runTextAboutCalls } from './text-about-calls.ts';
import { countRight, countTold } from './unseen-templates.ts';

/** What one part found. */
export interface PartResult {
  readonly passed: number;
  readonly total: number;
  /** One line for each case that is not as recorded. */
  readonly failures: readonly string[];
  /** What the part says about itself, one line each: printed with `--details`. */
  readonly details?: readonly string[];
}

/** One part: a kind of data, and the comparison with it. */
export interface Part {
  readonly name: string;
  run(dataFolder: string): Promise<PartResult>;
}

/** MaskBench is the longest part: every run takes another sample of it, `-- maskbench FILE` takes all. */
const maskBenchEvery = 11;

/** All parts. */
export const parts: readonly Part[] = [
  { name: 'jinja', run: runJinja },
  { name: 'laws over both corpora', run: runLaws },
  { name: 'more templates', run: runTemplateFormats },
  { name: 'unseen templates, right', run: async (folder) => countRight(folder) },
  { name: 'unseen templates, told', run: async (folder) => countTold(folder) },
  { name: 'chat-cases', run: runChatCases },
  { name: 'peer-cases', run: (folder) => runPeerCases(folder, 'conforming') },
  { name: 'peer-cases, damaged', run: (folder) => runPeerCases(folder, 'damaged') },
  { name: 'text-about-calls', run: runTextAboutCalls },
  { name: 'official-cases', run: runOfficialCases },
  { name: 'response-templates', run: runResponseTemplates },
  { name: 'grammar-cases', run: runGrammarCases },
  { name: 'schema-cases', run: runSchemaCases },
  { name: 'json-schema-test-suite 2020-12', run: (folder) => runSuite(folder, 'draft2020-12') },
  { name: 'json-schema-test-suite 7', run: (folder) => runSuite(folder, 'draft7') },
  { name: 'structural-tags', run: runStructuralTags },
  { name: 'serve-requests', run: runServeRequests },
  { name: 'mcp-tools', run: compileMcpTools },
  { name: `maskbench, every ${maskBenchEvery}th`, run: sampleMaskBench },
];

/** The laws of `idiolect verify` on all 167 templates. Classifiers have no chat format, and say so. */
async function runLaws(): Promise<PartResult> {
  const templates = await allTemplates();
  const failures = templates.flatMap(({ id, source }) => {
    const broken = brokenLaws(source);
    return broken === null ? [] : [`${id}: ${broken}`];
  });
  return { passed: templates.length - failures.length, total: templates.length, failures };
}

function brokenLaws(source: string): string | null {
  try {
    const { breaches, holds } = verifyTemplate(source);
    if (holds) return null;
    const [first] = breaches;
    return first === undefined
      ? 'renders nothing'
      : `${first.law}: ${first.case} (${breaches.length} in all)`;
  } catch (error) {
    if (error instanceof IdiolectError) return error.message;
    throw error;
  }
}

async function sampleMaskBench(dataFolder: string): Promise<PartResult> {
  const file = path.join(dataFolder, 'maskbench.jsonl.gz');
  if (!fs.existsSync(file)) return { passed: 0, total: 0, failures: ['maskbench.jsonl.gz is not there'] };
  const offset = Number(process.env.SEED ?? 0) % maskBenchEvery;
  const { total, outcomes, examples } = await runMaskBench(file, { every: maskBenchEvery, offset });
  const { worse, better } = newOutcomes(outcomes);
  const lines = worse.map((id) => examples.find((line) => line.startsWith(`${id}:`)) ?? `${id}: refused`);
  const listed = better.map((id) => `${id}: passes; maskbench-known.ts need not list it`);
  return { passed: total - worse.length, total, failures: [...lines, ...listed] };
}

/** A typed refusal passes: what counts against a draft is a wrong answer. */
async function runSuite(dataFolder: string, draft: string): Promise<PartResult> {
  const { all, byKeyword, failures } = await runDraft(path.join(dataFolder, 'json-schema-test-suite'), draft);
  const counts = Object.entries({ all, ...byKeyword });
  return {
    passed: all.right + all.refused,
    total: all.right + all.refused + all.wrong,
    failures,
    details: counts.map(
      ([keyword, { right, refused, wrong }]) =>
        `${keyword.padEnd(24)} ${right} right, ${refused} refused, ${wrong} wrong`,
    ),
  };
}

/** Tools that strict policy takes; none where the grammar of all of them does not build. */
async function compileMcpTools(dataFolder: string): Promise<PartResult> {
  const result = await runMcpTools(path.join(dataFolder, 'mcp-tools.jsonl'));
  const { total, strict, builds, characters, milliseconds, refusals } = result;
  return {
    passed: builds ? strict : 0,
    total,
    failures: builds ? refusals : ['the grammar of all tools does not build', ...refusals],
    details: [`all in one grammar: ${characters} characters, compiled in ${milliseconds.toFixed(0)} ms`],
  };
}
