/**
 * Writes the parser of a format as a TypeScript module: one function per state, each with a picture of
 * the text that it reads, and the table of markers that it reads by. Output is formatted and stable.
 */
import { generatedBanner } from './banner.ts';
import { drawPicture } from './pictures.ts';
import { Identifier, type Printable, printImport, printValue } from './source-writer.ts';
import { isReference, type ParserProgram, type StateSpec, type Step } from './states.ts';

/** Functions that compile the tables of steps; the tables of other steps are used as they are. */
const compilers: { readonly [use in Step['use']]?: string } = {
  begin: 'beginTable',
  readRegion: 'regionTable',
  readAmbiguous: 'ambiguousTable',
  readTrial: 'speculativeTable',
  expect: 'expectTable',
  recover: 'recoverTable',
  readHole: 'holeTable',
  readJsonArguments: 'jsonArgumentsTable',
  readValue: 'valueTable',
};

const tableTypes: { readonly [use in Step['use']]?: string } = {
  readHeader: 'HeaderTable',
  readEnvelope: 'EnvelopeTable',
  beginItem: 'ItemTable',
  endNested: 'EndNestedTable',
  endArguments: 'EndArgumentsTable',
};

/** Source of `parser.ts`. */
export function emitParserModule(program: ParserProgram): string {
  const parts = [
    generatedBanner.trimEnd(),
    emitImports(program),
    emitModule(program),
    ...program.states.map(emitState),
  ];
  return `${parts.join('\n\n')}\n`;
}

function emitImports(program: ParserProgram): string {
  const uses = new Set(program.states.map(({ step }) => step.use));
  const values = [...uses].flatMap((use) => [use, compilers[use] ?? []].flat());
  const types = [...uses].flatMap((use) => tableTypes[use] ?? []);
  return printImport(values, [...types, 'Reader', 'ResponseModule', 'State'], 'idiolect/parser');
}

function emitModule(program: ParserProgram): string {
  const places = program.states.map(
    ({ name, title }) => ` *     ${name.padEnd(longestName(program))}  ${title}`,
  );
  const module = {
    contract: program.contract,
    templateSha256: program.templateSha256,
    turnStart: program.turnStart,
    lead: program.lead,
    thoughtPrompt: program.thoughtPrompt,
    start: new Identifier(program.start),
  };
  return [
    '/**',
    ' * Reads the responses of one chat template. The places where the reader can stand:',
    ' *',
    ...places,
    ' */',
    `export const responseModule: ResponseModule = ${printBroken(module)};`,
    '',
    'export default responseModule;',
  ].join('\n');
}

function longestName(program: ParserProgram): number {
  return Math.max(...program.states.map(({ name }) => name.length));
}

/** An object with every entry on its own line. */
function printBroken(value: { readonly [key: string]: Printable }): string {
  const lines = Object.entries(value).map(([key, each]) => {
    return `  ${key}: ${printValue(each, 2, key.length + 4, 1)},`;
  });
  return `{\n${lines.join('\n')}\n}`;
}

function emitState({ name, title, picture, step }: StateSpec): string {
  const [sample, carets] = drawPicture(picture);
  return [
    '/**',
    ` * ${title}`,
    ' *',
    ` *     ${sample}`.trimEnd(),
    ` *     ${carets}`,
    ' */',
    `function ${name}(reader: Reader): State | null {`,
    `  return ${step.use}(reader, ${name}Table);`,
    '}',
    emitTable(name, step),
  ].join('\n');
}

function emitTable(name: string, step: Step): string {
  const compiler = compilers[step.use];
  const type = tableTypes[step.use];
  const table = withIdentifiers(step.table);
  if (compiler === undefined) {
    const start = `const ${name}Table: ${type ?? 'never'}<State> = `;
    return `${start}${printValue(table, 0, start.length, 1)};`;
  }
  const start = `const ${name}Table = ${compiler}(`;
  return `${start}${printValue(table, 0, start.length, 2)});`;
}

/** The table with identifiers in place of the names of states. */
function withIdentifiers(value: unknown): Printable {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) return value.map(withIdentifiers);
  const entries = Object.entries(value).map(([key, each]) => [
    key,
    isReference(key, each) ? new Identifier(each) : withIdentifiers(each),
  ]);
  return Object.fromEntries(entries);
}
