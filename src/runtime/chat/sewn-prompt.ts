/**
 * From a conversation to its prompt, in pieces of which only the template's own words can become special
 * tokens.
 *
 * A template mixes its markers with what users, tools and documents say, and a tokenizer cannot tell
 * them apart any more. So wherever a given text holds a special token's text, or could complete one
 * together with its neighbours, a seam is put inside: a private-use character that nobody uses. After
 * rendering, the prompt is cut at its seams and each piece is tokenised by itself; a special token's
 * text that was cut in two is just text. Texts without such places, nearly all, are not touched.
 */
import type { ChatFormat } from '../../format/chat-format.ts';
import type { Message, Tool } from '../../format/messages.ts';
import type { RenderPromptOptions } from '../../template/prompt/render-prompt.ts';
import { renderOpenTurn } from './open-turn.ts';
import type { SpecialFinder } from './special-finder.ts';

/** What to render, with tools as templates see them. */
export interface PromptRequest extends RenderPromptOptions {
  readonly tools?: readonly Tool[];
}

/** A prompt cut where special tokens must not come about. */
export interface PromptPieces {
  /** Each to be tokenised by itself. */
  readonly pieces: readonly string[];
  /** What the prompt already wrote of the assistant's turn, its start included. */
  readonly generationPrompt: string;
}

/** Renders only. Throws `TemplateError`. */
export function renderPieces(
  templateSource: string,
  options: PromptRequest,
  finder: SeamFinder,
  format: ChatFormat,
): PromptPieces {
  const seam = unusedCharacter(JSON.stringify([options.messages, options.tools, options.templateVariables]));
  const sewn = sewOptions(options, finder, seam);
  const opened = renderOpenTurn(templateSource, sewn, format);
  const seams = seamPattern(seam);
  return {
    pieces: opened.text.split(seams),
    generationPrompt: opened.generationPrompt.replaceAll(seams, ''),
  };
}

/** What tells where to cut. */
type SeamFinder = Pick<SpecialFinder, 'cutsInside' | 'mayBeCompleted'>;

function sewOptions(options: PromptRequest, finder: SeamFinder, seam: string): PromptRequest {
  const sew = (text: string): string => sewText(text, finder, seam);
  const { tools, templateVariables } = options;
  return {
    ...options,
    messages: options.messages.map((message) => sewMessage(message, sew)),
    ...(tools === undefined ? {} : { tools: tools.map((tool): Tool => mapTexts(tool, sew)) }),
    ...(templateVariables === undefined ? {} : { templateVariables: mapTexts(templateVariables, sew) }),
  };
}

/** Arguments are JSON in a text: seams belong into the values, where a template will see them. */
function sewMessage(message: Message, sew: (text: string) => string): Message {
  if (message.role !== 'assistant' || message.tool_calls === undefined) return mapTexts(message, sew);
  const { tool_calls, ...rest } = message;
  const calls = tool_calls.map((call) => ({
    ...mapTexts(call, sew),
    function: { name: sew(call.function.name), arguments: sewJson(call.function.arguments, sew) },
  }));
  return { ...mapTexts(rest, sew), tool_calls: calls };
}

/** Sews the strings of a JSON text, keys too; all else stays as it is written. */
function sewJson(json: string, sew: (text: string) => string): string {
  if (!isJson(json)) return sew(json);
  return json.replace(jsonString, (literal) => {
    const text = String(JSON.parse(literal));
    const sewn = sew(text);
    return sewn === text ? literal : JSON.stringify(sewn);
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const jsonString = /"(?:[^"\\]|\\.)*"/gs;

/** The same data with `change` applied to every text, keys included; the same object if none changed. */
function mapTexts<Data>(data: Data, change: (text: string) => string): Data;
function mapTexts(data: unknown, change: (text: string) => string): unknown {
  if (typeof data === 'string') return change(data);
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) {
    const items = data.map((item: unknown) => mapTexts(item, change));
    return items.some((item, index) => item !== data[index]) ? items : data;
  }
  const before = Object.entries(data);
  const after = before.map(([key, value]) => [change(key), mapTexts(value, change)] as const);
  const changed = after.some(
    ([key, value], index) => key !== before[index]?.[0] || value !== before[index]?.[1],
  );
  return changed ? Object.fromEntries(after) : data;
}

/** Puts a seam inside every special token's text, and at an edge where a neighbour could complete one. */
function sewText(text: string, finder: SeamFinder, seam: string): string {
  const cuts = finder.cutsInside(text);
  const { before, after } = finder.mayBeCompleted(text);
  const places = [...(before ? [0] : []), ...cuts, ...(after ? [text.length] : [])];
  if (places.length === 0) return text;
  const edges = [0, ...places, text.length];
  return edges
    .slice(1)
    .map((end, index) => text.slice(edges[index], end))
    .join(seam);
}

const firstPrivateUse = 0xe000;
const lastPrivateUse = 0xf8ff;

/** A private-use character that `text` holds neither as itself nor escaped. */
function unusedCharacter(text: string): string {
  for (let code = lastPrivateUse; code > firstPrivateUse; code--) {
    const character = String.fromCharCode(code);
    if (!text.includes(character) && !text.toLowerCase().includes(code.toString(16))) return character;
  }
  return String.fromCharCode(firstPrivateUse);
}

/** The seam as itself, or as a template's JSON escapes it (`\uf8ff`, once or more). */
function seamPattern(seam: string): RegExp {
  return new RegExp(`${seam}|\\\\+u${seam.charCodeAt(0).toString(16)}`, 'gi');
}
