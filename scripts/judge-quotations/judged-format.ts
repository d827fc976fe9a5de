/** The formats that are judged: how a call, an answer and thoughts are written in each, and its special tokens. */
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { JsonObject } from '../../src/format/messages.ts';
import { type TurnLayout, turnLayout } from '../../src/layout/turn-layout.ts';
import { writeCalls } from '../../src/layout/write-response.ts';
import { generatedFormats } from '../../test/support/generated-formats.ts';
import { callId } from '../../test/support/law-tools.ts';
import { type Asked, type Reading, read, toolName } from './reading.ts';

/** A format in which calls can be written. */
export interface JudgedFormat {
  readonly name: string;
  readonly format: ChatFormat;
  readonly layout: TurnLayout;
  /** Special tokens of its vocabulary, judged by their spelling. */
  readonly special: readonly string[];
  /** What precedes an answer after the prompt with thinking off, where that leaves thoughts open. */
  readonly lead: string;
}

/** Different generated formats that have calls. */
export function judgedFormats(): readonly JudgedFormat[] {
  const known = new Set<string>();
  return generatedFormats().flatMap(({ name, format }) => {
    const layout = turnLayout(format);
    const written = JSON.stringify([format.turn, format.reasoning, format.content, format.calls]);
    if (layout.calls === null || known.has(written)) return [];
    known.add(written);
    const bare = { name, format, layout, special: specialTokens(written) };
    const lead = ['', layout.reasoning?.end.text ?? ''].find((each) => {
      const { content, reasoning } = readAnswer({ ...bare, lead: each }, 'Hello.');
      return content === 'Hello.' && reasoning === '';
    });
    return lead === undefined ? [] : [{ ...bare, lead }];
  });
}

const spelledLikeTokens =
  /<[|｜][^<>\s]*>|<[^<>\s]*[|｜]>|<\/?(?:[\w-]+:)?(?:think|tool_calls?|arg_key|arg_value)>|\[\/?[A-Z][A-Z_]+\]|\]<\][^[\]<>\s]+\[>\[/g;

function specialTokens(format: string): readonly string[] {
  return [...new Set(format.match(spelledLikeTokens))].sort((a, b) => b.length - a.length);
}

/** Calls of the tool, with their section, without white space around them. */
export function callText({ layout }: JudgedFormat, ...values: readonly JsonObject[]): string {
  if (layout.calls === null) return '';
  const calls = values.map((each, index) => ({
    id: callId(index),
    type: 'function' as const,
    function: { name: toolName, arguments: JSON.stringify(each) },
  }));
  return writeCalls(layout.calls, calls).trim();
}

/** Reads an answer, in the markers that the format has around answers, which are special tokens if any are. */
export function readAnswer(judged: JudgedFormat, text: string, asked: Asked = {}): Reading {
  const { open, close } = judged.layout.content;
  const before = judged.lead + open.text;
  const whole = before + text + close.text;
  if (asked.marking !== 'spelled') return read(judged, whole, asked);
  const ordinary = { from: before.length, to: before.length + text.length };
  return read(judged, whole, { ...asked, marking: 'special', ordinary });
}
