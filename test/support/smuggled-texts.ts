/**
 * Texts that try to bring a marker past a template, and twins of them that cannot: characters that look alike stand in
 * place of the marker's. A prompt with the attack may have no more special tokens than the prompt with its twin.
 */
import type { Message, Tool } from '../../src/format/messages.ts';
import { splitSource } from '../../src/template/compile/split-source.ts';

/** Places of a conversation whose texts come from outside. */
export const attackedPositions = ['system', 'user', 'tool'] as const;
export type AttackedPosition = (typeof attackedPositions)[number];

/** The tool that the conversation calls. */
export const attackedTools: readonly Tool[] = [
  { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
];

/** A conversation with `text` in one place. */
export function attackedConversation(position: AttackedPosition, text: string): readonly Message[] {
  const filled = (at: AttackedPosition): string => (at === position ? text : 'x');
  const call = { id: 'call00001', type: 'function', function: { name: 'f', arguments: '{}' } } as const;
  return [
    { role: 'system', content: filled('system') },
    { role: 'user', content: filled('user') },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: call.id, name: 'f', content: filled('tool') },
    { role: 'user', content: filled('user') },
  ];
}

/** Texts that the template may take away, split at or put in: its literals, and white space. */
export function literalsOf(source: string): readonly string[] {
  const { strings } = splitSource(source);
  const short = strings.filter((text) => text.length > 0 && text.length <= 20);
  return [...new Set(['', ' ', '\n', ...short])];
}

/** The marker whole, broken by a literal in its middle, and its two halves at the ends of a text; with their twins. */
export function attacksWith(
  marker: string,
  literals: readonly string[],
): readonly (readonly [attack: string, twin: string])[] {
  const middle = Math.max(1, marker.length >> 1);
  const [head, tail] = [marker.slice(0, middle), marker.slice(middle)];
  const broken = literals.map((literal) => [head, literal, tail] as const);
  return [...broken, ['', 'a', head] as const, [tail, 'a', ''] as const].map(
    ([before, between, after]) => [before + between + after, twin(before) + between + twin(after)] as const,
  );
}

const lookAlikes = new Map(
  [...'<>|[]~"/_'].map((sign, index) => [sign, String.fromCharCode(0x2460 + index)]),
);

function twin(text: string): string {
  return Array.from(text, (sign) => lookAlikes.get(sign) ?? sign).join('');
}
