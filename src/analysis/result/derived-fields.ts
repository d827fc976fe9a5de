/** Fields derived from the rest of a format: labels, preserved tokens, stops. */
import type { ChatFormat, ContentFormat } from '../../format/chat-format.ts';
import type { EvidenceLog } from '../evidence.ts';
import { isMarker, tokens } from '../literals/tokens.ts';
import { labelFormat } from './labels.ts';

/** The format with its derived fields filled in. */
export function withDerivedFields(format: ChatFormat, log: EvidenceLog): ChatFormat {
  const labels = labelFormat(format);
  const marks = preservedTokens(format);
  const stops = stopTexts(format);
  log.support('labels', 'derived', Object.values(labels).join(' '), 'read off the finished format');
  log.support('preservedTokens', 'derived', marks.join(' '), 'the markers of the finished format');
  log.support('stops', 'derived', stops.join(' '), 'the ends of turn after which nothing follows');
  return { ...format, labels, preservedTokens: marks, stops };
}

/** Ends of turn, except those after which the same message continues. */
function stopTexts({
  turn,
  reasoning,
  calls,
}: Pick<ChatFormat, 'turn' | 'reasoning' | 'calls'>): readonly string[] {
  const ends = turn.ends.map((end) => (end.trim() === '' ? end : end.trim()));
  const inside = turn.restart ? [reasoning?.end ?? '', calls?.separator ?? ''] : [];
  const final = ends.filter((end) => !inside.some((text) => text.startsWith(end)));
  const shortest = final.filter((end) => !final.some((other) => other !== end && end.startsWith(other)));
  return [...new Set(shortest)];
}

function preservedTokens(
  parts: Pick<ChatFormat, 'turn' | 'reasoning' | 'content' | 'calls' | 'results'>,
): readonly string[] {
  const texts = [
    parts.reasoning?.start,
    parts.reasoning?.end,
    ...contentTexts(parts.content),
    ...callTexts(parts),
    ...(parts.results?.open ?? []),
    ...(parts.results?.close ?? []),
  ];
  const marks = texts.flatMap((text) => tokens(text ?? '')).filter(isMarker);
  return [...new Set(marks)];
}

function contentTexts(content: ContentFormat): readonly string[] {
  return [content.open, content.close, content.withCalls?.open ?? '', content.withCalls?.close ?? ''];
}

function callTexts({ calls }: Pick<ChatFormat, 'calls'>): readonly string[] {
  if (calls === null) return [];
  const parts = [...calls.head, ...calls.tail].filter((part) => typeof part === 'string');
  const { section, call, separator } = calls;
  const own = [section.open, call.open, ...parts, call.close, separator, section.close];
  if (calls.arguments.kind === 'json') return own;
  const { entry, frames, integer } = calls.arguments;
  const all = [...Object.values(frames), ...(integer === undefined ? [] : [integer])];
  const framed = all.flatMap((frame) => [frame.open, frame.close]);
  return [
    ...own,
    entry.open,
    entry.key,
    ...entry.close.filter((part) => typeof part === 'string'),
    ...framed,
  ];
}
