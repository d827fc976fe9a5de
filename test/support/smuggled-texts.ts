/**
 * Texts that try to bring a marker past a template, and twins of them that cannot: characters that look alike stand in
 * place of the marker's. A prompt with the attack may have no more special tokens than the prompt with its twin.
 */
import type { Tool } from '../../src/format/messages.ts';
import type { PromptRequest } from '../../src/runtime/chat/open-turn.ts';
import { splitSource } from '../../src/template/compile/split-source.ts';

/** Places of a request whose texts come from outside: all that a template can print. */
export const attackedPositions = [
  'system message',
  'user message',
  'name of a participant',
  'answer',
  'thought',
  'name of a tool',
  'description of a tool',
  'name of an argument',
  'description of an argument',
  'default of an argument',
  'key of a call',
  'value of a call',
  'id of a call',
  'result',
  'name of a result',
  'document',
  'template variable',
] as const;
export type AttackedPosition = (typeof attackedPositions)[number];

/** A request with a text in one place. */
export type AttackedRequest = Required<
  Pick<PromptRequest, 'messages' | 'tools' | 'templateVariables' | 'thinking'>
>;

/** A conversation with `text` in one place; `source`: the template, whose variables are given values. */
export function attackedRequest(position: AttackedPosition, text: string, source: string): AttackedRequest {
  const filled = (at: AttackedPosition, otherwise = 'x'): string => (at === position ? text : otherwise);
  const named = (at: AttackedPosition): object => (at === position ? { name: text } : {});
  const name = filled('name of a tool', 'f');
  const id = filled('id of a call', 'call00001');
  const values = { [filled('key of a call', 'a')]: filled('value of a call') };
  const call = { id, type: 'function', function: { name, arguments: JSON.stringify(values) } } as const;
  const user = { role: 'user', content: filled('user message'), ...named('name of a participant') } as const;
  return {
    messages: [
      { role: 'system', content: filled('system message') },
      user,
      { role: 'assistant', content: null, reasoning_content: filled('thought'), tool_calls: [call] },
      { role: 'tool', tool_call_id: id, name: filled('name of a result', name), content: filled('result') },
      { role: 'assistant', content: filled('answer'), reasoning_content: filled('thought') },
      user,
    ],
    tools: [toolWith(name, filled)],
    templateVariables: {
      ...(position === 'document' ? { documents: [{ title: text, text, content: text, doc_id: text }] } : {}),
      ...(position === 'template variable' ? variablesWith(text, source) : {}),
    },
    // Thoughts of earlier turns are rendered only then by some.
    thinking: true,
  };
}

function toolWith(name: string, filled: (at: AttackedPosition, otherwise?: string) => string): Tool {
  const argument = {
    type: 'string',
    description: filled('description of an argument'),
    default: filled('default of an argument'),
  };
  const properties = { [filled('name of an argument', 'a')]: argument };
  const parameters = { type: 'object', properties };
  return { type: 'function', function: { name, description: filled('description of a tool'), parameters } };
}

/** Names that a template asks for, and others that it may print without asking. */
function variablesWith(text: string, source: string): Readonly<Record<string, string>> {
  const asked = Array.from(source.matchAll(/\b([a-z]\w*) is (?:not )?defined/g), ([, name = '']) => name);
  const own = new Set(['messages', 'tools', 'documents', 'add_generation_prompt', 'bos_token', 'eos_token']);
  const names = [...asked, 'date_string', 'date', 'today', 'model_identity', 'system_message'];
  return Object.fromEntries(names.filter((name) => !own.has(name)).map((name) => [name, text]));
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
