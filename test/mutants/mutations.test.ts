import fs from 'node:fs';
import path from 'node:path';
import { transformSync } from 'esbuild';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { mutantsOf, mutated, placeOf, withHits } from '../../scripts/mutants/mutations.ts';
import { equivalents } from '../../scripts/mutants/records.ts';

const root = path.join(import.meta.dirname, '../..');
const files = fs
  .readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((file) => `src/${file}`)
  .filter((file) => file.endsWith('.ts'))
  .filter((_, place) => place % 40 === Number(process.env.SEED) % 40);

function changed(source: string): readonly string[] {
  return mutantsOf('a.ts', source).map((mutant) => mutated(source, mutant));
}

describe('the mutants of a source', () => {
  it('move bounds, turn conditions round, and leave out statements', () => {
    expect(changed('if (a < 1) f();')).toEqual([
      'if (true) f();',
      'if (false) f();',
      'if (a <= 1) f();',
      'if (a >= 1) f();',
      'if (a < (1 + 1)) f();',
      'if (a < 1) ;',
    ]);
  });

  it('leave types, imports and the texts of errors alone', () => {
    const source = `import a from 'a';\ntype T = 1 | true;\ninterface I { readonly b: false }\nthrow new Error(c < 1 ? 'd' : 'e');`;
    expect(changed(source)).toEqual([]);
  });

  it('leave each source of the project one that can be read', () => {
    const unread = files.flatMap((file) => {
      const source = fs.readFileSync(path.join(root, file), 'utf8');
      const faults = mutantsOf(file, source).filter((mutant) => mutated(source, mutant) === source);
      return faults.map(({ line }) => `${file}:${line}`);
    });
    expect(unread).toEqual([]);
    for (const file of files.filter((_, place) => place % 4 === 0)) {
      const source = fs.readFileSync(path.join(root, file), 'utf8');
      for (const mutant of mutantsOf(file, source)) {
        const { parseDiagnostics } = ts.createSourceFile(
          file,
          mutated(source, mutant),
          ts.ScriptTarget.Latest,
        ) as ts.SourceFile & { readonly parseDiagnostics: readonly unknown[] };
        expect(parseDiagnostics, `${file}:${mutant.line} ${mutant.text}`).toEqual([]);
      }
    }
  });
});

it('mutants that are listed as equivalent are mutants of their files', () => {
  const stale = equivalents.filter(({ file, line, from, to }) => {
    const source = fs.readFileSync(path.join(root, file), 'utf8');
    const lines = source.split('\n');
    return !mutantsOf(file, source).some(
      (mutant) =>
        lines[mutant.line - 1]?.trim() === line &&
        source.slice(mutant.start, mutant.end) === from &&
        mutant.text === to,
    );
  });
  expect(stale).toEqual([]);
});

describe('places that note that they are evaluated', () => {
  it('note each mutant, and change nothing else', () => {
    const source =
      'export function f(a: number) {\n  if (a < 2 && a > 0) return a - 1;\n  return a === 5 ? 1 : 0;\n}';
    const mutants = mutantsOf('a.ts', source);
    const { code } = transformSync(withHits(source, mutants, 'a.ts'), { loader: 'ts', format: 'cjs' });
    const noted = (value: number) => {
      const scope = { exports: {} as { f?: (a: number) => number } };
      const hits = new Set<string>();
      new Function('module', 'globalThis', code)(scope, { mutants: hits });
      return { result: scope.exports.f?.(value), hits: [...hits].map((hit) => Number(hit.split(':')[1])) };
    };
    expect([1, 2, 5].map((value) => noted(value).result)).toEqual([0, 0, 1]);
    const reached = new Set([1, 2, 5].flatMap((value) => noted(value).hits));
    expect([...reached].sort((a, b) => a - b)).toEqual([...mutants.keys()]);
    const right = [...mutants.keys()].filter((number) => {
      const { start, end } = mutants[number] ?? { start: 0, end: 0 };
      return start >= source.indexOf('a > 0') && end <= source.indexOf('a - 1');
    });
    expect(right.length).toBeGreaterThan(2);
    expect(noted(2).hits.filter((number) => right.includes(number))).toEqual([]);
  });

  it('take effect one at a time, as in a source of their own', () => {
    const source = [
      'export function f(a: number, b?: { readonly c: (d: number) => number }) {',
      '  let sum = a > 1 ? b?.c(2) ?? 7 : 3;',
      '  if (a === 2 || sum < 4) sum += 5;',
      '  return [sum, [1, a].some((each) => each >= 2)];',
      '}',
    ].join('\n');
    const mutants = mutantsOf('a.ts', source);
    const places = new Set([...mutants.keys()].map((number) => placeOf('a.ts', number)));
    const valuesOf = (text: string, mutant?: string) => {
      const { code } = transformSync(text, { loader: 'ts', format: 'cjs' });
      const scope = { exports: {} as { f?: (a: number, b?: object) => unknown } };
      new Function('module', 'globalThis', code)(scope, { mutant });
      return [0, 1, 2, 3].flatMap((a) => [scope.exports.f?.(a), scope.exports.f?.(a, { c: () => a })]);
    };
    const all = withHits(source, mutants, 'a.ts', places);
    expect(valuesOf(all)).toEqual(valuesOf(source));
    for (const [number, mutant] of mutants.entries())
      expect(valuesOf(all, placeOf('a.ts', number)), mutant.text).toEqual(valuesOf(mutated(source, mutant)));
  });

  it('leave each source of the project one that can be compiled', () => {
    for (const file of files) {
      const source = fs.readFileSync(path.join(root, file), 'utf8');
      const mutants = mutantsOf(file, source);
      const places = new Set([...mutants.keys()].map((number) => placeOf(file, number)));
      for (const switched of [new Set<string>(), places]) {
        const marked = withHits(source, mutants, file, switched);
        expect(() => transformSync(marked, { loader: 'ts', sourcefile: file })).not.toThrow();
      }
    }
  });
});
