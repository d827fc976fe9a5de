/**
 * No text of a user, a tool or a system message becomes a special token, however a template cuts and joins it.
 * The judge knows nothing of origins: a prompt must have as many special tokens as the same prompt with characters
 * that look alike in place of those of the attack's marker.
 */
import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { IdiolectError } from '../../src/format/errors.ts';
import type { Message, Tool } from '../../src/format/messages.ts';
import { cutPrompt, renderTraced } from '../../src/runtime/chat/prompt-pieces.ts';
import { SpecialFinder } from '../../src/runtime/chat/special-finder.ts';
import { splitSource } from '../../src/template/compile/split-source.ts';
import { generatedInputs } from '../support/generated-corpus.ts';
import { spineTemplates } from '../support/spine-templates.ts';

const long = process.env.LAWS === 'long';
const templates = long
  ? (await generatedInputs()).map(({ name, templateSource: source }) => ({ name, source }))
  : await spineTemplates();

const positions = ['system', 'user', 'tool'] as const;
type Position = (typeof positions)[number];

const tools: readonly Tool[] = [
  { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
];

function conversation(position: Position, text: string): readonly Message[] {
  const filled = (at: Position): string => (at === position ? text : 'x');
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
function literalsOf(source: string): readonly string[] {
  const { strings } = splitSource(source);
  const short = strings.filter((text) => text.length > 0 && text.length <= 20);
  return [...new Set(['', ' ', '\n', ...short])];
}

/** The marker whole, broken by a literal in its middle, and its two halves at the ends of a text. */
function attacks(marker: string, literals: readonly string[]): readonly (readonly [string, string])[] {
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

function countSpecials(
  source: string,
  format: ChatFormat,
  finder: SpecialFinder,
  messages: readonly Message[],
): number | null {
  try {
    const prompt = renderTraced(source, { messages, tools, input: format.input, now: new Date(0) }, format);
    const pieces = cutPrompt(prompt, finder);
    expect(pieces.join('')).toBe(prompt.text);
    return pieces.reduce((sum, piece) => sum + [...finder.find(piece)].length, 0);
  } catch (error) {
    if (error instanceof IdiolectError) return null;
    throw error;
  }
}

describe.each(templates)('$name', ({ source }) => {
  const { format } = analyzeTemplate(source);
  const literals = literalsOf(source);
  const markers = [...new Set([...format.preservedTokens, ...format.stops])].filter(
    (text) => text.length > 2,
  );
  const finder = new SpecialFinder(markers.map((text) => ({ text })));

  it.each(positions)('keeps special tokens out of the text of a %s', (position) => {
    const smuggled: string[] = [];
    for (const marker of markers) {
      for (const [attack, harmless] of attacks(marker, literals.slice(0, long ? undefined : 12))) {
        const found = countSpecials(source, format, finder, conversation(position, attack));
        const expected = countSpecials(source, format, finder, conversation(position, harmless));
        if (found === null || expected === null) continue;
        if (found > expected) smuggled.push(attack);
      }
    }
    expect(smuggled).toEqual([]);
  });
});
