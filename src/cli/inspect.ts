/** `idiolect inspect`: what was learned from a template, with the evidence. */
import { type Command, Option } from 'commander';
import pc from 'picocolors';
import type { Analysis } from '../analysis/analysis.ts';
import { analyzeTemplate } from '../analysis/analyze-template.ts';
import { generateModel } from '../generate/generate-model.ts';
import { buildStructuralTag } from '../grammar/structural-tag/build-structural-tag.ts';
import { annotatedSample, legend } from './annotate.ts';
import { capabilityFlags } from './capability-flags.ts';
import { untilEnded } from './end-signals.ts';
import { readToolSources } from './generate/tool-source.ts';
import { serveInspector } from './inspector.ts';
import { type ModelSource, readModelSource } from './model-source.ts';
import { openBrowser } from './page.ts';
import { compareWithReader, type ResponseReader } from './response-template-evidence.ts';
import { paintedText, terminalText } from './terminal-text.ts';
import { toolFormatOption } from './tool-format.ts';

interface InspectOptions {
  readonly grammar: boolean;
  readonly ohm: boolean;
  readonly parser: boolean;
  readonly structuralTag?: string;
  readonly toolFormat?: string;
  readonly json: boolean;
  readonly open: boolean;
}

/** Adds the command. */
export function registerInspect(program: Command): void {
  program
    .command('inspect')
    .argument('<file>', 'a chat template (.jinja), a model (.gguf) or a model on the Hub (owner/name)')
    .option('--grammar', 'also print the GBNF grammar', false)
    .option('--ohm', 'also print the Ohm grammar', false)
    .option('--parser', 'also print the generated parser', false)
    .option(
      '--structural-tag <tools>',
      'print only the structural tag for these tools, as JSON (default: none)',
    )
    .addOption(toolFormatOption())
    .option('--json', 'everything, for programs', false)
    .addOption(
      new Option('--open', 'show it in a browser instead, on a page served to this machine; Ctrl-C ends it')
        .default(false)
        .conflicts(['grammar', 'ohm', 'parser', 'structuralTag', 'json']),
    )
    .action(inspect);
}

async function inspect(file: string, options: InspectOptions): Promise<void> {
  const source = await readModelSource(file, options.toolFormat);
  if (options.open) return open(source);
  const analysis = analyze(source);
  if (options.structuralTag !== undefined) {
    const { tools } = await readToolSources([options.structuralTag]);
    const { tag } = buildStructuralTag(analysis.format, { tools });
    process.stdout.write(`${JSON.stringify(tag, null, 2)}\n`);
    return;
  }
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ type: 'template_analysis', file, ...analysis }, null, 2)}\n`);
    return;
  }
  const sections = [
    card(
      source.origin,
      analysis,
      options.toolFormat === undefined ? null : analyze(await readModelSource(file)),
    ),
    capabilities(analysis),
    sample(analysis),
    fields(analysis),
  ];
  if (analysis.warnings.length > 0) sections.push(doubts(analysis));
  if (options.grammar || options.ohm || options.parser) {
    const { files } = generateModel({ ...source, force: true });
    if (options.grammar) sections.push(section('Grammar (GBNF)', files.get('response.gbnf') ?? ''));
    if (options.ohm) sections.push(section('Grammar (Ohm)', files.get('response.ohm') ?? ''));
    if (options.parser) sections.push(section('Parser', files.get('parser.ts') ?? ''));
  }
  process.stdout.write(paintedText(`${sections.join('\n')}\n`));
}

/** Runs until Ctrl-C. A template that cannot be analysed is shown too, with its error. */
async function open({
  name: _,
  origin,
  facts,
  responseReader: _reader,
  ...template
}: ModelSource): Promise<void> {
  const { url, close } = await serveInspector({ ...template, ...facts, name: origin });
  process.stderr.write(`${pc.bold(terminalText(origin))}  ${pc.cyan(url)}\n${pc.dim('Ctrl-C ends it\n')}`);
  openBrowser(url);
  await untilEnded();
  await close();
}

function analyze(source: ModelSource): Analysis {
  const { templateSource, origin, name: _, facts, responseReader, ...tokens } = source;
  const analysis = analyzeTemplate(templateSource, { ...tokens, ...facts, name: origin });
  return responseReader === undefined ? analysis : withReader(analysis, responseReader);
}

/** What the model's own reader confirms is no longer assumed. */
function withReader(analysis: Analysis, reader: ResponseReader): Analysis {
  const { evidence, warnings } = compareWithReader(analysis.format, reader);
  const isConfirmed = (field: string) => evidence.some((each) => field.split('.')[0] === each.field);
  const doubts = analysis.warnings.filter(({ kind, field }) => kind !== 'assumed' || !isConfirmed(field));
  return {
    ...analysis,
    evidence: [...analysis.evidence, ...evidence],
    warnings: [...doubts, ...warnings],
  };
}

function section(title: string, body: string): string {
  return `${pc.bold(pc.underline(title))}\n${body.trimEnd()}\n`;
}

/** `own`: the analysis of the template without the tool format, if there is one. */
function card(origin: string, { format }: Analysis, own: Analysis | null): string {
  const { labels } = format;
  const advice = pc.dim('; --tool-format json-list describes tools in the prompt');
  return section(
    origin,
    [
      `tool calls  ${pc.yellow(labels.toolFormat ?? 'none')}${labels.toolFormat === null ? advice : ''}`,
      ...(own === null ? [] : [`  by itself ${pc.yellow(own.format.labels.toolFormat ?? 'none')}`]),
      `reasoning   ${pc.yellow(labels.reasoningMode)}`,
      `content     ${pc.yellow(labels.contentMode)}`,
      `fingerprint ${pc.dim(format.templateSha256)}`,
    ].join('\n'),
  );
}

function capabilities(analysis: Analysis): string {
  return section('Capabilities', capabilityFlags(analysis.capabilities).join('\n'));
}

function sample({ format }: Analysis): string {
  return section('A sample response', `${pc.dim('colours:')} ${legend}\n\n${annotatedSample(format)}`);
}

function fields({ format, evidence }: Analysis): string {
  const lines = evidence.map(({ field, probe, slice, reason, basis }) => {
    const value = valueAt(format, field);
    const shown = value === undefined ? '' : `  ${pc.cyan(JSON.stringify(value))}`;
    return `${pc.bold(field)}${shown}\n  ${pc.dim(`${basis}, probe ${probe}:`)} ${reason}\n  ${pc.dim(JSON.stringify(slice))}`;
  });
  return section('Fields and their evidence', lines.join('\n'));
}

/** The value at a path such as `calls.section.open`. */
function valueAt(format: object, field: string): unknown {
  let value: unknown = format;
  for (const key of field.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = new Map<string, unknown>(Object.entries(value)).get(key);
  }
  return value;
}

function doubts({ warnings }: Analysis): string {
  const lines = warnings.map(
    ({ field, kind, message }) => `${pc.yellow(`! ${kind}`)} ${pc.bold(field)}: ${message}`,
  );
  return section('What could not be read for certain', lines.join('\n'));
}
