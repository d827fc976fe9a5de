/**
 * The states of a parser as plain data: one list feeds the interpreter and the emitter of modules.
 *
 * A state is named for where the reader stands, and does one step of the runtime with one table.
 * Tables are those of `src/parser/module-contract.ts`, with names of states in place of functions.
 */
import type {
  AmbiguousTable,
  BeginTable,
  EndArgumentsTable,
  EndNestedTable,
  EnvelopeTable,
  ExpectTable,
  HeaderTable,
  HoleTable,
  ItemTable,
  JsonArgumentsTable,
  RecoverTable,
  RegionTable,
  SpeculativeTable,
  ValueTable,
} from '../parser/module-contract.ts';

/** Name of a state: a TypeScript identifier. */
export type StateName = string;

/** One step of the runtime with its table; states are referred to by `Ref`. */
export type Step<Ref = StateName> =
  | { readonly use: 'begin'; readonly table: BeginTable<Ref> }
  | { readonly use: 'readRegion'; readonly table: RegionTable<Ref> }
  | { readonly use: 'readHeader'; readonly table: HeaderTable<Ref> }
  | { readonly use: 'readAmbiguous'; readonly table: AmbiguousTable<Ref> }
  | { readonly use: 'readTrial'; readonly table: SpeculativeTable<Ref> }
  | { readonly use: 'expect'; readonly table: ExpectTable<Ref> }
  | { readonly use: 'recover'; readonly table: RecoverTable<Ref> }
  | { readonly use: 'readHole'; readonly table: HoleTable<Ref> }
  | { readonly use: 'readJsonArguments'; readonly table: JsonArgumentsTable<Ref> }
  | { readonly use: 'readEnvelope'; readonly table: EnvelopeTable<Ref> }
  | { readonly use: 'readValue'; readonly table: ValueTable<Ref> }
  | { readonly use: 'beginItem'; readonly table: ItemTable<Ref> }
  | { readonly use: 'endNested'; readonly table: EndNestedTable<Ref> }
  | { readonly use: 'endArguments'; readonly table: EndArgumentsTable<Ref> };

/** A sample of text, and the part of it that a state reads. */
export interface Picture {
  readonly before: string;
  readonly here: string;
  readonly after: string;
}

/** One state. */
export interface StateSpec {
  readonly name: StateName;
  /** Where the reader stands, in a sentence: `In the answer.` */
  readonly title: string;
  readonly picture: Picture;
  readonly step: Step;
}

/** All states of one format. */
export interface ParserProgram {
  /** Version of the contract between modules and the runtime. */
  readonly contract: number;
  readonly templateSha256: string;
  readonly turnStart: string;
  readonly lead: string;
  readonly thoughtPrompt: string;
  readonly start: StateName;
  readonly states: readonly StateSpec[];
}

/** Keys of tables that hold a reference to a state. */
const referenceKeys: ReadonlySet<string> = new Set([
  'next',
  'otherwise',
  'space',
  'recover',
  'resume',
  'doubt',
  'trial',
  'opened',
  'enclosing',
  'object',
  'array',
  'atEnd',
]);

/** Whether the value of this key is a reference to a state. */
export function isReference(key: string, value: unknown): value is StateName {
  return referenceKeys.has(key) && typeof value === 'string';
}
