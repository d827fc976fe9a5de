/**
 * Text before a call, for templates that have no place for it: the message is rendered without the text, with a mark in
 * the name of its first call; then the text is put before that call, in the markers with which the model writes it.
 */
import type { InputShape, PreambleShape } from '../../format/chat-format.ts';
import type { Message, ToolCall } from '../../format/messages.ts';
import type { RenderKind } from './render-kind.ts';

/** Messages without their preambles, and what puts these into the render. */
interface PlantedPreambles<Render> {
  readonly messages: readonly Message[];
  readonly place: (rendered: Render) => Render;
}

/** Marks a call; private-use characters that do not occur in text by chance, around the preamble's number. */
const mark = (index: number) => `\uE0C7${index}\uF8D8`;
const anyMark = /\uE0C7(\d+)\uF8D8/g;

/** Takes the texts before calls out of `messages`, if the template has no place for them. */
export function plantPreambles<Render>(
  messages: readonly Message[],
  { preamble }: InputShape,
  kind: RenderKind<Render>,
): PlantedPreambles<Render> {
  const texts: string[] = [];
  if (preamble === undefined) return { messages, place: (rendered) => rendered };
  const planted = messages.map((message): Message => {
    const [first, ...others] = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
    const text = textOf(message.content);
    if (message.role !== 'assistant' || first === undefined || text === '') return message;
    texts.push(text);
    return { ...message, content: null, tool_calls: [marked(first, texts.length - 1), ...others] };
  });
  return { messages: planted, place: (rendered) => placeTexts(rendered, texts, preamble, kind) };
}

/** Puts each text before the first call with its mark, and removes all marks. */
function placeTexts<Render>(
  rendered: Render,
  texts: readonly string[],
  { open, close, before }: PreambleShape,
  kind: RenderKind<Render>,
): Render {
  const text = kind.text(rendered);
  const parts: Render[] = [];
  const left = new Map(texts.entries());
  let done = 0;
  for (const { 0: found, 1: number, index: at } of text.matchAll(anyMark)) {
    const planted = left.get(Number(number));
    const begin = at - before.length;
    if (planted !== undefined && begin >= done && text.startsWith(before, begin)) {
      left.delete(Number(number));
      parts.push(
        kind.slice(rendered, done, begin),
        kind.of({ text: open, origin: 'template' }),
        kind.of({ text: planted, origin: 'data' }),
        kind.of({ text: close, origin: 'template' }),
      );
      done = begin;
    }
    parts.push(kind.slice(rendered, done, at));
    done = at + found.length;
  }
  return kind.join([...parts, kind.slice(rendered, done, text.length)]);
}

function marked(call: ToolCall, index: number): ToolCall {
  return { ...call, function: { ...call.function, name: mark(index) + call.function.name } };
}

function textOf(content: Message['content']): string {
  if (content === null || typeof content === 'string') return content ?? '';
  return content.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}
