/** The output of `idiolect generate`, for people and for programs. */
import pc from 'picocolors';
import type { SchemaIssue } from '../../format/errors.ts';
import type { UnsupportedReason } from '../../response-template/from-format/unsupported.ts';
import type { GeneratedFolder, ModelFolder } from './generated-folder.ts';
import type { NamedTools } from './tool-source.ts';

/** One folder, for programs. */
export function describeGenerated(folder: GeneratedFolder) {
  const files = [...folder.files.keys()];
  if (folder.kind === 'response-template') {
    return { type: 'generated_response_template', name: folder.name, files };
  }
  const { format, capabilities, warnings } = folder.model.analysis;
  return {
    type: 'generated_model',
    name: folder.name,
    files,
    labels: format.labels,
    capabilities,
    warnings,
    not_enforced: folder.report,
    ...(folder.responseTemplate === null
      ? {}
      : { response_template_unsupported: folder.responseTemplate.unsupported }),
  };
}

/** The tools by name, for programs; `null` if there are none. */
export function describeTools(tools: NamedTools | null) {
  if (tools === null) return null;
  return { source: tools.source, names: tools.tools.map(({ function: tool }) => tool.name) };
}

/** One folder, for a person. */
export function summary(folder: GeneratedFolder, out: string, isCheck: boolean): string {
  const mark = isCheck ? pc.dim('·') : pc.green('✓');
  const lines = [
    `${mark} ${pc.bold(`${out}/${folder.name}`)}  ${pc.dim(facts(folder))}`,
    `  ${pc.dim([...folder.files.keys()].join('  '))}`,
    ...(folder.kind === 'model' ? doubts(folder) : []),
  ];
  return `${lines.join('\n')}\n`;
}

function facts(folder: GeneratedFolder): string {
  if (folder.kind === 'response-template') return 'from a response template';
  const { labels } = folder.model.analysis.format;
  return `tools ${labels.toolFormat ?? 'none'}, reasoning ${labels.reasoningMode}, content ${labels.contentMode}`;
}

function doubts({ model, report, responseTemplate }: ModelFolder): string[] {
  return [
    ...model.analysis.warnings.map(({ message }) => `  ${pc.yellow('!')} ${message}`),
    ...model.breaches.map(({ law, case: name }) => `  ${pc.red('!')} breaks the law "${law}" (${name})`),
    ...report.map((issue) => `  ${pc.yellow('!')} ${issueLine(issue)}`),
    ...(responseTemplate?.unsupported ?? []).map((reason) => `  ${unsupportedLine(reason)}`),
  ];
}

function issueLine({ tool, pointer, keyword, effect, reason }: SchemaIssue): string {
  return `tool ${JSON.stringify(tool)}, ${pointer === '' ? '(root)' : pointer}, ${keyword}: ${effect}, ${reason}`;
}

function unsupportedLine({ fatal, detail }: UnsupportedReason): string {
  return fatal
    ? `${pc.red('✗')} no response template: ${detail}`
    : `${pc.yellow('!')} response template: ${detail}`;
}

/** The result of `--check`. */
export function differenceLines(differences: readonly string[], isCheck: boolean): string {
  if (!isCheck) return '';
  if (differences.length === 0) return `${pc.green('✓')} nothing differs\n`;
  return differences.map((difference) => `${pc.red('✗')} ${difference}\n`).join('');
}
