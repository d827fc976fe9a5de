/** The pipeline from a chat template to its format: the table of stages, and the entry point. */

import { AnalysisError } from '../format/errors.ts';
import {
  chatTemplate,
  integerFrom,
  type OptionRules,
  readOptions,
  string,
  stringArray,
} from '../format/option-rules.ts';
import { finish, type Steps } from '../language/expression/steps.ts';
import { chooseSentinels } from '../template/prompt/sentinels.ts';
import { parseTemplate, WorkBudget } from '../template/template.ts';
import type { Analysis } from './analysis.ts';
import { inferCallsFormat } from './calls/calls-format.ts';
import { inferCallsOpening } from './calls/calls-opening.ts';
import { readRoleCalls } from './calls/role-calls.ts';
import { inferCapabilities } from './capabilities.ts';
import { inferContentFormat } from './content/content-format.ts';
import { inferContentOpening } from './content/content-opening.ts';
import { EvidenceLog } from './evidence.ts';
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
import { checkExamples } from './result/check-examples.ts';
import { compareWithModel, pairByVocabulary } from './result/model-facts.ts';
import { deepFreeze, replaceTokens, withoutBlankEnds } from './result/model-tokens.ts';
import { checkFormat } from './result/self-check.ts';
import { warnOfUnexplainedEvidence } from './result/unexplained-evidence.ts';
import { stagesFrom } from './stages.ts';
import { inferRegionEnds } from './turn/region-ends.ts';
import { renderTurns } from './turn/rendered-turns.ts';
import { inferResultMarkers } from './turn/result-markers.ts';
import { inferTurnFormat } from './turn/turn-format.ts';
import { inferTurnStart } from './turn/turn-start.ts';
import { warnOfUnexplainedPrompt } from './turn/unexplained-prompt.ts';

/** The stages, in order. Each reads its part from renders, with the findings of the stages before it. */
const stages = stagesFrom<Probing>()
  .add(inferInput) //                input        the form of messages in which calls and reasoning are rendered
  .add(inferCapabilities) //         capabilities what the template accepts and reads
  .addSteps(learnBoundaries) //      boundaries   where literals may be cut
  .add(inferTurnStart) //            turnStart    what turns and generation prompts begin with
  .add(renderTurns) //               turns        an answer, calls, and both, as they are rendered
  .add(inferReasoningMarkers) //     markers      what opens reasoning, and what follows it
  .add(inferRegionEnds) //           ends         where content and calls end, and what ends their turns
  .add(inferContentOpening) //       opening      what precedes content
  .add(inferCallsOpening) //         callsOpening what precedes calls
  .add(inferReasoningFormat) //      reasoning
  .add(inferContentFormat) //        content
  .add(inferCallsFormat) //          calls
  .add(readRoleCalls) //             calls        of a role of their own, if the assistant's messages show none
  .add(readToolPrompt) //            toolPrompt   what the prompt tells the model about calls
  .add(compareWithPrompt) //         calls        compared with the prompt's example, or taken from it
  .add(pairByVocabulary) //          calls        closers that repeat their openers, if the vocabulary has others
  .add(inferTurnFormat) //           turn
  .add(inferResultMarkers) //        results      the markers around a tool's result
  .add(assembleFormat) //            format       the parts, with overrides and derived fields
  .add(warnOfUnexplainedPrompt) //   –            warns of prompts that open something that nothing closes
  .add(warnOfUnrenderedThoughts) //  –            warns of thoughts that the template mentions and no render shows
  .add(warnOfUnexplainedEvidence) // –            warns of tools without calls, and of markers that close themselves
  .addSteps(checkExamples) //        –            warns of examples in the prompt that the finished format does not read
  .add(compareWithModel) //          –            warns where the model's vocabulary or configuration contradicts
  .addSteps(checkFormat); //         selfCheck    compares what the format writes with the renders

/** Options of `analyzeTemplate`. */
export interface AnalyzeOptions {
  /** The template's name in errors; default `template`. */
  readonly name?: string;
  /** The model's beginning-of-sequence token, a variable of templates; default `""`. */
  readonly bosToken?: string;
  /** The model's end-of-sequence token; default `""`, so no end of turn contains it. */
  readonly eosToken?: string;
  /**
   * Limit for the steps of all renders together; exceeding it throws a `TemplateLimitError`. Default 5,000,000, which
   * takes a second or two at worst; real templates need 30,000 to 700,000.
   */
  readonly budget?: number;
  /** The tokens that were added to the model's vocabulary, if known; default none. */
  readonly addedTokens?: readonly string[];
  /** The tokens at which the model's generation ends, by its generation config, if known; default none. */
  readonly endTokens?: readonly string[];
}

const optionRules: OptionRules<AnalyzeOptions> = {
  name: string,
  bosToken: string,
  eosToken: string,
  budget: integerFrom(1, Number.MAX_SAFE_INTEGER),
  addedTokens: stringArray,
  endTokens: stringArray,
};

const defaultBudget = 5_000_000;

/** Real templates render a probe in a few thousand steps; with these limits, a hundred renders cannot take minutes. */
const analysisLimits = { steps: 200_000, output: 1 << 20 } as const;

/**
 * Reads the format of a chat template from its renders. Throws TemplateError, TemplateLimitError, AnalysisError if the
 * template renders no chat, and UnsupportedOptionError for an invalid option.
 */
export function analyzeTemplate(templateSource: string, given: AnalyzeOptions = {}): Analysis {
  return finish(analyzeTemplateSteps(templateSource, given));
}

/** The same, in steps. */
export function* analyzeTemplateSteps(templateSource: string, given: AnalyzeOptions): Steps<Analysis> {
  const options = readOptions(given, optionRules);
  const name = options.name ?? 'template';
  const { bosToken = '', eosToken = '', budget = defaultBudget, addedTokens = [], endTokens = [] } = options;
  yield;
  const probing = {
    ...prepareProbes(templateSource, name, new WorkBudget(budget)),
    facts: { addedTokens, endTokens },
  };
  const { format, selfCheck, examples } = yield* stages.run(probing);
  const { sentinels } = probing.prober;
  const special = new Map([
    [sentinels.bos, bosToken],
    [sentinels.eos, eosToken],
  ]);
  const finished = deepFreeze(withoutBlankEnds(replaceTokens(format, special)));
  return {
    format: finished,
    capabilities: finished.capabilities,
    evidence: replaceTokens(probing.log.entries, special),
    warnings: replaceTokens(probing.log.warnings, special),
    selfCheck,
    examples: examples.map(({ sample }) => sample),
  };
}

function prepareProbes(templateSource: string, name: string, budget: WorkBudget): Omit<Probing, 'facts'> {
  const template = parseTemplate(templateSource, { name, limits: analysisLimits, budget });
  if (!chatTemplate.allows(templateSource)) {
    const reason =
      'this is not a chat template: it has no {{ … }} and no {% … %} (what is wanted is its text, not the path of a file)';
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
