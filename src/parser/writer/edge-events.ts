/** Events that are created in great numbers: all of one kind in one place, with one hidden class. */
import type { ResponseEvent } from '../events.ts';
import type { WrittenText } from '../markers/written-text.ts';

/** Where deltas go: a region, or the arguments of a call. */
export interface EmitTarget {
  readonly type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta';
  readonly id: string;
  /** All its deltas, for the message. */
  readonly text: WrittenText;
}

/** A delta. All deltas are created here, with one hidden class, so that consumers access them quickly. */
export function deltaEvent(
  { type, id }: EmitTarget,
  delta: string,
  start: number,
  end: number,
): ResponseEvent {
  return { type, id, delta, start, end };
}

type Edge = 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end' | 'tool-input-end';

/** A start or end event without text; like deltas, always with one hidden class. */
export function edgeEvent(type: Edge, id: string, at: number): ResponseEvent {
  return { type, id, start: at, end: at };
}
