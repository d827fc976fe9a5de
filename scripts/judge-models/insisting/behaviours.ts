/** How scripted models behave: well, or badly in ways that trained ones are known for. */
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import type { AssistantMessage } from '../../../src/format/messages.ts';
import { toolCalls } from '../../../test/support/rest-of-turn.ts';
import type { Random } from '../../toy/random.ts';
import { callsText, foreignCalls, openerOf, openerVariants } from './other-spellings.ts';
import type { Spelling } from './spelling.ts';
import { rightCalls, unknownCalls, wrongAnswers, wrongCalls } from './wrong-texts.ts';

/** What a behaviour has to go by. */
export interface Drawing {
  readonly format: ChatFormat;
  readonly spelling: Spelling;
  readonly random: Random;
  /** What a model would write that does as it is asked. */
  readonly intent: AssistantMessage;
  /** A message as the format writes it after the prompt. */
  write(message: AssistantMessage): string;
  /** The tokens of a text that a turn holds after what the prompt has begun. */
  turn(text: string): readonly number[];
}

/** Tokens of a whole response. */
export type Draw = (drawing: Drawing) => readonly number[];

/** The ways of behaving, by what the behaviour is called and by what exactly is done. */
export const behaviours = {
  conforms: {
    'as asked': (drawing) => drawing.turn(drawing.write(drawing.intent)),
  },
  'another notation': {
    'another opener': (drawing) => {
      const { format, random } = drawing;
      const text = callsText(format, [random.pick(rightCalls)]);
      return drawing.turn(random.pick(openerVariants(format, text)).text);
    },
    'another notation': ({ random, turn }) => turn(random.pick(foreignCalls(...random.pick(rightCalls)))),
    'another notation in an answer': (drawing) => {
      const { random } = drawing;
      return answer(drawing, `I call it. ${random.pick(foreignCalls(...random.pick(rightCalls)))}`);
    },
  },
  'insists on the forbidden': {
    'a wrong call': (drawing) => called(drawing, [drawing.random.pick(wrongCalls)]),
    'a right and a wrong call': (drawing) =>
      called(drawing, [drawing.random.pick(rightCalls), drawing.random.pick(wrongCalls)]),
    'a wrong call with another opener': ({ format, random, turn }) =>
      turn(random.pick(openerVariants(format, callsText(format, [random.pick(wrongCalls)]))).text),
    'a wrong call in another notation': ({ random, turn }) =>
      turn(random.pick(foreignCalls(...random.pick(wrongCalls)))),
    'a wrong answer': (drawing) => answer(drawing, drawing.random.pick(wrongAnswers)),
  },
  'ends early': {
    'an end within': (drawing) => inserted(drawing, drawing.spelling.end),
  },
  repeats: {
    'one token for ever': ({ spelling, random }) => {
      const [token] = spelling.encode(random.pick(['{', '"', '1', ' ', 'a', '\n', '}', '[', '😀']));
      return token === undefined ? [] : Array.from({ length: 120 }, () => token);
    },
    'the same again': (drawing) => {
      const text = drawing.write(drawing.intent);
      return drawing.turn(text.repeat(3));
    },
  },
  quotes: {
    'a call in a value': (drawing) => {
      const { format, random } = drawing;
      const quoted = callsText(format, [random.pick(rightCalls)]);
      const at = random.between(0, quoted.length - 1);
      const text = random.chance(0.5) ? quoted.slice(0, at) : quoted.slice(at);
      return called(drawing, [['write_note', { text }]]);
    },
    'part of a call in prose': (drawing) => {
      const { format, random } = drawing;
      const call = callsText(format, [random.pick(rightCalls)]);
      const part = call.slice(0, random.between(1, call.length));
      return answer(drawing, `To call it, write ${part} and so on. See [1] and a[0], {}.`);
    },
    'an opener at the end': (drawing) => {
      const opener = openerOf(drawing.format);
      const part = opener.slice(0, drawing.random.between(1, Math.max(1, opener.length)));
      return answer(drawing, `A call begins with ${part}`);
    },
    'a call in thoughts': (drawing) => {
      const call = callsText(drawing.format, [drawing.random.pick(rightCalls)]);
      return drawing.turn(drawing.write({ ...drawing.intent, reasoning_content: `I could write ${call}.` }));
    },
  },
  'opens thoughts again': {
    'after thoughts': (drawing) => {
      const again = thoughts(drawing.format).repeat(drawing.random.between(1, 5));
      return drawing.turn(again + drawing.write(drawing.intent));
    },
    'after the answer': (drawing) =>
      drawing.turn(drawing.write(drawing.intent) + thoughts(drawing.format) + drawing.write(drawing.intent)),
    'within them': (drawing) => {
      const { format, intent } = drawing;
      const opener = format.reasoning?.start ?? '<think>\n';
      return drawing.turn(drawing.write({ ...intent, reasoning_content: `Hm.\n${opener}Hm.\n${opener}Hm.` }));
    },
    'for ever': ({ format, turn }) => turn(thoughts(format).repeat(30)),
  },
  'half characters': { 'some bytes of one': halfCharacter },
  'unknown tool': {
    'a call of it': (drawing) => called(drawing, [drawing.random.pick(unknownCalls)]),
    'a right call, and one of it': (drawing) =>
      called(drawing, [drawing.random.pick(rightCalls), drawing.random.pick(unknownCalls)]),
  },
  'marred markers': {
    'a marker within': (drawing) => inserted(drawing, drawing.spelling.encode(marker(drawing))),
    'other text within': (drawing) =>
      inserted(
        drawing,
        drawing.spelling.encode(
          drawing.random.pick(['\n\n', '   ', '\t', '12345678901234567890', '\\x', '\\u12', '"', '}', ',']),
        ),
      ),
    'a marker without a character': (drawing) => {
      const text = drawing.write(drawing.intent);
      const found = marker(drawing);
      const at = text.indexOf(found);
      if (at < 0 || found.length < 2) return drawing.turn(text);
      const cut = at + drawing.random.between(0, found.length - 1);
      return drawing.turn(text.slice(0, cut) + text.slice(cut + 1));
    },
  },
} satisfies Readonly<Record<string, Readonly<Record<string, Draw>>>>;

