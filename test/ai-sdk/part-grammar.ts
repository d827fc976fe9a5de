/** The grammar of a stream of the AI SDK: which part may come where. */
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';

/** Breaches of the order; empty when there is none. */
export function orderBreaches(parts: readonly LanguageModelV3StreamPart[]): readonly string[] {
  const breaches: string[] = [];
  const open = new Map<string, string>();
  const closed = new Set<string>();
  const called = new Set<string>();
  const expect = (holds: boolean, rule: string): void => {
    if (!holds) breaches.push(rule);
  };
  parts.forEach((part, index) => {
    const { type } = part;
    expect((index === 0) === (type === 'stream-start'), 'stream-start is the first part, and only that');
    expect((index === parts.length - 1) === (type === 'finish'), 'finish is the last part, and only that');
    const [kind, what] = region(type);
    if (what === 'start' && 'id' in part) {
      expect(!open.has(part.id) && !closed.has(part.id), `${type} has an id of its own`);
      open.set(part.id, kind);
    } else if ((what === 'delta' || what === 'end') && 'id' in part) {
      expect(open.get(part.id) === kind, `${type} belongs to an open ${kind}`);
      if (what === 'end') closed.add(part.id);
      if (what === 'end') open.delete(part.id);
    } else if (type === 'tool-call') {
      expect(closed.has(part.toolCallId), 'tool-call comes after its tool-input-end');
      expect(!called.has(part.toolCallId), 'tool-call has an id of its own');
      called.add(part.toolCallId);
    }
  });
  expect(open.size === 0, 'every region ends');
  return breaches;
}

/** `tool-input-delta` → `tool-input`, `delta`. */
function region(type: string): readonly [string, string] {
  const [, kind = '', what = ''] = /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(type) ?? [];
  return [kind, what];
}
