/** Stages: functions in a fixed order, of which each gets what is known so far and adds what it found. */

/** A row of stages from what is `Given` to all that is `Known` after the last. */
export interface Stages<Given, Known> {
  /** The row with one more stage at its end. */
  add<Found extends object>(stage: (known: Known) => Found): Stages<Given, Known & Found>;
  /** Runs all stages. */
  run(given: Given): Known;
}

/** A row without any stage. */
export function stagesFrom<Given extends object>(): Stages<Given, Given> {
  return rowOf((given: Given) => given);
}

function rowOf<Given, Known extends object>(run: (given: Given) => Known): Stages<Given, Known> {
  return {
    run,
    add: (stage) =>
      rowOf((given: Given) => {
        const known = run(given);
        return { ...known, ...stage(known) };
      }),
  };
}
