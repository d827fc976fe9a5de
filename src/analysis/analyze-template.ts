/**
 * From a chat template to its format. The order of the inferences is the table of contents:
 *
 *     shape → turn → reasoning → calls → ends → regions → call skeleton → labels → overrides → self-check
 */
import { type Capabilities, type ChatFormat, chatFormatVersion } from '../format/chat-format.ts';
import { AnalysisError } from '../format/errors.ts';
import { type OptionRules, readOptions, string } from '../format/option-rules.ts';
import { sha256 } from '../format/sha256.ts';
import { parseTemplate } from '../template/template.ts';
import { observeCapabilities } from './capabilities.ts';
import { withDerivedFields } from './result/derived-fields.ts';
import { refuseUnterminatedValues } from './calls/unterminated-values.ts';
import { type AnalysisWarning, type Evidence, EvidenceLog } from './evidence.ts';
import { inferCalls } from './calls/calls-format.ts';
import { inferRegionEnds } from './turn/region-ends.ts';
import { inferReasoningMarkers } from './reasoning/reasoning-markers.ts';
import { inferRegions } from './content/content-format.ts';
import { inferShape, type ShapeReading } from './probes/message-form.ts';
import { inferTurnStart, type TurnStart } from './turn/turn-start.ts';
import { endInHistory, inferTurnEnds } from './turn/turn-format.ts';
import { labelFormat } from './result/labels.ts';
import { applyOverrides } from './overrides/overrides.ts';
import { type ProbeTable, probeTable } from './probes/probes.ts';
import {
  type CallTurn,
  type ContentTurn,
  readCallTurn,
  readContentCall,
  readContentTurn,
} from './probes/rendered-turns.ts';
import { type SelfCheck, selfCheck } from './result/self-check.ts';
import { chooseSentinels } from '../template/prompt/sentinels.ts';
import { deepFreeze, replaceTokens, withoutBlankEnds } from './result/special-tokens.ts';
import { TemplateProber } from './probes/template-prober.ts';
import { BoundaryStatistics } from './literals/token-boundaries.ts';
import { warnOfUnaccountedPrompt } from './turn/unaccounted-prompt.ts';

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

const optionRules: OptionRules<AnalyzeOptions> = { name: string, bosToken: string, eosToken: string };

/** Real templates render a probe in a few thousand steps; a hundred renders must not add up to minutes. */
const analysisLimits = { steps: 200_000, output: 1 << 20 } as const;

/**
 * Reads the format of a chat template off its renders.
 * Throws TemplateError, TemplateLimitError, AnalysisError where the template renders no chat, and
 * UnsupportedOptionError for a wrong option.
 */
