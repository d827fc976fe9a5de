/** Python's `strftime` of a time without a zone (as from `datetime.now()`), in English. */

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

function dayOfYear(date: Date): number {
  const start = Date.UTC(date.getFullYear(), 0, 1);
  return Math.round((Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - start) / 86_400_000) + 1;
}

function weekOfYear(date: Date, firstDay: number): number {
  const weekday = (date.getDay() - firstDay + 7) % 7;
  return Math.floor((dayOfYear(date) + 6 - weekday) / 7);
}

/** ISO 8601: week 1 is the week with the year's first Thursday. */
function isoWeek(date: Date): { year: number; week: number } {
  const thursday = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 4 - (date.getDay() || 7));
  return { year: thursday.getFullYear(), week: Math.ceil(dayOfYear(thursday) / 7) };
}

function zeros(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

type NumberField = (date: Date) => readonly [value: number, width: number];

const numbers: ReadonlyMap<string, NumberField> = new Map<string, NumberField>([
  ['d', (date) => [date.getDate(), 2]],
  ['m', (date) => [date.getMonth() + 1, 2]],
  ['y', (date) => [date.getFullYear() % 100, 2]],
  ['Y', (date) => [date.getFullYear(), 1]],
  ['C', (date) => [Math.floor(date.getFullYear() / 100), 2]],
  ['H', (date) => [date.getHours(), 2]],
  ['I', (date) => [date.getHours() % 12 || 12, 2]],
  ['M', (date) => [date.getMinutes(), 2]],
  ['S', (date) => [date.getSeconds(), 2]],
  ['f', (date) => [date.getMilliseconds() * 1000, 6]],
  ['j', (date) => [dayOfYear(date), 3]],
  ['w', (date) => [date.getDay(), 1]],
  ['u', (date) => [date.getDay() || 7, 1]],
  ['U', (date) => [weekOfYear(date, 0), 2]],
  ['W', (date) => [weekOfYear(date, 1), 2]],
  ['V', (date) => [isoWeek(date).week, 2]],
  ['G', (date) => [isoWeek(date).year, 1]],
  ['s', (date) => [Math.floor(date.getTime() / 1000), 1]],
]);

const texts: ReadonlyMap<string, (date: Date) => string> = new Map<string, (date: Date) => string>([
  ['a', (date) => days[date.getDay()]?.slice(0, 3) ?? ''],
  ['A', (date) => days[date.getDay()] ?? ''],
  ['b', (date) => months[date.getMonth()]?.slice(0, 3) ?? ''],
  ['h', (date) => months[date.getMonth()]?.slice(0, 3) ?? ''],
  ['B', (date) => months[date.getMonth()] ?? ''],
  ['p', (date) => (date.getHours() < 12 ? 'AM' : 'PM')],
  ['e', (date) => String(date.getDate()).padStart(2)],
  ['z', () => ''],
  ['Z', () => ''],
  ['n', () => '\n'],
  ['t', () => '\t'],
  ['%', () => '%'],
]);

const composed: ReadonlyMap<string, string> = new Map([
  ['c', '%a %b %e %H:%M:%S %Y'],
  ['x', '%m/%d/%y'],
  ['X', '%H:%M:%S'],
  ['D', '%m/%d/%y'],
  ['F', '%Y-%m-%d'],
  ['R', '%H:%M'],
  ['T', '%H:%M:%S'],
  ['r', '%I:%M:%S %p'],
]);

/** Formats a time: `%d %b %Y` gives `21 Nov 2026`; `%-d` omits the leading zero. */
export function strftime(date: Date, format: string): string {
  return format.replace(/%(-?)([A-Za-z%])/g, (found, flag: string, letter: string) => {
    const composition = composed.get(letter);
    if (composition !== undefined) return strftime(date, composition);
    const number = numbers.get(letter)?.(date);
    if (number !== undefined) return zeros(number[0], flag === '-' ? 1 : number[1]);
    return texts.get(letter)?.(date) ?? found;
  });
}
