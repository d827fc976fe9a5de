/**
 * Rewrites messages in a form that a template does not support: content in parts becomes one text, a developer's
 * message becomes the system's, and instructions in the middle of a conversation are moved to its beginning. What a
 * template supports is found by rendering small conversations, once per template and only if such a message occurs.
 */
import { isInstruction } from '../../format/check-messages.ts';
import { MessageError } from '../../format/errors.ts';
import { memoize } from '../../format/memoize.ts';
import type { ContentPart, Message } from '../../format/messages.ts';
import type { Template } from '../parsed-template.ts';
import { tryRender } from './render-attempt.ts';
import { anySentinels, type Sentinels } from './sentinels.ts';

type Role = Message['role'];

/** The messages, rewritten if the template would omit their texts or print them as data. */
export function makeReadable(template: Template, messages: readonly Message[]): readonly Message[] {
  const readable = messages.map((message, index) => {
    const known = message.role === 'developer' ? asKnownRole(template, message) : message;
    return Array.isArray(known.content) && !showsParts(template, known.role)
      ? ({ ...known, content: joinParts(known.content, `messages[${index}].content`) } as Message)
      : known;
  });
  const hasLate = readable.some((message, index) => index > 0 && isInstruction(message));
  return hasLate && !showsLateInstructions(template) ? instructionsFirst(readable) : readable;
}

/** Merges all instructions into the first message, with the role of the first of them. */
function instructionsFirst(messages: readonly Message[]): readonly Message[] {
  const [first, ...others] = messages.filter(isInstruction);
  if (first === undefined) return messages;
  const parts = [first, ...others].map(({ content }) => content ?? '');
  const isText = parts.every((part) => typeof part === 'string');
  const content = isText ? parts.join('\n\n') : parts.flatMap(asParts);
  return [{ ...first, content } as Message, ...messages.filter((message) => !isInstruction(message))];
}

function asParts(content: string | readonly ContentPart[]): readonly ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function asKnownRole(
  template: Template,
  message: Message & { readonly role: 'system' | 'developer' },
): Message {
  return shows(template, 'developer', plantedIn(template).join(' '))
    ? message
    : { ...message, role: 'system' };
}

/** Texts of parts on separate lines, as in llama.cpp. */
function joinParts(parts: readonly ContentPart[], path: string): string {
  const texts = parts.map((part, index) => {
    if (part.type === 'text' && typeof part.text === 'string') return part.text;
    const reason = `the template supports only text content, no parts of type ${part.type}`;
    throw new MessageError({ path: `${path}[${index}]`, reason });
  });
  return texts.join('\n');
}

function showsParts(template: Template, role: Role): boolean {
  return shows(
    template,
    role,
    plantedIn(template).map((text) => ({ type: 'text', text })),
  );
}

/** Whether such a message's text is rendered, and not by printing the list. */
function shows(template: Template, role: Role, content: string | readonly ContentPart[]): boolean {
  const answers = answersOf(template);
  const question = `${role} ${typeof content}`;
  const answer =
    answers.get(question) ?? isRendered(template, conversation(anySentinels(template.source), role, content));
  answers.set(question, answer);
  return answer;
}

/** Whether a second system message is rendered, and one after an answer. */
function showsLateInstructions(template: Template): boolean {
  const answers = answersOf(template);
  const [next, later] = plantedIn(template).map((content) => ({ role: 'system', content }));
  const { system, user, reasoning } = anySentinels(template.source);
  const first = { role: 'system', content: system };
  const question = { role: 'user', content: user };
  const reply = { role: 'assistant', content: reasoning };
  const answer = answers.get('late') ?? isRendered(template, [first, next, question, reply, later, question]);
  answers.set('late', answer);
  return answer;
}

/** The answers so far, by question. */
const answersOf = memoize((_template: Template) => new Map<string, boolean>());

/** The texts to find. Two parts, because some templates only render the first. */
function plantedIn(template: Template): readonly [string, string] {
  const { content, part } = anySentinels(template.source);
  return [content, part];
}

function isRendered(template: Template, messages: readonly unknown[]): boolean {
  const render = tryRender(template, { messages, add_generation_prompt: true });
  return plantedIn(template).every(
    (text) =>
      render?.includes(text) === true && !render.includes(`'${text}'`) && !render.includes(`"${text}"`),
  );
}

function conversation({ user, ids, names }: Sentinels, role: Role, content: unknown): readonly unknown[] {
  const message = { role, content };
  const question = { role: 'user', content: user };
  if (role === 'assistant') return [question, message, question];
  if (role !== 'tool') return [message, ...(role === 'user' ? [] : [question])];
  const [id, name] = [ids[0], names[0]];
  const call = { id, type: 'function', function: { name, arguments: {} } };
  const calling = { role: 'assistant', content: '', tool_calls: [call] };
  return [question, calling, { ...message, tool_call_id: id, name }];
}
