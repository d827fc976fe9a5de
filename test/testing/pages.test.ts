/** Pages whose blocks, one after the other, are one program that compiles. */
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..');

/** The blocks of a page, one after the other. */
function programOf(page: string): string {
  const text = fs.readFileSync(path.join(root, page), 'utf8');
  return Array.from(text.matchAll(/^```ts\n([\s\S]*?)\n```$/gm), ([, code]) => code).join('\n');
}

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
  const checked = ts.createProgram([...modules.keys()], { ...options, noUnusedLocals: false }, host);
  return Array.from(modules.keys(), (name) =>
    ts
      .getPreEmitDiagnostics(checked, checked.getSourceFile(name))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  );
}

const pages = [
  'README.md',
  'docs/runtime.md',
  'docs/hub.md',
  'docs/servers.md',
  'docs/ai-sdk.md',
  'docs/serve.md',
];
const programs = pages.map(programOf);
const mistaken = programs
  .slice(0, 2)
  .map((program) => program.replace('event.arguments.city', 'event.arguments.town'));
const found = complaints([...programs, ...mistaken]);

describe.each(pages)('%s', (page) => {
  it('compiles', () => expect(found[pages.indexOf(page)]).toEqual([]));
});

it.each(pages.slice(0, 2))('%s would not compile with a mistake in it', (page) =>
  expect(found[pages.length + pages.indexOf(page)]).toHaveLength(1),
);
