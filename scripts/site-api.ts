/** A page for every exported name, by the path it is imported from. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { Application, type DeclarationReflection, ReflectionKind } from 'typedoc';
import type { MarkdownApplication, PluginOptions } from 'typedoc-plugin-markdown';

const root = path.join(import.meta.dirname, '..');

/** Entry points by the path of their source: `src/hub/index.ts` is `idiolect/hub`. */
export async function entryNames(): Promise<ReadonlyMap<string, string>> {
  const { exports } = JSON.parse(await fs.readFile(path.join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly 'idiolect:source': string }>>;
  };
  return new Map(
    Object.entries(exports).flatMap(([name, target]): [string, string][] => {
      const file = typeof target === 'string' ? target : target['idiolect:source'];
      return file.startsWith('./src/') ? [[path.normalize(file), `idiolect${name.slice(1)}`]] : [];
    }),
  );
}

/** Writes the pages into `folder`, with `sidebar.json`. Throws where TypeDoc finds an error, or a name lacks a docstring. */
export async function writeApiPages(folder: string): Promise<void> {
  const names = await entryNames();
  const app = (await Application.bootstrapWithPlugins({
    options: path.join(root, 'typedoc.json'),
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: [...names.keys()].map((file) => path.join(root, file)),
    readme: 'none',
    out: folder,
    logLevel: 'Warn',
    ...({
      entryFileName: 'index.md',
      hidePageHeader: true,
      useHTMLEncodedBrackets: true,
      sanitizeComments: true,
    } satisfies Partial<PluginOptions>),
  })) as MarkdownApplication;
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc could not read the sources');
  const warnings = app.logger.warningCount;
  app.validate(project);
  if (app.logger.warningCount > warnings)
    throw new Error('public names without a docstring, or links that lead nowhere: they are listed above');
  const modules = project.getChildrenByKind(ReflectionKind.Module);
  for (const module of modules) {
    const file = [...names].find(([source]) => module.name === moduleName(source));
    if (file === undefined) throw new Error(`no export of package.json leads to ${module.name}`);
    module.name = file[1];
  }
  await fs.rm(folder, { recursive: true, force: true });
  await app.generateOutputs(project);
  for (const module of modules) {
    for (const child of module.children ?? []) await writeReference(module.name, child, folder);
  }
}

/** What TypeDoc calls a source: `src/hub/index.ts` is `hub`. */
function moduleName(source: string): string {
  return path.posix.dirname(path.posix.relative('src', source)).replace(/^\.$/, 'index');
}

/** Folders of pages by what is described there. */
const folders: ReadonlyMap<ReflectionKind, string> = new Map([
  [ReflectionKind.Class, 'classes'],
  [ReflectionKind.Interface, 'interfaces'],
  [ReflectionKind.TypeAlias, 'type-aliases'],
  [ReflectionKind.Function, 'functions'],
  [ReflectionKind.Variable, 'variables'],
]);

/** TypeDoc describes a name once; where it can be imported from elsewhere too, a page leads there. */
async function writeReference(entry: string, child: DeclarationReflection, folder: string): Promise<void> {
  if (!child.isReference()) return;
  const target = child.getTargetReflectionDeep();
  const place = folders.get(target.kind);
  const home = target.parent?.name;
  if (place === undefined || home === undefined) throw new Error(`${entry}: ${child.name} leads nowhere`);
  const page = path.join(folder, home, place, `${target.name}.md`);
  await fs.access(page);
  const own = path.join(folder, entry, 're-exports');
  await fs.mkdir(own, { recursive: true });
  const isType = target.kindOf([ReflectionKind.Interface, ReflectionKind.TypeAlias]);
  const text = [
    `# ${child.name}`,
    `\`\`\`ts\nimport ${isType ? 'type ' : ''}{ ${child.name} } from '${entry}';\n\`\`\``,
    `The same as [\`${target.name}\`](${path.relative(own, page)}) of \`${home}\`, where it is described.\n`,
  ];
  await fs.writeFile(path.join(own, `${child.name}.md`), text.join('\n\n'));
}
