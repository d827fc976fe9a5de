/**
 * The laws of leniency: deviations that mean one thing only, so they are read, and reported. The parser asks this table
 * whether a law applies, and what is said about it. `docs/leniency-examples.md` shows each law with an example.
 */

/** Where a law may apply. `between`: at the edges of regions, where a marker is expected. */
export type LawPlace = 'thoughts' | 'answer' | 'call' | 'between';

interface Law {
  readonly places: readonly LawPlace[];
  /** `offered`: only if a tool on offer is named there; `to open`: only so where it opens calls. */
  readonly tools: 'any' | 'offered' | 'to open';
  /** Whether `leniency: 'strict'` has it, too, because a value would be lost without it. */
  readonly strict: boolean;
  /** What is said, for each case of the law; most say what was written. */
  readonly says: Readonly<Record<string, (...facts: string[]) => string>>;
}

const anywhere = ['thoughts', 'answer', 'call', 'between'] as const;
const inCalls = { places: ['call'], tools: 'any', strict: false } as const;
const openers = { places: ['answer', 'between', 'call'], tools: 'offered', strict: false } as const;

/** The table. */
export const laws = {
  'arguments-key': { ...inCalls, says: { key: (key) => `the arguments stand under ${quoted(key)}` } },
  'flat-arguments': {
    ...inCalls,
    says: {
      nextToName: () => 'the arguments stand next to the name',
      dropped: (keys) => `left out, because the arguments stand apart: ${keys}`,
    },
  },
  'empty-arguments': { ...inCalls, says: { member: (key, value) => `${key} is ${value}` } },
  'wrapped-arguments': {
    ...inCalls,
    says: {
      key: (key) => `the arguments were wrapped in ${quoted(key)}`,
      call: () => 'the arguments are the whole call once more',
    },
  },
  'name-key': {
    ...inCalls,
    tools: 'offered',
    says: { key: (key) => `the name stands under ${quoted(key)}` },
  },
  'name-prefix': {
    ...openers,
    says: {
      id: (id) => `the id is ${quoted(id)}`,
      header: (header) => `the header is ${quoted(header)}`,
      type: (written, name) => `${quoted(written)} is ${quoted(name)} and the type of its arguments`,
    },
  },
  'wrapped-call': {
    ...inCalls,
    says: {
      braces: () => 'the call is wrapped in braces of its own',
      key: (key) => `the call is wrapped in ${quoted(key)}`,
    },
  },
  json: { ...inCalls, says: { deviation: (deviation) => deviation } },
  literal: {
    ...inCalls,
    says: {
      name: (name) => `the name ${name} was written in quotes`,
      key: (key) => `the key ${key} was written in quotes`,
      ofKey: (key, wanted) => `the value of ${quoted(key)} is not of type ${wanted}`,
      text: (written, wanted) => `${quoted(written)} is not of type ${wanted}`,
      value: (written, value) => `${quoted(written)} is read as ${value}`,
    },
  },
  opener: {
    ...openers,
    says: {
      marker: (written) => `calls are opened by ${written}`,
      none: () => 'nothing opens the first call of a section',
    },
  },
  noise: {
    ...openers,
    says: { marker: (written) => `other text stands between ${written} and the call` },
  },
  'arguments-marker': { ...inCalls, says: { marker: () => 'the arguments follow the name at once' } },
  separator: {
    ...openers,
    says: {
      list: () => 'the calls stand in a list',
      none: () => 'nothing separates the calls',
      marker: (written) => `calls are separated by ${written}`,
    },
  },
  'bare-calls': {
    places: ['answer', 'between'],
    tools: 'offered',
    strict: false,
    says: { json: () => 'the calls are written as JSON, and not in the format' },
  },
  notation: {
    places: ['thoughts', 'answer', 'between'],
    tools: 'offered',
    strict: false,
    says: {
      other: (picture) => `the calls are written as ${picture}, and not in the format`,
      sole: (name, key) => `the call of ${quoted(name)} has no key, so its text is ${quoted(key)}`,
    },
  },
  'empty-block': { ...openers, tools: 'any', says: { marker: (written) => `${written} holds no call` } },
  'marker-part': {
    ...inCalls,
    says: { marker: (written) => `${written} stands for a marker of which it is a part` },
  },
  spelling: {
    places: anywhere,
    tools: 'to open',
    strict: false,
    says: {
      marker: (written) => `${written} is a marker in other characters`,
      header: (header) => `the header is ${quoted(header)}, which the format does not have`,
    },
  },
  'marker-twice': { ...inCalls, says: { marker: (written) => `${quoted(written)} stands twice` } },
  'thoughts-again': {
    places: ['thoughts', 'between'],
    tools: 'any',
    strict: false,
    says: { marker: (written) => `${written} stands twice` },
  },
  fence: {
    ...openers,
    tools: 'to open',
    says: {
      marker: () => 'the JSON stands in a code fence',
      call: () => 'the call stands in a code fence',
    },
  },
  unclosed: {
    places: anywhere,
    tools: 'to open',
    strict: false,
    says: {
      answer: (written) => `${written} comes before the answer is closed`,
      region: (written) => `${written} begins before the turn is closed and opened again`,
      thoughts: () => 'nothing closes the thoughts before it',
      last: () => 'the thoughts end with the call, and no answer follows',
      call: (written) => `${written} ends the call early`,
      end: () => 'the response ends before the call is closed',
      bracket: () => 'the arguments are closed before their last bracket',
      brace: () => 'the call is closed before its last brace',
      value: (key) => `the value of ${quoted(key)} is not closed`,
      held: (key) => `the value of ${quoted(key)} holds what closes it`,
      heldBefore: (key, next) =>
        `the value of ${quoted(key)} holds what closes it, and then the argument ${quoted(next)}`,
    },
  },
  quoted: {
    places: ['thoughts', 'answer'],
    tools: 'any',
    strict: true,
    says: {
      marker: (written, where) => `${quoted(written)} stands in ${where}, so it is text`,
      token: (written) => `${quoted(written)} opens no call here, so it is text`,
      mention: (written) => `${quoted(written)} ends no thoughts here, so it is text`,
      call: (written) =>
        `${quoted(written)} stands in a code span that is not closed after the call, so it is no quotation`,
    },
  },
  'result-marker': {
    places: ['answer'],
    tools: 'any',
    strict: false,
    says: { marker: (written) => `${written} belongs to the result of a tool` },
  },
  'special-token': {
    places: ['thoughts', 'answer', 'between'],
    tools: 'any',
    strict: false,
    says: { marker: (written) => `${written} stands where nothing asks for it` },
  },
  'duplicate-argument': {
    ...inCalls,
    strict: true,
    says: {
      argument: (key) => `the argument ${quoted(key)} is written twice; the last value counts`,
      member: (key) => `the member ${quoted(key)} is written twice; the last value counts`,
    },
  },
  'null-argument': {
    ...inCalls,
    strict: true,
    says: {
      argument: (key) => `the argument ${quoted(key)} is optional and must not be null; it is left out`,
    },
  },
  'duplicate-id': {
    ...inCalls,
    strict: true,
    says: {
      id: (id, unique) => `two calls have the id ${quoted(id)}; the second is called ${quoted(unique)}`,
    },
  },
} as const satisfies Readonly<Record<string, Law>>;

