/** `idiolect info`: a model's card, read from its header. */
import type { Command } from 'commander';
import pc from 'picocolors';
import type { Analysis } from '../../analysis/analysis.ts';
import { analyzeTemplate } from '../../analysis/analyze-template.ts';
import { IdiolectError } from '../../format/errors.ts';
import { snakeCase } from '../../format/json-values.ts';
import { type Verification, verifyTemplate } from '../../generate/verify/verify-template.ts';
import type { ModelCard } from '../../hub/inspect-model.ts';
import { inspectModel } from '../../hub/obtain-model.ts';
import { toolFormats, wrapTemplate } from '../../template/tool-format/wrap-template.ts';
import { annotatedSample } from '../annotate.ts';
import { capabilityFlags } from '../capability-flags.ts';
import { formatBytes, formatCount } from '../figures.ts';
import { paintedText } from '../terminal-text.ts';
import { storedAdvice } from '../try/stored-trial.ts';
import { wrapped, wrappedText } from '../wrapped.ts';

interface InfoOptions {
  readonly file?: string;
  readonly json: boolean;
}

/** A card, with the results of analysing its template and of verifying the laws. */
interface Information {
  readonly card: ModelCard;
  readonly analysis: Analysis | null;
  readonly laws: Verification | null;
  /** What `idiolect try` found, if its result is there. */
  readonly advice: string | null;
  /** The same for the template in each tool format. */
  readonly formats: readonly (Study & { readonly name: string })[];
}

type Study = Pick<Information, 'analysis' | 'laws'>;

/** Adds the command. */
export function registerInfo(program: Command): void {
  program
    .command('info')
    .argument('<model>', 'a GGUF file, or a model on the Hub: owner/name, owner/name:Q5_K_M')
    .option('--file <path>', 'which file of the repository; default: by the quantisation')
    .option('--json', 'for programs', false)
    .action(info);
}

async function info(model: string, options: InfoOptions): Promise<void> {
  const card = await inspectModel(model, { file: options.file ?? null });
  const advice = card.template === null ? null : await storedAdvice(card.file, card.template.sha256);
  const information = { card, advice, ...study(card) };
  process.stdout.write(
    options.json ? `${JSON.stringify(report(information), null, 2)}\n` : paintedText(show(information)),
  );
}

/** If the template cannot be analysed, there is no result; the card has the reason. */
function study({ template, header }: ModelCard): Omit<Information, 'card' | 'advice'> {
  if (template === null || template.problem !== null) return { analysis: null, laws: null, formats: [] };
  const { source } = template;
  const plain = header.templates.default ?? source;
  const formats = toolFormats.map(({ name }) => ({
    name,
    ...studyTemplate(() => wrapTemplate(plain, name, header.file), header),
  }));
  return { ...studyTemplate(() => source, header), formats };
}

function studyTemplate(read: () => string, header: ModelCard['header']): Study {
  const { file, specialTokens, addedTokens, endTokens } = header;
  try {
    const source = read();
    const tokens = { bosToken: specialTokens.bos ?? '', eosToken: specialTokens.eos ?? '' };
    const analysis = analyzeTemplate(source, { name: file, ...tokens, addedTokens, endTokens });
    return { analysis, laws: verifyTemplate(source, { format: analysis.format, ...tokens }) };
  } catch (error) {
    if (error instanceof IdiolectError) return { analysis: null, laws: null };
    throw error;
  }
}

