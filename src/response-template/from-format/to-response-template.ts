/** Derives a Hugging Face response template from a chat format; authors of models otherwise write it by hand. */
import type { ChatFormat } from '../../format/chat-format.ts';
import { chatFormat, requireOption } from '../../format/option-rules.ts';
import type { ResponseTemplate, ResponseTemplateField } from '../index.ts';
import { callBeginning, callField, closeKeys, isJsonList, turnEnds } from './call-field.ts';
import { exactly, marker, oneOfPatterns } from './literal-patterns.ts';
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
  const calls = format.calls === null ? null : callField(format, format.calls);
  const anchor = startAnchor(format);
  const unsupported = [...(anchor.problem === null ? [] : [anchor.problem]), ...(calls?.unsupported ?? [])];
  if (unsupported.some((reason) => reason.fatal)) return { template: null, unsupported };
  const fields: Record<string, ResponseTemplateField> = {};
  const reasoning = reasoningField(format);
  if (reasoning !== null) fields[reasoningKey(format)] = reasoning;
  if (calls?.field != null) fields.tool_calls = calls.field;
  fields.content = contentField(format);
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

function startAnchor(format: ChatFormat): StartAnchor {
  const { start, prompt } = format.turn;
  if (start !== '') return { keys: { start_anchor: start }, problem: null };
  // Nothing begins the turn, so all of the prompt is before it.
  const keys = { start_anchor_pattern: '\\Z' };
  if (Object.values(prompt).every((opened) => opened === '')) return { keys, problem: null };
  const detail = 'the prompt opens something, but nothing begins the turn by which to find it';
  return { keys, problem: { code: 'no-turn-start', fatal: false, detail } };
}

function reasoningField(format: ChatFormat): ResponseTemplateField | null {
  const { reasoning, turn } = format;
  if (reasoning === null) return null;
  const end = closingMarker(reasoning.end, turn.start);
  const closers = end === '' ? turnEnds(format) : [end];
  if (reasoning.start.trim() !== '')
    return { open: reasoning.start.trim(), ...closeKeys(closers), ...joined };
  // Only the prompt opens it, so the turn begins with it, unless its end may be missing.
  const always = reasoning.empty.includes(end);
  return { open_pattern: always ? '^' : `^(?=.*?${marker(end)})`, ...closeKeys(closers), ...joined };
}

/** A region that recurs is continued; otherwise the last one would replace the others. */
const joined = { repeats: true, join: '' } as const;

/** What ends a region, without the beginning of the next turn. */
function closingMarker(literal: string, turnStart: string): string {
  const start = turnStart.trim();
  const at = start === '' ? -1 : literal.lastIndexOf(start);
  const own = (at > 0 ? literal.slice(0, at) : literal).trim();
  return own === '' ? literal.trim() : own;
}

function contentField(format: ChatFormat): ResponseTemplateField {
  const { content } = format;
  const wrappers = [content, ...(content.withCalls === null ? [] : [content.withCalls])];
  // With and without the white space after it, so that it can be as long as a similar opener.
  const openers = [...new Set(wrappers.flatMap(({ open }) => [open.trimStart(), open.trim()]))];
  const closers = [...new Set(wrappers.map(({ close }) => close.trim()))].filter((close) => close !== '');
  if (!openers.includes('')) {
    const [only, second] = openers;
    const open = only !== undefined && second === undefined ? only : openers;
    return { open, ...closingContent(format, closers), ...joined };
  }
  return { ...closeKeys([...new Set([...closers, ...turnEnds(format), ...noise(format)])]), ...joined };
}

/** What closes content with an opener: its closer, the end of the turn, or the next call. */
function closingContent(
  format: ChatFormat,
  closers: readonly string[],
): Pick<ResponseTemplateField, 'close' | 'close_pattern'> {
  const literals = [...closers, ...turnEnds(format)];
  const call = format.calls === null ? '' : callBeginning(format.calls);
  if (closers.length > 0 || format.turn.restart || call === '') return closeKeys(literals);
  return { close_pattern: oneOfPatterns([...literals.map(exactly), `(?=${call})`]) };
}

/** Literals between regions that belong to none; what closes the implicit region is not part of it. */
function noise(format: ChatFormat): readonly string[] {
  const { calls, turn, reasoning, content } = format;
  const wrapped = [content.empty ?? '', content.withCalls?.open ?? ''];
  const section = calls === null || isJsonList(calls) ? [] : [calls.section.open, calls.section.close];
  // A bare closer, if a message without thoughts has only that.
  const bare = reasoning === null ? [] : [reasoning.end];
  const restart = turn.restart ? [turn.start] : [];
  return [...section, ...restart, ...bare, ...wrapped]
    .map((literal) => literal.trim())
    .filter((literal) => literal.length > 1);
}
