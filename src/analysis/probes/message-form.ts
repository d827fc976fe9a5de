/** Under which conversation shape a template renders calls and reasoning: tried, not guessed. */
import { writePython, writePythonString } from '../../format/write-values.ts';
import { callShapes, reasoningFields } from '../../template/prompt/input-shape.ts';
import { findCalls } from '../calls/call-spans.ts';
import type { EvidenceLog } from '../evidence.ts';
import type { ProbeShape } from './probe-messages.ts';
import type { Probe, ProbeCall, ProbeTable } from './probes.ts';
import type { TemplateProber, ThinkingSetting } from './template-prober.ts';

/** The shape that renders most, and what it renders. */
export interface ShapeReading {
  readonly shape: ProbeShape;
  readonly rendersCalls: boolean;
  /** The thinking setting under which finished turns show reasoning. */
  readonly reasoningSetting: ThinkingSetting;
  readonly thinkingVariables: readonly string[];
}

/** Finds the shape, and leaves it set in the prober. */
export function inferShape(prober: TemplateProber, probes: ProbeTable, log: EvidenceLog): ShapeReading {
  const calls = findCallShape(prober, probes.oneCall);
  const base: ProbeShape = { ...(calls ?? callShapes[0] ?? prober.shape), reasoningField: null };
  const reasoning = findReasoningField(prober, probes, base);
  const shape: ProbeShape = { ...base, reasoningField: reasoning?.field ?? null };
  prober.shape = shape;
  if (calls === null) {
    log.support('calls', 'one-call', '', 'no call is rendered under any shape');
    warnOfUnreadCalls(prober, probes.oneCall, log);
  }
  const shown = calls === null ? 'no call is rendered under any shape' : 'the call is rendered under it';
  log.support('input.arguments', 'one-call', shape.arguments, shown);
  log.support('input.emptyContent', 'one-call', shape.emptyContent, shown);
  log.support(
    'input.reasoningField',
    reasoning?.probe ?? 'reasoning-content',
    shape.reasoningField ?? '',
    shape.reasoningField === null ? 'no field brings reasoning into a render' : 'its text is rendered',
  );
  const thinkingVariables = prober.thinkingVariables;
  log.support('input.thinkingVariables', 'prompt-on', thinkingVariables.join(', '), 'they change a prompt');
  return {
    shape,
    rendersCalls: calls !== null,
    reasoningSetting: reasoning?.setting ?? 'unset',
    thinkingVariables,
  };
}

function findCallShape(prober: TemplateProber, probe: Probe): (typeof callShapes)[number] | null {
  let python: (typeof callShapes)[number] | null = null;
  for (const shape of callShapes) {
    const turn = prober.turn(probe, 'unset', { ...shape, reasoningField: null });
    if (turn === null || probe.calls === undefined) continue;
    if (findCalls(turn, probe.calls) === null) continue;
    if (!isPrinted(turn, probe.calls)) return shape;
    python ??= shape;
  }
  return python;
}

/** Whether arguments stand in a render as Python prints an object, or the string that holds their JSON. */
function isPrinted(turn: string, calls: readonly ProbeCall[]): boolean {
  const printed = ({ arguments: given }: ProbeCall) => [
    writePython(given),
    writePythonString(JSON.stringify(given)),
  ];
  return calls.flatMap(printed).some((text) => turn.includes(text));
}

/** Says that a template shows something of calls, and that it is not what they were given as. */
function warnOfUnreadCalls(prober: TemplateProber, probe: Probe, log: EvidenceLog): void {
  const turns = callShapes.map((shape) => prober.turn(probe, 'unset', { ...shape, reasoningField: null }));
  const given = (probe.calls ?? []).flatMap((call) => [call.name, ...Object.entries(call.arguments).flat()]);
  const shown = turns.find((turn) => given.some((text) => turn?.toLowerCase().includes(String(text))));
  if (shown === undefined || shown === null) return;
  const message =
    'a call is rendered, but not with its name, the names of its arguments and their values as they were ' +
    'given, one after the other: calls of this template cannot be read';
  log.warn({ field: 'calls', kind: 'self-check', message, rendered: shown, written: '' });
}

interface FoundField {
  readonly field: (typeof reasoningFields)[number];
  readonly setting: ThinkingSetting;
  readonly probe: string;
}

function findReasoningField(prober: TemplateProber, probes: ProbeTable, base: ProbeShape): FoundField | null {
  for (const setting of ['unset', 'on'] as const) {
    for (const field of reasoningFields) {
      const probe = [probes.reasoningContent, probes.reasoningCall].find((each) =>
        showsReasoning(prober.turn(each, setting, { ...base, reasoningField: field }), field, prober),
      );
      if (probe !== undefined) return { field, setting, probe: probe.id };
    }
  }
  return null;
}

/** A printed message or list of parts (`[{'type': 'thinking', …`) is not reasoning that the template knows. */
function showsReasoning(turn: string | null, field: FoundField['field'], prober: TemplateProber): boolean {
  const { reasoning } = prober.sentinels;
  if (turn === null || !turn.includes(reasoning)) return false;
  const key = field === 'thinking-part' ? 'thinking' : field;
  return !turn.includes(`'${key}': '${reasoning}'`) && !turn.includes(`"${key}": "${reasoning}"`);
}
