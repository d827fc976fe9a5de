/**
 * The registry of steps: for each, how its table is linked (`named-states.ts`) and compiled, and the function that
 * reads. Modules write `region({ … })`. Each is made by a function that a bundler sees to have no effect, so that a page
 * has only the steps of its modules.
 */

import { links, type NamedState, type StepName, type StepTables } from '../named-states.ts';
import type { State } from '../reader.ts';
import type { EndArgumentsTable, EndNestedTable, HeaderTable, ItemTable } from '../state-tables.ts';
import { type StateDefinition, step } from './state-definition.ts';
import { ambiguousTable, readAmbiguous } from './steps-ambiguous.ts';
import { expectTable, expect as readExpected, recover as readMalformed, recoverTable } from './steps-call.ts';
import { readHeader } from './steps-header.ts';
import { holeTable, readHole } from './steps-hole.ts';
import { envelopeTable, jsonArgumentsTable, readEnvelope, readJsonArguments } from './steps-json.ts';
import { readSpeculative, speculativeTable } from './steps-speculative.ts';
import { begin, beginTable, readRegion, regionTable } from './steps-text.ts';
import { beginItem, endArguments, endNested, readValue, valueTable } from './steps-values.ts';

/** Between regions: a marker, or the beginning of other text. */
export const between = /* @__PURE__ */ step(() => ({ link: links.between, compile: beginTable, run: begin }));

/** In reasoning or in the answer, up to a stop. */
export const region = /* @__PURE__ */ step(() => ({
  link: links.region,
  compile: regionTable,
  run: readRegion,
}));

/** In a region's header whose spelling differs from the template's. */
export const header = /* @__PURE__ */ step(() => ({
  link: links.header,
  compile: itself<HeaderTable<State>>,
  run: readHeader,
}));

/** In text that is reasoning if one of the stops comes. */
export const ambiguous = /* @__PURE__ */ step(() => ({
  link: links.ambiguous,
  compile: ambiguousTable,
  run: readAmbiguous,
}));

/** In text that is calls if nothing else comes before the end of the turn. */
export const speculative = /* @__PURE__ */ step(() => ({
  link: links.speculative,
  compile: speculativeTable,
  run: readSpeculative,
}));

/** Where one of several markers is expected. */
export const expect = /* @__PURE__ */ step(() => ({
  link: links.expect,
  compile: expectTable,
  run: readExpected,
}));

/** In malformed text, up to a marker from which reading can continue. */
export const recover = /* @__PURE__ */ step(() => ({
  link: links.recover,
  compile: recoverTable,
  run: readMalformed,
}));

/** In a name, an id, an index or a key. */
export const hole = /* @__PURE__ */ step(() => ({ link: links.hole, compile: holeTable, run: readHole }));

/** In arguments that are one JSON object. */
export const jsonArguments = /* @__PURE__ */ step(() => ({
  link: links.jsonArguments,
  compile: jsonArgumentsTable,
  run: readJsonArguments,
}));

/** In a call that is one JSON object. */
export const jsonCall = /* @__PURE__ */ step(() => ({
  link: links.jsonCall,
  compile: envelopeTable,
  run: readEnvelope,
}));

/** In the value of an argument, a property or an item. */
export const value = /* @__PURE__ */ step(() => ({ link: links.value, compile: valueTable, run: readValue }));

/** At an item of a nested array. */
export const item = /* @__PURE__ */ step(() => ({
  link: links.item,
  compile: itself<ItemTable<State>>,
  run: beginItem,
}));

/** After a nested value. */
export const nestedEnd = /* @__PURE__ */ step(() => ({
  link: links.nestedEnd,
  compile: itself<EndNestedTable<State>>,
  run: endNested,
}));

/** After the last argument. */
export const argumentsEnd = /* @__PURE__ */ step(() => ({
  link: links.argumentsEnd,
  compile: itself<EndArgumentsTable<State>>,
  run: endArguments,
}));

/** After a call in a notation of its own, whose reader goes no further. */
export const callEnd = /* @__PURE__ */ step(() => ({
  link: links.callEnd,
  compile: itself<object>,
  run: () => null,
}));

const steps: { readonly [Use in StepName]: (table: StepTables[Use]) => StateDefinition } = {
  between,
  region,
  header,
  ambiguous,
  speculative,
  expect,
  recover,
  hole,
  jsonArguments,
  jsonCall,
  value,
  item,
  nestedEnd,
  argumentsEnd,
  callEnd,
};

/** The state of a running module that a named one stands for. */
export function stateOf<Use extends StepName>({ use, table }: NamedState<Use>): StateDefinition {
  return steps[use](table);
}

/** For tables that need no compiling. */
function itself<Table>(table: Table): Table {
  return table;
}
