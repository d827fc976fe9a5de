/**
 * Measures the house: how many files read the format where the layout should be read, who imports the engine, how
 * deep imports go, how large rooms are, how many words names have. `npm run house` prints the figures, `npm run house -- --files` the files, too.
 */
import path from 'node:path';
import ts from 'typescript';

const root = path.join(import.meta.dirname, '..');
const source = path.join(root, 'src');

/** The parts of a format that the layout describes. */
const laidOut: ReadonlySet<string> = new Set(['turn', 'reasoning', 'content']);
/** Rooms that make formats or the layout, and so read them. */
const makers: ReadonlySet<string> = new Set(['format', 'layout', 'analysis']);

const program = openProgram();
const checker = program.getTypeChecker();
const files = program
  .getSourceFiles()
  .filter(({ fileName }) => fileName.startsWith(`${source}/`))
  .map((file) => ({ file, name: path.relative(source, file.fileName) }));
const listsFiles = process.argv.includes('--files');

const readers = files.filter(({ name, file }) => !makers.has(roomOf(name)) && readsFormat(file));
report('files that read turn, reasoning or content of the format', names(readers));
report('lines that trim markers', trimmed());
report(
  'files that import node-llama-cpp',
  names(files.filter(({ file }) => importsOf(file).includes('node-llama-cpp'))),
);
const { chain, circles } = walk(importGraph(importsOf));
report('files on the longest chain of imports', chain);
report('files on the longest chain that is loaded at run time', walk(importGraph(loadedBy)).chain);
report('files in circles of imports', circles);
const lines = new Map(files.map(({ name, file }) => [name, file.getLineStarts().length - 1]));
const total = [...lines.values()].reduce((sum, each) => sum + each, 0);
const [room = '', size = 0] = [...sizes()].sort(([, a], [, b]) => b - a)[0] ?? [];
console.log(`largest room: ${room}, ${((100 * size) / total).toFixed(1)} % of the lines`);
console.log(`lines of src: ${total}`);
const words = wordsInNames();
const rare = [...words].filter(([, names]) => names.size === 1).map(([word]) => word);
console.log(`words in names that src declares: ${words.size}`);
report('words in one name only', rare.sort());

function openProgram(): ts.Program {
  const config = ts.readConfigFile(path.join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent({ ...config.config, include: ['src'] }, ts.sys, root);
  return ts.createProgram(ts.sys.readDirectory(source, ['.ts']), options);
}

function report(what: string, found: readonly string[]): void {
  console.log(`${what}: ${found.length}`);
  if (listsFiles) for (const each of found) console.log(`  ${each}`);
}

function names(found: readonly { readonly name: string }[]): readonly string[] {
  return found.map(({ name }) => name).sort();
}

function roomOf(name: string): string {
  return name.split('/')[0] ?? '';
}

/** Whether a file reads one of the parts, as `format.turn` or as `const { turn } = format`. */
function readsFormat(file: ts.SourceFile): boolean {
  const reads = (node: ts.Node): boolean => {
    if (ts.isPropertyAccessExpression(node) && laidOut.has(node.name.text)) {
      if (isOfFormat(checker.getSymbolAtLocation(node.name))) return true;
    }
    if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent)) {
      const name = node.propertyName ?? node.name;
      if (ts.isIdentifier(name) && laidOut.has(name.text)) {
        const type = checker.getTypeAtLocation(node.parent);
        if (isOfFormat(type.getProperty(name.text))) return true;
      }
    }
    return ts.forEachChild(node, reads) ?? false;
  };
  return reads(file);
}

/** Whether a property is declared in `ChatFormat`. */
function isOfFormat(property: ts.Symbol | undefined): boolean {
  return (property?.declarations ?? []).some(
    ({ parent }) => ts.isInterfaceDeclaration(parent) && parent.name.text === 'ChatFormat',
  );
}

