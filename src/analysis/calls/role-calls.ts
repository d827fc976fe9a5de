/** Calls that a template renders for a role of their own: `assistant_tool_call`. */
import type { CallsFormat } from '../../format/chat-format.ts';
import type { Probing } from '../probes/probing.ts';
import { callsOfExample } from '../prompt/calls-of-example.ts';
import { jsonExample } from '../prompt/json-examples.ts';
import { afterStart } from '../turn/rendered-turns.ts';
import type { WithTurnStart } from '../turn/turn-start.ts';

type Given = Probing & WithTurnStart & { readonly calls: CallsFormat | null };

/** The roles with which a template compares a message's, as its source spells it. */
const comparedRole = /\brole\b['"\])}]*\s*==\s*(['"])(\w+)\1/gu;

/**
 * The calls of such a role, if no message of the assistant shows any: the template marks where they begin, and their
 * text is the caller's, so JSON with the usual keys is assumed.
 */
export function readRoleCalls({ calls, template, prober, turnStart, log }: Given): {
  readonly calls: CallsFormat | null;
} {
  if (calls !== null) return { calls };
  const roles = [...template.source.matchAll(comparedRole)].map(([, , role = '']) => role);
  const { content } = prober.sentinels;
  for (const role of new Set(roles.filter((each) => /call/iu.test(each) && /assistant|model/iu.test(each)))) {
    const turn = prober.turn({ id: `role-${role}`, role, content });
    const text = turn === null ? '' : afterStart(turn, turnStart);
    const open = text.slice(0, Math.max(0, text.indexOf(content)));
    if (turn?.startsWith(turnStart.start) !== true || open.trim() === '') continue;
    log.withdraw('calls');
    log.support(
      'calls',
      `role-${role}`,
      text,
      'messages of this role are calls; their text is the caller’s',
      'convention',
    );
    const message = `messages of the role "${role}" begin like calls, and their text is the caller’s: a list of JSON is assumed`;
    log.warn({ field: 'calls', kind: 'assumed', message, rendered: text });
    return { calls: callsOfExample(jsonExample({ text, open, close: '', isList: true })) };
  }
  return { calls };
}
