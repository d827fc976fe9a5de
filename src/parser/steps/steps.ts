/**
 * The registry of steps: each entry defines how the names in its table are linked, how the table is compiled, and the
 * function that reads. Modules write `region({ … })`. A new step needs only an entry here.
 */

import type { State } from '../reader.ts';
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
  ValuePlace,
  ValueTable,
} from '../state-tables.ts';
import {
  type NamedChoices as Choices,
  type Linker,
  type StateName as Name,
  type Named,
  optional,
  step,
} from './state-definition.ts';
import { ambiguousTable, readAmbiguous } from './steps-ambiguous.ts';
import { expectTable, expect as readExpected, recover as readMalformed, recoverTable } from './steps-call.ts';
import { readHeader } from './steps-header.ts';
import { holeTable, readHole } from './steps-hole.ts';
import { envelopeTable, jsonArgumentsTable, readEnvelope, readJsonArguments } from './steps-json.ts';
import { readSpeculative, speculativeTable } from './steps-speculative.ts';
import { begin, beginTable, readRegion, regionTable } from './steps-text.ts';
import { beginItem, endArguments, endNested, readValue, valueTable } from './steps-values.ts';

/** Between regions: a marker, or the beginning of other text. */
export const between = step('between', {
  link: <Ref, Linked>(table: BeginTable<Name, Choices>, to: Linker<Ref, Linked>) => ({
    ...table,
    choices: to.choices(table.choices),
    otherwise: to.state(table.otherwise),
  }),
  compile: beginTable,
  run: begin,
});

/** In reasoning or in the answer, up to a stop. */
export const region = step('region', {
  link: <Ref, Linked>(table: RegionTable<Name, Choices>, to: Linker<Ref, Linked>) => ({
    ...table,
    stops: to.choices(table.stops),
  }),
  compile: regionTable,
  run: readRegion,
});

/** In a region's header whose spelling differs from the template's. */
export const header = step('header', {
  link: <Ref, Linked>(table: Named<HeaderTable<Name>>, to: Linker<Ref, Linked>) => ({
    ...table,
    call: linkNext(table.call, to),
    thought: linkNext(table.thought, to),
    next: to.state(table.next),
    otherwise: to.state(table.otherwise),
    recover: to.recover(table.recover),
  }),
  compile: itself<HeaderTable<State>>,
  run: readHeader,
});

/** In text that is reasoning if one of the stops comes. */
export const ambiguous = step('ambiguous', {
  link: <Ref, Linked>(table: AmbiguousTable<Name, Choices>, to: Linker<Ref, Linked>) => ({
    ...table,
    stops: to.choices(table.stops),
    ends: to.choices(table.ends),
    resume: to.state(table.resume),
    opened: optional(table.opened, to),
  }),
  compile: ambiguousTable,
  run: readAmbiguous,
});

/** In text that is calls if nothing else comes before the end of the turn. */
export const speculative = step('speculative', {
  link: <Ref, Linked>(table: SpeculativeTable<Name, Choices>, to: Linker<Ref, Linked>) => ({
    ...table,
    ends: to.choices(table.ends),
    next: to.state(table.next),
    otherwise: to.state(table.otherwise),
  }),
  compile: speculativeTable,
  run: readSpeculative,
});

/** Where one of several markers is expected. */
export const expect = step('expect', {
  link: <Ref, Linked>(table: Named<ExpectTable<Name, Choices>>, to: Linker<Ref, Linked>) => ({
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
  compile: expectTable,
  run: readExpected,
});

/** In malformed text, up to a marker from which reading can continue. */
export const recover = step('recover', {
  link: <Ref, Linked>(table: RecoverTable<Name, Choices>, to: Linker<Ref, Linked>) => ({
    ...table,
    choices: to.choices(table.choices),
  }),
  compile: recoverTable,
  run: readMalformed,
});

/** In a name, an id, an index or a key. */
export const hole = step('hole', {
  link: <Ref, Linked>(table: Named<HoleTable<Name, Choices>>, to: Linker<Ref, Linked>) => ({
    ...table,
    ends: to.choices(table.ends),
    space: optional(table.space, to),
    place: table.place === undefined ? undefined : linkPlace(table.place, to),
    atEnd: optional(table.atEnd, to),
    recover: to.recover(table.recover),
  }),
  compile: holeTable,
  run: readHole,
});

/** In arguments that are one JSON object. */
export const jsonArguments = step('jsonArguments', {
  link: <Ref, Linked>(table: Named<JsonArgumentsTable<Name, Choices>>, to: Linker<Ref, Linked>) => ({
    ...table,
    next: to.state(table.next),
    recover: to.recover(table.recover),
    ends: to.choices(table.ends),
  }),
  compile: jsonArgumentsTable,
  run: readJsonArguments,
});

/** In a call that is one JSON object. */
export const jsonCall = step('jsonCall', {
  link: <Ref, Linked>(table: Named<EnvelopeTable<Name, Choices>>, to: Linker<Ref, Linked>) => ({
    ...table,
    next: to.state(table.next),
    recover: to.recover(table.recover),
    ends: table.ends === undefined ? undefined : to.choices(table.ends),
  }),
  compile: envelopeTable,
  run: readEnvelope,
});

/** In the value of an argument, a property or an item. */
export const value = step('value', {
  link: <Ref, Linked>(table: Named<ValueTable<Name>>, to: Linker<Ref, Linked>) => ({
    ...table,
    object: linkNext(table.object, to),
    array: linkNext(table.array, to),
    recover: to.recover(table.recover),
  }),
  compile: valueTable,
  run: readValue,
});

/** At an item of a nested array. */
export const item = step('item', {
  link: <Ref, Linked>(table: ItemTable<Name>, to: Linker<Ref, Linked>) => ({
    place: linkPlace(table.place, to),
    next: to.state(table.next),
  }),
  compile: itself<ItemTable<State>>,
  run: beginItem,
});

/** After a nested value. */
export const nestedEnd = step('nestedEnd', {
  link: <Ref, Linked>(table: Named<EndNestedTable<Name>>, to: Linker<Ref, Linked>) => ({
    recover: to.recover(table.recover),
  }),
  compile: itself<EndNestedTable<State>>,
  run: endNested,
});

/** After the last argument. */
export const argumentsEnd = step('argumentsEnd', {
  link: <Ref, Linked>(table: EndArgumentsTable<Name>, to: Linker<Ref, Linked>) => ({
    ...table,
    next: to.state(table.next),
  }),
  compile: itself<EndArgumentsTable<State>>,
  run: endArguments,
});

/** After a call in a notation of its own, whose reader goes no further. */
export const callEnd = step('callEnd', {
  link: <Ref, Linked>(table: object, _to: Linker<Ref, Linked>) => table,
  compile: itself<object>,
  run: () => null,
});

/** For tables that need no compiling. */
function itself<Table>(table: Table): Table {
  return table;
}

function linkNext<Ref, Part extends { readonly next: Name }>(
  part: Part | undefined,
  to: Linker<Ref, unknown>,
): (Omit<Part, 'next'> & { readonly next: Ref }) | undefined {
  return part === undefined ? undefined : { ...part, next: to.state(part.next) };
}

function linkPlace<Ref>(place: ValuePlace<Name>, to: Linker<Ref, unknown>): ValuePlace<Ref> {
  return { ...place, next: to.state(place.next) };
}
