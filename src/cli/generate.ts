/** `idiolect generate`: chat templates and models in, generated modules out. */
import type { Command } from 'commander';
import pc from 'picocolors';
import { type GeneratedModel, generateModel } from '../codegen/generate-model.ts';
import { readModelSource } from './model-source.ts';
import { writeGenerated } from './write-generated.ts';

interface GenerateOptions {
  readonly out: string;
  readonly name?: string;
  readonly force: boolean;
  readonly json: boolean;
}

/** Adds the command. */
export function registerGenerate(program: Command): void {
  program
    .command('generate')
    .description('write the parser module and the grammars of chat templates or models')
    .argument('<files...>', 'chat templates (.jinja), models (.gguf) or models of the Hub (owner/name)')
    .option('-o, --out <folder>', 'where to write; one folder per model', 'generated')
    .option('-n, --name <name>', 'name of the folder, when one file is given; default: from the file name')
    .option('-f, --force', 'write a module even if it fails its own check', false)
    .option('--json', 'report for programs', false)
    .action(generate);
}

async function generate(files: readonly string[], options: GenerateOptions): Promise<void> {
  // Everything is made before anything is written, so that an error leaves the folder as it was.
  const models: GeneratedModel[] = [];
  for (const file of files) {
    const source = await readModelSource(file);
    const name = files.length === 1 && options.name !== undefined ? options.name : source.name;
    models.push(generateModel({ ...source, name, force: options.force }));
  }
  await writeGenerated(options.out, models);
  if (options.json) {
    process.stdout.write(`${JSON.stringify(models.map(describe), null, 2)}\n`);
  } else {
    for (const model of models) process.stdout.write(summary(model, options.out));
  }
}

function describe({ name, analysis, files }: GeneratedModel) {
  const { format, capabilities, warnings } = analysis;
  return {
    type: 'generated_model',
    name,
    files: [...files.keys()],
    labels: format.labels,
    capabilities,
    warnings,
  };
}

function summary({ name, analysis, files }: GeneratedModel, out: string): string {
  const { labels } = analysis.format;
  const facts = `tools ${labels.toolFormat ?? 'none'}, reasoning ${labels.reasoningMode}, content ${labels.contentMode}`;
  const lines = [
    `${pc.green('✓')} ${pc.bold(`${out}/${name}`)}  ${pc.dim(facts)}`,
    `  ${pc.dim([...files.keys()].join('  '))}`,
    ...analysis.warnings.map((warning) => `  ${pc.yellow('!')} ${warning.message}`),
  ];
  return `${lines.join('\n')}\n`;
}
