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

/** What the compiler says of a module at the root of the project. */
function complaints(source: string): readonly string[] {
  const file = path.join(root, 'page.ts');
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? source : readFile(name));
  host.getSourceFile = (name, version, ...rest) =>
    name === file ? ts.createSourceFile(name, source, version) : getSourceFile(name, version, ...rest);
  // Names that a page shows and does not use are no mistake there.
  const checked = ts.createProgram([file], { ...options, noUnusedLocals: false }, host);
  return ts
    .getPreEmitDiagnostics(checked, checked.getSourceFile(file))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe.each(['README.md', 'docs/runtime.md'])('%s', (page) => {
  const program = programOf(page);

  it('compiles', () => expect(complaints(program)).toEqual([]));

  it('would not with a mistake in it', () => {
    expect(complaints(program.replace('event.arguments.city', 'event.arguments.town'))).toHaveLength(1);
  });
});

it.each(['docs/hub.md', 'docs/servers.md', 'docs/ai-sdk.md', 'docs/serve.md'])('%s compiles', (page) =>
  expect(complaints(programOf(page))).toEqual([]),
);
