/**
 * The probes: assistant messages that differ in one thing, each after the same user message. `docs/probes.md` lists
 * the question that each one answers.
 */
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import type { Sentinels } from '../../template/prompt/sentinels.ts';

/** A call in a probe. */
export interface ProbeCall {
  readonly name: string;
  readonly id: string;
  readonly arguments: JsonObject;
}

/** One assistant message, and the message after it. */
export interface Probe {
  /** The id in evidence: `two-calls`. */
  readonly id: string;
  /** Its role; absent means the assistant's. */
  readonly role?: string;
  readonly content?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ProbeCall[];
  /** What follows it: a question, results, or a question and its answer; absent means nothing. */
  readonly followedBy?: 'user' | 'tool' | 'exchange';
  /** An earlier question and answer precede it; absent means none do. */
  readonly isLater?: true;
}

/** The fixed probes for one set of sentinels. */
export interface ProbeTable {
  readonly content: Probe;
  readonly contentThenUser: Probe;
  readonly reasoningContent: Probe;
  readonly reasoningContentThenUser: Probe;
  readonly oneCall: Probe;
  readonly twoCalls: Probe;
  readonly threeCalls: Probe;
  readonly noArguments: Probe;
  readonly contentCall: Probe;
  readonly reasoningCall: Probe;
  readonly reasoningContentCall: Probe;
  readonly reasoningCallThenTool: Probe;
  readonly callThenTool: Probe;
}

/** Creates the table. */
export function probeTable(sentinels: Sentinels): ProbeTable {
  const { content, reasoning, names, ids, keys, values } = sentinels;
  const first = { name: names[0], id: ids[0], arguments: { [keys[0]]: values[0], [keys[1]]: values[1] } };
  const second = { name: names[1], id: ids[1], arguments: { [keys[2]]: values[2] } };
  const third = { name: names[2], id: ids[2], arguments: { [keys[0]]: values[1] } };
  return {
    content: { id: 'content', content },
    contentThenUser: { id: 'content-then-user', content, followedBy: 'user' },
    reasoningContent: { id: 'reasoning-content', content, reasoning },
    reasoningContentThenUser: { id: 'reasoning-content-then-user', content, reasoning, followedBy: 'user' },
    oneCall: { id: 'one-call', calls: [first] },
    twoCalls: { id: 'two-calls', calls: [first, second] },
    threeCalls: { id: 'three-calls', calls: [first, second, third] },
    noArguments: { id: 'no-arguments', calls: [{ ...first, arguments: {} }] },
    contentCall: { id: 'content-call', content, calls: [first] },
    reasoningCall: { id: 'reasoning-call', reasoning, calls: [first] },
    reasoningContentCall: { id: 'reasoning-content-call', content, reasoning, calls: [first] },
    reasoningCallThenTool: {
      id: 'reasoning-call-then-tool',
      reasoning,
      calls: [first],
      followedBy: 'tool',
    },
    callThenTool: { id: 'call-then-tool', calls: [first], followedBy: 'tool' },
  };
}

/** A call with one argument of a given type. */
export function valueProbe(sentinels: Sentinels, key: string, value: JsonValue, label: string): Probe {
  return {
    id: `value-${label}`,
    calls: [{ name: sentinels.names[0], id: sentinels.ids[0], arguments: { [key]: value } }],
  };
}
