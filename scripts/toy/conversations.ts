/** Conversations under one header: questions, and what a perfect toy would think, call and answer. */
import type { Message } from '../../src/format/messages.ts';
import { type Filling, type Kind, kinds, smallTalk, strangers } from './kinds.ts';
import type { Header, Offer } from './offers.ts';
import type { Random } from './random.ts';
import type { Split } from './words.ts';

/** What a conversation trains or tests. */
export const themes = ['chat', 'refusal', 'call', 'parallel', 'loop', 'several'] as const;
export type Theme = (typeof themes)[number];

export interface Conversation {
  readonly theme: Theme;
  readonly thinking: boolean;
  readonly messages: readonly Message[];
}

/** What goes into all conversations of one kind of data. */
export interface Setting {
  readonly random: Random;
  readonly split: Split;
  /** Whether one turn may hold several calls; where not, they come one after the other. */
  readonly parallel: boolean;
  /** Whether the prompt can ask for no thoughts. */
  readonly switchable: boolean;
  /** How often it does not ask for that; 0.7 by default. */
  readonly thinkingShare?: number;
  /** Takes the phrasings that training leaves out. */
  readonly unseenPhrasings?: boolean;
}

interface Wish extends Filling {
  readonly question: string;
  readonly offer: Offer;
}

/** One conversation of a theme that the header allows. */
export function makeConversation(setting: Setting, header: Header, wanted: Theme): Conversation {
  const { random, switchable, thinkingShare = 0.7 } = setting;
  const theme = header.offers.length === 0 && wanted !== 'chat' ? 'refusal' : wanted;
  const thinking = !switchable || random.chance(thinkingShare);
  const writer = new Writer(setting, thinking);
  switch (theme) {
    case 'chat':
      writer.chat();
      break;
    case 'refusal':
      writer.refusal(header);
      break;
    case 'call':
      writer.wishes([makeWish(setting, random.pick(header.offers))], false);
      break;
    case 'loop':
      writer.wishes([makeWish(setting, random.pick(header.offers))], true);
      break;
    case 'parallel':
      writer.wishes(
        [makeWish(setting, random.pick(header.offers)), makeWish(setting, random.pick(header.offers))],
        random.chance(0.6),
      );
      break;
    case 'several':
      severalTurns(setting, header, writer);
  }
  return { theme, thinking, messages: writer.messages };
}

function severalTurns(setting: Setting, header: Header, writer: Writer): void {
  const { random } = setting;
  const first = random.next();
  if (first < 0.3) writer.chat();
  else if (first < 0.45) writer.refusal(header);
  else {
    const wish = makeWish(setting, random.pick(header.offers));
    writer.wishes([wish], true);
    const { followUp } = wish.offer.kind;
    if (followUp !== undefined && random.chance(0.6)) {
      writer.wishes([makeWish(setting, wish.offer, followUp)], random.chance(0.5));
      return;
    }
  }
  const second = random.next();
  if (second < 0.3) writer.chat();
  else if (second < 0.45) writer.refusal(header);
  else writer.wishes([makeWish(setting, random.pick(header.offers))], random.chance(0.4));
}

function makeWish(setting: Setting, offer: Offer, phrase?: string): Wish {
  const { random, split } = setting;
  const offered = new Set(offer.parameters.map(({ parameter }) => parameter.key));
  const filling = offer.kind.fill(random, split, offered);
  return { ...filling, offer, question: fillIn(phrase ?? choosePhrase(setting, offer.kind), filling) };
}

function choosePhrase({ random, unseenPhrasings }: Setting, { questions }: Pick<Kind, 'questions'>): string {
  if (unseenPhrasings) return questions.at(-1) ?? '';
  return random.pick(questions.slice(0, -1));
}

function fillIn(phrase: string, { slots, extra = '' }: Filling): string {
  return phrase.replace(/\{(\w+)\}/g, (_, slot: string) => slots[slot] ?? '') + extra;
}

/** Writes the messages of a conversation, one exchange after the other. */
class Writer {
  readonly messages: Message[] = [];
  readonly #setting: Setting;
  readonly #thinking: boolean;
  #calls = 0;

  constructor(setting: Setting, thinking: boolean) {
    this.#setting = setting;
    this.#thinking = thinking;
  }

  chat(): void {
    const { random } = this.#setting;
    const { said, thought, answer } = random.pick(smallTalk);
    this.#user(random.pick(said));
    this.#assistant(thought, answer);
  }

