/** `idiolect generate`: generates modules from chat templates, models and response templates. */
import { type Command, Option } from 'commander';
import pc from 'picocolors';
import { UnsupportedOptionError } from '../../format/errors.ts';
import type { ImportExtension } from '../../generate/emit-module.ts';
import { isFolderName } from '../model-source.ts';
import { paintedText, terminalText } from '../terminal-text.ts';
import { toolFormatOption } from '../tool-format.ts';
import { describeGenerated, describeTools, differenceLines, summary } from './generate-report.ts';
import { type GeneratedFolder, generateFolder, type MakeOptions } from './generated-folder.ts';
import { readToolSources } from './tool-source.ts';
import { compareGenerated, writeGenerated } from './write-generated.ts';

interface GenerateOptions {
  readonly out: string;
  readonly name?: string;
  readonly tools?: readonly string[];
  readonly degrade: boolean;
  readonly responseTemplate: boolean;
  readonly toolFormat?: string;
  readonly importExtension: ImportExtension;
  readonly force: boolean;
  readonly check: boolean;
  readonly json: boolean;
}

/** Adds the command. */
export function registerGenerate(program: Command): void {
  program
    .command('generate')
    .argument(
      '<files...>',
      'chat templates (.jinja, tokenizer_config.json), models (.gguf), models on the Hub (owner/name), or response templates of Hugging Face (.json)',
    )
    .option('-o, --out <folder>', 'where to write; one folder per model', 'generated')
    .option('-n, --name <name>', 'name of the folder, when one file is given; default: from the file name')
    .option(
      '-t, --tools <list>',
      'also write types and grammars for exactly these tools: a JSON file, a TypeScript or JavaScript module, the address of an MCP server, or its command in quotes; may be given more than once; default: no tools',
      (source: string, before: readonly string[] = []) => [...before, source],
    )
    .option('--degrade', 'accept tool schemas that cannot be enforced in full, and report what is not', false)
    .option('--response-template', "also write Hugging Face's response template of each chat template", false)
    .addOption(toolFormatOption())
    .addOption(
      new Option(
        '--import-extension <ending>',
        'extension of imports between the files: js for tsc, tsx and bundlers; ts for Deno, and for Node with type stripping',
      )
        .choices(['js', 'ts'])
        .default('js'),
    )
    .option(
      '-f, --force',
      'write a module even if it fails its own check, and files anew that were changed by hand',
      false,
    )
    .option('--check', 'write nothing; exit with 1 if the existing files differ', false)
    .option('--json', 'report for programs', false)
    .action(generate);
}

async function generate(files: readonly string[], options: GenerateOptions): Promise<void> {
  checkName(files, options.name);
  const tools = options.tools === undefined ? null : await readToolSources(options.tools);
  // All files are generated before any is written, so that an error leaves the folder unchanged.
  const folders: GeneratedFolder[] = [];
  for (const file of files) folders.push(await generateFolder(file, makeOptions(options, tools)));
  refuseDoubles(folders);
  const differences = options.check
    ? await compareGenerated(options.out, folders, options.importExtension)
    : [];
  const kept = options.check
    ? []
    : await writeGenerated(options.out, folders, {
        extension: options.importExtension,
        force: options.force,
      });
  const isLacking = folders.some(
    (folder) => folder.kind === 'model' && folder.responseTemplate?.template === null,
  );
  if (differences.length > 0 || isLacking) process.exitCode = 1;
  const report = {
    folders: folders.map(describeGenerated),
    tools: describeTools(tools),
    differences,
    ...(kept.length === 0 ? {} : { kept }),
  };
  if (options.json) {
    // A call without further options prints a plain list, as it always has.
    const plain = tools === null && !options.check;
    process.stdout.write(`${JSON.stringify(plain ? report.folders : report, null, 2)}\n`);
  } else {
    const texts = folders.map((folder) => summary(folder, options.out, options.check));
    process.stdout.write(paintedText(texts.join('') + differenceLines(differences, options.check)));
    for (const place of kept) {
      process.stderr.write(
        `${pc.yellow('!')} ${terminalText(place)} was changed by hand and is kept; delete it to have it written anew\n`,
      );
    }
  }
}

function makeOptions(options: GenerateOptions, tools: MakeOptions['tools']): MakeOptions {
  return {
    name: options.name ?? null,
    force: options.force,
    tools,
    policy: options.degrade ? 'degrade' : 'strict',
    responseTemplate: options.responseTemplate,
    toolFormat: options.toolFormat,
    importExtension: options.importExtension,
  };
}

function checkName(files: readonly string[], name: string | undefined): void {
  if (name === undefined) return;
  const option = '--name';
  if (files.length > 1) {
    throw new UnsupportedOptionError({
      option,
      reason: 'takes one file; without it, folders are named by their files',
    });
  }
  if (!isFolderName(name)) {
    const reason = `${JSON.stringify(name.slice(0, 120))} is not a folder name: letters, digits, dots, dashes and underscores are expected, 100 at most, and no name that a file system reserves`;
    throw new UnsupportedOptionError({ option, reason });
  }
}

function refuseDoubles(folders: readonly GeneratedFolder[]): void {
  const origins = new Map<string, string>();
  for (const { name, origin } of folders) {
    const other = origins.get(name);
    if (other !== undefined) {
      const reason = `${other} and ${origin} would both become ${name}; give one at a time, with --name`;
      throw new UnsupportedOptionError({ option: 'files', reason });
    }
    origins.set(name, origin);
  }
}
