/** Runs the states of a program without generating code: the oracle of generated modules, and the fallback. */
import type { ResponseModule, State } from '../parser/module-contract.ts';
import type { Reader } from '../parser/reader.ts';
import { expect, expectTable, recover, recoverTable } from '../parser/steps/steps-call.ts';
import { readHeader } from '../parser/steps/steps-header.ts';
import { holeTable, readHole } from '../parser/steps/steps-hole.ts';
import { jsonArgumentsTable, readEnvelope, readJsonArguments } from '../parser/steps/steps-json.ts';
import { readSpeculative, speculativeTable } from '../parser/steps/steps-speculative.ts';
import {
  ambiguousTable,
  begin,
  beginTable,
  readAmbiguous,
  readRegion,
  regionTable,
} from '../parser/steps/steps-text.ts';
import { beginItem, endArguments, endNested, readValue, valueTable } from '../parser/steps/steps-values.ts';
import { isReference, type ParserProgram, type StateName, type Step } from './states.ts';

/** A module that does what the module generated from `program` does. */
export function interpretStates(program: ParserProgram): ResponseModule {
  const byName = new Map<StateName, State>();
  const stateOf = (name: StateName): State => {
    const state = byName.get(name);
    if (state === undefined) throw new RangeError(`no state ${name}`);
    return state;
  };
  // Tables refer to each other in circles, so every state is first a function that looks up its step.
  const ready = new Map<StateName, State>();
  for (const { name } of program.states) byName.set(name, (reader) => ready.get(name)?.(reader) ?? null);
  for (const { name, step } of program.states)
    ready.set(name, stateOfStep(resolve(step, stateOf) as Step<State>));
  return {
    contract: program.contract,
    templateSha256: program.templateSha256,
    turnStart: program.turnStart,
    lead: program.lead,
    thoughtPrompt: program.thoughtPrompt,
    start: stateOf(program.start),
  };
}

/** The state that does one step. */
function stateOfStep(step: Step<State>): State {
  switch (step.use) {
    case 'begin':
      return withTable(begin, beginTable(step.table));
    case 'readRegion':
      return withTable(readRegion, regionTable(step.table));
    case 'readHeader':
      return withTable(readHeader, step.table);
    case 'readAmbiguous':
      return withTable(readAmbiguous, ambiguousTable(step.table));
    case 'readTrial':
      return withTable(readSpeculative, speculativeTable(step.table));
    case 'expect':
      return withTable(expect, expectTable(step.table));
    case 'recover':
      return withTable(recover, recoverTable(step.table));
    case 'readHole':
      return withTable(readHole, holeTable(step.table));
    case 'readJsonArguments':
      return withTable(readJsonArguments, jsonArgumentsTable(step.table));
    case 'readEnvelope':
      return withTable(readEnvelope, step.table);
    case 'readValue':
      return withTable(readValue, valueTable(step.table));
    case 'beginItem':
      return withTable(beginItem, step.table);
    case 'endNested':
      return withTable(endNested, step.table);
    case 'endArguments':
      return withTable(endArguments, step.table);
  }
}

function withTable<Table>(run: (reader: Reader, table: Table) => State | null, table: Table): State {
  return (reader) => run(reader, table);
}

/** The table with functions in place of the names of states. */
function resolve(value: unknown, stateOf: (name: StateName) => State): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => resolve(each, stateOf));
  const entries = Object.entries(value).map(([key, each]) => [
    key,
    isReference(key, each) ? stateOf(each) : resolve(each, stateOf),
  ]);
  return Object.fromEntries(entries);
}
