/** Formats sizes, counts and times for people. */

/** `4.37 GB`, in powers of a thousand as on the Hub's pages. */
export function formatBytes(bytes: number): string {
  return scaled(bytes, ['bytes', 'kB', 'MB', 'GB', 'TB'], ' ');
}

/** `8.03B`: the usual notation for parameter counts. */
export function formatCount(count: number): string {
  return scaled(count, ['', 'K', 'M', 'B', 'T'], '');
}

function scaled(value: number, units: readonly string[], gap: string): string {
  let rest = value;
  let power = 0;
  // Half a digit early, so that 999,999 is `1.00 MB` and not `1000 kB`.
  while (rest >= 999.5 && power < units.length - 1) {
    rest /= 1000;
    power++;
  }
  const digits = power === 0 ? String(rest) : rest.toPrecision(3);
  return `${digits}${gap}${units[power]}`;
}

/** `2:05` or `1:02:05`; `–` if unknown. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–';
  const whole = Math.max(0, Math.round(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const [hours = 0, minutes = 0, rest = 0] = parts;
  const padded = String(rest).padStart(2, '0');
  return hours === 0 ? `${minutes}:${padded}` : `${hours}:${String(minutes).padStart(2, '0')}:${padded}`;
}
