/** Stages: functions in a fixed order. Each takes what is known so far and adds its findings. */
import type { Steps } from '../language/expression/steps.ts';

/** A pipeline from `Given` to everything that is `Known` after its last stage. */
interface Stages<Given, Known> {
  /** Appends a stage that is one step. */
  add<Found extends object>(stage: (known: Known) => Found): Stages<Given, Known & Found>;
  /** Appends a stage of several steps. */
  addSteps<Found extends object>(stage: (known: Known) => Steps<Found>): Stages<Given, Known & Found>;
  /** Runs all stages. */
  run(given: Given): Steps<Known>;
}

/** A pipeline without stages. */
export function stagesFrom<Given extends object>(): Stages<Given, Given> {
  return rowOf(atOnce((given: Given) => given));
}

function rowOf<Given, Known extends object>(run: (given: Given) => Steps<Known>): Stages<Given, Known> {
  const addSteps = <Found extends object>(stage: (known: Known) => Steps<Found>) =>
    rowOf(function* (given: Given): Steps<Known & Found> {
      const known = yield* run(given);
      return { ...known, ...(yield* stage(known)) };
    });
  return { run, addSteps, add: (stage) => addSteps(atOnce(stage)) };
}

/** A stage of one step. */
function atOnce<Known, Found>(stage: (known: Known) => Found): (known: Known) => Steps<Found> {
  return function* (known) {
    yield;
    return stage(known);
  };
}
