/** Ollama's durations: how long a model stays open after a request. */
import type { FieldRule } from '../fields/field-table.ts';

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const part = '(?:\\d+(?:\\.\\d+)?(?:ns|us|µs|ms|s|m|h))';
const duration = new RegExp(`^(?:0|-?${part}+)$`);

/** The rule of `keep_alive`: seconds, or a duration. A negative one has no end. */
export const keepAliveRule: FieldRule = {
  expected: 'a number of seconds, or a duration such as "5m"',
  allows: (value) => typeof value === 'number' || (typeof value === 'string' && duration.test(value)),
  schema: { anyOf: [{ type: 'number' }, { type: 'string', pattern: duration.source }] },
};

/** Its milliseconds, of a value that the rule allows. */
export function keepAliveMs(value: unknown): number | undefined {
  if (value == null) return undefined;
  const milliseconds = typeof value === 'number' ? value * 1000 : read(String(value));
  return milliseconds < 0 ? Number.POSITIVE_INFINITY : milliseconds;
}

function read(text: string): number {
  const parts = Array.from(text.matchAll(/(?<![\d.])([\d.]+)([a-zµ]+)/g), ([, number, unit = '']) => {
    return Number(number) * (units[unit] ?? 0);
  });
  const sum = parts.reduce((one, other) => one + other, 0);
  return text.startsWith('-') ? -1 : sum;
}
