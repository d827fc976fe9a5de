/** From a chat template to its format: the table of the stages, and their entry point. */
import type { Capabilities, ChatFormat } from '../format/chat-format.ts';
import { AnalysisError } from '../format/errors.ts';
import { chatTemplate, integerFrom, type OptionRules, readOptions, string } from '../format/option-rules.ts';
import { chooseSentinels } from '../template/prompt/sentinels.ts';
import { parseTemplate, WorkBudget } from '../template/template.ts';
import { inferCallsFormat } from './calls/calls-format.ts';
import { inferCallsOpening } from './calls/calls-opening.ts';
import { inferCapabilities } from './capabilities.ts';
import { inferContentFormat } from './content/content-format.ts';
import { inferContentOpening } from './content/content-opening.ts';
import { type AnalysisWarning, type Evidence, EvidenceLog } from './evidence.ts';
import { learnBoundaries } from './probes/learn-boundaries.ts';
import { inferInput } from './probes/message-form.ts';
import { probeTable } from './probes/probes.ts';
import type { Probing } from './probes/probing.ts';
import { TemplateProber } from './probes/template-prober.ts';
import { compareWithPrompt } from './prompt/calls-from-prompt.ts';
import { readToolPrompt } from './prompt/tool-prompt.ts';
import { inferReasoningFormat } from './reasoning/reasoning-format.ts';
import { inferReasoningMarkers } from './reasoning/reasoning-markers.ts';
import { warnOfUnrenderedThoughts } from './reasoning/unrendered-thoughts.ts';
import { assembleFormat } from './result/assemble.ts';
import { deepFreeze, replaceTokens, withoutBlankEnds } from './result/model-tokens.ts';
import { checkFormat, type SelfCheck } from './result/self-check.ts';
import { stagesFrom } from './stages.ts';
import { inferRegionEnds } from './turn/region-ends.ts';
import { renderTurns } from './turn/rendered-turns.ts';
import { inferResultMarkers } from './turn/result-markers.ts';
import { inferTurnFormat } from './turn/turn-format.ts';
import { inferTurnStart } from './turn/turn-start.ts';
import { warnOfUnaccountedPrompt } from './turn/unaccounted-prompt.ts';

/** The stages in their order. Each reads its part off renders, by what the stages before it found. */
const stages = stagesFrom<Probing>()
  .add(inferInput) //              input        in which form of messages calls and reasoning are rendered
  .add(inferCapabilities) //       capabilities what the template accepts and reads
  .add(learnBoundaries) //         boundaries   where literals may be cut
  .add(inferTurnStart) //          turnStart    what turns and generation prompts begin with
  .add(renderTurns) //             turns        an answer, calls, and both, as they are rendered
  .add(inferReasoningMarkers) //   markers      what opens reasoning, and what follows it
  .add(inferRegionEnds) //         ends         where content and calls stop, and what ends their turns
  .add(inferContentOpening) //     opening      what stands before content
  .add(inferCallsOpening) //       callsOpening what stands before calls
  .add(inferReasoningFormat) //    reasoning
  .add(inferContentFormat) //      content
  .add(inferCallsFormat) //        calls
  .add(readToolPrompt) //          toolPrompt   what the prompt says of calls
  .add(compareWithPrompt) //       calls        against the prompt's example, or taken from it
  .add(inferTurnFormat) //         turn
  .add(inferResultMarkers) //      results      what stands around the result of a tool
  .add(assembleFormat) //          format       the parts, with overrides and derived fields
  .add(warnOfUnaccountedPrompt) // –            warns of prompts that open what nothing closes
  .add(warnOfUnrenderedThoughts) // –           warns of thoughts that the template speaks of and nothing shows
  .add(checkFormat); //            selfCheck    what the format writes against what is rendered

/** Options of `analyzeTemplate`. */
export interface AnalyzeOptions {
  /** Names the template in errors; default `template`. */
  readonly name?: string;
  /** The model's beginning-of-sequence token, which templates receive as a variable; default `""`. */
  readonly bosToken?: string;
  /** The model's end-of-sequence token; default `""`, and then no end of turn holds it. */
  readonly eosToken?: string;
  /**
   * Limit for the steps of all renders together, in units of work; exceeding it is a `TemplateLimitError`.
   * Default 5,000,000, a second or two at worst; real templates take 30,000 to 700,000.
   */
  readonly budget?: number;
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

const optionRules: OptionRules<AnalyzeOptions> = {
  name: string,
  bosToken: string,
  eosToken: string,
  budget: integerFrom(1, Number.MAX_SAFE_INTEGER),
};

const defaultBudget = 5_000_000;

/** Real templates render a probe in a few thousand steps; a hundred renders must not add up to minutes. */
const analysisLimits = { steps: 200_000, output: 1 << 20 } as const;

/**
 * Reads the format of a chat template from its renders.
 * Throws TemplateError, TemplateLimitError, AnalysisError if the template renders no chat, and
 * UnsupportedOptionError for a wrong option.
 */
export function analyzeTemplate(templateSource: string, given: AnalyzeOptions = {}): Analysis {
  const options = readOptions(given, optionRules);
  const name = options.name ?? 'template';
  const probing = prepareProbes(templateSource, name, new WorkBudget(options.budget ?? defaultBudget));
  const { format, selfCheck } = stages.run(probing);
  const { sentinels } = probing.prober;
  const special = new Map([
    [sentinels.bos, options.bosToken ?? ''],
    [sentinels.eos, options.eosToken ?? ''],
  ]);
  const finished = deepFreeze(withoutBlankEnds(replaceTokens(format, special)));
  return {
    format: finished,
    capabilities: finished.capabilities,
    evidence: replaceTokens(probing.log.entries, special),
    warnings: replaceTokens(probing.log.warnings, special),
    selfCheck,
  };
}

function prepareProbes(templateSource: string, name: string, budget: WorkBudget): Probing {
  const template = parseTemplate(templateSource, { name, limits: analysisLimits, budget });
  if (!chatTemplate.allows(templateSource)) {
    const reason =
      'this is not a chat template: it has no {{ … }} and no {% … %} (its source is meant, not its path)';
    throw new AnalysisError({ template: name, probe: 'user', reason });
  }
  const sentinels = chooseSentinels(templateSource);
  if (sentinels === null) {
    const reason = 'the template contains every sentinel';
    throw new AnalysisError({ template: name, probe: 'user', reason });
  }
  const prober = new TemplateProber(template, sentinels);
  return { template, prober, probes: probeTable(sentinels), log: new EvidenceLog() };
}
