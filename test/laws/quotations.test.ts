/**
 * Text about calls: where an answer quotes a call, it is text, whole and in any pieces; a real call after an example
 * is one call.
 */
import { describe, expect, it } from 'vitest';
import { quotations } from '../../scripts/judge-quotations/quotations.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { JsonObject, Tool } from '../../src/format/messages.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { writeCalls } from '../../src/layout/write-response.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { callId } from '../support/law-tools.ts';
import { sampled } from '../support/sample.ts';
import { sampleFormats } from '../support/sample-formats.ts';

function offered(name: string): Tool {
  const parameters = { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } };
  return { type: 'function', function: { name, description: name, parameters } };
}

const tools = [offered('get_weather')];

function callsOf(values: JsonObject) {
  const call = { name: 'get_weather', arguments: JSON.stringify(values) };
  return [{ id: callId(0), type: 'function' as const, function: call }];
}

/** A call as the format writes it; `null` if it has no calls, or they are regions of their own. */
function written(format: ChatFormat, city: string): string | null {
  const { calls, headed } = turnLayout(format);
  return calls === null || headed ? null : writeCalls(calls, callsOf({ city })).trim();
}

/** With something before each of its lines, the end of a turn in a call is no longer followed by the rest of it. */
const prefixed = new Set(['a block quote', 'a difference in a fence', 'an echo of a result']);

/** The answer in the markers that the format has around it. */
function asAnswer(format: ChatFormat, text: string): string {
  const { open, close } = turnLayout(format).content;
  return open.text + text + close.text;
}

function read(format: ChatFormat, text: string, offer: readonly Tool[], size = text.length): ResponseMessage {
  const generationPrompt = format.turn.start + (format.turn.prompt.off ?? '');
  const parser = createResponseParser(format, { tools: offer, generationPrompt });
  for (let at = 0; at < text.length; at += size) parser.feed(text.slice(at, at + size));
  return parser.finish('stop').message;
}

/** What is spelled like a special token in a call: its first and last marker. */
function specialTokensOf(call: string): readonly string[] {
  const first = /^(?:<[|｜]?[\w▁|｜]+>|\[[A-Z_]+\])/.exec(call)?.[0];
  const last = /<[^<>\s]+>$/.exec(call)?.[0];
  return first === undefined || last === undefined ? [] : [first, last];
}

/** Whether the format has a state in which this token alone opens a call that it also closes. */
function isOpenedByToken(
  format: ChatFormat,
  call: string,
  [first = '', last = '']: readonly string[],
): boolean {
  const { open } = turnLayout(format).content;
  const plain = read(format, asAnswer(format, `Yes.\n${call}`), tools);
  const isCall = plain.tool_calls?.length === 1 && plain.repaired === undefined;
  return open.isBlank && isCall && call.split(first).length === 2 && call.split(last).length === 2;
}

/** Reads an answer whose special tokens are marked. */
function readTokens(
  format: ChatFormat,
  text: string,
  tokens: readonly string[],
  opener: string,
  size = text.length,
): ResponseMessage {
  const generationPrompt = format.turn.start + (format.turn.prompt.off ?? '');
  const parser = createResponseParser(format, { tools, generationPrompt, specialTokens: tokens });
  parser.feed(opener);
  const pattern = tokens.map((token) => token.replace(/[|[\]]/g, '\\$&')).join('|');
  const parts = pattern === '' ? [text] : text.split(new RegExp(`(${pattern})`));
  for (const [index, part] of parts.entries()) {
    const isToken = index % 2 === 1;
    const step = isToken ? part.length : size;
    for (let at = 0; at < part.length; at += step)
      parser.feed([{ text: part.slice(at, at + step), special: isToken }]);
  }
  return parser.finish('stop').message;
}

const formats = [
  ...sampleFormats,
  ...generatedFormats().map(({ name, format }) => [name, format] as const),
].flatMap(([name, format]) => {
  const call = written(format, 'Oslo');
  // Some prompts open thoughts in any case.
  const isAnswer = read(format, asAnswer(format, 'Hello.'), tools).content === 'Hello.';
  const endsTurn = format.turn.ends.some((end) => call?.includes(end) === true);
  return call === null || !isAnswer || !/[<[|{]\S/.test(call) ? [] : [{ name, format, call, endsTurn }];
});

describe.each(sampled(formats, 6))('text about calls of $name', ({ format, call, endsTurn }) => {
  const kinds = Object.entries(quotations).filter(([kind]) => !(endsTurn && prefixed.has(kind)));
  it.each(kinds)('is text in %s', (_, quote) => {
    const beginning = call.slice(0, call.indexOf('get_weather') + 'get_weather'.length);
    const placeholder = call.replace('get_weather', 'function_name');
    const quoted = quote({ call, placeholder, beginning });
    const text = asAnswer(format, quoted);
    const message = read(format, text, tools);
    expect(message.tool_calls, text).toBeUndefined();
    expect(message.content?.trim()).toBe(quoted.trim());
    expect(message.malformed).toBeUndefined();
    for (const size of [1, 3, 7]) expect(read(format, text, tools, size)).toEqual(message);
    expect(read(format, text, [offered('other')]).tool_calls).toBeUndefined();
    expect(read(format, text, []).content?.trim()).toBe(quoted.trim());
  });

  it('is a call after a stray backtick, if its opener is a special token', () => {
    const { calls, content } = turnLayout(format);
    const tokens = specialTokensOf(call);
    // Calls that hold backticks themselves cannot be told from what a code span holds.
    if (calls === null || tokens.length === 0 || call.includes('`') || !isOpenedByToken(format, call, tokens))
      return;
    const made = (text: string, size?: number) => readTokens(format, text, tokens, content.open.text, size);
    const stray = made(`A tick \` here.\n${call}`);
    expect(stray.tool_calls?.map((each) => JSON.parse(each.function.arguments))).toEqual([{ city: 'Oslo' }]);
    expect(stray.repaired?.map(({ law }) => law)).toContain('quoted');
    expect(made(`A tick \` here.\n${call}`, 1)).toEqual(stray);
    // Closed in its line, incomplete, or spelled out: text.
    const half = call.slice(0, call.indexOf('Oslo'));
    for (const quoted of [`Write \`${call}\` here.`, `A tick \` here.\n${half}`]) {
      expect(made(quoted).tool_calls, quoted).toBeUndefined();
      expect(made(quoted, 1)).toEqual(made(quoted));
    }
    expect(readTokens(format, `A tick \` here.\n${call}`, [], content.open.text).tool_calls).toBeUndefined();
  });

  it('is an example, and then comes the real call', () => {
    const { content, gap } = { content: turnLayout(format).content, gap: '\n\n' };
    if (!content.open.isBlank || !content.close.isBlank) return;
    const real = written(format, 'Bern') ?? '';
    const text = `Example:\n\n\`\`\`\n${call}\n\`\`\`\n\nNow for real:${gap}${real}`;
    const made = read(format, text, tools).tool_calls?.map((each) => JSON.parse(each.function.arguments));
    // JSON without a marker is a call only where nothing else stands.
    if (made === undefined && real.startsWith('{')) return;
    expect(made, text).toEqual([{ city: 'Bern' }]);
  });
});