export function analyzeTemplate(templateSource: string, given: AnalyzeOptions = {}): Analysis {
  const options = readOptions(given, optionRules);
  const name = options.name ?? 'template';
  const template = parseTemplate(templateSource, { name, limits: analysisLimits });
  const sentinels = chooseSentinels(templateSource);
  if (sentinels === null) {
    throw new AnalysisError({
      template: name,
      probe: 'user',
      reason: 'the template contains every sentinel',
    });
  }
  const prober = new TemplateProber(template, sentinels);
  const probes = probeTable(prober.sentinels);
  const log = new EvidenceLog();
  const shape = inferShape(prober, probes, log);
  const cuts = learnCuts(prober, probes);
  const turn = inferTurnStart(prober, probes, cuts, log);
  const { capabilities, evidence } = observeCapabilities(template);
  for (const entry of evidence) log.add(entry);
  const draft = inferFormat({ prober, probes, log, shape, cuts, turn, capabilities, source: templateSource });
  refuseProbeTexts(draft.format, prober);
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

/** A format that holds a probe's own text was read where a template repeats what it was given. */
function refuseProbeTexts(format: ChatFormat, { name, sentinels }: TemplateProber): void {
  const text = JSON.stringify(format).replaceAll(sentinels.bos, '').replaceAll(sentinels.eos, '');
  if (text.search(sentinels.pattern) < 0) return;
  const field = (['turn', 'reasoning', 'content', 'calls'] as const).find(
    (each) => JSON.stringify(format[each]).replaceAll(sentinels.eos, '').search(sentinels.pattern) >= 0,
  );
  const reason = `the template writes a message's texts more than once, or where no marker tells them apart: ${field ?? 'the format'} cannot be read`;
  throw new AnalysisError({ template: name, probe: 'reasoning-content-call', reason });
}

interface Stage {
  readonly prober: TemplateProber;
  readonly probes: ProbeTable;
  readonly log: EvidenceLog;
  readonly shape: ShapeReading;
  readonly cuts: BoundaryStatistics;
  readonly turn: TurnStart;
  readonly source: string;
  readonly capabilities: Capabilities;
}

function learnCuts(prober: TemplateProber, probes: ProbeTable): BoundaryStatistics {
  const cuts = new BoundaryStatistics();
  for (const probe of Object.values(probes)) prober.turn(probe);
  for (const text of prober.seen) cuts.learn(prober.sentinels.user + text, prober.sentinels.pattern);
  return cuts;
}

/** The inferences after shape and turn: each line reads its part off the renders. */
function inferFormat(stage: Stage): { readonly format: ChatFormat; readonly ends: readonly string[] } {
  const { prober, probes, log, shape, cuts, turn } = stage;
  const reasoning = inferReasoningMarkers(prober, probes, turn, shape.reasoningSetting, log);
  const content = requireContent(stage);
  const calls = shape.rendersCalls ? readCalls(stage) : null;
  const historyEnd = endInHistory(stage, content.after);
  const ends = inferRegionEnds(content, calls, turn, historyEnd, readContentCall(prober, probes, turn, ''), cuts);
  const contentCall = readContentCall(prober, probes, turn, ends.callsClose);
  const regions = inferRegions({ turn, ends, reasoning, content, calls, contentCall }, cuts, log);
  const callTexts = { prober, probes, turn, cuts, log, ...ends, callsOpen: regions.callsOpen };
  const parts = {
    turn: inferTurnEnds({ ...stage, rendersCalls: shape.rendersCalls }, ends, historyEnd),
    reasoning: regions.reasoning,
    content: regions.content,
    calls: calls === null ? null : refuseUnterminatedValues(inferCalls({ ...callTexts, calls }), calls, log),
  };
  const format = withDerivedFields(applyOverrides(assemble(stage, parts), log), log);
  warnOfUnaccountedPrompt(format, log);
  return { format, ends: [...format.turn.ends, ends.contentEnd, ends.callsEnd, ''] };
}

function assemble(
  { source, shape, capabilities }: Stage,
  parts: Pick<ChatFormat, 'turn' | 'reasoning' | 'content' | 'calls'>,
): ChatFormat {
  return {
    version: chatFormatVersion,
    templateSha256: sha256(source),
    labels: labelFormat(parts),
    // Calls that are rendered and cannot be read are none.
    capabilities: {
      ...capabilities,
      supportsToolCalls: capabilities.supportsToolCalls && parts.calls !== null,
    },
    input: { ...shape.shape, thinkingVariables: shape.thinkingVariables },
    ...parts,
    preservedTokens: [],
    stops: [],
  };
}

function readCalls({ prober, probes, turn }: Stage): CallTurn | null {
  return readCallTurn(prober, probes.twoCalls, turn) ?? readCallTurn(prober, probes.oneCall, turn);
}

function requireContent({ prober, probes, turn }: Stage): ContentTurn {
  const content = readContentTurn(prober, probes, turn);
  if (content !== null) return content;
  const reason = 'an assistant message is not rendered: this is no template of a chat';
  throw new AnalysisError({ template: prober.name, probe: probes.content.id, reason });
}
