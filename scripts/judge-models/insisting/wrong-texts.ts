/** Texts that a model may insist on, drawn by a seed: whatever a grammar, a parser and a guard have to survive. */
import type { JsonObject, Tool } from '../../../src/format/messages.ts';
import type { Random } from '../../toy/random.ts';
import type { NamedTemplate } from './chat-templates.ts';
import type { InsistingModel, Request, Spelling } from './insisting-model.ts';
import { callsText, foreignCalls, openerVariants } from './other-spellings.ts';

/** A text as tokens, and what is wrong with it. */
export interface WrongText {
  readonly kind: string;
  readonly tokens: readonly number[];
}

/** Tools with bounds of every kind. */
export const boundedTools: readonly Tool[] = [
  toolOf('get_weather', ['city', 'days'], {
    city: { type: 'string', maxLength: 20, description: 'A city' },
    days: { type: 'integer', minimum: 1, maximum: 7, description: 'Days ahead' },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'], description: 'Unit' },
  }),
  toolOf('set_alarm', ['time'], {
    time: { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: 'HH:MM' },
    label: { type: 'string', minLength: 1, maxLength: 10, description: 'A label' },
    repeat: {
      type: 'array',
      items: { type: 'string', enum: ['mon', 'tue', 'wed'] },
      maxItems: 2,
      description: 'Days',
    },
  }),
];

/** The schema of an answer; its bounds differ from those of the tools, so that a mixture of both shows. */
export const answerSchema: JsonObject = {
  type: 'object',
  properties: {
    size: { type: 'integer', minimum: 10, maximum: 20 },
    tag: { type: 'string', pattern: '^[A-Z]{2}$' },
    note: { type: 'string', maxLength: 12 },
  },
  required: ['size', 'tag'],
  additionalProperties: false,
};

const rightCalls: readonly Named[] = [
  ['get_weather', { city: 'Bern', days: 3 }],
  ['get_weather', { city: 'Oslo', days: 7, unit: 'celsius' }],
  ['set_alarm', { time: '06:45', label: 'gym', repeat: ['mon'] }],
];

/** Calls that are well-formed, and that no tool allows. */
const wrongCalls: readonly Named[] = [
  ['get_weather', {}],
  ['get_weather', { city: 'Bern', days: 14 }],
  ['get_weather', { city: 'Bern', days: 3.5 }],
  ['get_weather', { city: 'Bern', days: '3' }],
  ['get_weather', { city: 'a very long name of a city', days: 3 }],
  ['get_weather', { city: 'Bern', days: 3, unit: 'kelvin' }],
  ['get_weather', { city: 'Bern', days: 3, unit: null }],
  ['get_weather', { city: 'Bern', days: 3, other: 1 }],
  ['get_weather', { days: 3, city: { name: 'Bern' } }],
  ['set_alarm', { time: '25:99' }],
  ['set_alarm', { time: '06:45', repeat: ['mon', 'tue', 'wed'] }],
  ['set_alarm', { time: '06:45', repeat: 'mon' }],
  ['set_alarm', { label: '' }],
  ['get_', { city: 'Bern', days: 3 }],
  ['Get_Weather', { city: 'Bern', days: 3 }],
  ['launch_rocket', { target: 'Moon' }],
];

const answers: readonly string[] = [
  '{"size": 12, "tag": "AB"}',
  '{"size":248,"tag":"ab","note":null}',
  '[1]',
  'No.',
];

type Named = readonly [name: string, input: JsonObject];

/** Draws texts: as many as are asked for, of all kinds in turn, from one that the seed chooses. */
export function drawWrongTexts(
  model: InsistingModel,
  request: Request,
  random: Random,
  count: number,
): readonly WrongText[] {
  const { template, spelling } = model;
  const turn = (text: string) => model.encodeResponse(request, text);
  const kinds = Object.entries(textKinds);
  const first = random.between(0, kinds.length - 1);
  return Array.from({ length: count }, (_, index) => {
    const [kind, draw] = kinds[(first + index) % kinds.length] ?? random.pick(kinds);
    return { kind, tokens: draw({ template, spelling, turn, random }) };
  });
}

