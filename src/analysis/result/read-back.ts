/** Tries the finished parser on turns that the template renders. */
import { createResponseParser } from '../../codegen/create-response-parser.ts';
import type { ChatFormat } from '../../format/chat-format.ts';
import { probeTools } from '../probes/probe-messages.ts';
import type { Probe } from '../probes/probes.ts';
import type { TemplateProber } from '../probes/template-prober.ts';

/** A turn of which a call is not read. */
export interface LostCall {
  readonly probe: string;
  readonly turn: string;
}

/** The first of the probes whose turn shows calls and is read without them; `null` if there is none. */
export function turnsReadBack(
  format: ChatFormat,
  prober: TemplateProber,
  probes: readonly Probe[],
): LostCall | null {
  // If the format follows the prompt, finished turns show what no model writes.
  if (format.calls === null || format.calls.basis === 'prompt') return null;
  const tools = probeTools(prober.sentinels, 'plain');
  const parser = createResponseParser(format, { tools });
  for (const probe of probes) {
    const names = (probe.calls ?? []).map(({ name }) => name);
    const rendered = prober.turn(probe);
    if (rendered === null || !names.every((name) => rendered.includes(name))) continue;
    const turn = rendered.startsWith(format.turn.start) ? rendered.slice(format.turn.start.length) : rendered;
    parser.reset();
    parser.feed(turn);
    const read = (parser.finish().message.tool_calls ?? []).map((call) => call.function.name);
    if (!names.every((name) => read.includes(name))) return { probe: probe.id, turn };
  }
  return null;
}
