/** A prompt by where its text comes from. */
import type { Message, Tool } from '../../../src/format/messages.ts';
import type { TextSpan } from '../../../src/template/template.ts';

/** The template's own text, the tools, a message by its role, or other data. */
export type PromptOrigin = 'template' | 'tools' | 'data' | Message['role'];

/** A stretch of a prompt. */
export interface PromptSpan {
  readonly text: string;
  readonly origin: PromptOrigin;
}

/** The first `length` UTF-16 units of a prompt; its data by the message, or the tools, that have the text. */
export function promptSpans(
  spans: readonly TextSpan[],
  length: number,
  { messages, tools }: { readonly messages: readonly Message[]; readonly tools: readonly Tool[] },
): readonly PromptSpan[] {
  const owners = messages.map(({ role, ...message }) => ({ role, texts: stringsOf(message) }));
  const toolText = dense(JSON.stringify(tools));
  let left = length;
  return spans.flatMap(({ text: whole, origin }): readonly PromptSpan[] => {
    const text = whole.slice(0, left);
    left -= text.length;
    if (text === '') return [];
    if (origin === 'template') return [{ text, origin }];
    const owner = (holds: (own: string) => boolean) => owners.find(({ texts }) => texts.some(holds))?.role;
    const found = owner((own) => own.trim() === text.trim()) ?? (isIn(text, toolText) ? 'tools' : undefined);
    return [{ text, origin: found ?? owner((own) => own.includes(text.trim())) ?? 'data' }];
  });
}

/** Templates write the JSON of tools with white space of their own. */
function isIn(text: string, toolText: string): boolean {
  return toolText.includes(dense(text));
}

function dense(text: string): string {
  return text.replace(/\s+/g, '');
}

/** All texts in a value. */
function stringsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}
