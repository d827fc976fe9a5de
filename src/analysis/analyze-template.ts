/**
 * From a chat template to its format. The order of the inferences is the table of contents:
 *
 *     shape → turn → reasoning → calls → ends → regions → call skeleton → labels → overrides → self-check
 */
import {
  type Capabilities,
  type ChatFormat,
  type ContentFormat,
  chatFormatVersion,
  type TurnFormat,
} from '../chat-format.ts';
import { AnalysisError } from '../errors.ts';
import { parseTemplate } from '../template/template.ts';
import { observeCapabilities } from './capabilities.ts';
import { type AnalysisWarning, type Evidence, EvidenceLog } from './evidence.ts';
import { inferCalls } from './infer-calls.ts';
import { type EndReading, inferEnds, isMarker } from './infer-ends.ts';
import { inferReasoning } from './infer-reasoning.ts';
import { type ContentCall, inferRegions } from './infer-regions.ts';
import { inferShape, type ShapeReading } from './infer-shape.ts';
import { inferTurn, type TurnReading } from './infer-turn.ts';
import { labelFormat } from './labels.ts';
import { type ProbeTable, probeTable } from './probes.ts';
import { behindStart, readCallTurn, readContentTurn } from './region-texts.ts';
import { type SelfCheck, selfCheck } from './self-check.ts';
import { chooseSentinels } from './sentinels.ts';
import { sha256 } from './sha256.ts';
import { TemplateProber } from './template-prober.ts';
import { NaturalCuts, tokens } from './text-cuts.ts';

/** Options of `analyzeTemplate`. */
export interface AnalyzeOptions {
  /** Names the template in errors; default `template`. */
  readonly name?: string;
  /** The model's beginning-of-sequence token, which templates take from outside; default `""`. */
  readonly bosToken?: string;
  /** The model's end-of-sequence token; default `""`, and then no end of turn holds it. */
  readonly eosToken?: string;
}

/** What an analysis found out. */
export interface Analysis {
  readonly format: ChatFormat;
  readonly capabilities: Capabilities;
  readonly evidence: readonly Evidence[];
  readonly warnings: readonly AnalysisWarning[];
  /** How many probes the format wrote back byte for byte. */
  readonly selfCheck: SelfCheck;
}

/**
 * Reads the format of a chat template off its renders.
 * Throws TemplateError, TemplateLimitError, or AnalysisError where the template renders no chat.
 */
export function analyzeTemplate(templateSource: string, options: AnalyzeOptions = {}): Analysis {
  const name = options.name ?? 'template';
  const template = parseTemplate(templateSource, { name });
  const prober = new TemplateProber(template, chooseSentinels(templateSource));
  const probes = probeTable(prober.sentinels);
  const log = new EvidenceLog();
  const shape = inferShape(prober, probes, log);
  const cuts = learnCuts(prober, probes);
  const turn = inferTurn(prober, probes, cuts, log);
  const { capabilities, evidence } = observeCapabilities(template);
  for (const entry of evidence) log.add(entry);
  const draft = inferFormat({ prober, probes, log, shape, cuts, turn, capabilities, source: templateSource });
  const check = selfCheck(draft.format, prober, probes, shape.reasoningSetting, draft.ends, log);
  const special = new Map([
    [prober.sentinels.bos, options.bosToken ?? ''],
    [prober.sentinels.eos, options.eosToken ?? ''],
  ]);
  const format = deepFreeze(withoutBlankEnds(replaceTokens(draft.format, special)));
  return {
    format,
    capabilities: format.capabilities,
    evidence: replaceTokens(log.entries, special),
    warnings: replaceTokens(log.warnings, special),
    selfCheck: check,
  };
}

interface Stage {
  readonly prober: TemplateProber;
  readonly probes: ProbeTable;
  readonly log: EvidenceLog;
  readonly shape: ShapeReading;
  readonly cuts: NaturalCuts;
  readonly turn: TurnReading;
  readonly source: string;
  readonly capabilities: Capabilities;
}