  refusal(header: Header): void {
    const { random, split } = this.#setting;
    const missing = kinds.filter((kind) => !header.offers.some((offer) => offer.kind === kind));
    const kind = random.chance(0.75) ? random.pick(missing) : random.pick(strangers);
    const filling = kind.fill(random, split, new Set());
    this.#user(fillIn(choosePhrase(this.#setting, kind), filling));
    this.#assistant(
      `The user wants ${filling.goal}. No tool fits.`,
      `Sorry, I have no tool for ${kind.topic}.`,
    );
  }

  /** One wish, or two in one question; `answered`: with the results and the answer in words. */
  wishes(wishes: readonly Wish[], answered: boolean): void {
    this.#user(
      wishes.map(({ question }, index) => (index === 0 ? question : uncapital(question))).join(', and '),
    );
    const goals = wishes.map(({ goal }) => goal).join(' and ');
    const groups = this.#setting.parallel ? [wishes] : wishes.map((wish) => [wish]);
    const answers: string[] = [];
    groups.forEach((group, index) => {
      const names = group.map(({ offer }) => offer.name).join(' and ');
      const before = index === 0 ? `The user wants ${goals}.` : `Next is ${group[0]?.goal}.`;
      this.#call(group, `${before} I call ${names}.`);
      if (!answered && index === groups.length - 1) return;
      for (const wish of group) answers.push(this.#result(wish));
    });
    if (!answered) return;
    this.#assistant(wishes.length === 1 ? 'I have the result.' : 'I have the results.', answers.join(' '));
  }

  #user(text: string): void {
    const { random } = this.#setting;
    const asking = /^(What|How|Will|Is|Do|Are|Can|Who|And)\b/.test(text);
    const end = random.chance(0.25) ? '' : asking ? '?' : random.pick(['.', '', '!']);
    let said = text;
    if (random.chance(0.08))
      said = `${random.pick(['Please', 'Hey', 'Hello', 'Ok', 'Now'])}, ${uncapital(said)}`;
    else if (random.chance(0.12)) said = uncapital(said);
    if (random.chance(0.08)) said += ', please';
    this.messages.push({ role: 'user', content: said + end });
  }

  #assistant(thought: string, content: string): void {
    this.messages.push({ role: 'assistant', content, ...(this.#thinking && { reasoning_content: thought }) });
  }

  #call(group: readonly Wish[], thought: string): void {
    this.messages.push({
      role: 'assistant',
      content: '',
      ...(this.#thinking && { reasoning_content: thought }),
      tool_calls: group.map((wish) => {
        this.#calls += 1;
        return {
          id: `call_${this.#calls}`,
          type: 'function',
          function: { name: wish.offer.name, arguments: JSON.stringify(argumentsOf(wish)) },
        };
      }),
    } as Message);
  }

  /** Appends the tool's result, and gives what there is to say of it. */
  #result({ offer, result, answer }: Wish): string {
    const { random } = this.#setting;
    const id = this.messages.filter(({ role }) => role === 'tool').length + 1;
    const add = (content: string): void => {
      this.messages.push({ role: 'tool', tool_call_id: `call_${id}`, content } as Message);
    };
    if (random.chance(0.12)) {
      const problem = random.pick(offer.kind.errors);
      add(random.chance(0.7) ? `Error: ${problem}` : JSON.stringify({ error: problem }));
      return `That did not work: ${problem}.`;
    }
    add(typeof result === 'string' ? doneText(random, result) : spellResult(random, result));
    return answer;
  }
}

function doneText(random: Random, word: string): string {
  return random.pick([word, JSON.stringify({ ok: true }), JSON.stringify({ status: word }), 'ok']);
}

/** JSON in one of the usual spellings, or plain text. */
function spellResult(random: Random, result: Readonly<Record<string, unknown>>): string {
  const way = random.next();
  if (way < 0.4) return JSON.stringify(result);
  if (way < 0.6) return JSON.stringify(result).replaceAll('":', '": ').replaceAll(',"', ', "');
  const entries = Object.entries(result);
  if (way < 0.8) return entries.map(([key, value]) => `${key}: ${value}`).join(', ');
  return entries.map(([, value]) => String(value)).join(', ');
}

/** In the order of the tool's schema; what is demanded and was not said gets its fallback. */
function argumentsOf({ values, offer }: Wish): Record<string, unknown> {
  return Object.fromEntries(
    offer.parameters
      .map(({ parameter, name, required }) => [
        name,
        values[parameter.key] ?? (required ? parameter.fallback : undefined),
      ])
      .filter(([, value]) => value !== undefined),
  );
}

/** `What is` becomes `what is`; names and `I` stay. */
function uncapital(text: string): string {
  const first = text.split(' ', 1)[0] ?? '';
  return /^[A-Z][a-z]+$/.test(first) ? first.toLowerCase() + text.slice(first.length) : text;
}
