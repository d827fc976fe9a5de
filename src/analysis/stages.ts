/** Stages: functions in a fixed order. Each takes what is known so far and adds its findings. */

/** A pipeline from `Given` to everything that is `Known` after its last stage. */
export interface Stages<Given, Known> {
  /** Appends a stage. */
  add<Found extends object>(stage: (known: Known) => Found): Stages<Given, Known & Found>;
  /** Runs all stages. */
  run(given: Given): Known;
}

/** A pipeline without stages. */
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