function learnCuts(prober: TemplateProber, probes: ProbeTable): NaturalCuts {
  const cuts = new NaturalCuts();
  for (const probe of Object.values(probes)) prober.turn(probe);
  for (const text of prober.seen) cuts.learn(prober.sentinels.user + text, prober.sentinels.pattern);
  return cuts;
}

function inferFormat(stage: Stage): { readonly format: ChatFormat; readonly ends: readonly string[] } {
  const { prober, probes, log, shape, cuts, turn } = stage;
  const reasoning = inferReasoning(prober, probes, turn, shape.reasoningSetting, cuts, log);
  const content = readContentTurn(prober, probes, turn);
  if (content === null) {
    const reason = 'an assistant message is not rendered: this is no template of a chat';
    throw new AnalysisError({ template: prober.name, probe: probes.content.id, reason });
  }
  const calls = shape.rendersCalls
    ? (readCallTurn(prober, probes.twoCalls, turn) ?? readCallTurn(prober, probes.oneCall, turn))
    : null;
  const historyEnd = endInHistory(stage, content.after);
  const ends = inferEnds(content, calls, turn, historyEnd, cuts);
  const contentCall = readContentCall(stage, ends);
  const regions = inferRegions({ turn, ends, reasoning, content, calls, contentCall }, cuts, log);
  const { callsOpen } = regions;
  const { callsClose, callsEnd } = ends;
  const callsFormat =
    calls === null
      ? null
      : inferCalls({ prober, probes, turn, cuts, log, calls, callsOpen, callsClose, callsEnd });
  const turnFormat = describeTurn(stage, ends, historyEnd);
  const parts = {
    turn: turnFormat,
    reasoning: regions.reasoning,
    content: regions.content,
    calls: callsFormat,
  };
  const format: ChatFormat = {
    version: chatFormatVersion,
    templateSha256: sha256(stage.source),
    labels: labelFormat(parts),
    capabilities: stage.capabilities,
    input: {
      ...shape.shape,
      thinkingVariables: shape.thinkingVariables,
    },
    ...parts,
    preservedTokens: preservedTokens(parts),
    stops: stopTexts(parts),
  };
  return { format, ends: [...turnFormat.ends, ends.contentEnd, ends.callsEnd, ''] };
}

function readContentCall(stage: Stage, ends: EndReading): ContentCall {
  const { prober, probes, turn } = stage;
  const rendered = readCallTurn(prober, probes.contentCall, turn);
  const at = rendered?.text.indexOf(prober.sentinels.content) ?? -1;
  if (rendered === null || at < 0) return { position: 'dropped' };
  const end = at + prober.sentinels.content.length;
  const [first] = rendered.spans;
  if (at < first.start) {
    return {
      position: 'before',
      before: rendered.text.slice(0, at),
      between: rendered.text.slice(end, first.start),
    };
  }
  const behind = rendered.text.slice(first.end, at);
  const between = behind.startsWith(ends.callsClose) ? behind.slice(ends.callsClose.length) : '';
  return { position: 'after', between };
}

function describeTurn(stage: Stage, ends: EndReading, historyEnd: string): TurnFormat {
  const { turn, log, prober, probes } = stage;
  const afterTools = stage.shape.rendersCalls && ends.callsEnd === '' ? followerOfCalls(stage) : '';
  const all = [ends.contentEnd, ends.callsEnd, historyEnd, afterTools].filter((end) => end !== '');
  log.support('turn.ends', probes.content.id, ends.contentEnd, 'behind content');
  if (ends.callsEnd !== '') log.support('turn.ends', probes.oneCall.id, ends.callsEnd, 'behind calls');
  log.support('turn.ends', probes.contentThenUser.id, historyEnd, 'before the next message');
  return {
    start: turn.start,
    ...(turn.lead === '' ? {} : { lead: turn.lead }),
    ends: [...new Set(all)].filter((end) => end !== prober.sentinels.bos),
    restart: turn.restart,
    prompt: turn.prompt,
  };
}

