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
  /** What precedes a call after the prompt with thinking off, where that leaves thoughts open. */
  readonly lead: string;
  /** What precedes an answer there: also its marker, as far as the prompt has not written it. */
  readonly open: string;
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
    const opened = afterPrompt(layout.content.open.text, format.turn.start + format.turn.prompt.off);
    const ways = ['', layout.reasoning?.end.text ?? ''].map((lead) => ({
      ...bare,
      lead,
      open: lead + opened,
    }));
    const judged = ways.find((each) => readAnswer(each, 'Hello.').content === 'Hello.');
    return judged === undefined ? [] : [judged];
  });
}

/** A marker without what a prompt already ends with. */
function afterPrompt(marker: string, prompt: string): string {
  for (let length = marker.length; length > 0; length -= 1)
    if (prompt.endsWith(marker.slice(0, length))) return marker.slice(length);
  return marker;
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
  const { open: before, layout } = judged;
  const { close } = layout.content;
  const whole = before + text + close.text;
  if (asked.marking !== 'spelled') return read(judged, whole, asked);
  const ordinary = { from: before.length, to: before.length + text.length };
  return read(judged, whole, { ...asked, marking: 'special', ordinary });
}
