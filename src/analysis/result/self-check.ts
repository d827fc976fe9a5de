/**
 * The self-check: probe messages written from the inferred format are compared byte for byte with the template's
 * renders. Each difference is a warning with both texts.
 */
import type { CallsFormat, ChatFormat } from '../../format/chat-format.ts';
import type { AssistantMessage } from '../../format/messages.ts';
import type { Steps } from '../../language/expression/steps.ts';
import { writeResponse } from '../../layout/write-response.ts';
import type { Sentinels } from '../../template/prompt/sentinels.ts';
import type { SelfCheck } from '../analysis.ts';
import type { EvidenceLog } from '../evidence.ts';
import type { InferredInput } from '../probes/message-form.ts';
import { type Probe, type ProbeTable, valueProbe } from '../probes/probes.ts';
import type { Probing } from '../probes/probing.ts';
import type { TemplateProber } from '../probes/template-prober.ts';
import type { WithEnds } from '../turn/region-ends.ts';

type Given = Probing & InferredInput & WithEnds & { readonly format: ChatFormat };

/** Compares everything that the format can write with its render. */
export function* checkFormat(given: Given): Steps<{ readonly selfCheck: SelfCheck }> {
  const { format, ends, prober, probes, reasoningSetting, log } = given;
  const possibleEnds = [...format.turn.ends, ends.contentEnd, ends.callsEnd, ''];
  let compared = 0;
  let exact = 0;
  for (const probe of checkedProbes(format, prober, probes)) {
    yield;
    const rendered = prober.turn(probe, probe.reasoning === undefined ? 'unset' : reasoningSetting);
    if (rendered === null || drops(rendered, probe, prober.sentinels)) continue;
    compared += 1;
    const written = format.turn.start + writeResponse(format, probeMessage(probe));
    if (possibleEnds.some((end) => rendered === written + end)) exact += 1;
    else warn(probe, rendered, written, log);
  }
  return { selfCheck: { compared, exact } };
}

function warn(probe: Probe, rendered: string, written: string, log: EvidenceLog): void {
  const message = `probe ${probe.id}: what the format writes differs from the render`;
  log.warn({ field: fieldOf(probe), kind: 'self-check', message, rendered, written });
}

function fieldOf(probe: Probe): string {
  if (probe.calls !== undefined) return 'calls';
  return probe.reasoning === undefined ? 'content' : 'reasoning';
}

/**
 * Whether the render drops thoughts, calls, or all calls but the first. Such renders do not show how these are written.
 */
function drops(rendered: string, { reasoning, calls = [] }: Probe, sentinels: Sentinels): boolean {
  if (reasoning !== undefined && !rendered.includes(sentinels.reasoning)) return true;
  const shown = calls.filter((call) => rendered.includes(call.name));
  return shown.length < calls.length && (shown.length === 0 || shown[0] === calls[0]);
}

function probeMessage(probe: Probe): AssistantMessage {
  return {
    role: 'assistant',
    content: probe.content ?? '',
    ...(probe.reasoning === undefined ? {} : { reasoning_content: probe.reasoning }),
    tool_calls: (probe.calls ?? []).map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    })),
  };
}

function checkedProbes(format: ChatFormat, prober: TemplateProber, probes: ProbeTable): readonly Probe[] {
  const plain = [
    probes.content,
    { ...probes.content, id: 'later-content', isLater: true as const },
    ...(format.reasoning === null ? [] : [probes.reasoningContent]),
    ...textProbes(format, prober),
  ];
  // Calls known from the prompt alone cannot be compared with a render.
  if (format.calls === null || format.calls.basis === 'prompt') return plain;
  // The template itself has no place for text before a call.
  const shownApart = format.input.preamble !== undefined;
  return [
    ...plain,
    probes.oneCall,
    { ...probes.oneCall, id: 'later-call', isLater: true as const },
    ...(shownApart ? [] : [probes.contentCall]),
    probes.noArguments,
    probes.twoCalls,
    ...(format.calls.parallel ? [probes.threeCalls] : []),
    ...(format.reasoning === null
      ? []
      : [probes.reasoningCall, ...(shownApart ? [] : [probes.reasoningContentCall])]),
    ...valueProbes(prober, format.calls),
  ];
}

/** Characters that templates escape, if they escape any. */
const awkwardText = `"a" 'b' \\ \n < & é {x}`;

function textProbes(format: ChatFormat, { sentinels }: TemplateProber): readonly Probe[] {
  const content = `${sentinels.content} ${awkwardText}`;
  const reasoning = `${sentinels.reasoning} ${awkwardText}`;
  const plain = { id: 'content-characters', content };
  const thinking = { id: 'reasoning-characters', content: sentinels.content, reasoning };
  return format.reasoning === null ? [plain] : [plain, thinking];
}

function valueProbes(prober: TemplateProber, calls: CallsFormat): readonly Probe[] {
  const { sentinels } = prober;
  const { typed, inner } = sentinels;
  const text = `${inner[0]} ${awkwardText} `;
  const { arguments: format, unshown = [] } = calls;
  // A template that pastes strings into quotes does not write what a model writes.
  const isPasted = format.kind === 'entries' && format.frames.string.pasted !== undefined;
  const strings = [
    ...(isPasted ? [] : [valueProbe(sentinels, typed.string, text, 'characters')]),
    valueProbe(sentinels, typed.string, '', 'empty-string'),
  ];
  if (unshown.includes('types')) return strings;
  return [
    ...strings,
    valueProbe(sentinels, typed.integer, -7, 'integer'),
    valueProbe(sentinels, typed.number, 162.25, 'number'),
    valueProbe(sentinels, typed.boolean, true, 'true'),
    valueProbe(sentinels, typed.boolean, false, 'false'),
    valueProbe(sentinels, typed.null, null, 'null'),
    valueProbe(sentinels, typed.array, [inner[0], 2, { [inner[1]]: [] }], 'array'),
    valueProbe(sentinels, typed.object, { [inner[1]]: {}, [inner[0]]: [true, null, 'é'] }, 'object'),
  ];
}
