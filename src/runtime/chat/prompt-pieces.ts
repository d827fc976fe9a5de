/**
 * From a conversation to its prompt, in pieces of which only the template's own words can become special
 * tokens.
 *
 * A tokenizer cannot tell a template's markers from the same characters in what users, tools and documents say.
 * The render can: every character of it knows where it came from. Where the text of a special token holds a
 * character that the template did not write, the prompt is cut inside of it, and each piece is tokenised by
 * itself; what was cut in two is just text. Everywhere else the prompt stays whole, so that its tokens are those
 * of the plain render.
 */
import type { ChatFormat } from '../../format/chat-format.ts';
import type { SchemaIssue } from '../../format/errors.ts';
import type { Tool } from '../../format/messages.ts';
import type { RenderPromptOptions } from '../../template/prompt/render-prompt.ts';
import type { TextSpan } from '../../template/template.ts';
import { renderOpenTurn } from './open-turn.ts';
import { SpecialFinder, widthAt } from './special-finder.ts';

/** What to render, with tools as templates see them. */
export interface PromptRequest extends RenderPromptOptions {
  readonly tools?: readonly Tool[];
}

/** A prompt that knows which of its characters the template wrote. */
export interface TracedPrompt {
  readonly text: string;
  readonly spans: readonly TextSpan[];
  /** What the prompt already wrote of the assistant's turn, its start included. */
  readonly generationPrompt: string;
}

/** Renders only. Throws what `renderPrompt` throws. */
export function renderTraced(
  templateSource: string,
  options: PromptRequest,
  format: ChatFormat,
): TracedPrompt {
  const { spans, generationPrompt } = renderOpenTurn(templateSource, options, format);
  return { text: textOf(spans), spans, generationPrompt };
}

/** The text of spans. */
function textOf(spans: readonly TextSpan[]): string {
  return spans.map(({ text }) => text).join('');
}

/** A marker in a text: from `start` to `end`, in UTF-16 units. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** A part of a prompt that is to be tokenised by itself. */
export interface PromptPiece {
  readonly text: string;
  /** Special tokens count in it; `false` for a character of data that is itself the text of one. */
  readonly special: boolean;
}

/**
 * The prompt cut where the text of a special token holds characters of data: inside of it, or around it where it is
 * one character. Joined, the pieces are the prompt; the first may be empty.
 */
export function cutPrompt(
  { text, spans }: Pick<TracedPrompt, 'text' | 'spans'>,
  finder: SpecialFinder,
): PromptPiece[] {
  const { own, foreign } = sortMarkers(text, spans, finder);
  const cuts = new Set<number>();
  const plain = new Set<number>();
  for (const marker of foreign) {
    const { start, end } = marker;
    if (end - start > widthAt(text, start)) {
      cuts.add(cutInside(text, marker, own));
      continue;
    }
    plain.add(start);
    cuts.add(start).add(end);
  }
  const places = [...cuts].sort((a, b) => a - b);
  return [...places, text.length].map((end, index) => {
    const start = index === 0 ? 0 : (places[index - 1] ?? 0);
    return { text: text.slice(start, end), special: !plain.has(start) };
  });
}

interface SortedMarkers {
  /** Those that the template wrote, without overlap. */
  readonly own: readonly Stretch[];
  /** Those with characters of data, in so far as no shorter one begins at the same place. */
  readonly foreign: readonly (Stretch & {
    /** Where an own marker at the same place ends. */ readonly ownEnd: number;
  })[];
}

function sortMarkers(text: string, spans: readonly TextSpan[], finder: SpecialFinder): SortedMarkers {
  const own: Stretch[] = [];
  const foreign: SortedMarkers['foreign'][number][] = [];
  const endOfOwnText = ownTextEnds(spans);
  for (const { start, ends } of finder.findEverywhere(text)) {
    const limit = endOfOwnText(start);
    const ownEnd = ends.findLast((end) => end <= limit) ?? start;
    const end = ends.find((each) => each > limit);
    if (ownEnd > start && start >= (own.at(-1)?.end ?? 0)) own.push({ start, end: ownEnd });
    if (end !== undefined) foreign.push({ start, end, ownEnd });
  }
  return { own, foreign };
}

/** Told places in ascending order, answers where the template's text that holds the place ends. */
function ownTextEnds(spans: readonly TextSpan[]): (place: number) => number {
  let index = 0;
  let end = spans[0]?.text.length ?? 0;
  return (place) => {
    while (place >= end && index + 1 < spans.length) {
      index += 1;
      end += spans[index]?.text.length ?? 0;
    }
    return spans[index]?.origin === 'template' ? end : place;
  };
}

/** A place between two characters of a marker, and inside of no marker that the template wrote. */
function cutInside(
  text: string,
  { start, end, ownEnd }: SortedMarkers['foreign'][number],
  own: readonly Stretch[],
): number {
  const place = Math.max(start + widthAt(text, start), ownEnd);
  const around = markerAround(own, place);
  if (around === undefined) return place;
  return around.end < end ? around.end : around.start;
}

function markerAround(own: readonly Stretch[], place: number): Stretch | undefined {
  let low = 0;
  let high = own.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((own[middle]?.end ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  const marker = own[low];
  return marker !== undefined && marker.start < place ? marker : undefined;
}

/**
 * Markers of the format that are ordinary text to this model, and that stand in what users, tools or documents
 * said: nothing tells them from the template's. One entry for each.
 */
export function reportUnprotected(
  { text, spans }: Pick<TracedPrompt, 'text' | 'spans'>,
  format: ChatFormat,
  specials: SpecialFinder,
): readonly SchemaIssue[] {
  const markers = [...format.preservedTokens, ...format.stops, format.turn.start]
    .map((marker) => marker.trim())
    .filter((marker) => /[^\w\s]/.test(marker) && specials.find(marker).next().done === true);
  const { foreign } = sortMarkers(
    text,
    spans,
    new SpecialFinder(markers.map((marker) => ({ text: marker }))),
  );
  const found = new Set(foreign.map(({ start, end }) => text.slice(start, end)));
  return Array.from(found, (marker) => ({
    tool: '',
    pointer: '',
    keyword: 'messages',
    effect: 'noted',
    reason: `${JSON.stringify(marker)} in a message, a tool or a variable is not a special token of this model, so nothing tells it from the template's own`,
  }));
}