/** The laws of `docs/leniency.md`. */
export type LeniencyLaw = keyof typeof laws;

/** Whether a call that a law opens, if one does, must name a tool on offer. */
export function mustBeOffered(law: LeniencyLaw | undefined): boolean {
  return law !== undefined && laws[law].tools !== 'any';
}

/** What was repaired, and by which law. */
export interface Repair {
  readonly law: LeniencyLaw;
  readonly detail: string;
}

/** What the table says about a case of a law; `facts` are mostly what was written. */
export function repair<Name extends LeniencyLaw>(
  law: Name,
  note: keyof (typeof laws)[Name]['says'] & string,
  ...facts: string[]
): Repair {
  const { says }: Law = laws[law];
  return { law, detail: says[note]?.(...facts) ?? '' };
}

/** A repaired marker, as far as the table needs it. */
interface RepairedMarker {
  readonly marker: string;
  readonly role?: 'call' | 'thought' | undefined;
  readonly passes?: true | undefined;
  readonly peek?: true | undefined;
}

/** What the table says about text that was read as a marker by `law`. */
export function markerRepair(law: LeniencyLaw, choice: RepairedMarker): Repair {
  const written = quoted(choice.marker.trim().replace(/(?<!\s)\s*\n\s*/g, ''));
  const { says }: Law = laws[law];
  return { law, detail: says[caseOf(law, choice)]?.(written) ?? '' };
}

function caseOf(law: LeniencyLaw, { marker, role, passes, peek }: RepairedMarker): string {
  switch (law) {
    case 'separator':
      return passes ? 'list' : peek ? 'none' : 'marker';
    case 'unclosed':
      return role === 'call' ? 'answer' : role === 'thought' ? 'region' : 'call';
    case 'opener':
      return marker === '' ? 'none' : 'marker';
    default:
      return 'marker';
  }
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