/** The end of a turn that another message follows, which may differ from that of the last. */
function endInHistory(stage: Stage, afterContent: string): string {
  const { prober, probes, turn } = stage;
  const rendered = prober.turn(probes.contentThenUser);
  const at = rendered?.indexOf(prober.sentinels.content) ?? -1;
  if (rendered === null || at < 0) return '';
  const after = behindStart(rendered, turn).slice(
    behindStart(rendered, turn).indexOf(prober.sentinels.content) + prober.sentinels.content.length,
  );
  if (afterContent !== '' && after.startsWith(afterContent)) return '';
  const { userEnd } = prober;
  if (userEnd !== '' && after.startsWith(userEnd)) return userEnd;
  return firstMarker(after);
}

/** What a tool's message begins with, where calls have no end of turn of their own. */
function followerOfCalls(stage: Stage): string {
  const rendered = readCallTurn(stage.prober, stage.probes.callThenTool, stage.turn);
  const alone = readCallTurn(stage.prober, stage.probes.oneCall, stage.turn);
  if (rendered === null || alone === null || !rendered.text.startsWith(alone.text)) return '';
  return firstMarker(rendered.text.slice(alone.text.length));
}

function firstMarker(text: string): string {
  const first = tokens(text.trimStart())[0] ?? '';
  return isMarker(first) ? first : '';
}

/** Ends of turn, without those after which the same message goes on. */
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
  parts: Pick<ChatFormat, 'turn' | 'reasoning' | 'content' | 'calls'>,
): readonly string[] {
  const texts = [
    parts.reasoning?.start,
    parts.reasoning?.end,
    ...contentTexts(parts.content),
    ...callTexts(parts),
  ];
  const marks = texts.flatMap((text) => tokens(text ?? '')).filter((token) => /^[<[].+[>\]]$/u.test(token));
  return [...new Set(marks)];
}

function contentTexts(content: ContentFormat): readonly string[] {
  return [content.open, content.close, content.besideCalls?.open ?? '', content.besideCalls?.close ?? ''];
}

function callTexts({ calls }: Pick<ChatFormat, 'calls'>): readonly string[] {
  if (calls === null) return [];
  const parts = [...calls.head, ...calls.tail].filter((part) => typeof part === 'string');
  const { section, call, separator } = calls;
  const own = [section.open, call.open, ...parts, call.close, separator, section.close];
  if (calls.arguments.kind === 'json') return own;
  const { entry, frames } = calls.arguments;
  const framed = Object.values(frames).flatMap((frame) => [frame.open, frame.close]);
  return [
    ...own,
    entry.open,
    entry.key,
    ...entry.close.filter((part) => typeof part === 'string'),
    ...framed,
  ];
}

/** Puts the model's own special tokens where the probes had sentinels; texts that become empty vanish from lists. */
function replaceTokens<T>(value: T, tokensBySentinel: ReadonlyMap<string, string>): T {
  return mapStrings(value, (text) => {
    let replaced = text;
    for (const [sentinel, token] of tokensBySentinel) replaced = replaced.replaceAll(sentinel, token);
    return replaced;
  }) as T;
}

/** White space alone ends no turn. */
function withoutBlankEnds(format: ChatFormat): ChatFormat {
  const ends = format.turn.ends.filter((end) => end.trim() !== '');
  return {
    ...format,
    turn: { ...format.turn, ends },
    stops: format.stops.filter((stop) => stop.trim() !== ''),
  };
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) {
    const mapped = value.map((item) => mapStrings(item, change));
    return mapped.filter((item, index) => item !== '' || value[index] === '');
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, change)]));
}

function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === 'object' && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}
