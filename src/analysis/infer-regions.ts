/**
 * Where reasoning, content and calls meet: which literal belongs to which region.
 *
 *     start lead │ reasoning.start R reasoning.end │ content.open C content.close │ beforeCalls │ calls
 */
import type { ContentFormat, ReasoningFormat } from '../chat-format.ts';
import type { EvidenceLog } from './evidence.ts';
import type { EndReading } from './infer-ends.ts';
import type { ReasoningReading } from './infer-reasoning.ts';
import type { TurnReading } from './infer-turn.ts';
import { logContent, logReasoning } from './region-evidence.ts';
import {
  beforeCalls,
  behindLead,
  betweenCalls,
  type CallTurn,
  type ContentCall,
  type ContentTurn,
} from './region-texts.ts';
import {
  commonSuffixLength,
  commonTokens,
  isMarker,
  type NaturalCuts,
  tokenEdges,
  tokens,
} from './text-cuts.ts';

/** What the regions are read from. */
export interface RegionTexts {
  readonly turn: TurnReading;
  readonly ends: EndReading;
  readonly reasoning: ReasoningReading | null;
  readonly content: ContentTurn | null;
  readonly calls: CallTurn | null;
  /** Content beside a call. */
  readonly contentCall: ContentCall;
}

/** The regions, and the literal that opens the section and its first call. */
export interface RegionReading {
  readonly reasoning: ReasoningFormat | null;
  readonly content: ContentFormat;
  readonly callsOpen: string;
}

