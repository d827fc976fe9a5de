/** Times that do not count what other processes do meanwhile. */

/** Milliseconds of processor time that this process has taken, on all its threads. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The value that a quarter is below: other processes slow some runs down and make none faster. */
export function lowerQuartile(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 4)] ?? Number.NaN;
}
