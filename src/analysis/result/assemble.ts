/** Assembles the format from its parts, overrides and derived fields. */

import type { Capabilities } from '../../format/capabilities.ts';
import {
  type CallsFormat,
  type ChatFormat,
  type ContentFormat,
  chatFormatVersion,
  type ReasoningFormat,
  type TurnFormat,
} from '../../format/chat-format.ts';
import { AnalysisError } from '../../format/errors.ts';
import { withoutUndefined } from '../../format/option-rules.ts';
import { templateFingerprint } from '../../format/template-fingerprint.ts';
import { applyOverrides } from '../overrides/overrides.ts';
import type { InferredInput } from '../probes/message-form.ts';
import type { Probing } from '../probes/probing.ts';
import type { TemplateProber } from '../probes/template-prober.ts';
import type { WithMarkers } from '../reasoning/reasoning-markers.ts';
import type { WithResults } from '../turn/result-markers.ts';
import { withDerivedFields } from './derived-fields.ts';
import { labelFormat } from './labels.ts';

/** The parts that earlier stages inferred. */
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

/** Assembles the parts. Throws AnalysisError if one of them contains a probe's own text. */
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
    templateSha256: templateFingerprint(template.source),
    labels: labelFormat(parts),
    // Calls that are rendered but cannot be read do not count.
    capabilities: {
      ...capabilities,
      supportsToolCalls: capabilities.supportsToolCalls && calls !== null,
    },
    input,
    ...parts,
    ...withoutUndefined({ results, alternatives }),
    preservedTokens: [],
    stops: [],
  };
  const format = withDerivedFields(applyOverrides(inferred, template.source, log), log);
  refuseProbeTexts(format, prober);
  return { format };
}

/** A format that contains a probe's own text was read from a template that repeats its input. */
function refuseProbeTexts(format: ChatFormat, { name, sentinels }: TemplateProber): void {
  const text = JSON.stringify(format).replaceAll(sentinels.bos, '').replaceAll(sentinels.eos, '');
  if (text.search(sentinels.pattern) < 0) return;
  const field = (['turn', 'reasoning', 'content', 'calls'] as const).find(
    (each) => JSON.stringify(format[each]).replaceAll(sentinels.eos, '').search(sentinels.pattern) >= 0,
  );
  const reason = `the template writes a message's texts more than once, or where no marker tells them apart: ${field ?? 'the format'} cannot be read`;
  throw new AnalysisError({ template: name, probe: 'reasoning-content-call', reason });
}
