/**
 * Where reasoning, content and calls meet: which literal belongs to which region.
 *
 *     start lead │ reasoning.start R reasoning.end │ content.open C content.close │ beforeCalls │ calls
 */
import type { ContentFormat, ReasoningFormat } from '../../format/chat-format.ts';
import { type ContentOpening, readOpening } from './content-opening.ts';
import { type CallsOpening, emptyWrapper, inferCallsOpening } from '../calls/calls-opening.ts';
import type { EvidenceLog } from '../evidence.ts';
import type { ReasoningMarkers } from '../reasoning/reasoning-markers.ts';
import { logContent, logReasoning } from '../reasoning/reasoning-format.ts';
import type { ContentCall, RegionTexts } from '../probes/rendered-turns.ts';
import { commonTokens, type BoundaryStatistics, tokenEdges, withoutSuffix } from '../literals/token-boundaries.ts';

/** The regions, and the literal that opens the section and its first call. */
export interface RegionReading {
  readonly reasoning: ReasoningFormat | null;
  readonly content: ContentFormat;
  readonly callsOpen: string;
}

/** Reads all regions. */
export function inferRegions(texts: RegionTexts, cuts: BoundaryStatistics, log: EvidenceLog): RegionReading {
  const opening = readOpening(texts, log);
  const withCallsPart = inferCallsOpening(texts, opening);
  const closing = readReasoningEnd(texts, opening, withCallsPart, cuts);
  const content = readContent(texts, closing, withCallsPart);
  const reasoning =
    texts.reasoning === null ? null : reasoningFormat(texts.reasoning, closing, withCallsPart);
  logReasoning(reasoning, texts, log);
  logContent(content, texts, log);
  return { reasoning, content, callsOpen: withCallsPart.callsOpen };
}

/** How reasoning ends and content opens. */
interface Closing {
  readonly end: string;
  readonly empty: string;
  readonly open: string;
  readonly afterReasoning: string;
}

function readReasoningEnd(
  texts: RegionTexts,
  opening: ContentOpening,
  withCallsPart: CallsOpening,
  cuts: BoundaryStatistics,
): Closing {
  const { reasoning, ends } = texts;
  const plain = { empty: opening.empty, open: opening.open, afterReasoning: '' };
  if (reasoning === null) return { ...plain, end: '' };
  const fromContent = opening.reasoningEnd;
  const fromCalls = withCallsPart.fromReasoning;
  if (fromContent === null) return { ...plain, end: fromCalls ?? reasoning.closer ?? '' };
  if (fromCalls !== null && withCallsPart.emptyContent && ends.contentClose !== '') {
    return splitWrapped(texts, opening, fromContent, cuts);
  }
  if (fromCalls === null || fromCalls === fromContent) {
    return opening.mayHoldOpen && ends.contentClose !== ''
      ? splitWrapped(texts, opening, fromContent, cuts)
      : { ...plain, end: fromContent };
  }
  const end = commonTokens(fromContent, fromCalls);
  // Calls that open among the thoughts leave them open.
  if (end.trim() === '' && fromContent.trim() !== '') return { ...plain, end: fromContent };
  const rest = fromContent.slice(end.length);
  if (opening.mayHoldOpen && rest !== '' && opening.empty.endsWith(rest)) {
    return {
      end,
      empty: withoutSuffix(opening.empty, rest) ?? '',
      open: rest + opening.open,
      afterReasoning: '',
    };
  }
  return { ...plain, end, afterReasoning: rest };
}

/** An end of reasoning that runs into the opener of wrapped content: cut by the closed prompt, else naturally. */
function splitWrapped(
  texts: RegionTexts,
  opening: ContentOpening,
  between: string,
  cuts: BoundaryStatistics,
): Closing {
  const closed = texts.turn.prompt.off;
  // Content that something closes is opened by more than white space, and so do thoughts end.
  const possible = [...tokenEdges(between)].filter(
    (cut) => between.slice(0, cut).trim() !== '' && between.slice(cut).trim() !== '',
  );
  const natural = possible.filter((cut) => cuts.between(between.slice(0, cut), between.slice(cut)));
  const byPrompt = closed !== '' && between.endsWith(closed) ? between.length - closed.length : null;
  const cut = byPrompt ?? natural.at(-1) ?? possible.at(-1) ?? between.length;
  const open = between.slice(cut);
  const empty = withoutSuffix(opening.empty, open) ?? opening.empty;
  return { end: between.slice(0, cut), empty, open: open + opening.open, afterReasoning: '' };
}

function reasoningFormat(
  reading: ReasoningMarkers,
  closing: Closing,
  withCallsPart: CallsOpening,
): ReasoningFormat {
  const { start, basis, preserved } = reading;
  const withCalls = withCallsPart.emptyContent ? closing.empty : withCallsPart.empty;
  return {
    start,
    end: closing.end,
    empty: closing.empty,
    ...(withCalls === closing.empty ? {} : { emptyWithCalls: withCalls }),
    preserved,
    basis,
  };
}

function readContent(texts: RegionTexts, closing: Closing, withCallsPart: CallsOpening): ContentFormat {
  const { contentCall, ends } = texts;
  const wrapper = { open: closing.open, close: ends.contentClose };
  const base: ContentFormat = {
    ...wrapper,
    withCalls: null,
    position: 'before-calls',
    beforeCalls: '',
    ...(withCallsPart.emptyContent ? { empty: wrapper.open + wrapper.close } : {}),
    ...(closing.afterReasoning === '' ? {} : { afterReasoning: closing.afterReasoning }),
  };
  const withCalls = emptyWrapper(texts);
  if (withCalls !== null) return { ...base, withCalls, empty: withCalls.open + withCalls.close };
  if (contentCall.position === 'dropped')
    return { ...base, position: texts.calls === null ? base.position : 'dropped' };
  if (contentCall.position === 'after') {
    const { between } = contentCall;
    return { ...base, position: 'after-calls', beforeCalls: withoutSuffix(between, wrapper.open) ?? between };
  }
  return { ...base, ...contentBeforeCalls(texts, contentCall, closing, withCallsPart) };
}

/** Content that stands before calls: among the thoughts, in its usual markers, or in others. */
function contentBeforeCalls(
  { reasoning }: RegionTexts,
  contentCall: Extract<ContentCall, { position: 'before' }>,
  closing: Closing,
  withCallsPart: CallsOpening,
): Partial<ContentFormat> {
  const between = withCallsPart.fromContent ?? '';
  const opened =
    reasoning !== null && reasoning.start.trim() !== '' && contentCall.before === reasoning.start;
  const closed = closing.end !== '' && contentCall.between.startsWith(closing.end);
  if (opened) return closed ? { position: 'reasoning' } : { beforeCalls: between };
  const expected = [closing.empty + closing.open, withCallsPart.empty + closing.open];
  if (expected.includes(contentCall.before)) return { beforeCalls: between };
  const known = expected.find((each) => each !== '' && contentCall.before.startsWith(each)) ?? '';
  const open = contentCall.before.slice(known.length);
  // What stands between content in other markers and the calls closes it, unless it is white space.
  const isGap = between.trim() === '';
  return { withCalls: { open, close: isGap ? '' : between }, beforeCalls: isGap ? between : '' };
}
