/** `docs/entry-points.md` and its parts against `package.json` and the code: every exported name, and no other. */
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { docPages } from '../support/doc-pages.ts';

const root = path.join(import.meta.dirname, '..', '..');
const page = docPages('entry-points', 'entry-points-parts');
const { exports }: { readonly exports: Readonly<Record<string, unknown>> } = JSON.parse(
  fs.readFileSync(path.join(root, 'package.json'), 'utf8'),
);

/** What is generated, and what is no code, has no names of its own to list. */
const entries = Object.entries(exports).flatMap(([name, target]): readonly [string, string][] => {
  if (name.startsWith('./generated') || typeof target !== 'object' || target === null) return [];
  return [[`idiolect${name.slice(1)}`, path.join(root, String(Reflect.get(target, 'idiolect:source')))]];
});

const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const program = ts.createProgram(
  entries.map(([, file]) => file),
  options,
);

function exported(file: string): readonly string[] {
  const source = program.getSourceFile(file);
  const checker = program.getTypeChecker();
  const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  return symbol === undefined ? [] : checker.getExportsOfModule(symbol).map(({ name }) => name);
}

/** The names of a section: first cells of its tables, the lists after a colon, and what is folded. */
function listed(section: string): readonly string[] {
  const rows = Array.from(section.matchAll(/^\| (`[^|]*`) \|/gm), ([, cell = '']) => cell);
  const lists = Array.from(
    section.matchAll(/^(?:Types|\[?Errors|For generated)[^:]*:(.*)$/gm),
    ([, names = '']) => names,
  );
  const folded = Array.from(
    section.matchAll(/^<summary>Types<\/summary>\n\n(`.*)$/gm),
    ([, names = '']) => names,
  );
  return [...rows, ...lists, ...folded].flatMap((text) =>
    Array.from(text.matchAll(/`(\w+)(?:\(\))?`/g), ([, name = '']) => name),
  );
}

describe.each(entries)('%s', (name, file) => {
  const section = page.split(`\n## ${name}\n`)[1]?.split('\n## ')[0] ?? '';

  it('is on the page with every name, and no other', () => {
    const names = exported(file);
    expect(names).not.toEqual([]);
    expect([...listed(section)].sort()).toEqual([...names].sort());
  });
});

it('the page lists every path', () => {
  const paths = Array.from(page.matchAll(/^\| \[?`(idiolect[^`()]*)`/gm), ([, name = '']) => name);
  const known = Object.keys(exports).filter((name) => name !== './package.json');
  expect(paths.sort()).toEqual(
    known.map((name) => `idiolect${name.slice(1).replace('*', '<model>')}`).sort(),
  );
});
