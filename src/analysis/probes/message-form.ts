/** The form of messages in which a template renders calls and reasoning, and the evidence for it. */

import type { InputShape } from '../../format/chat-format.ts';
import { withoutUndefined } from '../../format/option-rules.ts';
import { callShapes } from '../../template/prompt/input-shape.ts';
import { findCalls } from './call-spans.ts';
import type { Probe } from './probes.ts';
import type { Probing } from './probing.ts';
import type { ThinkingSetting } from './template-prober.ts';

/** The form, and the thinking setting under which finished turns show reasoning. */
export interface InferredInput {
  readonly input: InputShape;
  readonly reasoningSetting: ThinkingSetting;
}

/** Records evidence for the form that the prober found, and finds the setting under which reasoning is rendered. */
export function inferInput({ prober, probes, log }: Probing): InferredInput {
  const {
    arguments: encoding,
    emptyContent,
    callIds,
    calls,
    resultRole,
    contentParts,
    reasoningField,
  } = prober.form;
  const { thinkingVariables } = prober;
  const reasoning = reasoningField === null ? null : findReasoning(prober, probes);
  const call = prober.turn(probes.oneCall);
  const isRead = call !== null && findCalls(call, probes.oneCall.calls ?? []) !== null;
  const shown = isRead ? 'the call is rendered in it' : 'no call is rendered in any form';
  if (!isRead) {
    log.support('calls', 'one-call', '', shown);
    warnOfUnreadableCalls({ prober, log }, probes.oneCall);
  }
  log.support('input.arguments', 'one-call', encoding, shown);
  log.support('input.emptyContent', 'one-call', emptyContent, shown);
  if (callIds !== undefined) supportComposedIds({ prober, log }, probes.oneCall);
  if (calls !== undefined)
    log.support(
      'input.calls',
      'one-call',
      calls,
      calls === 'flat'
        ? 'name and arguments are read from the call itself'
        : "one call is read, from the message's function_call",
    );
  if (resultRole !== undefined)
    log.support('input.resultRole', 'one-call', resultRole, 'results of the role tool are not rendered');
  if (contentParts !== undefined)
    log.support(
      'input.contentParts',
      'content',
      contentParts.join(', '),
      'their text is rendered in parts only',
    );
  log.support(
    'input.reasoningField',
    reasoning?.probe ?? 'reasoning-content',
    reasoningField ?? '',
    reasoningField === null ? 'no message field makes the template render reasoning' : 'its text is rendered',
  );
  log.support('input.thinkingVariables', 'prompt-on', thinkingVariables.join(', '), 'they change a prompt');
  return {
    input: {
      arguments: encoding,
      emptyContent,
      ...withoutUndefined({ callIds, calls, resultRole, contentParts }),
      reasoningField,
      thinkingVariables,
    },
    reasoningSetting: reasoning?.setting ?? 'unset',
  };
}

/** Records that the names of tools are read from ids, in the one known form. */
function supportComposedIds({ prober, log }: Pick<Probing, 'prober' | 'log'>, probe: Probe): void {
  const rendered = prober.turn(probe) ?? '';
  log.support('input.callIds', probe.id, rendered, "the call's id is rendered and its name is not");
  const message =
    "the template writes a call's id and not its name: the model is taken to write ids that hold the name, " +
    '`functions.NAME:INDEX`, and messages are given such ids';
  log.warn({ field: 'input.callIds', kind: 'assumed', message, rendered });
}

function findReasoning(
  prober: Probing['prober'],
  probes: Probing['probes'],
): { readonly setting: ThinkingSetting; readonly probe: string } | null {
  for (const setting of ['unset', 'on'] as const) {
    for (const probe of [probes.reasoningContent, probes.reasoningCall, probes.reasoningCallThenTool]) {
      if (prober.turn(probe, setting)?.includes(prober.sentinels.reasoning) === true) {
        return { setting, probe: probe.id };
      }
    }
  }
  return null;
}

/** Warns if a template renders calls without showing their contents. */
function warnOfUnreadableCalls({ prober, log }: Pick<Probing, 'prober' | 'log'>, probe: Probe): void {
  const probers = callShapes.map((form) => prober.inForm({ ...prober.form, ...form }));
  // Templates may fail at null content or print it, and may fail at absent content.
  const plain = probers.filter(({ form }) => form.emptyContent === 'empty');
  const shown = shownOfCalls(probers, probe) ?? addedByCalls(plain, probe);
  if (shown !== null) {
    const message =
      'a call is rendered, but not with its name, the names of its arguments and their values as they were ' +
      'given, one after the other: calls of this template cannot be read';
    log.warn({ field: 'calls', kind: 'self-check', message, rendered: shown, written: '' });
    return;
  }
  const failure = plain.map((each) => each.failure(probe)).find((each) => each !== null);
  if (failure === undefined || failure === null || prober.failure(withoutCalls) !== null) return;
  const message =
    `the template fails at a message with a call (${failure}): it may read calls with a name or arguments of ` +
    'its own, and such calls cannot be read';
  log.warn({ field: 'calls', kind: 'assumed', message });
}

const withoutCalls: Probe = { id: 'no-calls', content: '' };

/** A turn that shows something of a call's contents. */
function shownOfCalls(probers: readonly Probing['prober'][], probe: Probe): string | null {
  const given = (probe.calls ?? []).flatMap((call) => [call.name, ...Object.entries(call.arguments).flat()]);
  const turns = probers.map((each) => each.turn(probe));
  return turns.find((turn) => given.some((text) => turn?.toLowerCase().includes(String(text)))) ?? null;
}

/** A turn that differs from that of the same message without its call. */
function addedByCalls(probers: readonly Probing['prober'][], probe: Probe): string | null {
  const turns = probers.map((each) => ({ turn: each.turn(probe), bare: each.turn(withoutCalls) }));
  const longer = turns.find(({ turn, bare }) => turn !== null && bare !== null && turn.length > bare.length);
  return longer?.turn ?? null;
}
