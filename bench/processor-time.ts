/** Times that do not count what other processes do meanwhile. */

/** Milliseconds of processor time that this process has taken, on all its threads. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The middle one of `values`. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
