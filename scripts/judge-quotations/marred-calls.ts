/** Calls whose markers are written twice, left out, followed by words or by white space; and calls in other notations. */
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { callText, type JudgedFormat } from './judged-format.ts';
import { offered, toolName } from './reading.ts';

/** A damaged text, and what was done to it. */
export interface Marred {
  readonly change: string;
  readonly text: string;
}

/** The arguments of the call that is damaged. */
export const marredArguments = { city: 'Oslo', days: 3 };

interface Part {
  readonly text: string;
  readonly at: number;
}

const bracketed = /(?:\]<\][^[\]<>\s]+\[>\[)?<\/?[^<>\n]+>|\[\/?[A-Z_]{3,}\]/g;

/** The markers of a call, as the parser reports them, split where one bracket follows another. */
function markersOf({ format, lead }: JudgedFormat, call: string): readonly Part[] {
  const generationPrompt = format.turn.start + (format.turn.prompt.off ?? '');
  const parser = createResponseParser(format, { tools: offered, generationPrompt, markers: true });
  const all = [...parser.feed(lead + call), ...parser.finish('stop').events];
  const claimed = all.filter((event) => event.type === 'marker').map(({ start, end }) => ({ start, end }));
  return Array.from(call.matchAll(bracketed), ({ 0: text, index }) => ({ text, at: index })).filter(
    ({ text, at }) =>
      claimed.some(({ start, end }) => start < at + lead.length + text.length && at + lead.length < end) ||
      /^[[\]<]/.test(text),
  );
}

/** The call with one of its markers damaged, in each way. */
export function marredCalls(judged: JudgedFormat): readonly Marred[] {
  const call = callText(judged, marredArguments);
  const markers = markersOf(judged, call);
  const first = markers[0];
  const spaced = first === undefined ? [] : [insert(call, first, ' ', `white space after ${first.text}`)];
  return [
    ...markers.map((each) => insert(call, each, each.text, `${each.text} twice`)),
    ...markers.map(({ text, at }) => ({
      change: `no ${text}`,
      text: call.slice(0, at) + call.slice(at + text.length),
    })),
    ...markers.map((each) => insert(call, each, ' hm, so ', `words after ${each.text}`)),
    ...spaced,
  ];
}

function insert(call: string, { text, at }: Part, more: string, change: string): Marred {
  const end = at + text.length;
  return { change, text: call.slice(0, end) + more + call.slice(end) };
}

const values = JSON.stringify(marredArguments);
const bodies: Readonly<Record<string, string>> = {
  'name(…)': `${toolName}(city="Oslo", days=3)`,
  'name {…}': `${toolName} ${values}`,
  XML: `<invoke name="${toolName}"><parameter name="city">Oslo</parameter><parameter name="days">3</parameter></invoke>`,
  YAML: `name: ${toolName}\narguments:\n  city: Oslo\n  days: 3`,
  JSON: JSON.stringify({ name: toolName, arguments: marredArguments }),
};

/** The call in other notations, in the format's first and last marker. */
export function foreignBodies(judged: JudgedFormat): readonly Marred[] {
  const call = callText(judged, marredArguments);
  const markers = markersOf(judged, call);
  const [open, close] = [markers[0], markers.at(-1)];
  if (open === undefined || close === undefined || open === close || open.at !== 0) return [];
  if (close.at + close.text.length !== call.length) return [];
  return Object.entries(bodies).map(([notation, body]) => ({
    change: `${notation} in ${open.text}`,
    text: `${open.text}\n${body}\n${close.text}`,
  }));
}
