/** The programs of the pages compile. `npm run package:check` runs them. */
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { pagePrograms } from '../../scripts/page-programs.ts';

const root = path.join(import.meta.dirname, '..', '..');

/** What the compiler says of each of `sources` as a module at the root of the project; one run reads the types for all. */
function complaints(sources: readonly string[]): readonly (readonly string[])[] {
  const modules = new Map(sources.map((source, index) => [path.join(root, `page-${index}.ts`), source]));
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => modules.has(name) || fileExists(name);
  host.readFile = (name) => modules.get(name) ?? readFile(name);
  host.getSourceFile = (name, version, ...rest) => {
    const source = modules.get(name);
    if (source === undefined) return getSourceFile(name, version, ...rest);
    return ts.createSourceFile(name, source, version);
  };
  // Names that a page shows and does not use are no mistake there.
  const ownOptions = { ...options, noUnusedLocals: false, incremental: false };
  const checked = ts.createProgram([...modules.keys()], ownOptions, host);
  return Array.from(modules.keys(), (name) =>
    ts
      .getPreEmitDiagnostics(checked, checked.getSourceFile(name))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  );
}

const programs = pagePrograms();
const names = programs.map(({ page, file }) => (file === null ? page : `${page}: ${file}`));
const mistaken = programs
  .filter(({ source }) => source.includes('event.arguments.city'))
  .map(({ source }) => source.replace('event.arguments.city', 'event.arguments.town'));
const found = complaints([...programs.map(({ source }) => source), ...mistaken]);

describe.each(names)('%s', (name) => {
  it('compiles', () => expect(found[names.indexOf(name)]).toEqual([]));
});

it('the guides, the README and the reference have programs', () =>
  expect(programs.length).toBeGreaterThan(18));

it('a program with a mistake in it would not compile', () => {
  expect(mistaken.length).toBeGreaterThan(2);
  for (const said of found.slice(programs.length)) expect(said).toHaveLength(1);
});
