/**
 * Pictures in the messages of a chat with a server. What its model can see goes there, as the server wants it: in the
 * prompt's place of a mark, or in the messages themselves. Of any other picture, the model is told what it is.
 */
import { readMessages } from '../format/check-messages.ts';
import type { SchemaIssue } from '../format/errors.ts';
import type { ContentPart, Message, Tool } from '../format/messages.ts';
import { isRecord } from '../format/option-rules.ts';
import type { SpecialFinder } from '../language/matcher/special-finder.ts';
import { describeFile, fileAt } from '../tools/describe-file.ts';
import { markOf, partsAtMarks, textPart } from '../tools/picture-marks.ts';

/** Messages as the template renders them. */
interface SeenMessages {
  /** With a mark in place of each picture that the model sees, and a line in place of each other one. */
  readonly messages: readonly Message[];
  /** The addresses of those that it sees; their numbers are those of the marks. */
  readonly pictures: readonly string[];
  /** Those that it does not. */
  readonly report: readonly SchemaIssue[];
}

/** How a server takes pictures: in a prompt that is rendered here, or in messages that it renders itself. */
export type ServerPictures = 'in-prompt' | 'in-messages';

/** A conversation that the server renders. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** Variables of the template. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A prompt, of which each picture is in the place of its mark. */
export interface MarkedPrompt {
  readonly text: string;
  readonly pictures: readonly string[];
}

/** Whether a server can be given the picture at an address: those that get it in the prompt want its bytes. */
export function canPass(address: string, pictures: ServerPictures): boolean {
  return (
    /^data:image\/[^,]*;base64,/i.test(address) || (pictures === 'in-messages' && /^https:/i.test(address))
  );
}

/** Whether a chat has pictures. Messages that nobody has checked yet may be anything. */
export function hasPictures(messages: unknown): boolean {
  return Array.isArray(messages) && messages.some(({ content }: Message) => partsOf(content).some(isPicture));
}

/** Replaces pictures; `sees`: whether the model sees the one at this address. Throws MessageError. */
export function markPictures(given: readonly Message[], sees: (address: string) => boolean): SeenMessages {
  const pictures: string[] = [];
  const unseen: string[] = [];
  const messages = readMessages(given).map((message, index) =>
    withParts(message, (part, at) => {
      const address = addressOf(part);
      if (address === null) return part;
      if (sees(address)) return textPart(markOf(pictures.push(address) - 1));
      unseen.push(`messages[${index}].content[${at}]`);
      return textPart(lineOf(address));
    }),
  );
  return { messages, pictures, report: unseen.map(unseenIssue) };
}

/** A line that says what is at the address of a picture. */
export function lineOf(address: string): string {
  const file = fileAt(address, 'image');
  return describeFile(file ?? { mediaType: 'image' }).text;
}

/**
 * A conversation for a server that renders it itself. Such servers accept pictures of users only, so those of results
 * follow in a message of the user.
 */
export function shownConversation(
  { messages, pictures }: Omit<SeenMessages, 'report'>,
  others: Omit<Conversation, 'messages'>,
  specials: SpecialFinder,
): Conversation {
  const written: Message[] = [];
  let shown: ContentPart[] = [];
  const show = (): void => {
    if (shown.length > 0) written.push({ role: 'user', content: shown });
    shown = [];
  };
  for (const message of messages) {
    const parts = partsOf(message.content).flatMap((part) =>
      typeof part.text === 'string' ? partsAtMarks(part.text, pictures) : [part],
    );
    if (message.role !== 'tool' && message.role !== 'assistant') show();
    if (!parts.some(isPicture)) written.push(message);
    else if (message.role === 'user') written.push({ ...message, content: parts });
    else {
      written.push({ ...message, content: parts.map((part) => asLine(part)) });
      shown.push(...parts.filter(isPicture).flatMap((part) => [asLine(part), part]));
    }
    if (message.role !== 'tool') show();
  }
  show();
  return breakSpecials({ ...others, messages: written }, specials);
}

/** A character without width, which no special token contains. */
export const breaker = '\u{200B}';

/** The text, so that it is not found as what it is. */
export function withBreak(text: string): string {
  const [first = ''] = text;
  return first + breaker + text.slice(first.length);
}

/** A value whose strings hold no text of a special token. Addresses of pictures have none. */
function breakSpecials<Value>(value: Value, specials: SpecialFinder): Value {
  if (typeof value === 'string') return broken(value, specials) as Value;
  if (Array.isArray(value)) return value.map((each: unknown) => breakSpecials(each, specials)) as Value;
  if (!isRecord(value) || addressOf(value) !== null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, breakSpecials(each, specials)]);
  return Object.fromEntries(entries) as Value;
}

function broken(text: string, specials: SpecialFinder): string {
  const cuts = specials.cutsInside(text);
  return [0, ...cuts].map((start, index) => text.slice(start, cuts[index])).join(breaker);
}

function withParts(message: Message, change: (part: ContentPart, index: number) => ContentPart): Message {
  const { content } = message;
  return partsOf(content).some(isPicture) ? { ...message, content: partsOf(content).map(change) } : message;
}

function partsOf(content: Message['content'] | undefined): readonly ContentPart[] {
  return Array.isArray(content) ? content : [];
}

function isPicture(part: unknown): boolean {
  return addressOf(part) !== null;
}

/** The address of a picture: OpenAI's part of the type `image_url`. */
function addressOf(part: unknown): string | null {
  if (!isRecord(part) || part.type !== 'image_url') return null;
  const { image_url: given } = part;
  const address = isRecord(given) ? given.url : given;
  return typeof address === 'string' ? address : null;
}

function asLine(part: ContentPart): ContentPart {
  const address = addressOf(part);
  return address === null ? part : textPart(lineOf(address));
}

function unseenIssue(path: string): SchemaIssue {
  const reason = `${path}: the model is told that there is a picture, and does not see it`;
  return { tool: '', pointer: '', keyword: 'messages', effect: 'noted', reason };
}
