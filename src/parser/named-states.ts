/**
 * States by name: the step of each, and its table, which names the states and markers that it leads to. Codegen writes
 * them, and prints or interprets them; a new step has its table and its links here, and its reader in `steps/steps.ts`.
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
  Transition,
  ValuePlace,
  ValueTable,
} from './state-tables.ts';

/** Name of a state: a TypeScript identifier. */
export type StateName = string;

/** Where a marker leads. Keys other than `peek` set the flag of that name in `Transition`. */
export type NamedTarget =
  | StateName
  | { readonly peek: StateName }
  | { readonly ambiguous: StateName }
  | { readonly speculative: StateName };

/** A marker that may come at a place, with its name in generated code. */
export interface NamedTransition extends Transition<StateName> {
  readonly name: string;
}

/** The markers that may come at a place: by name, where each one leads; or the transitions themselves. */
export type NamedChoices = Readonly<Record<string, NamedTarget>> | readonly NamedTransition[];

/** Resolves the names in a table. */
export interface Linker<Ref, Choices> {
  readonly state: (name: StateName) => Ref;
  readonly choices: (choices: NamedChoices) => Choices;
  /** Where malformed text is skipped; absent means the module's `recover`. */
  readonly recover: (name: StateName | undefined) => Ref;
}

/** A table as definitions write it; `recover` is usually omitted. */
export type Named<Table> = Table extends { readonly recover: unknown }
  ? Omit<Table, 'recover'> & { readonly recover?: StateName }
  : Table;

/** The table of each step. */
export interface StepTables {
  /** Between regions: a marker, or the beginning of other text. */
  readonly between: BeginTable<StateName, NamedChoices>;
  /** In reasoning or in the answer, up to a stop. */
  readonly region: RegionTable<StateName, NamedChoices>;
  /** In a region's header whose spelling differs from the template's. */
  readonly header: Named<HeaderTable<StateName>>;
  /** In text that is reasoning if one of the stops comes. */
  readonly ambiguous: AmbiguousTable<StateName, NamedChoices>;
  /** In text that is calls if nothing else comes before the end of the turn. */
  readonly speculative: SpeculativeTable<StateName, NamedChoices>;
  /** Where one of several markers is expected. */
  readonly expect: Named<ExpectTable<StateName, NamedChoices>>;
  /** In malformed text, up to a marker from which reading can continue. */
  readonly recover: RecoverTable<StateName, NamedChoices>;
  /** In a name, an id, an index or a key. */
  readonly hole: Named<HoleTable<StateName, NamedChoices>>;
  /** In arguments that are one JSON object. */
  readonly jsonArguments: Named<JsonArgumentsTable<StateName, NamedChoices>>;
  /** In a call that is one JSON object. */
  readonly jsonCall: Named<EnvelopeTable<StateName, NamedChoices>>;
  /** In the value of an argument, a property or an item. */
  readonly value: Named<ValueTable<StateName>>;
  /** At an item of a nested array. */
  readonly item: ItemTable<StateName>;
  /** After a nested value. */
  readonly nestedEnd: Named<EndNestedTable<StateName>>;
  /** After the last argument. */
  readonly argumentsEnd: EndArgumentsTable<StateName>;
  /** After a call in a notation of its own, whose reader goes no further. */
  readonly callEnd: object;
}

/** Name of a step, as generated code writes it. */
export type StepName = keyof StepTables;

/** A state: its step, and its table. */
export type NamedState<Use extends StepName = StepName> = {
  readonly [Each in Use]: { readonly use: Each; readonly table: StepTables[Each] };
}[Use];

/** A state of this step. */
export function state<Use extends StepName>(use: Use, table: StepTables[Use]): NamedState<Use> {
  return { use, table };
}

