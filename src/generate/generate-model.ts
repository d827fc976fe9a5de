/** Generates everything for one model: analysis, self-check, module and grammars. */
import type { Analysis } from '../analysis/analysis.ts';
import { analyzeTemplate } from '../analysis/analyze-template.ts';
import type { AnalysisWarning } from '../analysis/evidence.ts';
import type { ChatFormat } from '../format/chat-format.ts';
import { AnalysisError } from '../format/errors.ts';
import { formatGrammar } from '../grammar/format-grammar.ts';
import { printOhm } from '../language/ohm/print-ohm.ts';
import { emitModule, type ImportExtension } from './emit-module.ts';
import type { NamedTemplate } from './named-template.ts';
import { type LawBreach, verifyTemplate } from './verify/verify-template.ts';

/** A chat template to generate from. */
export interface GenerateInput extends NamedTemplate {
  /** Whether to generate a module that breaks a law on its own template; its files then say so. */
  readonly force?: boolean;
  /** The extension of imports between the files; default `js`. */
  readonly importExtension?: ImportExtension;
}

/** The files of one model, and their sources. */
export interface GeneratedModel {
  readonly name: string;
  readonly analysis: Analysis;
  /** Laws that the module breaks; empty unless `force` was set. */
  readonly breaches: readonly LawBreach[];
  /** Content by file name: `format.json`, `parser.ts`, `response.gbnf`, `response.ohm`, `index.ts`. */
  readonly files: ReadonlyMap<string, string>;
}

/** A module that breaks one of these would parse its own model wrongly. */
const required: readonly LawBreach['law'][] = ['round trip', 'any cut', 'nothing lost'];

/**
 * Generates a model's files. Throws `TemplateError`, `TemplateLimitError`, and `AnalysisError` if no chat format can
 * be read, or if the module would break a law on its own template (unless `force` is set).
 */
export function generateModel(input: GenerateInput): GeneratedModel {
  const { templateSource, bosToken = '', eosToken = '' } = input;
  const analysis = analyzeTemplate(templateSource, {
    name: input.origin,
    bosToken,
    eosToken,
    ...input.facts,
  });
  const { breaches } = verifyTemplate(templateSource, { format: analysis.format, bosToken, eosToken });
  const broken = breaches.filter(({ law }) => required.includes(law));
  const [first] = broken;
  if (first !== undefined && input.force !== true) throw selfCheckError(input.origin, first, broken.length);
  const files = new Map(Object.entries(emitFiles(analysis.format, input.importExtension, analysis.warnings)));
  const marked = first === undefined ? files : withWarning(files, broken);
  return { name: input.name, analysis, breaches: broken, files: marked };
}

function selfCheckError(origin: string, first: LawBreach, count: number): AnalysisError {
  return new AnalysisError({
    template: origin,
    probe: first.case,
    reason:
      `the generated parser breaks the law "${first.law}" on ${count} of its own template's messages; ` +
      '`idiolect verify -v` shows them, `--force` generates it all the same',
  });
}

/** The files of a format, by name. */
export function emitFiles(
  format: ChatFormat,
  extension?: ImportExtension,
  warnings: readonly AnalysisWarning[] = [],
): Readonly<Record<string, string>> {
  const module = emitModule(format, extension, warnings);
  const grammar = formatGrammar(format);
  return {
    'format.json': module['format.json'],
    'index.ts': module['index.ts'],
    'parser.ts': module['parser.ts'],
    'response.gbnf': grammar.gbnf,
    'response.ohm': printOhm(grammar.expression, 'Response'),
  };
}

function withWarning(files: ReadonlyMap<string, string>, broken: readonly LawBreach[]): Map<string, string> {
  const lines = broken.map(({ law, case: name }) => `// WARNING: breaks the law "${law}" (${name}).`);
  const warn = (text: string) => `${[...new Set(lines)].join('\n')}\n${text}`;
  return new Map([...files].map(([name, text]) => [name, name.endsWith('.ts') ? warn(text) : text]));
}