/** Lines with `.trim…()` in the rooms that read markers from the layout. */
function trimmed(): readonly string[] {
  const rooms = new Set(['codegen', 'grammar', 'layout', 'response-template', 'generate']);
  return files
    .filter(({ name }) => rooms.has(roomOf(name)) || name === 'layout/write-response.ts')
    .flatMap(({ name, file }) =>
      file.text
        .split('\n')
        .flatMap((line, at) => (/\.trim(?:Start|End)?\(/.test(line) ? [`${name}:${at + 1}`] : [])),
    );
}

/** The modules that a file imports or exports from, as written. */
function importsOf(file: ts.SourceFile): readonly string[] {
  return file.statements.flatMap(moduleOf);
}

function moduleOf(statement: ts.Statement): readonly string[] {
  if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
  const from = statement.moduleSpecifier;
  return from !== undefined && ts.isStringLiteral(from) ? [from.text] : [];
}

/** The modules that a file imports not for types alone. */
function loadedBy(file: ts.SourceFile): readonly string[] {
  return file.statements.filter((statement) => !importsTypes(statement)).flatMap(moduleOf);
}

function importsTypes(statement: ts.Statement): boolean {
  if (ts.isExportDeclaration(statement)) return statement.isTypeOnly;
  return (
    ts.isImportDeclaration(statement) && statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
  );
}

/** The files of `src` that each file imports, of the modules that `named` selects. */
function importGraph(
  named: (file: ts.SourceFile) => readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const known = new Set(files.map(({ name }) => name));
  return new Map(
    files.map(({ name, file }) => {
      const relative = named(file).filter((from) => from.startsWith('.'));
      return [
        name,
        relative.map((from) => path.join(path.dirname(name), from)).filter((each) => known.has(each)),
      ];
    }),
  );
}

/** The longest chain of imports, each circle counted as one file, and the files in circles (Tarjan's algorithm). */
function walk(graph: ReadonlyMap<string, readonly string[]>): {
  readonly chain: readonly string[];
  readonly circles: readonly string[];
} {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const circleOf = new Map<string, readonly string[]>();
  const chains = new Map<readonly string[], readonly string[]>();
  const visit = (name: string): void => {
    order.set(name, order.size);
    low.set(name, order.get(name) ?? 0);
    stack.push(name);
    for (const next of graph.get(name) ?? []) {
      if (!order.has(next)) visit(next);
      if (!circleOf.has(next)) low.set(name, Math.min(low.get(name) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(name) !== order.get(name)) return;
    const circle = stack.splice(stack.indexOf(name));
    for (const each of circle) circleOf.set(each, circle);
    const onward = circle.flatMap((each) => graph.get(each) ?? []).map((next) => circleOf.get(next) ?? []);
    const below = onward.filter((each) => each !== circle).map((each) => chains.get(each) ?? []);
    const deepest = below.reduce((best, each) => (each.length > best.length ? each : best), []);
    chains.set(circle, [circle.join(' = '), ...deepest]);
  };
  for (const name of graph.keys()) if (!order.has(name)) visit(name);
  const chain = [...chains.values()].reduce((best, each) => (each.length > best.length ? each : best), []);
  const circles = [...new Set(circleOf.values())].filter((circle) => circle.length > 1).flat();
  return { chain, circles: circles.sort() };
}

function sizes(): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [name, count] of lines) found.set(roomOf(name), (found.get(roomOf(name)) ?? 0) + count);
  return found;
}

/** For each word, with its inflections apart, the names that have it: `chatStream` has `chat` and `stream`. */
function wordsInNames(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const note = (name: string): void => {
    for (const [word] of name.replace(/[A-Z]+(?![a-z])/g, capitalised).matchAll(/[A-Za-z][a-z]+/g)) {
      const names = found.get(word.toLowerCase()) ?? new Set();
      found.set(word.toLowerCase(), names.add(name));
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      if (declares(node.parent, node)) note(node.text);
    }
    ts.forEachChild(node, visit);
  };
  for (const { file } of files) visit(file);
  return found;
}

/** Whether `parent` declares `name`, which an import or an access only uses. */
function declares(parent: ts.Node, name: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(parent) || ts.isImportSpecifier(parent)) return false;
  return 'name' in parent && parent.name === name;
}

function capitalised(word: string): string {
  return word.charAt(0) + word.slice(1).toLowerCase();
}