/** How the names in the table of each step are linked. */
export const links = {
  between: <Ref, Linked>(table: StepTables['between'], to: Linker<Ref, Linked>) => ({
    ...table,
    choices: to.choices(table.choices),
    otherwise: to.state(table.otherwise),
  }),
  region: <Ref, Linked>(table: StepTables['region'], to: Linker<Ref, Linked>) => ({
    ...table,
    stops: to.choices(table.stops),
  }),
  header: <Ref, Linked>(table: StepTables['header'], to: Linker<Ref, Linked>) => ({
    ...table,
    call: linkNext(table.call, to),
    thought: linkNext(table.thought, to),
    next: to.state(table.next),
    otherwise: to.state(table.otherwise),
    recover: to.recover(table.recover),
  }),
  ambiguous: <Ref, Linked>(table: StepTables['ambiguous'], to: Linker<Ref, Linked>) => ({
    ...table,
    stops: to.choices(table.stops),
    ends: to.choices(table.ends),
    resume: to.state(table.resume),
    opened: optional(table.opened, to),
  }),
  speculative: <Ref, Linked>(table: StepTables['speculative'], to: Linker<Ref, Linked>) => ({
    ...table,
    ends: to.choices(table.ends),
    next: to.state(table.next),
    otherwise: to.state(table.otherwise),
  }),
  expect: <Ref, Linked>(table: StepTables['expect'], to: Linker<Ref, Linked>) => ({
    ...table,
    choices: to.choices(table.choices),
    otherwise: optional(table.otherwise, to),
    enclosing: optional(table.enclosing, to),
    atEnd: optional(table.atEnd, to),
    moreCalls:
      table.moreCalls === undefined
        ? undefined
        : { ...table.moreCalls, next: to.state(table.moreCalls.next) },
    recover: to.recover(table.recover),
  }),
  recover: <Ref, Linked>(table: StepTables['recover'], to: Linker<Ref, Linked>) => ({
    ...table,
    choices: to.choices(table.choices),
  }),
  hole: <Ref, Linked>(table: StepTables['hole'], to: Linker<Ref, Linked>) => ({
    ...table,
    ends: to.choices(table.ends),
    space: optional(table.space, to),
    place: table.place === undefined ? undefined : linkPlace(table.place, to),
    atEnd: optional(table.atEnd, to),
    recover: to.recover(table.recover),
  }),
  jsonArguments: <Ref, Linked>(table: StepTables['jsonArguments'], to: Linker<Ref, Linked>) => ({
    ...table,
    next: to.state(table.next),
    recover: to.recover(table.recover),
    ends: to.choices(table.ends),
  }),
  jsonCall: <Ref, Linked>(table: StepTables['jsonCall'], to: Linker<Ref, Linked>) => ({
    ...table,
    next: to.state(table.next),
    recover: to.recover(table.recover),
    ends: table.ends === undefined ? undefined : to.choices(table.ends),
  }),
  value: <Ref, Linked>(table: StepTables['value'], to: Linker<Ref, Linked>) => ({
    ...table,
    object: linkNext(table.object, to),
    array: linkNext(table.array, to),
    recover: to.recover(table.recover),
  }),
  item: <Ref, Linked>(table: StepTables['item'], to: Linker<Ref, Linked>) => ({
    place: linkPlace(table.place, to),
    next: to.state(table.next),
  }),
  nestedEnd: <Ref, Linked>(table: StepTables['nestedEnd'], to: Linker<Ref, Linked>) => ({
    recover: to.recover(table.recover),
  }),
  argumentsEnd: <Ref, Linked>(table: StepTables['argumentsEnd'], to: Linker<Ref, Linked>) => ({
    ...table,
    next: to.state(table.next),
  }),
  callEnd: <Ref, Linked>(table: StepTables['callEnd'], _to: Linker<Ref, Linked>) => table,
};

/** The table of a state, with its names resolved. */
export function linkState<Use extends StepName, Ref, Choices>(
  { use, table }: NamedState<Use>,
  to: Linker<Ref, Choices>,
): object {
  const link: Links[Use] = links[use];
  return link(table, to);
}

type Links = {
  readonly [Use in StepName]: <Ref, Choices>(table: StepTables[Use], to: Linker<Ref, Choices>) => object;
};

/** Whether choices are the transitions themselves, not a record of marker names. */
export function isTransitions(choices: NamedChoices): choices is readonly NamedTransition[] {
  return Array.isArray(choices);
}

/** Resolves a name that may be absent. */
function optional<Ref>(name: StateName | undefined, to: Linker<Ref, unknown>): Ref | undefined {
  return name === undefined ? undefined : to.state(name);
}

function linkNext<Ref, Part extends { readonly next: StateName }>(
  part: Part | undefined,
  to: Linker<Ref, unknown>,
): (Omit<Part, 'next'> & { readonly next: Ref }) | undefined {
  return part === undefined ? undefined : { ...part, next: to.state(part.next) };
}

function linkPlace<Ref>(place: ValuePlace<StateName>, to: Linker<Ref, unknown>): ValuePlace<Ref> {
  return { ...place, next: to.state(place.next) };
}
