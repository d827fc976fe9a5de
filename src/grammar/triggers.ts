/** What an engine waits for before the grammar of calls applies: their openers, as far as the prompt has not begun them. */
import type { ChatFormat } from '../format/chat-format.ts';
import type { Tool } from '../format/messages.ts';
import { type TurnLayout, turnLayout } from '../layout/turn-layout.ts';
import type { Trigger } from './built-grammar.ts';
import type { PromptPosition } from './prompt-position.ts';

/**
 * The triggers: the openers of calls. A format without a call marker can tell a call from text only at the start of
 * the response. If the prompt already wrote the opener, the first call has none, but later calls do.
 */
export function callTriggers(
  format: ChatFormat,
  { prompt, tools }: { readonly prompt: PromptPosition; readonly tools: readonly Tool[] },
): readonly Trigger[] {
  const layout = turnLayout(format);
  const { calls } = layout;
  if (calls === null) return [];
  const texts = [...new Set(calls.openers.map(({ core }) => core))].map((text) => restOfOpener(text, prompt));
  const words = texts.filter((text) => text !== '');
  const triggers = (openers: readonly string[]): readonly Trigger[] =>
    openers
      .flatMap((opener) => distinctTriggers(layout, opener, tools))
      .map((value) => ({ type: 'word', value }));
  if (words.length > 0) return triggers(words);
  const beginnings = callBeginnings(format, tools);
  const pattern = `^\\s*((?:${beginnings.map(escapeRegExp).join('|')}))`;
  const later = calls.opener.isBlank ? [] : [calls.opener.core];
  return [{ type: 'pattern', value: pattern }, ...triggers(later)];
}

/** What can follow the opener of a call: the head that all calls share, or else the name of any tool. */
export function callBeginnings(format: ChatFormat, tools: readonly Tool[]): readonly string[] {
  const { calls } = turnLayout(format);
  if (calls === null) return [];
  return calls.headStart === '' ? tools.map((tool) => tool.function.name) : [calls.headStart];
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/**
 * Words that identify a call: `opener`; with what follows it, if prose may contain it (`[` in `a[0]`, where calls are
 * `[f(a=1)]`); or, if reasoning or content can begin with it too (` to=self`, ` to=f`), with each tool's name.
 */
export function distinctTriggers(
  { regions, calls }: TurnLayout,
  opener: string,
  tools: readonly Tool[],
): readonly string[] {
  const others = regions.flatMap(({ kind, openers }) => (kind === 'calls' ? [] : openers));
  const [head, next] = calls?.head ?? [];
  const isMarked = calls?.beginning === 'bracket' || calls?.beginning === 'marker';
  const isWeak = isMarked && opener === calls.opener.core && !calls.opener.isSignificant;
  const begin = isWeak ? calls.opener.fromCore : opener;
  if (isWeak && calls.headStart !== '') return [begin + calls.headStart];
  const named = typeof head === 'object' && head.hole === 'name';
  if (!named || !(isWeak || others.some(({ text }) => text.includes(opener)))) return [opener];
  const after = isWeak && typeof next === 'string' ? next : '';
  const words = tools.map((tool) => begin + tool.function.name + after);
  // Drop words that contain another one: the shorter word already triggers.
  return words.filter((word) => !words.some((other) => other !== word && word.includes(other)));
}

/** `opener` without the part that the prompt already contains. */
export function restOfOpener(opener: string, { pending }: PromptPosition): string {
  const written = pending.trimStart();
  return written !== '' && opener.startsWith(written) ? opener.slice(written.length) : opener;
}
