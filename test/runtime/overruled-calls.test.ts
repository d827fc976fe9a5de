/** Calls that a run asks about: those of which the model was overruled, and no others. */
import { expect, it } from 'vitest';
import type { AnyResponseEvent, Overruled } from '../../src/parser/events.ts';
import { OverruledCalls } from '../../src/runtime/chat/tool-loop/overruled-calls.ts';

const place: Overruled = { at: 0, before: '{"unit": "', wished: 'ke', probability: 0.9 };

function call(toolName: string, overruled?: readonly Overruled[]): AnyResponseEvent {
  const facts = { type: 'tool-call', toolCallId: 'c0', toolName, input: {}, start: 0, end: 1 } as const;
  return { ...facts, ...(overruled === undefined ? {} : { overruled }) } as AnyResponseEvent;
}

it('a call with the id of an earlier one that was overruled is executed, if it was not', () => {
  const calls = new OverruledCalls(0.1);
  calls.note(call('set_unit', [place]));
  expect(calls.questioned({ id: 'c0', name: 'set_unit' })).not.toBeNull();
  calls.note(call('get_city'));
  expect(calls.questioned({ id: 'c0', name: 'get_city' })).toBeNull();
});
