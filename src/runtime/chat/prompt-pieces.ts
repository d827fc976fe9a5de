/**
 * Cuts a prompt into pieces, in which only the template's own text can become special tokens.
 *
 * A tokenizer cannot tell a template's markers from the same characters in the data of users, tools and documents. The
 * render can, because it records the origin of every character. If the text of a special token contains a character
 * that the template did not write, the prompt is cut inside it and the pieces are tokenised separately, so it becomes
 * plain text. Elsewhere the prompt is not cut, so its tokens are those of the plain render.
 */
import type { ChatFormat } from '../../format/chat-format.ts';
import type { SchemaIssue } from '../../format/errors.ts';
import { finish, type Steps } from '../../language/expression/steps.ts';
import { SpecialFinder, widthAt } from '../../language/matcher/special-finder.ts';
import { coresOf } from '../../layout/marker.ts';
import { turnLayout } from '../../layout/turn-layout.ts';
import type { TextSpan } from '../../template/template.ts';

/** A prompt that records which of its characters the template wrote. */
export interface TracedPrompt {
  readonly text: string;
  /** The text in spans that record which of it the template wrote. */
  readonly spans: readonly TextSpan[];
  /** The part of the coming message in the prompt, including the turn's start. */
  readonly generationPrompt: string;
}

/** A marker in a text: from `start` to `end`, in UTF-16 units. */
interface MarkerSpan {
  readonly start: number;
  readonly end: number;
}

/** A part of a prompt that is tokenised separately. */
export interface PromptPiece {
  readonly text: string;
  /** Whether it may contain special tokens; `false` for a character of data that is itself the text of one. */
  readonly special: boolean;
}

/**
 * The prompt, cut wherever the text of a special token contains characters of data: inside the text, or around it if
 * it is a single character. The joined pieces are the prompt; the first may be empty.
 */
export function cutPrompt(
  prompt: Pick<TracedPrompt, 'text' | 'spans'>,
  finder: SpecialFinder,
): PromptPiece[] {
  return finish(cutPromptSteps(prompt, finder));
}

/** Markers that are sorted or cut in one step. */
const stepMarkers = 2_000;

/** `cutPrompt` in steps. */
export function* cutPromptSteps(
  { text, spans }: Pick<TracedPrompt, 'text' | 'spans'>,
  finder: SpecialFinder,
): Steps<PromptPiece[]> {
  const { own, foreign } = yield* sortMarkers(text, spans, finder);
  const cuts = new Set<number>();
  const plain = new Set<number>();
  for (const [index, marker] of foreign.entries()) {
    if (index % stepMarkers === 0) yield;
    const { start, end } = marker;
    if (end - start > widthAt(text, start)) {
      cuts.add(cutInside(text, marker, own));
      continue;
    }
    plain.add(start);
    cuts.add(start).add(end);
  }
  yield;
  const places = [...cuts].sort((a, b) => a - b);
  yield;
  return [...places, text.length].map((end, index) => {
    const start = index === 0 ? 0 : (places[index - 1] ?? 0);
    return { text: text.slice(start, end), special: !plain.has(start) };
  });
}

interface SortedMarkers {
  /** Markers that the template wrote, without overlap. */
  readonly own: readonly MarkerSpan[];
  /** Markers that contain characters of data, unless a shorter one begins at the same position. */
  readonly foreign: readonly (MarkerSpan & {
    /** Where an own marker at the same place ends. */ readonly ownEnd: number;
  })[];
}

function* sortMarkers(text: string, spans: readonly TextSpan[], finder: SpecialFinder): Steps<SortedMarkers> {
  const own: MarkerSpan[] = [];
  const foreign: SortedMarkers['foreign'][number][] = [];
  const endOfOwnText = ownTextEnds(spans);
  let found = 0;
  for (const { start, ends } of finder.findEverywhere(text)) {
    found += 1;
    if (found % stepMarkers === 0) yield;
    const limit = endOfOwnText(start);
    const ownEnd = ends.findLast((end) => end <= limit) ?? start;
    const end = ends.find((each) => each > limit);
    if (ownEnd > start && start >= (own.at(-1)?.end ?? 0)) own.push({ start, end: ownEnd });
    if (end !== undefined) foreign.push({ start, end, ownEnd });
  }
  return { own, foreign };
}

/** For positions in ascending order: the end of the template's text at that position. */
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

/** A position between two characters of a marker, and not inside a marker that the template wrote. */
function cutInside(
  text: string,
  { start, end, ownEnd }: SortedMarkers['foreign'][number],
  own: readonly MarkerSpan[],
): number {
  const place = Math.max(start + widthAt(text, start), ownEnd);
  const around = markerAround(own, place);
  if (around === undefined) return place;
  return around.end < end ? around.end : around.start;
}

function markerAround(own: readonly MarkerSpan[], place: number): MarkerSpan | undefined {
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
 * Markers of the format that are ordinary text to this model and occur in data, where nothing distinguishes them from
 * the template's. One entry for each.
 */
export function* reportUnprotected(
  { text, spans }: Pick<TracedPrompt, 'text' | 'spans'>,
  format: ChatFormat,
  specials: SpecialFinder,
): Steps<readonly SchemaIssue[]> {
  const { start, stops, preserved } = turnLayout(format);
  const markers = coresOf([...preserved, ...stops, start]).filter(
    (marker) => /[^\w\s]/.test(marker) && specials.find(marker).next().done === true,
  );
  const { foreign } = yield* sortMarkers(
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
