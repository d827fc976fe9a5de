/**
 * Where reasoning, content and calls meet: which literal belongs to which region.
 *
 *     start lead │ reasoning.start R reasoning.end │ content.open C content.close │ beforeCalls │ calls
 */
import type { ContentFormat, ReasoningFormat } from '../format/chat-format.ts';
import { type BesideCalls, emptyWrapper, readBesideCalls } from './beside-calls.ts';
import { type ContentOpening, readOpening } from './content-opening.ts';
import type { EvidenceLog } from './evidence.ts';
import type { ReasoningReading } from './infer-reasoning.ts';
import { logContent, logReasoning } from './region-evidence.ts';
import type { ContentCall, RegionTexts } from './region-texts.ts';
import { commonTokens, type NaturalCuts, tokenEdges, withoutSuffix } from './text-cuts.ts';

/** The regions, and the literal that opens the section and its first call. */
export interface RegionReading {
  readonly reasoning: ReasoningFormat | null;
  readonly content: ContentFormat;
  readonly callsOpen: string;
}

/** Reads all regions. */
export function inferRegions(texts: RegionTexts, cuts: NaturalCuts, log: EvidenceLog): RegionReading {
  const opening = readOpening(texts, log);
  const beside = readBesideCalls(texts, opening);
  const closing = readReasoningEnd(texts, opening, beside, cuts);
  const content = readContent(texts, closing, beside);
  const reasoning = texts.reasoning === null ? null : reasoningFormat(texts.reasoning, closing, beside);
  logReasoning(reasoning, texts, log);
  logContent(content, texts, log);
  return { reasoning, content, callsOpen: beside.callsOpen };
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
  beside: BesideCalls,
  cuts: NaturalCuts,
): Closing {
  const { reasoning, ends } = texts;
  const plain = { empty: opening.empty, open: opening.open, afterReasoning: '' };
  if (reasoning === null) return { ...plain, end: '' };
  const fromContent = opening.reasoningEnd;
  const fromCalls = beside.fromReasoning;
  if (fromContent === null) return { ...plain, end: fromCalls ?? reasoning.closer ?? '' };
  if (fromCalls !== null && beside.emptyContent && ends.contentClose !== '') {
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
  cuts: NaturalCuts,
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

function reasoningFormat(reading: ReasoningReading, closing: Closing, beside: BesideCalls): ReasoningFormat {
  const { start, basis, preserved } = reading;
  const besideCalls = beside.emptyContent ? closing.empty : beside.empty;
  return {
    start,
    end: closing.end,
    empty: closing.empty,
    ...(besideCalls === closing.empty ? {} : { emptyBesideCalls: besideCalls }),
    preserved,
    basis,
  };
}

function readContent(texts: RegionTexts, closing: Closing, beside: BesideCalls): ContentFormat {
  const { contentCall, ends } = texts;
  const wrapper = { open: closing.open, close: ends.contentClose };
  const base: ContentFormat = {
    ...wrapper,
    besideCalls: null,
    position: 'before-calls',
    beforeCalls: '',
    ...(beside.emptyContent ? { empty: wrapper.open + wrapper.close } : {}),
    ...(closing.afterReasoning === '' ? {} : { afterReasoning: closing.afterReasoning }),
  };
  const besideCalls = emptyWrapper(texts);
  if (besideCalls !== null) return { ...base, besideCalls, empty: besideCalls.open + besideCalls.close };
  if (contentCall.position === 'dropped')
    return { ...base, position: texts.calls === null ? base.position : 'dropped' };
  if (contentCall.position === 'after') {
    const { between } = contentCall;
    return { ...base, position: 'after-calls', beforeCalls: withoutSuffix(between, wrapper.open) ?? between };
  }
  return { ...base, ...contentBeforeCalls(texts, contentCall, closing, beside) };
}

/** Content that stands before calls: among the thoughts, in its usual markers, or in others. */
function contentBeforeCalls(
  { reasoning }: RegionTexts,
  contentCall: Extract<ContentCall, { position: 'before' }>,
  closing: Closing,
  beside: BesideCalls,
): Partial<ContentFormat> {
  const between = beside.fromContent ?? '';
  const opened =
    reasoning !== null && reasoning.start.trim() !== '' && contentCall.before === reasoning.start;
  const closed = closing.end !== '' && contentCall.between.startsWith(closing.end);
  if (opened) return closed ? { position: 'reasoning' } : { beforeCalls: between };
  const expected = [closing.empty + closing.open, beside.empty + closing.open];
  if (expected.includes(contentCall.before)) return { beforeCalls: between };
  const known = expected.find((each) => each !== '' && contentCall.before.startsWith(each)) ?? '';
  const open = contentCall.before.slice(known.length);
  // What stands between content in other markers and the calls closes it, unless it is white space.
  const isGap = between.trim() === '';
  return { besideCalls: { open, close: isGap ? '' : between }, beforeCalls: isGap ? between : '' };
}