interface ContentOpening {
  /** What stands for missing reasoning. */
  readonly empty: string;
  readonly open: string;
  /** From reasoning to content, where finished turns show it. */
  readonly reasoningEnd: string | null;
  /** Whether `open` may still hide at the end of `empty` and `reasoningEnd`. */
  readonly block: boolean;
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

function readOpening(texts: RegionTexts, log: EvidenceLog): ContentOpening {
  const before = texts.content?.before ?? '';
  const { reasoning } = texts;
  if (reasoning === null) return { empty: '', open: before, reasoningEnd: null, block: false };
  if (reasoning.beforeContent !== null)
    return openingBesideHistory(texts, reasoning, reasoning.beforeContent);
  const closer = (reasoning.closer ?? closerFromBlock(reasoning, before))?.trim() ?? '';
  const at = closer === '' ? -1 : before.indexOf(closer);
  if (at >= 0) {
    const end = at + closer.length;
    const space = before.slice(end).length - before.slice(end).trimStart().length;
    const empty = before.slice(0, end + space);
    return { empty, open: before.slice(empty.length), reasoningEnd: null, block: false };
  }
  if (before !== '' && before.trim() === reasoning.start.trim()) {
    const message = 'finished turns open reasoning before the answer and never close it: not taken over';
    log.warn({ field: 'reasoning.empty', kind: 'history', message, rendered: before });
    return { empty: '', open: '', reasoningEnd: null, block: false };
  }
  return { empty: '', open: before, reasoningEnd: null, block: false };
}

/** The closer of an empty block before content, or the closer alone, known where reasoning shows only beside calls. */
function closerFromBlock(reasoning: ReasoningReading, before: string): string | null {
  if (reasoning.beforeCall === null) return null;
  const opener = reasoning.start.trimEnd();
  const rest = (before.startsWith(opener) ? before.slice(opener.length) : before).trim();
  return rest !== '' && reasoning.beforeCall.trimStart().startsWith(rest) ? rest : null;
}

function openingBesideHistory(
  texts: RegionTexts,
  reasoning: ReasoningReading,
  between: string,
): ContentOpening {
  const before = texts.content?.before ?? '';
  const again = texts.turn.restart ? between.indexOf(texts.turn.start) : -1;
  if (again >= 0) {
    const end = again + texts.turn.start.length;
    return { empty: '', open: between.slice(end), reasoningEnd: between.slice(0, end), block: false };
  }
  if (squash(before) === squash(reasoning.start + between)) {
    return { empty: before, open: '', reasoningEnd: between, block: true };
  }
  if (before !== '' && between.endsWith(before)) {
    const end = between.slice(0, between.length - before.length);
    if (end.trim() === '' && !isMissingBesideCalls(reasoning, before)) {
      return { empty: before, open: '', reasoningEnd: between, block: false };
    }
    return { empty: '', open: before, reasoningEnd: end, block: false };
  }
  return { empty: before, open: '', reasoningEnd: between, block: before !== '' };
}

/** Whether calls follow reasoning without `text`: then it opens content, and does not end reasoning. */
function isMissingBesideCalls({ beforeCall }: ReasoningReading, text: string): boolean {
  return beforeCall !== null && !squash(beforeCall).includes(squash(text));
}

function squash(text: string): string {
  return text.replace(/\s+/gu, '');
}

interface BesideCalls {
  /** Section and call opener. */
  readonly callsOpen: string;
  /** Stands for missing reasoning beside calls. */
  readonly empty: string;
  /** An empty content region that is written all the same. */
  readonly emptyContent: boolean;
  /** From content to calls. */
  readonly fromContent: string | null;
  /** From reasoning to calls. */
  readonly fromReasoning: string | null;
}

function readBesideCalls(texts: RegionTexts, opening: ContentOpening): BesideCalls {
  const { calls, contentCall, reasoning, ends } = texts;
  if (calls === null) {
    return {
      callsOpen: '',
      empty: opening.empty,
      emptyContent: false,
      fromContent: null,
      fromReasoning: null,
    };
  }
  const bare = beforeCalls(calls);
  if (wrapsEmptyContent(texts, calls)) {
    return { callsOpen: '', empty: opening.empty, emptyContent: false, fromContent: '', fromReasoning: null };
  }
  const { skipped, emptyContent } = skipEmptyRegions(texts, opening, bare);
  const rest = bare.slice(skipped.length);
  const between = contentCall.position === 'before' ? contentCall.between : null;
  const afterClose = between?.startsWith(ends.contentClose)
    ? between.slice(ends.contentClose.length)
    : between;
  const others = [afterClose, reasoning?.beforeCall ?? null].filter((each) => each !== null);
  const opener = tokenSuffix([rest, ...others]);
  const unclosed = skipped + rest.slice(0, rest.length - opener.length);
  const closer = closerOfBlock(reasoning, unclosed, opener);
  const callsOpen = opener.slice(closer.length);
  const inFront = unclosed + closer;
  const content = texts.content?.before ?? '';
  return {
    callsOpen,
    empty: emptyContent ? opening.empty : inFront,
    emptyContent: emptyContent && content !== '',
    fromContent: withoutSuffix(afterClose, callsOpen),
    fromReasoning: withoutSuffix(reasoning?.beforeCall ?? null, callsOpen),
  };
}

/** What closes an empty block of reasoning that stands before every call: the first marker behind its opener. */
function closerOfBlock(reasoning: ReasoningReading | null, before: string, opener: string): string {
  const opened =
    reasoning !== null && reasoning.start.trim() !== '' && before.trim() === reasoning.start.trim();
  const [closer = ''] = tokens(opener.trimStart());
  if (!opened || !isMarker(closer)) return '';
  const beforeContent = reasoning.beforeContent?.trimStart() ?? '';
  // Something else ends thoughts before content: here calls open among the thoughts.
  if (beforeContent !== '' && !beforeContent.startsWith(closer)) return '';
  return opener.slice(0, opener.indexOf(closer) + closer.length);
}

/** Content beside calls has a wrapper of its own, which is written around no content too. */
function wrapsEmptyContent({ contentCall, content, reasoning }: RegionTexts, calls: CallTurn): boolean {
  if (contentCall.position !== 'before') return false;
  const { before, between } = contentCall;
  const alone = content?.before ?? '';
  // Content that stands where thoughts stand is among the thoughts.
  if (reasoning !== null && reasoning.beforeContent !== null && before === reasoning.start) return false;
  // What comes again before the second call opens calls.
  if (betweenCalls(calls)?.endsWith(between)) return false;
  const bare = beforeCalls(calls);
  return before.trim() !== '' && before !== alone && between.trim() !== '' && bare === before + between;
}

function withoutSuffix(text: string | null, suffix: string): string | null {
  return text?.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : null;
}

/** The part of the literal before calls that stands for reasoning and content that are not there. */
function skipEmptyRegions(
  texts: RegionTexts,
  opening: ContentOpening,
  bare: string,
): { readonly skipped: string; readonly emptyContent: boolean } {
  const before = texts.content?.before ?? '';
  const wrapped = before + texts.ends.contentClose;
  const isOpened =
    texts.reasoning === null && before.trim() !== '' && texts.contentCall.position === 'before';
  if ((texts.ends.contentClose !== '' || isOpened) && bare.startsWith(wrapped))
    return { skipped: wrapped, emptyContent: true };
  const closed = behindLead(texts.turn.prompt.off, texts.turn);
  const known = texts.reasoning === null ? [] : [opening.empty, before, closed];
  const found = known
    .filter((each) => each.trim() !== '' && bare.startsWith(each))
    .sort((a, b) => b.length - a.length)[0];
  return { skipped: found ?? '', emptyContent: false };
}

/** The longest common ending of texts that begins at a token of each. */
function tokenSuffix(texts: readonly string[]): string {
  const [first = ''] = texts;
  const longest = commonSuffixLength(texts);
  const edges = texts.map((text) => ({ text, edges: tokenEdges(text) }));
  for (let length = longest; length > 0; length--) {
    if (edges.every(({ text, edges: own }) => own.has(text.length - length)))
      return first.slice(first.length - length);
  }
  return '';
}

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
    return opening.block && ends.contentClose !== ''
      ? splitWrapped(texts, opening, fromContent, cuts)
      : { ...plain, end: fromContent };
  }
  const end = commonTokens(fromContent, fromCalls);
  // Calls that open among the thoughts leave them open.
  if (end.trim() === '' && fromContent.trim() !== '') return { ...plain, end: fromContent };
  const rest = fromContent.slice(end.length);
  if (opening.block && rest !== '' && opening.empty.endsWith(rest)) {
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
  const empty = opening.empty.endsWith(open)
    ? opening.empty.slice(0, opening.empty.length - open.length)
    : opening.empty;
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
  if (texts.calls !== null && wrapsEmptyContent(texts, texts.calls)) {
    const { before, between } = contentCall.position === 'before' ? contentCall : { before: '', between: '' };
    return { ...base, besideCalls: { open: before, close: between }, empty: before + between };
  }
  if (contentCall.position === 'dropped')
    return { ...base, position: texts.calls === null ? base.position : 'dropped' };
  if (contentCall.position === 'after') {
    const { between } = contentCall;
    return { ...base, position: 'after-calls', beforeCalls: withoutSuffix(between, wrapper.open) ?? between };
  }
  const { reasoning } = texts;
  const opened =
    reasoning !== null && reasoning.start.trim() !== '' && contentCall.before === reasoning.start;
  const closed = closing.end !== '' && contentCall.between.startsWith(closing.end);
  if (opened && closed) return { ...base, position: 'reasoning' };
  if (opened) return { ...base, beforeCalls: beside.fromContent ?? '' };
  const between = beside.fromContent ?? '';
  const expected = [closing.empty + closing.open, beside.empty + closing.open];
  if (expected.includes(contentCall.before)) return { ...base, beforeCalls: between };
  const known = expected.find((each) => each !== '' && contentCall.before.startsWith(each)) ?? '';
  const open = contentCall.before.slice(known.length);
  return {
    ...base,
    besideCalls: { open, close: between.trim() === '' ? '' : between },
    beforeCalls: between.trim() === '' ? between : '',
  };
}
