/** Where the generation prompt has left the assistant's turn: what a grammar for the rest begins with. */
import type { ChatFormat } from '../format/chat-format.ts';

/** Where in the assistant's turn a prompt ends. */
export interface PromptState {
  /**
   * `start`: nothing but the turn's start was written. `reasoning`: thinking is open. `answer`:
   * thinking is over, or the answer has begun.
   */
  readonly region: 'start' | 'reasoning' | 'answer';
  /** The beginning of a call's or content's opener that the prompt has already written: `>>>`. */
  readonly openerWritten: string;
  /**
   * Where content has an opener of its own. `opened`: the prompt wrote it; `begun`: text after it, too.
   * `closed`: neither, or it has ended.
   */
  readonly content: 'closed' | 'opened' | 'begun';
}

/**
 * Reads what `generationPrompt` (all that the prompt wrote of the assistant's turn, with or without
 * the turn's start) has opened.
 */
export function readPromptState(format: ChatFormat, generationPrompt: string): PromptState {
  const opened = afterTurnStart(format, generationPrompt);
  const region = openRegion(format, opened);
  if (region === 'reasoning') return { region, openerWritten: '', content: 'closed' };
  return { region, openerWritten: writtenOpener(format, opened), content: readContent(format, opened) };
}

function readContent({ content }: ChatFormat, opened: string): PromptState['content'] {
  const [open, close] = [content.open.trim(), content.close.trim()];
  const at = open === '' ? -1 : opened.lastIndexOf(open);
  const begun = opened.slice(at + open.length);
  if (at < 0 || (close !== '' && begun.includes(close))) return 'closed';
  return begun.trim() === '' ? 'opened' : 'begun';
}

/** The part of the generation prompt after the last turn start. */
export function afterTurnStart(format: ChatFormat, generationPrompt: string): string {
  for (const start of [format.turn.start, format.turn.start.trimEnd()]) {
    const at = start === '' ? -1 : generationPrompt.lastIndexOf(start);
    if (at >= 0) return generationPrompt.slice(at + start.length);
  }
  return generationPrompt;
}

function openRegion({ reasoning, turn }: ChatFormat, opened: string): PromptState['region'] {
  if (opened.trim() === '') return 'start';
  if (reasoning === null) return 'answer';
  // An end that is white space says nothing: a template writes that anywhere.
  const end = reasoning.end.trim();
  const ended = (text: string): boolean => end !== '' && text.includes(end);
  if (ended(opened)) return 'answer';
  const start = reasoning.start.trim();
  if (start !== '' && opened.includes(start)) return 'reasoning';
  // Where nothing but the prompt opens reasoning, its own words are the only sign.
  const opensByItself = [turn.prompt.on, turn.prompt.unset].some(
    (prompt) => prompt.trim() !== '' && !ended(prompt) && opened.includes(prompt.trim()),
  );
  return opensByItself ? 'reasoning' : 'answer';
}

/** The longest end of `opened` that begins an opener of calls or content. */
function writtenOpener({ calls, content }: ChatFormat, opened: string): string {
  const callOpener = calls === null ? '' : calls.section.open + calls.call.open;
  const openers = [callOpener, content.open].filter((opener) => opener !== '');
  for (let length = opened.length; length > 0; length -= 1) {
    const tail = opened.slice(-length);
    if (tail.trim() !== '' && openers.some((opener) => opener.startsWith(tail))) return tail;
  }
  return '';
}
