/** Calls as models write them that do not keep to their template: other white space, and other notations. */

import type { ChatFormat } from '../../../src/format/chat-format.ts';
import type { JsonObject } from '../../../src/format/messages.ts';
import { turnLayout } from '../../../src/layout/turn-layout.ts';
import { writeResponse } from '../../../src/layout/write-response.ts';

/** A call whose opener is written with other white space. */
export interface OpenerVariant {
  readonly change: string;
  readonly text: string;
}

/** Changes of one place in an opener: where it has white space, and where markers meet. */
const changes: readonly (readonly [name: string, change: (opener: string) => readonly string[]])[] = [
  ['as it is', (opener) => [opener]],
  ['without white space', (opener) => eachMatch(opener, /\s+/g, '')],
  ['a space for white space', (opener) => eachMatch(opener, /\s+/g, ' ')],
  ['a line break for white space', (opener) => eachMatch(opener, /\s+/g, '\n')],
  ['a tab for white space', (opener) => eachMatch(opener, /\s+/g, '\t')],
  ['two spaces for white space', (opener) => eachMatch(opener, /\s+/g, '  ')],
  ['two line breaks for white space', (opener) => eachMatch(opener, /\s+/g, '\n\n')],
  ['one more space', (opener) => eachMatch(opener, /(?<=\s)(?=\S)/g, ' ')],
  ['a space after a marker', (opener) => eachMatch(opener, /(?<=[>\]|{:,])(?!$|\s)/g, ' ')],
  ['a line break after a marker', (opener) => eachMatch(opener, /(?<=[>\]|{])(?!$|\s)/g, '\n')],
  ['a space before a marker', (opener) => eachMatch(opener, /(?<!^|\s)(?=[<[{])/g, ' ')],
  ['a space before it', (opener) => [` ${opener}`]],
  ['a line break before it', (opener) => [`\n${opener}`]],
];

/**
 * The text of a call, which begins with the opener, with every variant of the opener: what stands before the name of
 * its tool. Equal texts are given once.
 */
export function openerVariants(format: ChatFormat, text: string): readonly OpenerVariant[] {
  const opener = openerOf(format);
  if (opener === '' || !text.startsWith(opener)) return [{ change: 'as it is', text }];
  const rest = text.slice(opener.length);
  const variants = new Map<string, string>();
  for (const [change, vary] of changes)
    for (const varied of vary(opener)) if (!variants.has(varied + rest)) variants.set(varied + rest, change);
  return Array.from(variants, ([varied, change]) => ({ change, text: varied }));
}

/** The text of calls, without the empty thoughts that some formats write first: where prompts open them, they end them. */
export function callsText(
  format: ChatFormat,
  calls: readonly (readonly [name: string, input: JsonObject])[],
): string {
  const text = writeResponse(format, {
    role: 'assistant',
    content: null,
    tool_calls: calls.map(([name, input], index) => ({
      id: `call0000${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    })),
  });
  const empty = format.reasoning?.empty ?? '';
  return text.startsWith(empty) ? text.slice(empty.length) : text;
}

/** What the format writes before the name of the first call. */
export function openerOf(format: ChatFormat): string {
  return turnLayout(format).calls?.openerWithHead.core ?? '';
}

/** One text for each match, in which only that match is replaced. */
function eachMatch(text: string, pattern: RegExp, replacement: string): readonly string[] {
  return Array.from(text.matchAll(pattern), ({ 0: matched, index }) => {
    return text.slice(0, index) + replacement + text.slice(index + matched.length);
  });
}

/** A call in the notations that models are reported to use in place of their own. */
export function foreignCalls(name: string, input: JsonObject): readonly string[] {
  const json = JSON.stringify(input);
  const call = `{"name": "${name}", "arguments": ${json}}`;
  const entries = Object.entries(input).map(
    ([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  const python = Object.entries(input).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return [
    call,
    `[${call}]`,
    `\`\`\`json\n${call}\n\`\`\``,
    `{${call}}`,
    `<tools>\n${call}\n</tools>`,
    `<tool_call>\n${call}\n</tool_call>`,
    `<function_call>${call}</function_call>`,
    `{"type": "function", "name": "${name}", "parameters": ${json}}`,
    `{"tool_calls": [{"function": {"name": "${name}", "arguments": ${json}}}]}`,
    `{"name":"${name}","parameters":${json}}`,
    `${name} ${json}`,
    `${name}(${python.join(', ')})`,
    `[${name}(${python.join(', ')})]`,
    `<${name}>${json}</${name}>`,
    `<function=${name}>\n${entries.map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>`).join('\n')}\n</function>`,
    `<invoke name="${name}">\n${entries.map(([key, value]) => `<parameter name="${key}">${value}</parameter>`).join('\n')}\n</invoke>`,
    `[TOOL_CALLS] [${call}]`,
    `[TOOL_CALLS]${name}[ARGS]${json}`,
  ];
}
