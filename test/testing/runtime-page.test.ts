/** `docs/runtime.md`: its blocks, one after the other, are one program that compiles. */
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..');
const page = fs.readFileSync(path.join(root, 'docs/runtime.md'), 'utf8');
const program = Array.from(page.matchAll(/^```ts\n([\s\S]*?)\n```$/gm), ([, code]) => code).join('\n');

/** What the compiler says of a module at the root of the project. */
function complaints(source: string): readonly string[] {
  const file = path.join(root, 'runtime-page.ts');
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

describe('docs/runtime.md', () => {
  it('compiles', () => expect(complaints(program)).toEqual([]));

  it('would not with a mistake in it', () => {
    expect(complaints(program.replace('event.arguments.city', 'event.arguments.town'))).toHaveLength(1);
  });
});