/** The name of a behaviour. */
export type Behaviour = keyof typeof behaviours;

/** All behaviours. */
export const behaviourNames = Object.keys(behaviours) as readonly Behaviour[];

/** The ways of a behaviour: what exactly is done, and how it is drawn. */
export function waysOf(behaviour: Behaviour): readonly (readonly [way: string, draw: Draw])[] {
  return Object.entries(behaviours[behaviour]);
}

function called({ turn, write, intent }: Drawing, calls: Parameters<typeof toolCalls>[0]): readonly number[] {
  return turn(write({ ...intent, content: '', tool_calls: toolCalls(calls) }));
}

function answer({ turn, write, intent }: Drawing, content: string): readonly number[] {
  const { tool_calls: _, ...message } = intent;
  return turn(write({ ...message, content }));
}

/** A whole region of thoughts; in a format without any, in the commonest markers. */
function thoughts({ reasoning }: ChatFormat): string {
  const { start, end } = reasoning ?? { start: '<think>\n', end: '\n</think>\n\n' };
  return `${start}Hm, once more.${end}`;
}

/** What a conforming model writes, with something in its midst. */
function inserted(drawing: Drawing, tokens: readonly number[]): readonly number[] {
  const whole = [...drawing.turn(drawing.write(drawing.intent))];
  whole.splice(drawing.random.between(0, Math.max(0, whole.length - 1)), 0, ...tokens);
  return whole;
}

/** The vocabulary has no token for it, so it is written in bytes; some of them, or those that are no UTF-8. */
function halfCharacter(drawing: Drawing): readonly number[] {
  const { spelling, random } = drawing;
  const bytes = spelling.encode(random.pick(['😀', '\u{10ffff}', '꙰']));
  const half = bytes.slice(0, random.between(1, Math.max(1, bytes.length - 1)));
  return inserted(drawing, Array.from({ length: random.between(1, 5) }, () => half).flat());
}

function marker({ format: { preservedTokens, stops }, random }: Drawing): string {
  return preservedTokens.length === 0 ? (stops[0] ?? '') : random.pick(preservedTokens);
}
