/**
 * Texts of strangers meet our regular expressions. None takes time that grows with the square of a text, by an analysis
 * that we did not write; a bounded number of tries at each place is no such time.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { analyse } from 'scslre';
import ts from 'typescript';
import { expect, test } from 'vitest';

const sources = path.join(import.meta.dirname, '../../src');

/** Those whose texts are short, by their text. */
const ofShortTexts = new Map([
  [String.raw`/(?:^|\n|[>\]|｜])[ \t>*[]*(?:functions?\.|call:)?$/`, 'the 64 characters before a name'],
  [
    String.raw`/^\(\?(?:P[=>]|>|#|\||[A-Za-z]*[^imsA-Z\W][A-Za-z]*[:)]|[a-z]+\))/`,
    'eight characters of a pattern',
  ],
  [String.raw`/(\.\d*?)0+(?=e|$)/`, 'a number of at most a hundred digits'],
]);

/** The regular expressions that stand in a source, as they are written there. */
function literalsIn(file: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(path.join(sources, file), 'utf8'), ts.ScriptTarget.Latest));
  return found;
}

/** What a source builds from texts while it is loaded. */
async function builtIn(file: string): Promise<readonly string[]> {
  const own = globalThis.RegExp;
  const built: string[] = [];
  const construct = (target: typeof RegExp, given: [string, string?], asked: typeof RegExp): RegExp => {
    const made = Reflect.construct(target, given, asked) as RegExp;
    built.push(String(made));
    return made;
  };
  globalThis.RegExp = new Proxy(own, { construct });
  try {
    await import(`${path.join(sources, file)}?built`);
  } finally {
    globalThis.RegExp = own;
  }
  return built;
}

/** How a regular expression may take long; none if it does not. */
function slowWays(pattern: string): readonly string[] {
  const end = pattern.lastIndexOf('/');
  const literal = { source: pattern.slice(1, end), flags: pattern.slice(end + 1) };
  return analyse(literal, { maxReports: 1 }).reports.map(({ type, exponential }) =>
    exponential ? `${type}, exponential` : type,
  );
}

const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const literals = new Set(files.flatMap(literalsIn));

test('no regular expression in the sources takes quadratic time', () => {
  expect(literals.size).toBeGreaterThan(400);
  const slow = [...literals].filter((each) => slowWays(each).length > 0);
  expect(slow.filter((each) => !ofShortTexts.has(each))).toEqual([]);
});

test('each exception is still needed', () => {
  const isNeeded = (pattern: string) => literals.has(pattern) && slowWays(pattern).length > 0;
  expect([...ofShortTexts.keys()].filter((pattern) => !isNeeded(pattern))).toEqual([]);
});

test('nor does one that is built while a source is loaded', async () => {
  const building = files.filter((file) =>
    /^const .*new RegExp\(/m.test(readFileSync(path.join(sources, file), 'utf8')),
  );
  const built = new Set<string>();
  for (const file of building) for (const each of await builtIn(file)) built.add(each);
  expect(built.size).toBeGreaterThan(20);
  expect([...built].filter((each) => slowWays(each).length > 0)).toEqual([]);
});