interface Drawing {
  readonly template: NamedTemplate;
  readonly spelling: Spelling;
  /** The tokens of a whole response. */
  readonly turn: (text: string) => readonly number[];
  readonly random: Random;
}

/** By what is wrong. */
const textKinds: Readonly<Record<string, (drawing: Drawing) => readonly number[]>> = {
  'inserted end': (drawing) => inserted(drawing, endText(drawing.template)),
  'inserted marker': (drawing) => inserted(drawing, marker(drawing)),
  'inserted text': (drawing) =>
    inserted(
      drawing,
      drawing.random.pick(['\n\n', '   ', '\t', '12345678901234567890', '\\x', '\\u12', '"', '}', ',']),
    ),
  'half a character': halfCharacter,
  'one token for ever': ({ spelling, random }) => {
    const [token] = spelling.encode(random.pick(['{', '"', '1', ' ', 'a', '\n', '}', '[', '😀']));
    return token === undefined ? [] : Array.from({ length: 120 }, () => token);
  },
  'wrong call': ({ template, turn, random }) => turn(callsText(template.format, [random.pick(wrongCalls)])),
  'right and wrong call': ({ template, turn, random }) =>
    turn(callsText(template.format, [random.pick(rightCalls), random.pick(wrongCalls)])),
  'wrong call in another spelling': ({ template, turn, random }) =>
    turn(
      random.pick(openerVariants(template.format, callsText(template.format, [random.pick(wrongCalls)])))
        .text,
    ),
  'foreign notation': ({ turn, random }) => {
    const [name, input] = random.pick(random.chance(0.3) ? rightCalls : wrongCalls);
    return turn(random.pick(foreignCalls(name, input)));
  },
  'quoted syntax': ({ template, turn, random }) => {
    const quoted = callsText(template.format, [random.pick(rightCalls)]);
    const at = random.between(1, quoted.length - 1);
    const city = random.chance(0.5) ? quoted.slice(0, at) : quoted.slice(at);
    return turn(callsText(template.format, [['get_weather', { city, days: 3 }]]));
  },
  'prose about calls': ({ template, turn, random }) => {
    const call = callsText(template.format, [random.pick(rightCalls)]);
    const part = call.slice(0, random.between(1, call.length));
    return turn(`To call it, write ${part} and so on. See [1] and a[0], {}.`);
  },
  answer: ({ turn, random }) => turn(random.pick(answers)),
};

function endText({ format }: NamedTemplate): string {
  return format.turn.ends[0]?.trim() ?? format.stops[0] ?? '';
}

function rightText({ template, random }: Drawing): string {
  return random.chance(0.7) ? callsText(template.format, [random.pick(rightCalls)]) : (answers[0] ?? '');
}

/** A conforming text with something in its midst. */
function inserted(drawing: Drawing, text: string): readonly number[] {
  const { spelling, turn, random } = drawing;
  const tokens = [...turn(rightText(drawing))];
  tokens.splice(random.between(0, tokens.length - 1), 0, ...spelling.encode(text));
  return tokens;
}

/** The vocabulary has no token for it, so it is written in bytes; some of them, or those that are no UTF-8. */
function halfCharacter(drawing: Drawing): readonly number[] {
  const { spelling, turn, random } = drawing;
  const bytes = spelling.encode(random.pick(['😀', '\u{10ffff}', '꙰']));
  const half = bytes.slice(0, random.between(1, Math.max(1, bytes.length - 1)));
  const tokens = [...turn(rightText(drawing))];
  const at = random.between(0, tokens.length - 1);
  tokens.splice(at, 0, ...Array.from({ length: random.between(1, 5) }, () => half).flat());
  return tokens;
}

function marker({ template, random }: Drawing): string {
  const { preservedTokens } = template.format;
  return preservedTokens.length === 0 ? endText(template) : random.pick(preservedTokens);
}

function toolOf(name: string, required: readonly string[], properties: JsonObject): Tool {
  const parameters = { type: 'object', properties, required: [...required], additionalProperties: false };
  return { type: 'function', function: { name, description: `The function ${name}.`, parameters } };
}
