/** The whole format out of its parts, with what overrides assert and what follows from the rest. */
import {
  type CallsFormat,
  type Capabilities,
  type ChatFormat,
  type ContentFormat,
  chatFormatVersion,
  type ReasoningFormat,
  type TurnFormat,
} from '../../format/chat-format.ts';
import { AnalysisError } from '../../format/errors.ts';
import { sha256 } from '../../format/sha256.ts';
import { applyOverrides } from '../overrides/overrides.ts';
import type { InferredInput } from '../probes/message-form.ts';
import type { Probing } from '../probes/probing.ts';
import type { TemplateProber } from '../probes/template-prober.ts';
import type { WithMarkers } from '../reasoning/reasoning-markers.ts';
import type { WithResults } from '../turn/result-markers.ts';
import { withDerivedFields } from './derived-fields.ts';
import { labelFormat } from './labels.ts';

/** The parts that the stages before read. */
interface FormatParts {
  readonly turn: TurnFormat;
  readonly reasoning: ReasoningFormat | null;
  readonly content: ContentFormat;
  readonly calls: CallsFormat | null;
}

type Given = Probing &
  InferredInput &
  FormatParts &
  WithResults &
  Pick<WithMarkers, 'alternatives'> & { readonly capabilities: Capabilities };

/** Puts the parts together. Throws AnalysisError where one of them holds a probe's own text. */
export function assembleFormat(given: Given): { readonly format: ChatFormat } {
  const {
    template,
    input,
    capabilities,
    turn,
    reasoning,
    content,
    calls,
    results,
    alternatives,
    prober,
    log,
  } = given;
  const parts = { turn, reasoning, content, calls };
  const inferred: ChatFormat = {
    version: chatFormatVersion,
    templateSha256: sha256(template.source),
    labels: labelFormat(parts),
    // Calls that are rendered but cannot be read do not count.
    capabilities: {
      ...capabilities,
      supportsToolCalls: capabilities.supportsToolCalls && calls !== null,
    },
    input,
    ...parts,
    ...(results === undefined ? {} : { results }),
    ...(alternatives === undefined ? {} : { alternatives }),
    preservedTokens: [],
    stops: [],
  };
  const format = withDerivedFields(applyOverrides(inferred, template.source, log), log);
  refuseProbeTexts(format, prober);
  return { format };
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
