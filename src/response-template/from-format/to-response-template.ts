/** Derives a Hugging Face response template from a chat format; authors of models otherwise write it by hand. */
import type { ChatFormat } from '../../format/chat-format.ts';
import { chatFormat, requireOption } from '../../format/option-rules.ts';
import { coresOf } from '../../layout/marker.ts';
import type { ReasoningRegion } from '../../layout/regions.ts';
import { type TurnLayout, turnLayout } from '../../layout/turn-layout.ts';
import type { ResponseTemplate, ResponseTemplateField } from '../index.ts';
import { callBeginning, callField, closeKeys, isJsonList, turnEnds } from './call-field.ts';
import { exactly, oneOfPatterns } from './literal-patterns.ts';
import type { UnsupportedReason } from './unsupported.ts';

/** A response template, and what it does not cover. */
export interface MadeResponseTemplate {
  /** `null` if responses of this format cannot be read at all. */
  readonly template: ResponseTemplate | null;
  /** What the template cannot express; empty if it covers everything. */
  readonly unsupported: readonly UnsupportedReason[];
}

/**
 * Derives the response template of `format`. Thoughts have the key from which the chat template reads them,
 * `reasoning_content` if it reads none. Arguments that the format writes as plain text get their types from the tools,
 * which must be passed to the parser. Throws `UnsupportedOptionError` if `format` is not a format.
 */
export function toResponseTemplate(format: ChatFormat): MadeResponseTemplate {
  requireOption('format', format, chatFormat);
  const layout = turnLayout(format);
  const calls = layout.calls === null ? null : callField(layout, layout.calls);
  const anchor = startAnchor(layout);
  const unsupported = [...(anchor.problem === null ? [] : [anchor.problem]), ...(calls?.unsupported ?? [])];
  if (unsupported.some((reason) => reason.fatal)) return { template: null, unsupported };
  const fields: Record<string, ResponseTemplateField> = {};
  if (layout.reasoning !== null) fields[reasoningKey(format)] = reasoningField(layout, layout.reasoning);
  if (calls?.field != null) fields.tool_calls = calls.field;
  fields.content = contentField(layout);
  const template: ResponseTemplate = { defaults: { role: 'assistant' }, ...anchor.keys, fields };
  return { template, unsupported };
}

/** The message's key for thoughts. */
export function reasoningKey(format: ChatFormat): string {
  const { reasoningField } = format.input;
  return reasoningField === null || reasoningField === 'thinking-part' ? 'reasoning_content' : reasoningField;
}

interface StartAnchor {
  readonly keys: Pick<ResponseTemplate, 'start_anchor' | 'start_anchor_pattern'>;
  readonly problem: UnsupportedReason | null;
}

function startAnchor({ start, prompt }: TurnLayout): StartAnchor {
  if (start.text !== '') return { keys: { start_anchor: start.text }, problem: null };
  // Nothing begins the turn, so all of the prompt is before it.
  const keys = { start_anchor_pattern: '\\Z' };
  if (Object.values(prompt).every(({ text }) => text === '')) return { keys, problem: null };
  const detail = 'the prompt opens something, but nothing begins the turn by which to find it';
  return { keys, problem: { code: 'no-turn-start', fatal: false, detail } };
}

function reasoningField(layout: TurnLayout, reasoning: ReasoningRegion): ResponseTemplateField {
  const { open, close, end, empty } = reasoning;
  const marker = end.core || close.core;
  const closers = marker === '' ? turnEnds(layout) : [marker];
  if (!open.isBlank) return { open: open.core, ...closeKeys(closers), ...joined };
  // Only the prompt opens it, so the turn begins with it, unless its end may be missing.
  const always = empty.text.includes(marker);
  return { open_pattern: always ? '^' : `^(?=.*?${exactly(marker)})`, ...closeKeys(closers), ...joined };
}

/** A region that recurs is continued; otherwise the last one would replace the others. */
const joined = { repeats: true, join: '' } as const;

function contentField(layout: TurnLayout): ResponseTemplateField {
  const { wrappers } = layout.content;
  // With and without the white space after it, so that it can be as long as a similar opener.
  const openers = [...new Set(wrappers.flatMap(({ open }) => [open.fromCore, open.core]))];
  const closers = coresOf(wrappers.map(({ close }) => close));
  if (!openers.includes('')) {
    const [only, second] = openers;
    const open = only !== undefined && second === undefined ? only : openers;
    return { open, ...closingContent(layout, closers), ...joined };
  }
  return { ...closeKeys([...new Set([...closers, ...turnEnds(layout), ...noise(layout)])]), ...joined };
}

/** What closes content with an opener: its closer, the end of the turn, or the next call. */
function closingContent(
  layout: TurnLayout,
  closers: readonly string[],
): Pick<ResponseTemplateField, 'close' | 'close_pattern'> {
  const literals = [...closers, ...turnEnds(layout)];
  const call = layout.calls === null ? '' : callBeginning(layout.calls);
  if (closers.length > 0 || layout.restarts || call === '') return closeKeys(literals);
  return { close_pattern: oneOfPatterns([...literals.map(exactly), `(?=${call})`]) };
}

/** Literals between regions that belong to none; what closes the implicit region is not part of it. */
function noise({ calls, start, restarts, reasoning, content }: TurnLayout): readonly string[] {
  const section = calls === null || isJsonList(calls) ? [] : [calls.open, calls.close];
  const restart = restarts ? [start] : [];
  // A bare closer, if a message without thoughts has only that.
  const bare = reasoning === null ? [] : [reasoning.close];
  const [, withCalls] = content.wrappers;
  const wrapped = [content.empty, ...(withCalls === undefined ? [] : [withCalls.open])];
  return coresOf([...section, ...restart, ...bare, ...wrapped]).filter((core) => core.length > 1);
}
