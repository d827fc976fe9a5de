/** The parts of the judge: what is tried, what is counted, and how much of it may be. */
import { callText, type JudgedFormat, readAnswer } from './judged-format.ts';
import { foreignBodies, type Marred, marredArguments, marredCalls } from './marred-calls.ts';
import { quotations } from './quotations.ts';
import { type Asked, type Marking, offered, type Reading, read, toolName, toolNamed } from './reading.ts';
import { strayThoughts } from './stray-thoughts.ts';

/** One line of the judge's table. */
export interface Row {
  readonly label: string;
  readonly runs: number;
  readonly counts: Readonly<Record<string, number>>;
  /** For some of the counts, the largest share of the runs. */
  readonly goals: Readonly<Record<string, number>>;
  /** What was read where a count with a goal went up. */
  readonly examples: readonly string[];
}

/** A response, and what may be said against its reading. */
interface Trial {
  readonly head: string;
  readonly text: string;
  readonly reading: Reading;
  readonly faults: Readonly<Record<string, boolean>>;
}

const markings: readonly Marking[] = ['plain', 'spelled', 'special'];

/** All parts, by name. */
export const parts: Readonly<
  Record<string, (formats: readonly JudgedFormat[], partitions: number) => readonly Row[]>
> = {
  quotations: (formats) =>
    [
      { offer: 'the tool', tools: offered, goals: { plain: 15 / 629, spelled: 0, special: 60 / 544 } },
      { offer: 'another tool', tools: [toolNamed('other')], goals: { plain: 0, spelled: 0, special: 0 } },
      { offer: 'no tool', tools: [], goals: { plain: 0, spelled: 0, special: 0 } },
    ].flatMap(({ offer, tools, goals }) =>
      markings.map((marking) =>
        row(`quotations, ${marking}, ${offer} on offer`, quoted(formats, { marking, tools }), {
          call: goals[marking],
          'untold call': 0,
          'lost untold': 0,
          'name not on offer': 0,
        }),
      ),
    ),
  marred: (formats) =>
    markings
      .filter((marking) => marking !== 'spelled')
      .map((marking) =>
        row(`marred markers, ${marking}`, damaged(formats, marredCalls, { marking }), {
          'markup in arguments': 0,
          'other arguments untold': 0,
          'neither read nor told': 0,
        }),
      ),
  bodies: (formats) =>
    markings
      .filter((marking) => marking !== 'spelled')
      .map((marking) =>
        row(`foreign bodies, ${marking}`, damaged(formats, foreignBodies, { marking }), {
          'markup in arguments': 0,
          'neither read nor told': 0,
          'other arguments untold': 0,
        }),
      ),
  thoughts: (formats) =>
    markings
      .filter((marking) => marking !== 'spelled')
      .map((marking) => row(`stray thoughts, ${marking}`, thoughts(formats, marking), { 'leak untold': 0 })),
  cuts: (formats, partitions) =>
    markings
      .filter((marking) => marking !== 'spelled')
      .map((marking) => row(`partitions, ${marking}`, cut(formats, marking, partitions), { different: 0 })),
  values: (formats) =>
    (['plain', 'spelled'] as const).map((marking) =>
      row(`values that quote calls, ${marking}`, values(formats, marking), { other: 0, 'other untold': 0 }),
    ),
};

function row(label: string, trials: readonly Trial[], goals: Row['goals']): Row {
  const names = [...new Set(trials.flatMap(({ faults }) => Object.keys(faults)))];
  const count = (name: string) => trials.filter(({ faults }) => faults[name]).length;
  return {
    label,
    runs: trials.length,
    counts: Object.fromEntries(names.map((name) => [name, count(name)])),
    goals,
    examples: trials
      .filter(({ faults }) => Object.keys(goals).some((name) => faults[name]))
      .map(({ head, text, reading, faults }) => {
        const said = Object.keys(faults).filter((name) => faults[name]);
        return `${head} [${said.join(', ')}]: ${JSON.stringify(text)} -> ${reading.message}`;
      }),
  };
}

