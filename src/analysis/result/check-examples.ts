/** The law about the model, on the finished format: what the prompt shows the model is read as meant. */

import { createResponseParser } from '../../codegen/create-response-parser.ts';
import type { ChatFormat } from '../../format/chat-format.ts';
import type { Steps } from '../../language/expression/steps.ts';
import { probeTools } from '../probes/probe-messages.ts';
import type { Probe } from '../probes/probes.ts';
import type { Probing } from '../probes/probing.ts';
import type { TemplateProber } from '../probes/template-prober.ts';
import type { WithExamples } from '../prompt/call-example.ts';
import { readSample, writesSample } from '../prompt/example-law.ts';

type Given = Probing & WithExamples & { readonly format: ChatFormat };

/**
 * Warns of an example that is no call for the finished parser, though it was one for the calls alone: another part of
 * the format is in its way. Warns also of calls after text that the parser takes for text.
 */
export function* checkExamples({ format, examples, prober, probes, log }: Given): Steps<object> {
  const isTold = log.warnings.some(({ kind, field }) => kind === 'prompt' && field === 'calls');
  const whole = examples.filter(({ sample }) => sample.isWhole);
  let isRead = false;
  for (const { sample } of whole) {
    isRead ||= readSample(format, sample) === 'as meant' || writesSample(format, sample);
    yield;
  }
  const [first] = whole;
  if (format.calls !== null && first !== undefined && !isRead && !isTold) {
    const message = 'the prompt shows the model a call that the finished parser does not read';
    log.warn({ field: 'calls', kind: 'prompt', message, rendered: first.text });
  }
  const lost = yield* turnsReadBack(format, prober, [probes.oneCall, probes.contentCall]);
  if (lost !== null) {
    const message = `probe ${lost.probe}: a call that the template renders is not read as one: nothing tells it from the text before it`;
    log.warn({ field: 'calls', kind: 'self-check', message, rendered: lost.turn });
  }
  return {};
}

/** A turn of which a call is not read. */
interface LostCall {
  readonly probe: string;
  readonly turn: string;
}

/** The first of the probes whose turn shows calls and is read without them; `null` if there is none. */
function* turnsReadBack(
  format: ChatFormat,
  prober: TemplateProber,
  probes: readonly Probe[],
): Steps<LostCall | null> {
  // If the format follows the prompt, finished turns show what no model writes.
  if (format.calls === null || format.calls.basis === 'prompt') return null;
  const tools = probeTools(prober.sentinels, 'plain');
  const parser = createResponseParser(format, { tools });
  for (const probe of probes) {
    yield;
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