function report({ card, analysis, laws, formats, advice }: Information) {
  return {
    type: 'model_info',
    model: card.model,
    file: card.file,
    supports_tools: card.supportsTools,
    caps: card.template?.capabilities ? snakeCase(card.template.capabilities) : null,
    chat_format: analysis?.format.labels.toolFormat ?? null,
    has_tool_use_template: card.hasToolUseTemplate,
    architecture: card.header.architecture,
    n_params: card.parameterCount,
    size: card.size,
    shards: card.shards,
    quantization: card.quantization,
    context_length: card.header.contextLength,
    template: card.template?.name ?? null,
    template_sha256: card.template?.sha256 ?? null,
    problem: card.template?.problem?.message ?? null,
    header_bytes_read: card.header.bytesRead,
    format: analysis?.format ?? null,
    laws: laws === null ? null : lawReport(laws),
    tried: advice,
    tool_formats: formats.map((each) => ({
      name: each.name,
      chat_format: each.analysis?.format.labels.toolFormat ?? null,
      laws: each.laws === null ? null : lawReport(each.laws),
    })),
  };
}

function lawReport({ holds, rendered, refused, breaches }: Verification) {
  return { holds, rendered, refused, breaches: breaches.map(({ law, case: name }) => ({ law, case: name })) };
}

function show({ card, analysis, laws, formats, advice }: Information): string {
  const { header, template } = card;
  const verdict = card.supportsTools ? pc.green('✓ can call tools') : pc.yellow('✗ cannot call tools');
  const lines = [
    wrapped([pc.bold(header.name ?? card.model), verdict], 0, '  '),
    ...facts({
      file: `${card.file}${card.shards > 1 ? ` (${card.shards} shards)` : ''}`,
      architecture: header.architecture ?? 'not said',
      weights: weights(card),
      context: header.contextLength === null ? 'not said' : `${header.contextLength} tokens`,
      template: templateLine(card),
    }),
  ];
  if (template?.problem)
    lines.push(wrappedText(pc.red(`its template cannot be read: ${template.problem.message}`), 0));
  if (template?.capabilities) lines.push(`  ${wrapped(capabilityFlags(template.capabilities), 2, '  ')}`);
  if (analysis !== null) {
    const { toolFormat, reasoningMode } = analysis.format.labels;
    lines.push(...facts({ calls: toolFormat ?? 'none', reasoning: reasoningMode }));
    lines.push('', annotatedSample(analysis.format));
  }
  if (laws !== null) lines.push('', wrappedText(lawLine(laws), 0));
  if (advice !== null) lines.push('', wrappedText(`tried: ${advice}`, 0));
  if (formats.length > 0) lines.push('', pc.dim('with --tool-format'), ...facts(formatLines(formats)));
  return `${lines.join('\n')}\n`;
}

function formatLines(formats: Information['formats']): Readonly<Record<string, string>> {
  const lines = formats.map(({ name, analysis, laws }) => {
    const calls = analysis?.format.labels.toolFormat ?? null;
    if (calls === null || laws === null)
      return [name, pc.yellow('its template cannot be read in it')] as const;
    return [name, `${calls}, ${lawLine(laws)}`] as const;
  });
  return Object.fromEntries(lines);
}

/** Columns of a name. */
const nameWidth = 13;

function facts(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).map(
    ([name, value]) => `  ${pc.dim(name.padEnd(nameWidth))}${wrappedText(value, 2 + nameWidth)}`,
  );
}

function weights({ parameterCount, quantization, size }: ModelCard): string {
  const parts = [
    parameterCount === null ? null : formatCount(parameterCount),
    quantization,
    size === null ? 'shards are missing' : formatBytes(size),
  ];
  return parts.filter((part) => part !== null).join(', ');
}

function templateLine({ template, hasToolUseTemplate }: ModelCard): string {
  if (template === null) return 'none';
  const companion = hasToolUseTemplate ? ' (it ships one for tools next to its default)' : '';
  return `${template.name}${companion} ${pc.dim(template.sha256.slice(0, 16))}`;
}

function lawLine({ holds, rendered, breaches }: Verification): string {
  if (holds) return pc.green(`✓ the laws hold for all ${rendered} messages that its template renders`);
  if (rendered === 0)
    return pc.yellow('its template rendered none of the messages that the laws are tried on');
  return pc.red(`✗ ${breaches.length} breaches of the laws in ${rendered} messages: see idiolect verify`);
}
