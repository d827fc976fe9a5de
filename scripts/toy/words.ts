/** Names and phrases that a question is filled with. Most are made up, so that the model learns to copy. */
import type { Random } from './random.ts';

/** Whether the words are for training or for the questions that are held out; no made-up word is in both. */
export type Split = 'training' | 'held-out';

const onsets = 'b br c ch d dr f fl g gr h j k kl l m n p pr qu r s sh st t tr v w y z'.split(' ');
const nuclei = 'a e i o u a e i o ai au ea ee ia io oa ou'.split(' ');
const codas = ['', '', '', '', 'n', 'l', 'r', 's', 'm', 'nd', 'rn', 'st', 'th', 'x', 'ck', 'ng'];

/** A word of two or three syllables, in lower case. */
export function madeUpWord(random: Random, split: Split): string {
  for (;;) {
    let word = '';
    const syllables = random.chance(0.75) ? 2 : random.pick([1, 3]);
    for (let index = 0; index < syllables; index += 1) {
      word += random.pick(onsets) + random.pick(nuclei) + random.pick(codas);
    }
    if (word.length >= 3 && word.length <= 10 && isHeldOut(word) === (split === 'held-out')) return word;
  }
}

/** One word in eight, told by a sum over its letters. */
function isHeldOut(word: string): boolean {
  let sum = 7;
  for (const letter of word) sum = (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0;
  return sum % 8 === 0;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

const cities =
  'Bern Oslo Paris Rome Berlin Madrid London Tokyo Lima Cairo Vienna Lisbon Dublin Boston Kyoto Zurich Prague Athens Delhi Nairobi'.split(
    ' ',
  );
const people = 'Anna Ben Clara David Emma Felix Grace Hugo Ida Jonas Kim Laura Max Nora Oscar Paula'.split(
  ' ',
);

/** `Bern`, `Troulind`, `New Kaisto`. */
export function city(random: Random, split: Split): string {
  if (split === 'training' && random.chance(0.2)) return random.pick(cities);
  const name = capital(madeUpWord(random, split));
  return random.chance(0.12) ? `${random.pick(['New', 'San', 'Port', 'Bad'])} ${name}` : name;
}

export function person(random: Random, split: Split): string {
  if (split === 'training' && random.chance(0.25)) return random.pick(people);
  return random.chance(0.1) ? `my ${random.pick(relatives)}` : capital(madeUpWord(random, split));
}

const relatives = ['mother', 'father', 'sister', 'brother', 'boss', 'friend'];
const adjectives =
  'red old new big small cheap fast quiet warm cold green blue early late good best long short fresh dark bright'.split(
    ' ',
  );
const nouns =
  'bread tea coffee train ticket book guitar bike phone garden dog cat bird river bridge museum soup cake shoes camera battery window paper concert recipe map film song tent boat lamp chair'.split(
    ' ',
  );
const clauses = [
  'I am late',
  'I am on my way',
  'dinner is ready',
  'the train is late',
  'we meet at eight',
  'I will call later',
  'the door is open',
  'see you tomorrow',
  'thank you for the book',
  'I bought bread',
  'it works now',
  'the cat is fine',
];

/** What is looked for: `old bridge kaisto`. */
export function topic(random: Random, split: Split): string {
  const noun = random.pick(nouns);
  if (random.chance(0.3)) return `${random.pick(adjectives)} ${noun}`;
  if (random.chance(0.4)) return `${noun} ${madeUpWord(random, split)}`;
  if (random.chance(0.4)) return `${capital(madeUpWord(random, split))} ${noun}`;
  return random.chance(0.5)
    ? madeUpWord(random, split)
    : `${random.pick(adjectives)} ${noun} ${madeUpWord(random, split)}`;
}

/** What is told to somebody: `I am late`. */
export function clause(random: Random, split: Split): string {
  if (random.chance(0.4)) return random.pick(clauses);
  const noun = random.pick(nouns);
  if (random.chance(0.4)) return `the ${noun} is ${random.pick(adjectives)}`;
  return random.chance(0.5)
    ? `I am in ${city(random, split)}`
    : `I found the ${random.pick(adjectives)} ${noun}`;
}

/** A date in the calendar: `lunch with Anna`. */
export function occasion(random: Random, split: Split): string {
  const what = random.pick([
    'lunch',
    'dinner',
    'tennis',
    'a meeting',
    'a call',
    'a walk',
    'tea',
    'the dentist',
  ]);
  if (what === 'the dentist') return what;
  return random.chance(0.75) ? `${what} with ${person(random, split)}` : what;
}

/** `notes.txt`, `kaisto/main.md`. */
export function file(random: Random, split: Split): string {
  const folder = random.chance(0.4)
    ? `${random.pick(['docs', 'src', 'home', madeUpWord(random, split)])}/`
    : '';
  const stem = random.chance(0.4)
    ? random.pick(['notes', 'todo', 'main', 'list', 'plan'])
    : madeUpWord(random, split);
  return `${folder}${stem}.${random.pick(['txt', 'md', 'json', 'csv', 'ts'])}`;
}

/** `14:30`. */
export function clock(random: Random): string {
  return `${random.between(0, 23)}:${String(random.pick([0, 5, 10, 15, 20, 30, 40, 45, 50])).padStart(2, '0')}`;
}

export const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
export const languages = ['French', 'German', 'Spanish', 'Italian', 'Polish', 'Dutch', 'Greek', 'Turkish'];
export const rooms = ['kitchen', 'bedroom', 'bathroom', 'hall', 'garage', 'office', 'cellar', 'living room'];
export const currencies = ['EUR', 'USD', 'CHF', 'JPY', 'GBP', 'SEK'];
export const skies = ['sunny', 'cloudy', 'rainy', 'windy', 'snowy', 'foggy'];

/** A few words that mean nothing, as a file holds them or a translation reads. */
export function someWords(random: Random, split: Split): string {
  const count = random.between(1, 3);
  return Array.from({ length: count }, () =>
    random.chance(0.5) ? random.pick([...nouns, ...adjectives]) : madeUpWord(random, split),
  ).join(' ');
}

/** A company's letters on the stock market. */
export function ticker(random: Random): string {
  const letters = 'ABCDEFGHIKLMNOPRSTUVWXYZ';
  return Array.from(
    { length: random.between(3, 4) },
    () => letters[random.between(0, letters.length - 1)],
  ).join('');
}