function quoted(formats: readonly JudgedFormat[], asked: Asked): readonly Trial[] {
  const names = new Set(
    (asked.tools ?? offered).map((tool) => ('function' in tool ? tool.function.name : '')),
  );
  return formats.flatMap((judged) => {
    const call = callText(judged, { city: 'Oslo' });
    const placeholder = call
      .replace(toolName, 'function_name')
      .replace('city', 'parameter')
      .replace('Oslo', 'value');
    const beginning = call.slice(0, call.indexOf(toolName) + toolName.length);
    return Object.entries(quotations).map(([kind, quote]): Trial => {
      const text = quote({ call, placeholder, beginning });
      const reading = readAnswer(judged, text, asked);
      const { calls, malformed, content, reasoning, told } = reading;
      const whole = squeezed(content) === squeezed(text) && reasoning === '';
      return {
        head: `${judged.name}, ${kind}`,
        text,
        reading,
        faults: {
          call: calls.length > 0,
          'untold call': calls.length > 0 && !told,
          'name not on offer': calls.some(({ name }) => !names.has(name)),
          malformed: malformed.length > 0,
          'lost untold': calls.length === 0 && !whole && !told,
          'not whole': calls.length === 0 && !whole,
        },
      };
    });
  });
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

const meant = JSON.stringify(marredArguments);

function damaged(
  formats: readonly JudgedFormat[],
  change: (judged: JudgedFormat) => readonly Marred[],
  asked: Asked,
): readonly Trial[] {
  return formats.flatMap((judged) =>
    change(judged).map((marred): Trial => {
      const reading = read(judged, judged.lead + marred.text, asked);
      const { calls, malformed, told } = reading;
      const values = calls.map((each) => JSON.stringify(JSON.parse(each.arguments)));
      const right = values.length === 1 && values[0] === meant && calls[0]?.name === toolName;
      // Words after the opener of a value are the value.
      const holdsWords = values.some((each) => /hm, so/.test(each) && !/[<>[\]]/.test(each));
      return {
        head: `${judged.name}, ${marred.change}`,
        text: marred.text,
        reading,
        faults: {
          right,
          malformed: !right && malformed.length > 0,
          text: !right && malformed.length === 0 && calls.length === 0,
          'markup in arguments': calls.some((each) => /[<>[\]]/.test(each.arguments)),
          'other arguments untold': calls.length > 0 && !right && !told && !holdsWords,
          'neither read nor told': !right && !told && !holdsWords,
          'lost untold': calls.length === 0 && !told && !reading.content.includes('Oslo'),
        },
      };
    }),
  );
}

function thoughts(formats: readonly JudgedFormat[], marking: Marking): readonly Trial[] {
  return formats.flatMap((judged) =>
    strayThoughts(judged).map(({ change, text, prompt }): Trial => {
      const reading = read(judged, text, { prompt, marking });
      const core = judged.layout.reasoning?.close.core ?? '';
      const leaks = reading.content.trim() !== 'Noon.';
      return {
        head: `${judged.name}, ${change}`,
        text,
        reading,
        faults: {
          leak: leaks,
          'marker shown': reading.content.includes(core),
          'leak untold': leaks && !reading.told,
        },
      };
    }),
  );
}

/** Every text in single units, and in `partitions` other ways that are drawn. */
function cut(formats: readonly JudgedFormat[], marking: Marking, partitions: number): readonly Trial[] {
  return formats.flatMap((judged) =>
    textsOf(judged).flatMap((text, index) => {
      const whole = read(judged, text, { marking });
      const ways = [
        Array.from(text, (_, at) => at),
        ...Array.from({ length: partitions }, (_, way) => drawnCuts(text.length, index * partitions + way)),
      ];
      return ways.map((cuts): Trial => {
        const reading = read(judged, text, { marking, cuts });
        const different = reading.message !== whole.message;
        return { head: `${judged.name}, cut at ${cuts.join(' ')}`, text, reading, faults: { different } };
      });
    }),
  );
}

function textsOf(judged: JudgedFormat): readonly string[] {
  const call = callText(judged, { city: 'Oslo' });
  const { close } = judged.layout.content;
  const answers = Object.values(quotations).map((quote) =>
    quote({ call, placeholder: call, beginning: call.slice(0, call.indexOf(toolName) + toolName.length) }),
  );
  const damage = [...marredCalls(judged), ...foreignBodies(judged), ...strayThoughts(judged)];
  const quoting = Object.values(quotingValues).map((quote) => callText(judged, { city: quote(call) }));
  return [
    ...answers.map((answer) => judged.open + answer + close.text),
    ...[...damage.map(({ text }) => text), ...quoting].map((text) => judged.lead + text),
  ];
}

/** Up to seven positions, drawn by a seed. */
function drawnCuts(length: number, seed: number): readonly number[] {
  let state = (seed * 2654435761 + 1) % 2 ** 32;
  const draw = () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * length);
  };
  return Array.from({ length: 1 + (seed % 7) }, draw).sort((a, b) => a - b);
}

const quotingValues: Readonly<Record<string, (call: string) => string>> = {
  'a call': (call) => call,
  'a call in a code span': (call) => `Write \`${call}\` here.`,
  'the last closers': (call) => `ends with ${call.slice(call.lastIndexOf('Oslo') + 4)} here`,
};

function values(formats: readonly JudgedFormat[], marking: 'plain' | 'spelled'): readonly Trial[] {
  return formats.flatMap((judged) =>
    Object.entries(quotingValues).map(([kind, quote]): Trial => {
      const city = quote(callText(judged, { city: 'Oslo' }));
      const text = callText(judged, { city });
      const reading = readValue(judged, text, city, marking);
      const [call, second] = reading.calls;
      const right = second === undefined && call !== undefined && JSON.parse(call.arguments).city === city;
      return {
        head: `${judged.name}, ${kind}`,
        text,
        reading,
        faults: { right, other: !right, 'other untold': !right && !reading.told },
      };
    }),
  );
}

/** Spelled out, all markers except those of the value are special tokens. */
function readValue(judged: JudgedFormat, text: string, value: string, marking: 'plain' | 'spelled'): Reading {
  const at = text.indexOf(value);
  if (marking === 'plain' || at === -1) return read(judged, judged.lead + text);
  const from = judged.lead.length + at;
  return read(judged, judged.lead + text, {
    marking: 'special',
    ordinary: { from, to: from + value.length },
  });
}
